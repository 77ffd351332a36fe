"""Floor 3: run stages, keep a journal, resume."""
