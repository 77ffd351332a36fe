"""Archetypes: matched to a mined schema by shape, then bound to its tables and columns."""

from envforge.mine.archetypes.catalogue import load_archetype, load_archetypes

__all__ = ["load_archetype", "load_archetypes"]
