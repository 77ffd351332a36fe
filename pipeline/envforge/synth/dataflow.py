"""Data-flow of an episode: which call gave a value that a later call or the answer needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from envforge.core.ids import canonical_json
from envforge.gates.atoms import Path, atoms, is_telling, lists
from envforge.gates.solutions import Step

UNKNOWN = "(unknown)"
Guess: TypeAlias = Callable[[Path, Any], Any]
"""A wrong value for a place whose value is not known."""


def sources(steps: Sequence[Step], said: Any, answer: Any = None) -> list[set[int]]:
    """Per call, and last for the answer, the numbers (from 0) of the earlier calls that first gave a value it needs.

    A value that was said needs no call; one that says nothing about where it is from (null, true, small numbers) is
    left out.
    """
    first: dict[str, int] = {canonical_json(value): -1 for _, value in atoms(said)}
    needs: list[set[int]] = []
    for number, step in enumerate(steps):
        needs.append(_known(dict(step.arguments), first))
        for _, value in atoms(step.seen.result or {}):
            if is_telling(value):
                first.setdefault(canonical_json(value), number)
    return [*needs, _known(answer, first)]


def _known(value: Any, first: Mapping[str, int]) -> set[int]:
    found = {first.get(canonical_json(atom), -1) for _, atom in atoms(value) if is_telling(atom)}
    return found - {-1}


def depth_of(needs: Sequence[set[int]]) -> int:
    """The longest chain of calls in which each needs the one before."""
    depths: list[int] = []
    for sources_of_call in needs[:-1]:
        depths.append(1 + max((depths[number] for number in sources_of_call), default=0))
    return max(depths, default=0)


def needed_calls(needs: Sequence[set[int]]) -> set[int]:
    """Calls that gave a value to a later call or to the answer."""
    return {number for sources_of_call in needs for number in sources_of_call}


def objects(value: Any) -> list[dict[str, Any]]:
    """Every object inside a value, itself included."""
    found: list[dict[str, Any]] = []
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        found.append(fields)
        for item in fields.values():
            found += objects(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            found += objects(item)
    return found


Place: TypeAlias = tuple[str, str]
"""An id in an object: its field, its value as canonical JSON."""


class Facts:
    """What results tell: objects by the ids in them, whole lists. Of each result it is worked out once.

    Solutions are played over and over, and what is remembered of a call is the same object each time.
    """

    def __init__(self, ids: set[Place]) -> None:
        """`ids` tell which objects are about the same thing. Their field belongs to them: not every 5 is issue 5."""
        self.ids = ids
        self._known: dict[int, tuple[Any, list[tuple[Place, dict[str, Any]]], set[str]]] = {}

    def of(self, seen: Any) -> tuple[list[tuple[Place, dict[str, Any]]], set[str]]:
        """Objects with their places, and lists as canonical JSON."""
        held = self._known.get(id(seen))
        if held is None or held[0] is not seen:
            told = [(place, found) for found in objects(seen) for place in self.places(found)]
            held = (seen, told, {canonical_json(items) for _, items in lists(seen)})
            self._known[id(seen)] = held
        return held[1], held[2]

    def places(self, fields: Mapping[str, Any]) -> list[Place]:
        """The ids in an object, by name."""
        single = ((name, value) for name, value in fields.items() if not isinstance(value, dict | list))
        named = ((name, canonical_json(value)) for name, value in single)
        return [place for place in named if place in self.ids]


class Memory:
    """What somebody knows who saw some results: objects by the ids in them, and whole lists."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.about: dict[Place, list[dict[str, Any]]] = {}
        self.listed: set[str] = set()

    def add(self, seen: Any) -> None:
        """One more result."""
        told, listed = self.facts.of(seen)
        for place, found in told:
            self.about.setdefault(place, []).append(found)
        self.listed |= listed

    def names_rows(self, items: list[Any]) -> bool:
        """A list that says by ids what it is about; an empty one, or one of plain words, may be anybody's."""
        return any((str(path[-1]), canonical_json(value)) in self.facts.ids for path, value in atoms(items))

    def tell(self, result: Any, guess: Guess) -> Any:
        """The result as somebody tells it who knows no more than this.

        The rest is guessed wrongly, and lists get an item too many: who gets by with that does not need the result.
        """
        return _Teller(self, guess).tell(result, ())


class _Teller:
    """Tells results from what is known."""

    def __init__(self, memory: Memory, guess: Guess) -> None:
        self.memory, self.guess = memory, guess

    def tell(self, value: Any, path: Path) -> Any:
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            told = _told_of(fields, self.memory)
            return {
                name: item if name in told and not isinstance(item, dict) else self.tell(item, (*path, name))
                for name, item in fields.items()
            }
        if isinstance(value, list):
            items = cast("list[Any]", value)
            if canonical_json(items) in self.memory.listed and self.memory.names_rows(items):
                return items
            more = self.guessed(items[0], (*path, 0)) if items else None
            return [*(self.tell(item, (*path, 0)) for item in items), more]
        return self.guess(path, value)

    def guessed(self, value: Any, path: Path) -> Any:
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            return {name: self.guessed(item, (*path, name)) for name, item in fields.items()}
        return self.guess(path, value)


def untrue(_: Path, value: Any) -> Any:
    """A null for what is there, a text for what is not."""
    return UNKNOWN if value is None else None


def _told_of(fields: Mapping[str, Any], memory: Memory) -> set[str]:
    """Names of fields whose values stand in an earlier object about the same thing."""
    told: set[str] = set()
    for other in (other for place in memory.facts.places(fields) for other in memory.about.get(place, ())):
        told |= {name for name, value in fields.items() if name in other and other[name] == value}
    return told
