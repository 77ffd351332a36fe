"""Curricula beside each other, on learners that are simulated."""
