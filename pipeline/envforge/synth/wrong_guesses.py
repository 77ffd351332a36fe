"""Ways to tell wrongly what a read would have shown: who gets by with all of them does not need the read.

What a read rules out counts as much as what it finds: the row that does not rank, the page that somebody else made. One
wrong value is not enough to see that, so each field is told as less and as more than all others, any two fields in all
four combinations, as each of the few values that stand in its place elsewhere, and keys as ones that nobody saw there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, islice
from math import comb
from typing import Any, TypeAlias

from envforge.core.ids import canonical_json
from envforge.gates.atoms import Path, atoms, shape
from envforge.gates.solutions import Step
from envforge.synth.dataflow import Guess, untrue
from envforge.synth.semantics import Semantics

MOST_ROWS = 8
"""Ways that combine least and greatest values: enough for 35 fields of a tool."""
MOST_VALUES = 8
"""Of one place; of more, as many over their whole range."""

Way: TypeAlias = Mapping[str, Guess]
"""Tool -> guess; what has no entry is `untrue`."""
_Pick: TypeAlias = Callable[[str, Sequence[Any]], Any]
"""Of a place and the other values that were seen there, in order."""


def wrong_ways(semantics: Semantics, steps: Sequence[Step], said: Any) -> tuple[Way, ...]:
    """Those that most reads fail first."""
    places = _places(steps)
    wanted = {canonical_json(value) for _, value in atoms(said)}

    def way(pick_of: Callable[[str], _Pick]) -> Way:
        return {tool: _guess(seen, pick_of(tool)) for tool, seen in places.items()}

    def first_wanted(_: str, others: Sequence[Any]) -> Any:
        return next((other for other in others if canonical_json(other) in wanted), others[0])

    def extreme(number: int) -> Callable[[str], _Pick]:
        return lambda tool: _extreme(places[tool], greatest_in(number, sorted(places[tool])), _keys(semantics, tool))

    def each(number: int) -> Callable[[str], _Pick]:
        return lambda _: lambda __, others: others[_spread(number, len(others))]

    most = max((len(seen) for seen in places.values()), default=0)
    values = max((len(held) for seen in places.values() for held in seen.values()), default=0)
    return (
        {},
        way(lambda _: first_wanted),
        *(way(extreme(number)) for number in range(rows_for(most))),
        way(lambda tool: _strange(semantics, tool, places[tool])),
        *(way(each(number)) for number in range(min(MOST_VALUES, values - 1))),
    )


def _places(steps: Sequence[Step]) -> dict[str, dict[str, list[Any]]]:
    """Tool -> place in its results -> values that were seen there, in order, each once."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for step in steps:
        for path, value in atoms(step.seen.result or {}):
            if value is not None:
                found.setdefault(step.tool, {}).setdefault(shape(path), {})[canonical_json(value)] = value
    return {
        tool: {place: sorted(held.values(), key=_order) for place, held in seen.items()} for tool, seen in found.items()
    }


def _order(value: Any) -> tuple[str, Any]:
    """Numbers by size, then texts."""
    return ("", value) if isinstance(value, int | float) else ("text", str(value))


def _guess(seen: Mapping[str, Sequence[Any]], pick: _Pick) -> Guess:
    def guess(path: Path, value: Any) -> Any:
        place = shape(path)
        others = [other for other in seen.get(place, ()) if other != value]
        return pick(place, others) if others else untrue(path, value)

    return guess


def rows_for(fields: int) -> int:
    """How many ways it takes until any two fields were told in all four combinations of least and greatest."""
    return next((rows for rows in range(4, MOST_ROWS, 2) if comb(rows - 1, rows // 2) >= fields), MOST_ROWS)


def greatest_in(number: int, fields: Sequence[str]) -> frozenset[str]:
    """Fields that the way of this number tells as greatest.

    Each field has another half of the ways, the first left out: any two halves meet, neither holds the other.
    """
    rows = rows_for(len(fields))
    halves = list(islice(combinations(range(1, rows), rows // 2), max(1, len(fields))))
    return frozenset(field for at, field in enumerate(fields) if number in halves[at % len(halves)])


def _extreme(seen: Mapping[str, Sequence[Any]], greatest: frozenset[str], keys: Mapping[str, str]) -> _Pick:
    """The least or the greatest; of numbers that are no keys, one less or more than any (but not below nothing)."""

    def pick(place: str, others: Sequence[Any]) -> Any:
        found, least, most = others[-1] if place in greatest else others[0], seen[place][0], seen[place][-1]
        if isinstance(found, bool | str) or place in keys or not isinstance(most, int | float):
            return found
        if place in greatest:
            return most + 1
        return found if 0 <= least < 1 else least - 1

    return pick


def _strange(semantics: Semantics, tool: str, seen: Mapping[str, Sequence[Any]]) -> _Pick:
    """A key that was never seen in its place; of all else the first."""
    keys = _keys(semantics, tool)
    fresh = {place: semantics.key_beside(keys.get(place, ""), values) for place, values in seen.items()}
    return lambda place, others: others[0] if fresh[place] is None else fresh[place]


def _keys(semantics: Semantics, tool: str) -> Mapping[str, str]:
    """Places of a tool's results that hold keys, and whose."""
    return semantics.tools[tool].produces if tool in semantics.tools else {}


def _spread(number: int, count: int) -> int:
    """The place of the value that a way takes."""
    return number % count if count <= MOST_VALUES else number * (count - 1) // (MOST_VALUES - 1)
