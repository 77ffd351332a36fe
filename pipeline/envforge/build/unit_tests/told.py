"""What the reference tells about a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from envforge.core.records.blueprint import Aggregate, Select
from envforge.world.changes import TableChanges

Feature: TypeAlias = tuple[Any, ...]
"""Something that a call met: a branch, a condition that kept some rows, a failed requirement, a changed column."""


@dataclass(frozen=True)
class Found:
    """What a select or aggregate step found: its conditions with their values, and how many rows met them."""

    step: Select | Aggregate | None
    conditions: tuple[tuple[str, str, Any], ...] = ()
    any_of: bool = False
    total: int = 0
    rows: tuple[Any, ...] = ()
    """The rows of the page, or the groups."""


@dataclass(frozen=True)
class Told:
    """What a call leads to: a result with changes, a ToolError, or a fault of the blueprint (it crashes)."""

    result: dict[str, Any] | None = None
    code: str = ""
    message: str | None = None
    """The exact message when the blueprint words it."""
    hint: str = ""
    """The exact hint, "-" for some hint that is not the blueprint's, empty for none."""
    changes: Mapping[str, TableChanges] = field(default_factory=dict[str, TableChanges])
    now: str = ""
    minted: Mapping[Any, str] = field(default_factory=dict[Any, str])
    features: frozenset[Feature] = frozenset()
    fault: str = ""
    found: tuple[Found, ...] = ()
    fetched: Mapping[str, tuple[str, tuple[Any, ...]]] = field(default_factory=dict[str, "tuple[str, tuple[Any, ...]]"])
    """Name of a row in the steps → its table and key."""

    @property
    def total(self) -> int | None:
        """How many rows all pages together hold; None without pages."""
        paged = [
            one.total for one in self.found if one.step is None or (isinstance(one.step, Select) and one.step.page)
        ]
        return paged[-1] if paged else None

    @property
    def ok(self) -> bool:
        """True when the call succeeds."""
        return self.result is not None


class Refusal(Exception):
    """The call ends in a ToolError."""

    def __init__(self, code: str, message: str | None = None, hint: str = "-") -> None:
        super().__init__(code)
        self.code, self.message, self.hint = code, message, hint
