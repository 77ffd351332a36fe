"""Goals that one text could mean: parameter sets of a family that say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json
from envforge.core.records.intent import IntentFamily
from envforge.synth.queries import Queries

MOST_COMPARED = 200
"""Sets that a goal is compared with: the first of a family's, in seeded order, and its own."""


class Doubles:
    """What each parameter set of a family would say, by the values of its mentions and the keys of its references.

    The shortest queries are asked first, and the longer ones only of sets that say the same up to there.
    """

    def __init__(self, queries: Queries, family: IntentFamily, sets: Sequence[Mapping[str, Any]]) -> None:
        self._queries = queries
        self._where = f"intent family {family.id}, mentions"
        parts = [mention.sql for mention in family.mentions.values()]
        self._parts = sorted([*parts, *(reference.key for reference in family.references.values())], key=len)
        self._sets = [(canonical_json(dict(some)), some) for some in sets[:MOST_COMPARED]]
        self._said: dict[tuple[str, int], str] = {}

    def other(self, parameters: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Other parameters that say what `parameters` say; None when there are none."""
        own = canonical_json(dict(parameters))
        alike = [(name, some) for name, some in self._sets if name != own]
        for part in range(len(self._parts)):
            said = self._value(own, parameters, part)
            alike = [(name, some) for name, some in alike if self._value(name, some, part) == said]
            if not alike:
                return None
        return alike[0][1] if alike else None

    def _value(self, name: str, parameters: Mapping[str, Any], part: int) -> str:
        held = self._said.get((name, part))
        if held is None:
            held = self._said[name, part] = self._asked(parameters, part)
        return held

    def _asked(self, parameters: Mapping[str, Any], part: int) -> str:
        try:
            rows = self._queries.rows(self._parts[part], parameters, self._where)
        except ConfigError:  # it is no goal, and says nothing that another one could be taken for
            return f"nothing: {canonical_json(dict(parameters))}"
        return canonical_json([list(row.values()) for row in rows])
