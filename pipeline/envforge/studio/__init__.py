"""Pages for people, made from records only."""
