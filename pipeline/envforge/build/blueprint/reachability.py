"""Every id that a tool needs must come out of some tool that ships."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from envforge.core.records.blueprint import Operation


def produced(operation: Operation) -> set[str]:
    """Semantic types of the ids in an operation's result."""
    return set(_marked(operation.returns))


def _marked(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        known = cast("dict[str, Any]", schema)
        mark = known.get("x-semantic")
        if isinstance(mark, str):
            yield mark
        elif isinstance(mark, list):
            yield from (str(one) for one in cast("list[Any]", mark))
        for value in known.values():
            yield from _marked(value)
    elif isinstance(schema, list):
        for value in cast("list[Any]", schema):
            yield from _marked(value)


def needed(operation: Operation) -> set[str]:
    """Semantic types that a call cannot do without."""
    return {one.semantic for one in operation.parameters if one.required and one.semantic}


def self_sufficient(operation: Operation) -> bool:
    """True if the operation can be called without knowing any id."""
    return not needed(operation)


def reachable(operations: Iterable[Operation]) -> tuple[list[Operation], list[Operation]]:
    """(callable ones, the others): starts from nothing known and adds what each callable tool yields."""
    waiting = list(operations)
    known: set[str] = set()
    done: list[Operation] = []
    while True:
        ready = [one for one in waiting if needed(one) <= known]
        if not ready:
            return done, waiting
        for one in ready:
            known |= produced(one)
        done += ready
        waiting = [one for one in waiting if one not in ready]
