"""Failures that no row and no single call leads to: after other calls, or in a state that a test arranges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envforge.build.adapters.tables import trash_flags
from envforge.build.unit_tests.containers import holders_of
from envforge.build.unit_tests.expressions import add_days
from envforge.build.unit_tests.probe import Arranged, Call, Probed
from envforge.build.unit_tests.reference import Reference, requirements
from envforge.build.unit_tests.told import Told
from envforge.core.ids import canonical_json
from envforge.core.records.domain import Column
from envforge.world.engine.contract import ConstraintError

_MOST_BEFORE = 6
_MOST_REPEATS = 5
_MOST_BASES = 3
_MEMBER = re.compile(r"\b([a-z_]\w*)\.([a-z_]\w*)")


def probe_rare(reference: Reference, probed: Sequence[Probed], declared: Mapping[str, set[str]]) -> None:
    """Look for declared codes and for requirements of the steps that no call has met, and add what is found."""
    for target in probed:
        wanted = _missing(target, declared.get(target.operation.name, set()))
        for calls in (_repeated, _arranged, _after_others):
            for call in calls(reference, target, probed) if wanted else ():
                met = wanted & _met(call.told)
                if met:
                    wanted -= met
                    target.errors.append(call)
                if not wanted:
                    break


def _missing(target: Probed, declared: set[str]) -> set[str]:
    met = {feature for call in target.tried for feature in call.told.features}
    places = {("required", place) for place in requirements(target.operation.steps, "")}
    return (declared - {call.told.code for call in target.errors}) | {str(one) for one in places - met}


def _met(told: Told) -> set[str]:
    return {told.code} | {str(one) for one in told.features if one[0] == "required"} if told.code else set()


def _shorter(calls: Sequence[Call]) -> list[Call]:
    return sorted(calls, key=lambda call: call.length)


def _repeated(reference: Reference, target: Probed, _: Sequence[Probed]) -> Iterator[Call]:
    """The same call again and again: what is done twice, and what is used up."""
    bases = _shorter([call for call in target.tried if call.told.changes])
    for call in [*bases[:_MOST_BASES], *[call for call in target.successes if call.told.changes]]:
        before: list[tuple[Any, Mapping[str, Any]]] = []
        for _repeat in range(_MOST_REPEATS):
            told = reference.run(target.operation, call.arguments, keep=True)
            if not told.ok:
                reference.tables.reset()
                yield Call(target.operation, call.arguments, told, tuple(before))
                break
            before.append((target.operation, call.arguments))
        reference.tables.reset()


def _arranged(reference: Reference, target: Probed, _: Sequence[Probed]) -> Iterator[Call]:
    """A call that succeeds, after one value of a row that it looks up was changed."""
    used = set(_MEMBER.findall(canonical_json([step.to_json() for step in target.operation.steps])))
    for call in _bases(target):
        for name, (table_name, key) in call.told.fetched.items():
            table = reference.tables.tables[table_name]
            where = dict(zip(table.primary_key, key, strict=True))
            found = reference.tables.find(table_name, where)
            if not found:
                continue  # the call itself has made it
            held = found[0]
            for column in table.columns:
                if (name, column.name) not in used or column.name in where or column.references:
                    continue
                for value in _others(column, held[column.name], reference.live.now()):
                    yield from _tried_after(reference, Arranged(table_name, where, column.name, value), call)
            for holder, row in [(table, held), *holders_of(reference, table, held)]:
                key_of = {key: row[key] for key in holder.primary_key}
                for flag in trash_flags(holder):
                    yield from _tried_after(reference, Arranged(holder.name, key_of, flag.name, True), call)


def _bases(target: Probed) -> list[Call]:
    """The shortest calls that succeed, and those that look up the same thing differently: a few of each kind."""
    good = _shorter([call for call in target.tried if call.told.ok])
    found = good[:_MOST_BASES]
    met = {item for call in found for item in call.told.fetched.items()}
    for call in good:
        fresh = set(call.told.fetched.items()) - met
        if any(sum(name == other for other, _ in met) < _MOST_BASES for name, _ in fresh):
            found.append(call)
            met |= fresh
    return found


def _tried_after(reference: Reference, one: Arranged, call: Call) -> Iterator[Call]:
    told = _told_after(reference, one, call)
    if told is not None:
        yield Call(call.operation, call.arguments, told, arranged=(*call.arranged, one))


def _told_after(reference: Reference, one: Arranged, call: Call) -> Told | None:
    try:
        for before in (*call.arranged, one):
            reference.tables.update(before.table, before.key, {before.column: before.value})
    except ConstraintError:  # the table does not allow that state
        reference.tables.reset()
        return None
    return reference.run(call.operation, call.arguments)


def _others(column: Column, held: Any, now: str) -> list[Any]:
    """Other values that the column may hold."""
    if column.enum:
        return [value for value in column.enum if value != held]
    if column.type == "boolean":
        return [not held]
    if column.type in ("integer", "real"):
        return [value for value in (0, 1, 2, 999) if value != held]
    if column.type == "timestamp":
        return [add_days(now, days) for days in (-400, -2, -0.02, 0.02, 2, 400)]
    if column.type == "date":
        return [add_days(now[:10], days) for days in (-400, -2, 2, 400)]
    return [None] if column.nullable and held is not None else []


def _after_others(reference: Reference, target: Probed, probed: Sequence[Probed]) -> Iterator[Call]:
    """Calls that have a value in common with a writing call of another tool, made after it."""
    writers = [one for one in probed if one is not target and any(call.told.changes for call in one.successes)]
    writers.sort(key=lambda one: one.operation.entity != target.operation.entity)
    for writer in writers:
        for first in _shorter([call for call in writer.tried if call.told.changes])[:_MOST_BEFORE]:
            values = set(map(str, first.arguments.values()))
            tried = [call for call in target.tried if call.told.ok and values & set(map(str, call.arguments.values()))]
            for call in _shorter(tried)[:2]:
                reference.run(first.operation, first.arguments, keep=True)
                told = reference.run(target.operation, call.arguments)
                yield Call(target.operation, call.arguments, told, ((first.operation, first.arguments),))
