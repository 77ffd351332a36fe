"""Data-flow of an episode: which call gave a value that a later call or the answer needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.gates.atoms import atoms, is_telling, lists
from envforge.gates.solutions import Step

UNKNOWN = "(unknown)"


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


def remembered(result: Any, earlier: Sequence[Any]) -> Any:
    """The result as somebody tells it who saw the earlier ones only.

    What these do not show is told wrongly (a null where something is, a text where nothing is, a list with an item too
    many), so that who gets by with it does not need it; a lucky guess would say otherwise.
    """
    known = [found for seen in earlier for found in objects(seen)]
    return _remembered(result, known, {canonical_json(items) for seen in earlier for _, items in lists(seen)})


def _remembered(value: Any, known: Sequence[dict[str, Any]], listed: set[str]) -> Any:
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        told = _told_of(fields, known)
        return {
            name: _remembered(item, known, listed) if isinstance(item, dict | list) or name in told else _untrue(item)
            for name, item in fields.items()
        }
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if canonical_json(items) in listed:
            return items
        return [*(_remembered(item, known, listed) for item in items), _untrue(items[0]) if items else None]
    return value


def _untrue(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _untrue(item) for name, item in cast("dict[str, Any]", value).items()}
    return UNKNOWN if value is None else None


def _told_of(fields: Mapping[str, Any], known: Sequence[dict[str, Any]]) -> set[str]:
    """Names of fields whose values stand in an earlier object about the same thing."""
    keys = {name for name, value in fields.items() if isinstance(value, str | int) and is_telling(value)}
    told: set[str] = set()
    for other in known:
        if any(name in other and other[name] == fields[name] for name in keys):
            told |= {name for name, value in fields.items() if name in other and other[name] == value}
    return told
