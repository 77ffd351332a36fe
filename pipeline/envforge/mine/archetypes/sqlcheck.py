"""Checks every query of an archetype against a schema, by preparing it in an empty SQLite database: one SELECT each."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Density, Plant
from envforge.core.records.blueprint import Operation, Sql
from envforge.core.records.domain import Table
from envforge.core.records.intent import IntentFamily
from envforge.core.steps import all_steps
from envforge.store.scratch import Scratch

_QUERY = re.compile(r"\s*(SELECT|WITH|VALUES)\b", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")


class _AnyParameter(dict[str, Any]):
    """Gives every named parameter a value, so that a query can be prepared."""

    def __missing__(self, key: str) -> None:
        return None


class SqlChecker:
    """Prepares queries over a schema. Raises ConfigError naming the query and what SQLite says."""

    def __init__(self, tables: Sequence[Table], where: str) -> None:
        self._where = where
        self._connection = Scratch()
        for table in tables:
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            checks = "".join(f", CHECK ({check})" for check in table.checks)
            self._run(f'CREATE TABLE "{table.name}" ({columns}{checks})', f"table {table.name}")
        self._connection.only_reads()

    def check(
        self,
        *,
        operations: Sequence[Operation] = (),
        plants: Sequence[Plant] = (),
        intents: Sequence[IntentFamily] = (),
        densities: Sequence[Density] = (),
    ) -> None:
        """Prepare every query of the parts."""
        for operation in operations:
            for query in _queries(operation):
                self._explain(query, f"operation {operation.name}")
        for plant in plants:
            self._explain(plant.population, f"plant {plant.name}, population")
            self._explain(plant.holds, f"plant {plant.name}, holds")
        for density in densities:
            self._explain(density.measure, f"density {density.name}")
        for family in intents:
            self._check_family(family)

    def _check_family(self, family: IntentFamily) -> None:
        """Every query can be prepared, and every parameter that it names has values."""
        where = f"intent family {family.id}"
        self._explain(family.parameter_sets, f"{where}, parameter_sets")
        described = self._connection.execute(family.parameter_sets, _AnyParameter()).description
        known = {str(column[0]) for column in described} | {"clock"}
        for part, query in family_queries(family):
            self._explain(query, f"{where}, {part}")
            missing = sorted(set(_PARAMETER.findall(query)) - known)
            if missing:
                place = f"archetype {self._where}, {where}, {part}"
                raise ConfigError(f":{missing[0]} has no values in: {query}", where=place)

    def columns(self, query: str, part: str) -> set[str]:
        """The columns of a query, once it can be prepared."""
        self._explain(query, part)
        return {str(column[0]) for column in self._connection.execute(query, _AnyParameter()).description}

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def _explain(self, query: str, part: str) -> None:
        # VACUUM INTO is explained without a question; what starts as a query can only read here.
        if not _QUERY.match(query):
            raise ConfigError(f"is no SELECT: {query[:200]}", where=f"archetype {self._where}, {part}")
        self._run(f"EXPLAIN {query}", part)

    def _run(self, sql: str, part: str) -> None:
        try:
            self._connection.execute(sql, _AnyParameter())
        except sqlite3.Error as error:
            query = sql.removeprefix("EXPLAIN ")
            raise ConfigError(f"{error} in: {query}", where=f"archetype {self._where}, {part}") from error


def family_queries(family: IntentFamily) -> Iterable[tuple[str, str]]:
    """Every query of a goal that takes its parameters, with the name of its place."""
    yield "target", family.target
    yield from ((f"mention {name}", mention.sql) for name, mention in family.mentions.items())
    yield from ((f"reading {reading.bank}", reading.target) for reading in family.readings)
    yield from ((f"answer {name}", field.sql) for name, field in family.answer.items())
    for name, reference in family.references.items():
        yield f"reference {name}", reference.key
        for columns in reference.by:
            among = f" AND ({reference.among})" if reference.among else ""
            wanted = " AND ".join(f'"{column}" = 0' for column in columns)
            yield f"reference {name}", f'SELECT 1 FROM "{reference.table}" WHERE {wanted}{among}'  # noqa: S608
    yield from ((f"expected rows of {one.table}", one.rows) for one in family.expect)
    yield from ((f"allowed changes of {one.table}", one.values) for one in family.allow if one.values)


def _queries(operation: Operation) -> Iterable[str]:
    for step in all_steps(operation.steps):
        if isinstance(step, Sql):
            yield step.query
    for witness in operation.witnesses:
        if witness.query:
            yield witness.query
    for ensure in operation.ensures:
        yield ensure.query
