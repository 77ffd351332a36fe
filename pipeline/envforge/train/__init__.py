"""Training: what is trained on, in which order, and by what."""
