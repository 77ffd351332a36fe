"""When two episodes come to the same: equal but for minted ids and clocks, or but for what the goal leaves free."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast

from envforge.core.ids import canonical_json
from envforge.core.records.intent import Allowance, Expectation, Intent
from envforge.gates.atoms import atoms
from envforge.gates.solutions import Played
from envforge.world.changes import Row
from envforge.world.environment import Environment
from envforge.world.live import TIME_FORMAT

Sameness: TypeAlias = Literal["equal", "free", "different"]
_Change: TypeAlias = tuple[str, str, Row, Row]
"""Table, kind, row before, row after."""
_CLOCK_ROOM = 4000
"""Steps of the clock that an episode may take."""


class Yardstick:
    """Compares episodes of one goal with its gold."""

    def __init__(self, environment: Environment, intent: Intent, gold: Played) -> None:
        self._environment, self._intent, self._gold = environment, intent, gold
        clock = environment.manifest.clock
        start = datetime.datetime.strptime(clock.epoch, TIME_FORMAT)
        end = start + datetime.timedelta(seconds=max(1, clock.step_seconds) * _CLOCK_ROOM)
        self._first, self._last = clock.epoch, end.strftime(TIME_FORMAT)

    def compare(self, played: Played) -> Sameness:
        """equal: the same answer and the same rows, ids and clocks aside; free: the goal does not care."""
        if played.failure or self.answer_of(played) != self._gold_answer:
            return "different"
        if played.changeset == self._gold.changeset or self.rows_of(played) == self._gold_rows:
            return "equal"
        return "free" if self.constrained_of(played) == self._gold_constrained else "different"

    def answer_of(self, played: Played) -> str:
        """The answer as text, sets sorted, minted ids masked; "" where nothing is asked."""
        fields = self._intent.answer
        if not fields:
            return ""
        answer = _masked(played.answer, self._names(played))
        if isinstance(answer, dict):
            told = cast("dict[str, Any]", answer)
            for name, field in fields.items():
                if field.match == "set" and isinstance(told.get(name), list):
                    told[name] = sorted(told[name], key=canonical_json)
        return canonical_json(answer)

    def rows_of(self, played: Played) -> list[str]:
        """Every change as text, ids and clocks masked."""
        return sorted(canonical_json(_masked(list(change), self._names(played))) for change in _changes(played))

    def constrained_of(self, played: Played) -> list[str]:
        """The same, without what the goal leaves free."""
        names = self._names(played)
        kept = (self._constrained(change) for change in _changes(played))
        return sorted(canonical_json(_masked(list(change), names)) for change in kept if change is not None)

    @cached_property
    def _gold_answer(self) -> str:
        return self.answer_of(self._gold)

    @cached_property
    def _gold_rows(self) -> list[str]:
        return self.rows_of(self._gold)

    @cached_property
    def _gold_constrained(self) -> list[str]:
        return self.constrained_of(self._gold)

    @cached_property
    def _said(self) -> set[str]:
        return {value.casefold() for _, value in atoms(self._intent.said) if isinstance(value, str)}

    @cached_property
    def _expected_columns(self) -> dict[tuple[str, str], set[str]]:
        """(table, kind of change) -> columns that the goal's own SQL fixes."""
        found: dict[tuple[str, str], set[str]] = {}
        for part in self._intent.expect:
            fixed = {*self._columns(part), *part.unnamed, *part.fresh, *part.of_new}
            found.setdefault((part.table, part.change), set()).update(fixed)
        return found

    def _columns(self, part: Expectation) -> list[str]:
        return self._query(part.rows)[0]

    @cached_property
    def _free_columns(self) -> dict[tuple[str, str], set[str]]:
        """(table, key as text) -> columns of that row that may change too."""
        found: dict[tuple[str, str], set[str]] = {}
        for part in self._intent.expect if any(part.free for part in self._intent.expect) else ():
            names, rows = self._query(part.rows)
            key = self._environment.template.tables[part.table].primary_key
            for row in rows if set(key) <= set(names) else ():
                values = [row[names.index(name)] for name in key]
                found.setdefault((part.table, canonical_json(values)), set()).update(part.free)
        return found

    @cached_property
    def _allowances(self) -> list[tuple[Allowance, set[Any]]]:
        allowed: list[tuple[Allowance, set[Any]]] = []
        for entry in self._intent.allow:
            allowed.append((entry, {row[0] for row in self._query(entry.values)[1]} if entry.values else set()))
        return allowed

    def _query(self, sql: str) -> tuple[list[str], list[Any]]:
        parameters = {"clock": self._environment.manifest.clock.epoch, **self._intent.parameters}
        names, rows = self._environment.reader.query(sql, parameters)
        return list(names), list(rows)

    def _constrained(self, change: _Change) -> _Change | None:
        """The change as far as the goal cares; None when not at all."""
        table, kind, before, after = change
        lets = [entry for entry, values in self._allowances if _lets(entry, values, change)]
        if any(kind != "update" or not entry.columns for entry in lets):
            return None
        if kind == "insert" and (table, kind) in self._expected_columns:
            # Only words are free in a new row, and what was said is not: a goal that forgets a column must be noticed.
            fixed = self._expected_columns[table, kind]
            held = {n for n, v in after.items() if n in fixed or self._is_said(v) or not _is_words(v)}
            return table, kind, before, {n: v if n in held else "<words>" for n, v in after.items()}
        if kind != "update":
            return change
        key = {name: after[name] for name in self._environment.template.tables[table].primary_key}
        free = {column for entry in lets for column in entry.columns}
        free |= self._free_columns.get((table, canonical_json(list(key.values()))), set())
        changed = {n: v for n, v in after.items() if n not in free and v != before[n]}
        return (table, kind, key, changed) if changed else None

    @cached_property
    def _fresh_columns(self) -> list[tuple[str, str]]:
        """Table and column where new rows hold what no row held before."""
        parts = [part for part in self._intent.expect if part.fresh]
        return sorted({(part.table, name) for part in parts for name in part.fresh if name not in self._columns(part)})

    def _is_new(self, table: str, column: str, value: Any) -> bool:
        sql = f'SELECT 1 FROM "{table}" WHERE "{column}" = ? LIMIT 1'  # noqa: S608
        return value is not None and not self._environment.reader.own(sql, (value,))

    def _is_said(self, value: Any) -> bool:
        return isinstance(value, str) and any(said in value.casefold() for said in self._said if len(said) > 3)

    def _names(self, played: Played) -> dict[Any, str]:
        """What stands for minted ids and clocks: equal names for what plays the same part."""
        masked: dict[Any, str] = {}
        for _, kind, _, after in _changes(played):
            for value in after.values() if kind != "delete" else ():
                if isinstance(value, str) and self._first <= value <= self._last and _is_time(value):
                    masked[value] = "<now>"
        minted: list[tuple[str, Any]] = []
        for table, changes in played.diff.tables.items():
            key = self._environment.template.tables[table].primary_key
            if table in self._environment.manifest.ids and len(key) == 1:
                ids = [row[key[0]] for row in changes.inserted]
                blank = masked | dict.fromkeys(ids, "<new>")
                minted += [(f"{table} {canonical_json(_masked(row, blank))}", row[key[0]]) for row in changes.inserted]
        for table, column in self._fresh_columns:
            changes = played.diff.tables.get(table)
            held = Counter(row[column] for row in changes.inserted) if changes else Counter[Any]()
            masked |= {
                value: "<fresh>" for value, times in held.items() if times == 1 and self._is_new(table, column, value)
            }
        for number, (_, value) in enumerate(sorted(minted, key=lambda pair: pair[0])):
            masked[value] = f"<new {number}>"
        return masked


def _changes(played: Played) -> Iterator[_Change]:
    for table, changes in played.diff.tables.items():
        for row in changes.inserted:
            yield table, "insert", {}, row
        for row in changes.deleted:
            yield table, "delete", row, {}
        for before, after in changes.updated:
            yield table, "update", before, after
    for path, (before, after) in played.diff.documents.items():
        yield "", "document", {"path": path, "text": before}, {"path": path, "text": after}


def _lets(entry: Allowance, values: set[Any], change: _Change) -> bool:
    table, kind, before, after = change
    if entry.table != table or kind not in entry.changes:
        return False
    return not entry.column or all(row[entry.column] in values for row in (before, after) if row)


def _is_words(value: Any) -> bool:
    return isinstance(value, str) and " " in value.strip()


def _is_time(value: str) -> bool:
    try:
        datetime.datetime.strptime(value, TIME_FORMAT)
    except ValueError:
        return False
    return True


def _masked(value: Any, names: Mapping[Any, str]) -> Any:
    """A copy in JSON values, with names put in."""
    if isinstance(value, Mapping):
        return {name: _masked(item, names) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_masked(item, names) for item in cast("list[Any]", value)]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str | int) and not isinstance(value, bool):
        return names.get(value, value)
    return value
