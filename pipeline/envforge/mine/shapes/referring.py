"""What rows refer to: few are referred to most of the time, and no reference contradicts another."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol

from envforge.core.contracts import Row
from envforge.core.records.shape import RowShape
from envforge.core.seeds import stream
from envforge.mine.shapes.absence import is_seldom
from envforge.mine.shapes.plan import TablePlan, variants_of
from envforge.mine.shapes.reading import ColumnPlan

_SKEW = 1.35
_SELDOM = 0.93


class Tables(Protocol):
    """The tables under way: what is filled so far, and how."""

    rows: dict[str, list[Row]]

    @property
    def plans(self) -> tuple[TablePlan, ...]:
        """The plans of all tables that are filled."""
        ...

    @property
    def shape(self) -> RowShape:
        """The shape that is followed."""
        ...

    def kind_of(self, table: str) -> str:
        """The kind of thing that a table holds."""
        ...


class Popular:
    """Draws rows so that few of them are drawn most of the time; who these are is drawn first."""

    def __init__(self, rows: Sequence[Row], draws: random.Random) -> None:
        self._rows = draws.sample(list(rows), k=len(rows))
        self._weights = list(accumulate(1 / rank**_SKEW for rank in range(1, len(rows) + 1)))

    def pick(self, draws: random.Random, allowed: Sequence[Row] | None = None) -> Row | None:
        """A row (one of `allowed`), or None when there is none."""
        if allowed is not None:
            kept = {id(row) for row in allowed}
            ranked = [row for row in self._rows if id(row) in kept]
            return ranked[min(int(draws.random() ** 3 * len(ranked)), len(ranked) - 1)] if ranked else None
        return draws.choices(self._rows, cum_weights=self._weights)[0] if self._rows else None


class Referring:
    """Draws what the rows of a table refer to: parents first, and no reference that contradicts another."""

    def __init__(self, plan: TablePlan, tables: Tables, done: set[str]) -> None:
        self._plan, self._tables = plan, tables
        self._variants = variants_of(plan)
        self._named = any(column.role in {"title", "body"} for column in plan.table.columns)
        held = {column for kinds in self._variants.values() for column in kinds.values()}
        own = [one for one in plan.of_way("reference") if one.column.references]
        outward = [one for one in own if target_of(one) != plan.name and one.name not in held]
        self._held = {one.name: one for one in own if one.name in held}
        self.late = [one for one in outward if target_of(one) not in done]
        ready = [one for one in outward if target_of(one) in done]
        self._columns = sorted(ready, key=lambda one: (one.column.role != "parent", one.column.nullable))
        self._popular = {
            one.name: Popular(tables.rows[target_of(one)], stream(0, plan.name, one.name))
            for one in (*ready, *own)
            if target_of(one) in done
        }

        self._by_key: dict[str, dict[Any, Row]] = {
            one.name: {row[one.column.references.column]: row for row in tables.rows[target_of(one)]}
            for one in ready
            if one.column.references
        }

    def draw(self, draws: random.Random, number: int) -> tuple[dict[str, Any], list[Row]]:
        """Values of the reference columns, and the rows that they lead to."""
        values: dict[str, Any] = {one.name: None for one in self._plan.columns if one.way == "reference"}
        related: list[Row] = []
        for name, kinds in self._variants.items():
            self._choose(name, kinds, values, related, draws, number)
        chosen: dict[str, Row] = {}
        for one in self._columns:
            row = self._inherited(one, chosen) or self._one(one, values, draws)
            reference = one.column.references
            if row is not None and reference is not None:
                values[one.name] = row[reference.column]
                chosen[one.name] = row
                related.append(row)
        return values, related

    def _inherited(self, one: ColumnPlan, chosen: Mapping[str, Row]) -> Row | None:
        """The row that what was chosen before refers to by the same name: an alert is of its device's team."""
        reference = one.column.references
        if reference is None or self._tables.kind_of(reference.table) in self._tables.shape.signs.person_kinds:
            return None
        for mine in self._columns:
            row = chosen.get(mine.name)
            theirs = self._theirs(mine).get(one.name) if row is not None else None
            if row is not None and theirs is not None and target_of(theirs) == reference.table:
                return self._by_key[one.name].get(row[one.name])
        return None

    def _theirs(self, mine: ColumnPlan) -> dict[str, ColumnPlan]:
        """The reference columns of the table that a column leads to."""
        target = next((plan for plan in self._tables.plans if plan.name == target_of(mine)), None)
        return {other.name: other for other in target.of_way("reference")} if target else {}

    def _choose(
        self, name: str, kinds: Mapping[str, str | None], values: dict[str, Any], related: list[Row],
        draws: random.Random, number: int,
    ) -> None:  # fmt: skip
        """One kind of parent and a row of it; what would be inside its own kind waits until there is such."""
        open_kinds = [kind for kind, column in kinds.items() if column is None or column in self._popular]
        chosen = draws.choice(open_kinds) if open_kinds else None
        values[name] = chosen
        column = kinds[chosen] if chosen else None
        if column is None:
            return
        one = self._held[column]
        row = self._popular[column].pick(draws)
        assert row is not None and one.column.references is not None, number
        values[column] = row[one.column.references.column]
        related.append(row)

    def _one(self, one: ColumnPlan, values: Mapping[str, Any], draws: random.Random) -> Row | None:
        unowned = self._tables.shape.unowned if not is_seldom(one.column, self._tables.shape) else _SELDOM
        # What only relates other rows (a membership) has no name, and is nothing without them.
        loose = one.column.role == "owner" or unowned == _SELDOM or self._named
        if one.column.nullable and one.column.role != "parent" and loose and draws.random() < unowned:
            return None
        shared = self._shared(one, values)
        if not shared:
            return self._popular[one.name].pick(draws)
        rows = [r for r in self._tables.rows[target_of(one)] if all(r[name] == value for name, value in shared.items())]
        if not rows and not one.column.nullable:
            return self._popular[one.name].pick(draws)
        return self._popular[one.name].pick(draws, rows)

    def _shared(self, one: ColumnPlan, values: Mapping[str, Any]) -> dict[str, Any]:
        """Columns in which this row and the one it refers to must agree: both are in the same container."""
        theirs = self._theirs(one)
        return {
            mine.name: values[mine.name]
            for mine in self._columns
            if mine.name in theirs
            and mine is not one
            and values.get(mine.name) is not None
            and target_of(theirs[mine.name]) == target_of(mine)
            and self._tables.kind_of(target_of(mine)) not in self._tables.shape.signs.person_kinds
        }


def target_of(one: ColumnPlan) -> str:
    """The table that a reference column leads to."""
    assert one.column.references is not None
    return one.column.references.table
