"""Lists that open a World: where every list wants an id that only such lists show, some are asked without it.

An interface for somebody who knows the number of his company has no list of companies. Whoever comes to the World
knows no number: a list of what the others need takes its holder as a filter then, and shows everything without it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from envforge.build.blueprint.reachability import needed, produced, reachable
from envforge.core.contracts import Database
from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import READ_VERBS, BoundOperation

_HOLDERS = ("scope", "parent")


def to_open(operations: Sequence[Operation]) -> set[str]:
    """Names of lists without which no reading tool shows an id that others need. What a call creates is no help."""
    reading = [one for one in operations if one.verb in READ_VERBS]
    opened: set[str] = set()
    while True:
        ready, stuck = reachable(_asked(reading, opened))
        known = set[str]().union(*(produced(one) for one in ready))
        missing = set[str]().union(*(needed(one) for one in stuck)) - known
        lists = [one.name for one in stuck if one.verb == "list" and _own(one, missing)]
        if not lists:
            return opened
        opened.add(max(lists, key=lambda name: len(reachable(_asked(reading, {*opened, name}))[0])))


def _asked(reading: Sequence[Operation], opened: Collection[str]) -> list[Operation]:
    return [_free(one) if one.name in opened else one for one in reading]


def _own(operation: Operation, missing: Collection[str]) -> bool:
    """It shows ids of its own entity that are missing."""
    return any(one.partition(".")[0] == operation.entity for one in produced(operation) & set(missing))


def _free(operation: Operation) -> Operation:
    parameters = tuple(one.model_copy(update={"required": False}) for one in operation.parameters)
    return operation.model_copy(update={"parameters": parameters})


def with_open_lists(database: Database, opened: Collection[str]) -> Database:
    """The database whose lists of these names take what they are in as a filter."""
    operations = tuple(_opened(one) if one.name in opened else one for one in database.domain.operations)
    return dataclasses.replace(database, domain=database.domain.model_copy(update={"operations": operations}))


def _opened(operation: BoundOperation) -> BoundOperation:
    """Of a way of several names nothing is left to filter by: each alone names nothing."""
    several = any(one.meaning == "scope" for one in operation.parameters)
    kept = [one for one in operation.parameters if not (several and one.meaning in _HOLDERS)]
    return operation.model_copy(
        update={
            "parameters": tuple(
                one.model_copy(update={"meaning": "filter", "required": False}) if one.meaning == "parent" else one
                for one in kept
            )
        }
    )
