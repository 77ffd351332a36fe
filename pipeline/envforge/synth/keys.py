"""Semantic types and the tables behind them: which column holds the values of `page.id`, and who refers to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from envforge.core.records.domain import PropertyBag
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.synth.semantics import Semantics
from envforge.world.environment import Environment

_CODE = re.compile(r"[A-Z0-9]{2,8}|[A-Z0-9]{1,8}-[A-Z0-9]{1,6}")
_LOOKED_AT = 200


@dataclass(frozen=True)
class Foreign:
    """A column that holds keys of another table."""

    table: str
    column: str
    to_table: str
    to_column: str


class Keys:
    """Key columns of one environment's tables by semantic type, its foreign keys, and samples of both."""

    def __init__(self, environment: Environment, knowledge: EnvironmentBlueprint) -> None:
        self.environment = environment
        self._knowledge = knowledge
        self._semantics = Semantics(environment)
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._orders: dict[tuple[str, str], list[Any]] = {}
        self._sets: dict[tuple[str, str], frozenset[Any]] = {}

    @cached_property
    def kinds(self) -> Mapping[str, tuple[str, str]]:
        """Semantic type -> table and its key column; tables with a key of one column only."""
        found: dict[str, tuple[str, str]] = {}
        for table in self._knowledge.blueprint.tables:
            if len(table.primary_key) == 1:
                found[f"{table.entity}.{table.primary_key[0]}"] = (table.name, table.primary_key[0])
        for tool in self.environment.tools:
            for kind in (*tool.consumes.values(), *tool.produces.values()):
                place = self._semantics.table_of(kind)
                if kind not in found and place is not None:
                    found[kind] = place
        return found

    @cached_property
    def kind_of_table(self) -> Mapping[str, str]:
        """Table -> the semantic type of its key."""
        return {table: kind for kind, (table, _) in reversed(list(self.kinds.items()))}

    @cached_property
    def foreign(self) -> tuple[Foreign, ...]:
        """Foreign keys that the blueprint states, to tables with a key of one column."""
        stated = [
            Foreign(table.name, column.name, column.references.table, column.references.column)
            for table in self._knowledge.blueprint.tables
            for column in table.columns
            if column.references is not None
        ]
        keyed = set(self.kinds.values())
        return tuple(dict.fromkeys(one for one in stated if (one.to_table, one.to_column) in keyed))

    @cached_property
    def ties(self) -> tuple[tuple[Foreign, Foreign], ...]:
        """The two foreign keys of each table whose rows tie others together."""
        kinds = {table.name: table.kind for table in self._knowledge.blueprint.tables}
        found = [[one for one in self.foreign if one.table == name] for name in kinds if kinds[name] != "entity"]
        return tuple((one[0], one[1]) for one in found if len(one) == 2)

    def rows(self, sql: str, parameters: Mapping[str, Any] | Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of a query on the initial database."""
        return [tuple(row) for row in self.environment.reader.query(sql, parameters)[1]]

    def values(self, table: str, column: str) -> frozenset[Any]:
        """All values of a column."""
        place = (table, column)
        if place not in self._sets:
            self._sets[place] = frozenset(row[0] for row in self.rows(f'SELECT "{column}" FROM "{table}"'))  # noqa: S608
        return self._sets[place]

    def texts(self, table: str, column: str) -> list[str]:
        """The texts of a column, sorted, without blank ones."""
        place = (table, column)
        if place not in self._texts:
            values = self._sorted(table, column)
            self._texts[place] = [value for value in values if isinstance(value, str) and value.strip()]
        return self._texts[place]

    def is_code(self, kind: str) -> bool:
        """Its values are short codes that people know and say: letters with digits, or capitals."""
        if kind not in self.kinds:
            return False
        values = self._sorted(*self.kinds[kind])[:_LOOKED_AT]
        return bool(values) and all(isinstance(value, str) and _CODE.fullmatch(value) for value in values)

    def filled(self, bag: PropertyBag, count: int) -> list[Any]:
        """Items of each collection that have most different properties, so many of each."""
        columns = self.environment.template.tables[bag.value_table].columns
        refers = {f.column: f.to_table for f in self.foreign if f.table == bag.value_table}
        item = next(c for c in columns if refers.get(c) == bag.item_table)
        key = self.environment.template.tables[bag.item_table].primary_key[0]
        parent = bag.item_parent_column
        sql = (
            f'SELECT key FROM (SELECT i."{key}" AS key, i."{parent}" AS parent, row_number() OVER (PARTITION BY '  # noqa: S608
            f'i."{parent}" ORDER BY count(*) DESC, i."{key}") AS place FROM "{bag.item_table}" i JOIN '
            f'"{bag.value_table}" v ON v."{item}" = i."{key}" GROUP BY i."{key}") '
            "WHERE place <= ? ORDER BY parent, place"
        )
        return [row[0] for row in self.rows(sql, (count,))]

    def _sorted(self, table: str, column: str) -> list[Any]:
        place = (table, column)
        if place not in self._orders:
            values = [value for value in self.values(table, column) if value is not None]
            self._orders[place] = sorted(values, key=lambda value: (type(value).__name__, value))
        return self._orders[place]

    def sample(self, kind: str, rng: Random, count: int) -> list[Any]:
        """Keys of the type: first such that other rows refer to, as they have more to show, then any."""
        table, column = self.kinds[kind]
        found: dict[Any, None] = {}
        for one in self.foreign:
            if (one.to_table, one.to_column) == (table, column):
                values = self._sorted(one.table, one.column)
                found.update(dict.fromkeys(rng.sample(values, min(len(values), 2))))
        others = self._sorted(table, column)
        found.update(dict.fromkeys(rng.sample(others, min(len(others), count))))
        return list(found)[:count]
