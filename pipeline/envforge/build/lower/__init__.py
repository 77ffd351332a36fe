"""Lowering: from a blueprint to the text of tools.py and the entries of tools.json."""

from envforge.build.lower.module import lower

__all__ = ["lower"]
