"""One file per provider of models."""
