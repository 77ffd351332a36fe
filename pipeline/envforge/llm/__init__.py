"""Floor 2: models. Every answer is whole and usable, or it is a typed error."""
