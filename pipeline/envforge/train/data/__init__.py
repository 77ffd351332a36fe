"""Training sets: rows to play and examples to imitate, drawn from environments and runs."""
