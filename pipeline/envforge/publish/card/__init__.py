"""The card of a published set: README.md and its pictures, from the records alone."""

from envforge.publish.card.writing import write_card

__all__ = ["write_card"]
