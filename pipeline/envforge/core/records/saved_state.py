"""The state of one live instance as a file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record


class Minted(Record):
    """The ids that one table's source has given out."""

    count: int = Field(ge=0, description="draws from the source so far")
    last: int = Field(ge=-(2**63), lt=2**63, description="the last number, 0 for ids that are no numbers")


class SavedState(Record):
    """Where an episode stands, for a process or machine that goes on with it.

    It holds what changed, not pages: it fits another machine, engine and version of SQLite. A loaded state has the same
    rows, documents, time and future ids. What it does not keep is the physical place of inserted rows whose key is no
    integer: a query without ORDER BY may give those in another order than the instance that was saved (and in the
    same order wherever the state is loaded). A `Snapshot` keeps places too, but only within one database image.
    """

    version: Literal[1]
    environment_hash: str
    seed: int = Field(description="the episode's: ids and dynamics, never the initial rows")
    writes: int = Field(ge=0, description="calls that changed rows: steps of the clock")
    minted: dict[str, Minted] = Field(description="per table")
    changeset: str = Field(description="base64 of a SQLite changeset: from the initial rows to this state")
