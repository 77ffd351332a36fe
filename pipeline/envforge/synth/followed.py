"""What follows from a goal's changes by itself: entries of histories and figures, which tools keep.

A history belongs to what is compared: where the lifecycle has one step from the old state to the new one, exactly this
entry is expected; where it takes several, entries of these rows are left free. Rows that the goal leaves alone must get
no entry, so that a detour there and back fails. A figure follows from rows that are compared themselves.
"""
# Names of tables and columns come from a checked blueprint, queries from a checked family.
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envforge.core.records.archetype import Lifecycle
from envforge.core.records.derived import AFTER, BEFORE, ENTRY, WHEN, WHO, History
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Allowance, Expectation
from envforge.synth.literals import sql_text
from envforge.synth.queries import Queries
from envforge.world.changes import TableChanges
from envforge.world.diff import StateDiff


class Followed:
    """The derived part of a goal's footprint, by the histories and figures of an environment."""

    def __init__(self, knowledge: EnvironmentBlueprint, queries: Queries) -> None:
        self._queries = queries
        self._histories, self._figures = knowledge.blueprint.histories, knowledge.blueprint.figures
        self._steps = {one.table: _steps(one, knowledge.lifecycles) for one in self._histories}

    def footprint(
        self, expect: Sequence[Expectation], allow: Sequence[Allowance], parameters: Mapping[str, Any], where: str
    ) -> tuple[tuple[Expectation, ...], tuple[Allowance, ...]]:
        """What is expected and allowed, with what follows from it. A family that names a history says it all itself."""
        named = {part.table for part in (*expect, *allow)}
        expected, allowed = [self._freed(part) for part in expect], list(allow)
        for history in self._histories:
            if history.table in named:
                continue
            for part in expect:
                if part.table == history.of:
                    more, free = self._entries(history, part, parameters, where)
                    expected += more
                    allowed += free
            allowed += [_beside(history, one) for one in allow if one.table == history.of and _moves(history, one)]
        for figure in self._figures:
            if figure.of in named:
                allowed.append(Allowance(table=figure.table, changes=("update",), columns=(figure.column,)))
        return tuple(expected), tuple(allowed)

    def _freed(self, part: Expectation) -> Expectation:
        """A row that the goal changes may hold another figure too."""
        columns = [one.column for one in self._figures if one.table == part.table and part.change != "delete"]
        if not columns:
            return part
        unnamed = {name: value for name, value in part.unnamed.items() if name not in columns}
        free = tuple(dict.fromkeys((*part.free, *columns)))
        return part.model_copy(update={"free": free, "unnamed": unnamed})

    def _entries(
        self, history: History, part: Expectation, parameters: Mapping[str, Any], where: str
    ) -> tuple[list[Expectation], list[Allowance]]:
        if part.change == "delete":
            keys = f'SELECT "{history.key}" FROM ({part.rows})'
            rows = f'SELECT "{history.owner}", {ENTRY} FROM "{history.table}" WHERE "{history.owner}" IN ({keys})'
            return [Expectation(table=history.table, change="delete", rows=rows)], []
        found = self._queries.rows(part.rows, parameters, where)
        if not found:
            return [], []
        if part.change == "insert":
            return [_first_entries(history, part, named=history.state in found[0])], []
        if history.state in found[0]:
            return self._moved(history, part, parameters, where, acted=history.actor in found[0])
        free = [_any_of(history, f'SELECT "{history.key}" FROM ({part.rows})')] if history.state in part.free else []
        return [], free

    def _moved(
        self, history: History, part: Expectation, parameters: Mapping[str, Any], where: str, *, acted: bool
    ) -> tuple[list[Expectation], list[Allowance]]:
        """One entry for each row that one step leads to its new state; the ways of the others are theirs."""
        known = bool(history.actor) and not acted
        moved = (
            f'SELECT r."{history.key}" AS k, t."{history.state}" AS a, r."{history.state}" AS b'
            f'{f""", t."{history.actor}" AS w""" if known else ""} FROM ({part.rows}) r '
            f'JOIN "{history.of}" t ON t."{history.key}" = r."{history.key}" '
            f'WHERE t."{history.state}" IS NOT r."{history.state}"'
        )
        steps = self._steps[history.table]
        # A lifecycle without transitions leads from any state to any other at once.
        one_step = f"a || '>' || b IN ({', '.join(sql_text(f'{a}>{b}') for a, b in sorted(steps))})" if steps else "1"
        number = f'(SELECT count(*) FROM "{history.table}" h WHERE h."{history.owner}" = k) + 1'
        columns = f'k AS "{history.owner}", {number} AS {ENTRY}, a AS {BEFORE}, b AS {AFTER}'
        columns += f", w AS {WHO}" if known else ""
        free = (WHEN, *([WHO] if history.actor and not known else []))
        rows = f"SELECT {columns} FROM ({moved}) WHERE {one_step}"
        others = f"SELECT k FROM ({moved}) WHERE ({one_step}) IS NOT 1"
        expected = [Expectation(table=history.table, change="insert", rows=rows, free=free)]
        far = self._queries.rows(others, parameters, where)
        return expected, [_any_of(history, others)] if far else []


def _steps(history: History, lifecycles: Iterable[Lifecycle]) -> set[tuple[str, str]]:
    life = next(one for one in lifecycles if (one.table, one.column) == (history.of, history.state))
    return {(state, step.target) for step in life.transitions for state in step.source}


def _first_entries(history: History, part: Expectation, *, named: bool) -> Expectation:
    """A new row has one entry, from no state; its key is new, so it is told by being so."""
    known = history.state in part.unnamed
    state = f'"{history.state}"' if named else sql_text(part.unnamed[history.state]) if known else ""
    columns = f"1 AS {ENTRY}, NULL AS {BEFORE}" + (f", {state} AS {AFTER}" if state else "")
    free = (WHEN, *([WHO] if history.actor else []), *([] if state else [AFTER]))
    rows = f"SELECT {columns} FROM ({part.rows})"
    return Expectation(table=history.table, change="insert", rows=rows, free=free, fresh=(history.owner,))


def _any_of(history: History, keys: str) -> Allowance:
    return Allowance(table=history.table, changes=("insert",), column=history.owner, values=keys)


def _moves(history: History, allowance: Allowance) -> bool:
    return not allowance.columns or history.state in allowance.columns


def _beside(history: History, allowance: Allowance) -> Allowance:
    """What may change freely may have any entries."""
    if not allowance.column:
        return Allowance(table=history.table, changes=allowance.changes)
    keys = f'SELECT "{history.key}" FROM "{history.of}" WHERE "{allowance.column}" IN ({allowance.values})'
    return _any_of(history, keys)


def without_derived(diff: StateDiff, knowledge: EnvironmentBlueprint) -> StateDiff:
    """What a call changed by itself, without what follows from it."""
    histories = {one.table for one in knowledge.blueprint.histories}
    tables = {name: found for name, found in diff.tables.items() if name not in histories}
    for figure in knowledge.blueprint.figures:
        if figure.table in tables:
            tables[figure.table] = _without_column(tables[figure.table], figure.column)
    return StateDiff({name: found for name, found in tables.items() if _has_any(found)}, diff.documents)


def _without_column(changes: TableChanges, column: str) -> TableChanges:
    pairs = [(before, {**after, column: before[column]}) for before, after in changes.updated]
    changed = [(before, after) for before, after in pairs if before != after]
    return TableChanges(inserted=changes.inserted, updated=changed, deleted=changes.deleted)


def _has_any(changes: TableChanges) -> bool:
    return bool(changes.inserted or changes.updated or changes.deleted)
