"""Links between two kinds of domain, as data (themes/links/*.yaml): rows of one track rows of the other.

A link is an archetype whose roles are those that two other archetypes play in one environment: the host keeps track,
of what happens in the tracked one. It adds what belongs to neither: the table of what is about what, the rows that
are there from the start, the tools that keep it, and goals that need both sides. docs/links.md is its reference.
"""

from __future__ import annotations

from pydantic import Field

from envforge.core.records.archetype import Archetype, Role
from envforge.core.records.base import Record


class LinkedSide(Record):
    """One of the two archetypes that a link joins."""

    archetype: str = Field(description="id of the archetype")
    prefix: str = Field(
        pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$",
        description="put before names of this side that the other side has too: shop_customers",
    )


class Link(Archetype):
    """One file of themes/links. Its roles are not written down: they are those of the two sides."""

    host: LinkedSide = Field(description="the side that keeps track")
    tracked: LinkedSide = Field(description="the side that is kept track of")
    roles: dict[str, Role] = Field(default_factory=dict, description="taken from the two archetypes")

    @property
    def pair(self) -> tuple[str, str]:
        """The ids of the two archetypes, the host's first."""
        return self.host.archetype, self.tracked.archetype
