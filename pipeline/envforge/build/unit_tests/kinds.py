"""What kind of JSON value something is, in a way that type checkers follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """True for an object with named values."""
    return isinstance(value, Mapping)


def entries(value: Any) -> list[Any]:
    """The entries of a list that may be left out."""
    return list(value) if value else []


def members(value: Any) -> dict[str, Any]:
    """The members of an object that may be left out."""
    return dict(value) if value else {}


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """True for a list."""
    return isinstance(value, list)


def is_series(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """True for a list or a tuple."""
    return isinstance(value, list | tuple)
