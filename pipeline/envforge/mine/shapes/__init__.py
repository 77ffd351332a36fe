"""Rows for domains that no archetype knows: a shape says what records look like, wherever people keep them."""

from envforge.mine.shapes.managed import managed_records, source_of

__all__ = ["managed_records", "source_of"]
