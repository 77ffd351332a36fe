"""Derived tables and columns: what follows from other rows, and what every tool that writes those rows keeps right.

A history tells how the state of each row of a table has changed; a figure is a count or a sum over the rows that belong
to one. `mine` declares and fills them, `build` makes the tools keep them, `gates` measure them, `synth` compares them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record

ENTRY, BEFORE, AFTER, WHEN, WHO = "entry", "from_state", "to_state", "changed_at", "changed_by"
"""Columns of every history beside the key of the row that it is about; `changed_by` only where an actor is known."""


class Detour(Record):
    """What some rows went through while they were in `state`, before they went on: through these states and back."""

    state: str
    through: tuple[str, ...] = Field(min_length=1)
    share: float = Field(gt=0, le=1, description="of the rows that were in `state`")


class Elsewhere(Record):
    """A time that stands in rows of another table which belong to the row: the first or the last of them."""

    table: str
    by: str = Field(description="column that holds the key of the row")
    column: str
    pick: Literal["first", "last"] = "last"


class History(Record):
    """A table of the changes of one column: the n-th change of a row is (its key, n), from, to, when, and who.

    The first entry comes from no state, at the row's creation; each next one begins where the last one ended; the last
    one ends in the present state. A row that is deleted takes its entries along.
    """

    table: str = Field(description="the history itself")
    of: str = Field(description="the table whose rows have a state")
    state: str = Field(description="the column that changes")
    created: str = Field(description="column of `of`: when a row came to be, which is its first entry")
    key: str = Field(default="", description="key column of `of`; an archetype's is filled in when it is loaded")
    owner: str = Field(default="", description="column of the history that holds the key; filled in like `key`")
    actor: str = Field(default="", description="column of `of` that says who acts on the row; nothing: nobody is known")
    milestones: dict[str, str | Elsewhere] = Field(
        default_factory=lambda: dict[str, str | Elsewhere](),
        description="state -> column of `of`, or place elsewhere, that holds when the row came into it, or NULL",
    )
    latest: str = Field(default="", description="column of `of` with a time before which all but the last entry lies")
    detours: tuple[Detour, ...] = ()


class Figure(Record):
    """A column that holds how many rows of another table belong to a row, or what they add up to."""

    table: str
    column: str
    key: str = Field(default="", description="key column of `table`; an archetype's is filled in when it is loaded")
    fn: Literal["count", "sum"] = "count"
    of: str = Field(description="the table whose rows are counted")
    by: str = Field(description="column of `of` that holds the key of the row that it belongs to")
    measure: str = Field(default="", description="sum: the column of `of` that is added up")
    where: dict[str, tuple[str | int, ...]] = Field(
        default_factory=dict, description="column of `of` -> values of which it has one, for a row to count"
    )
    description: str = ""
    unit: str | None = None
