"""Adapters: helper functions for shapes that the step language cannot say (property bags, filters)."""

from envforge.build.adapters.registry import ADAPTERS
from envforge.build.adapters.spec import AdapterSpec

__all__ = ["ADAPTERS", "AdapterSpec"]
