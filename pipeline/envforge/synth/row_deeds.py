"""Deeds on plain rows: another value in a column, a step to a state, a mark of some kind, two rows tied or untied.

Learned like all deeds (deeds.py): only calls whose whole effect is understood, and that show the same on every try.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import ToolSpec
from envforge.core.seeds import stream
from envforge.synth.deeds import TOUCHED, TRIED, Deed, Learner
from envforge.synth.nouns import column_noun
from envforge.world.diff import StateDiff

MOST_TRIED = 24
"""Rows that a step is tried on: many are in no state to take it."""
LEAST_DONE = 2
_JOINS = re.compile(r"(?:add|remove)(?:_(?P<part>(?!to_|from_)\w+?))?(?:_(?:to|from)_(?P<whole>\w+))?")
_BY_ITSELF = ("_at", "_on", "_by")
"""Endings of columns that a tool fills by itself: when, and by whom."""


def other_value(table: Table, column: Column) -> str:
    """SQL of a value that the column of a row `r` may have tomorrow; "" where nobody would say one."""
    value, noun = f'r."{column.name}"', column_noun(table, column)
    if noun.endswith("e-mail address"):
        at = f"instr({value}, '@')"
        changed = f"substr({value}, 1, {at} - 1) || '.home' || substr({value}, {at})"
        return f"CASE WHEN {at} > 1 THEN {changed} END"
    if noun.endswith("phone number"):
        last = f"substr({value}, -4)"
        digits = f"printf('%04d', (CAST({last} AS INTEGER) * 7 + 1234) % 10000)"
        number = "[0-9]" * 4
        return f"CASE WHEN {last} GLOB '{number}' THEN substr({value}, 1, length({value}) - 4) || {digits} END"
    dated = column.type == "date" or column.format == "date"
    return f"date({value}, '+7 days')" if dated and noun.startswith(("due", "target", "end")) else ""


class RowDeeds(Learner):
    """Deeds on plain rows."""

    def of_tool(
        self, tool: ToolSpec, schemas: Mapping[str, Mapping[str, Any]], required: Sequence[str]
    ) -> Iterator[Deed]:
        """By what the tool must be given: one key, a key and one of a few values, or two keys."""
        keyed = [name for name in required if tool.consumes.get(name) in self._keys.kinds]
        rest = [name for name in required if name not in keyed]
        if len(keyed) == 1 and not rest:
            yield from self._state(tool, keyed[0])
            for name in schemas:
                yield from self._field(tool, keyed[0], name)
        if len(keyed) == 1 and len(rest) == 1 and "enum" in schemas[rest[0]]:
            yield from self._mark(tool, keyed[0], rest[0], tuple(map(str, schemas[rest[0]]["enum"])))
        if len(keyed) == 2 and not rest:
            yield from self._tie(tool, *keyed)

    def _place(self, tool: ToolSpec, parameter: str) -> tuple[Table, str, str]:
        """Table, key column and kind of the rows that a parameter takes."""
        kind = tool.consumes[parameter]
        name, key = self._keys.kinds[kind]
        return self._tables[name], key, kind

    def _sample(self, tool: ToolSpec, parameter: str, count: int) -> list[Any]:
        rng = stream(self._seed, "row deeds", tool.name, parameter)
        return self._keys.sample(tool.consumes[parameter], rng, count)

    # -- one row has another value --------------------------------------------------------------------------------

    def _field(self, tool: ToolSpec, parameter: str, name: str) -> Iterator[Deed]:
        table, key, kind = self._place(tool, parameter)
        column = next((one for one in table.columns if one.name == name), None)
        changed = other_value(table, column) if column is not None and name not in tool.consumes else ""
        if not changed:
            return
        free: set[str] = set()
        done = 0
        for value in self._sample(tool, parameter, TRIED):
            sql = f'SELECT {changed} FROM "{table.name}" r WHERE r."{key}" = ?'  # noqa: S608
            new = self._keys.rows(sql, (value,))[0][0]
            diff = self.effect(tool, {parameter: value, name: new}) if new is not None else None
            if diff is None:
                continue
            columns = self._updated(diff, table, key, value)
            if columns is None or columns.pop(name, (None, None))[1] != new or not self._aside(table, columns):
                return
            free |= set(columns)
            done += 1
        if done >= LEAST_DONE:
            yield Deed("field", tool.name, parameter, kind, name, table.name, name, free=tuple(sorted(free)))

    def _state(self, tool: ToolSpec, parameter: str) -> Iterator[Deed]:
        table, key, kind = self._place(tool, parameter)
        steps: set[tuple[str, Any]] = set()
        before: set[str] = set()
        free: set[str] = set()
        for value in self._sample(tool, parameter, MOST_TRIED):
            diff = self.effect(tool, {parameter: value})
            if diff is None:
                continue
            columns = self._updated(diff, table, key, value)
            state = [name for name in columns or {} if table.column(name).role == "state" or table.column(name).enum]
            if columns is None or len(state) != 1:
                return
            old, new = columns.pop(state[0])
            if not self._aside(table, columns):
                return
            steps.add((state[0], new))
            before.add(str(old))
            free |= set(columns)
        if len(steps) == 1:
            column, after = steps.pop()
            yield Deed(
                "state", tool.name, parameter, kind, "", table.name, column,
                free=tuple(sorted(free)), options=(str(after),), before=tuple(sorted(before)),
            )  # fmt: skip

    def _updated(self, diff: StateDiff, table: Table, key: str, value: Any) -> dict[str, tuple[Any, Any]] | None:
        """Columns of the one row that changed, with old and new value; None for any other effect."""
        if diff.documents or set(diff.tables) != {table.name}:
            return None
        rows = diff.tables[table.name]
        if len(rows.updated) != 1 or rows.inserted or rows.deleted or rows.updated[0][0][key] != value:
            return None
        old, new = rows.updated[0]
        return {name: (old[name], new[name]) for name in new if new[name] != old[name]}

    def _aside(self, table: Table, columns: Mapping[str, Any]) -> bool:
        """They only say when and by whom the row was changed."""
        return all(table.column(name).role in TOUCHED or name.endswith(_BY_ITSELF) for name in columns)

    # -- one new row, or one less ---------------------------------------------------------------------------------

    def _mark(self, tool: ToolSpec, parameter: str, name: str, options: tuple[str, ...]) -> Iterator[Deed]:
        _, _, kind = self._place(tool, parameter)
        places: set[tuple[str, str, str] | None] = set()
        done = 0
        for value in self._sample(tool, parameter, TRIED):
            diff = self.effect(tool, {parameter: value, name: options[0]})
            if diff is not None:
                places.add(self._new_row(diff, value, options[0]))
                done += 1
        place = places.pop() if len(places) == 1 else None
        if place is not None and done >= LEAST_DONE:
            table, parent, column = place
            yield Deed("mark", tool.name, parameter, kind, name, table, column, parent, options=options)

    def _new_row(self, diff: StateDiff, key: Any, text: str) -> tuple[str, str, str] | None:
        """Table, column of the parent and column of the choice of the one new row; None for any other effect."""
        row = _only(diff, "inserted")
        if row is None:
            return None
        table, values = row
        parents = [f.column for f in self._keys.foreign if f.table == table and values[f.column] == key]
        choices = [column.name for column in self._tables[table].columns if column.enum and values[column.name] == text]
        return (table, parents[0], choices[0]) if len(parents) == len(choices) == 1 else None

    def _tie(self, tool: ToolSpec, first: str, second: str) -> Iterator[Deed]:
        """What is added to what stands in the tool's name: "add_to_collection", "remove_label"."""
        called = {name: self._place(tool, name)[0].entity for name in (first, second)}
        joined = _JOINS.fullmatch(tool.name)
        if joined is None:
            return
        part_name, whole_name = joined.group("part"), joined.group("whole")
        wholes = [name for name in called if whole_name in (None, called[name])]
        whole = next((name for name in wholes if part_name in (None, *(called[o] for o in called if o != name))), "")
        if not whole or (part_name is None and whole_name is None):
            return
        part = second if whole == first else first
        verdicts: dict[str, set[bool]] = {}
        places: set[tuple[str, str, str] | None] = set()
        for given in self._pairs(tool, part, whole):
            diff = self.effect(tool, given)
            verdicts.setdefault(self._standing(tool, whole, given[whole]), set()).add(diff is not None)
            if diff is not None:
                places.add(self._tied(diff, given[part], given[whole]))
        place = places.pop() if len(places) == 1 else None
        states = tuple(sorted(state for state, accepted in verdicts.items() if accepted == {True}))
        if place is not None and states:
            table, column, parent = place
            what = "untie" if tool.name.startswith("remove") else "tie"
            yield Deed(
                what, tool.name, part, self._place(tool, part)[2], whole, table, column, parent,
                before=tuple(state for state in states if state), other=self._place(tool, whole)[2],
            )  # fmt: skip

    def _pairs(self, tool: ToolSpec, part: str, whole: str) -> Iterator[dict[str, Any]]:
        """Pairs that may be untied: some of each whole; that may be tied: any others."""
        tied = self._tied_pairs(tool, part, whole)
        if tool.name.startswith("remove"):
            firsts = {two: one for one, two in reversed(tied)}
            yield from ({part: one, whole: two} for two, one in list(firsts.items())[:MOST_TRIED])
            return
        parts, wholes = self._sample(tool, part, MOST_TRIED), self._sample(tool, whole, MOST_TRIED)
        for number, one in enumerate(parts if wholes else []):
            two = wholes[number % len(wholes)]
            if (one, two) not in tied:
                yield {part: one, whole: two}

    def _tied_pairs(self, tool: ToolSpec, part: str, whole: str) -> list[tuple[Any, Any]]:
        (one, one_key, _), (two, two_key, _) = self._place(tool, part), self._place(tool, whole)
        ends = (one.name, one_key, two.name, two_key)
        for tie in self._keys.ties:
            for near, far in (tie, tie[::-1]):
                if (near.to_table, near.to_column, far.to_table, far.to_column) == ends:
                    sql = f'SELECT "{near.column}", "{far.column}" FROM "{near.table}" ORDER BY 1, 2'  # noqa: S608
                    return [(row[0], row[1]) for row in self._keys.rows(sql)]
        return []

    def _standing(self, tool: ToolSpec, parameter: str, value: Any) -> str:
        """The state of a row; "" where its table has none."""
        table, key, _ = self._place(tool, parameter)
        column = next((one.name for one in table.columns if one.role == "state"), "")
        sql = f'SELECT "{column}" FROM "{table.name}" WHERE "{key}" = ?'  # noqa: S608
        return str(self._keys.rows(sql, (value,))[0][0]) if column else ""

    def _tied(self, diff: StateDiff, part: Any, whole: Any) -> tuple[str, str, str] | None:
        """Table, column of the part and of the whole of the one row that came or went; None for any other effect."""
        row = _only(diff, "inserted") or _only(diff, "deleted")
        if row is None:
            return None
        table, values = row
        holders = [f.column for f in self._keys.foreign if f.table == table]
        parts = [name for name in holders if values[name] == part]
        wholes = [name for name in holders if values[name] == whole]
        return (table, parts[0], wholes[0]) if len(parts) == len(wholes) == 1 and parts != wholes else None


def _only(diff: StateDiff, how: str) -> tuple[str, Mapping[str, Any]] | None:
    """Table and values of the one row that was inserted or deleted where nothing else happened."""
    if diff.documents or len(diff.tables) != 1:
        return None
    (table, rows), *_ = diff.tables.items()
    found = rows.inserted if how == "inserted" else rows.deleted
    others = rows.deleted if how == "inserted" else rows.inserted
    return (table, found[0]) if len(found) == 1 and not others and not rows.updated else None
