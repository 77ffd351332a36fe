"""Floor 6: composes the verbs; the wiring of stages and authors."""
