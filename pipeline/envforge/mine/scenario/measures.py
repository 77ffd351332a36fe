"""Looks at rows with SQL: a database in memory with every constraint on, plants and densities measured."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.records.archetype import Density, Plant
from envforge.core.records.domain import Column, Table
from envforge.store.scratch import Scratch

_AFFINITY = {"integer": "INTEGER", "boolean": "INTEGER", "real": "REAL"}


@dataclass(frozen=True)
class PlantMeasure:
    """How often a planted condition holds."""

    name: str
    population: int
    holding: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Share of the population it holds for (0 when nobody is there)."""
        return self.holding / self.population if self.population else 0.0

    @property
    def within(self) -> bool:
        """True if the share is in the stated range."""
        return self.low <= self.share <= self.high

    @property
    def short(self) -> bool:
        """True if it holds too seldom."""
        return self.share < self.low

    @property
    def missing(self) -> int:
        """How many more it must hold for to come a third of the way from the low to the high rate."""
        aim = self.low + (self.high - self.low) / 3
        return max(1, math.ceil(aim * self.population) - self.holding)


@contextmanager
def opened(
    database: Database, *, constraints: bool = True, queries: Sequence[str] | None = None
) -> Generator[sqlite3.Connection]:
    """The rows in an in-memory SQLite database. With `constraints`, keys, references and checks must hold; with
    `queries`, only the tables that these name are filled.

    Raises BuildError naming the table and the constraint that is broken.
    """
    connection = Scratch()
    connection.row_factory = sqlite3.Row
    try:
        for table in database.domain.tables:
            connection.execute(_create(table, constraints=constraints))
            if queries is None or any(table.name in query for query in queries):
                _fill(connection, table, database)
            if not constraints:
                _index(connection, table)
        if constraints:
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
            if broken is not None:
                raise BuildError(f"a row of {broken[0]} refers to a row of {broken[2]} that is not there")
        connection.only_reads()
        yield connection
    finally:
        connection.close()


def _index(connection: sqlite3.Connection, table: Table) -> None:
    """Make look-ups by key and by the table's own indexes fast where no constraint does."""
    for number, columns in enumerate((table.primary_key, *table.indexes)):
        connection.execute(f'CREATE INDEX "{table.name} {number}" ON "{table.name}" ({_names(columns)})')


def check_constraints(database: Database) -> None:
    """Raises BuildError when a key, reference, enumeration or check of the domain does not hold."""
    with opened(database):
        pass


def _fill(connection: sqlite3.Connection, table: Table, database: Database) -> None:
    names = [column.name for column in table.columns]
    marks = ", ".join("?" * len(names))
    rows = database.rows.get(table.name, [])
    try:
        connection.executemany(
            f'INSERT INTO "{table.name}" VALUES ({marks})',  # noqa: S608 - the name is ours
            map(itemgetter(*names), rows) if len(names) > 1 else ((row[names[0]],) for row in rows),
        )
    except KeyError as error:
        raise BuildError(f"a row lacks the column {error}", where=f"table {table.name}") from error
    except sqlite3.IntegrityError as error:
        raise BuildError(f"rows break a constraint: {error}", where=f"table {table.name}") from error


def _create(table: Table, *, constraints: bool) -> str:
    parts = [_column(column, constraints=constraints) for column in table.columns]
    if constraints:
        parts.append(f"PRIMARY KEY ({_names(table.primary_key)})")
        parts.extend(f"UNIQUE ({_names(columns)})" for columns in table.unique)
        parts.extend(f"CHECK ({check})" for check in table.checks)
        for column in table.columns:
            target = column.references
            if target is not None and target.confidence == 1.0:
                parts.append(f'FOREIGN KEY ("{column.name}") REFERENCES "{target.table}" ("{target.column}")')
    return f'CREATE TABLE "{table.name}" ({", ".join(parts)})'


def _column(column: Column, *, constraints: bool) -> str:
    text = f'"{column.name}" {_AFFINITY.get(column.type, "TEXT")}'
    if constraints and not column.nullable:
        text += " NOT NULL"
    if constraints and column.enum:
        values = ", ".join("'" + value.replace("'", "''") + "'" for value in column.enum)
        text += f' CHECK ("{column.name}" IN ({values}))'
    return text


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def measure_plants(database: Database, connection: sqlite3.Connection) -> list[PlantMeasure]:
    """The share of every plant of the database."""
    return [measure_plant(plant, database.clock, connection) for plant in database.plants]


def measure_plant(plant: Plant, clock: str, connection: sqlite3.Connection) -> PlantMeasure:
    """How often one plant holds. Raises BuildError when it holds outside its population."""
    population = set(map(tuple, _select(connection, plant.population, clock, plant.name)))
    holding = set(map(tuple, _select(connection, plant.holds, clock, plant.name)))
    if not holding <= population:
        raise BuildError("`holds` is no subset of `population`", where=f"plant {plant.name}")
    return PlantMeasure(plant.name, len(population), len(holding), *plant.rate)


def plant_candidates(plant: Plant, clock: str, connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Rows of the population for which the plant does not hold, in the query's order."""
    holding = set(map(tuple, _select(connection, plant.holds, clock, plant.name)))
    rows = _select(connection, plant.population, clock, plant.name)
    return [dict(row) for row in rows if tuple(row) not in holding]


def measure_density(density: Density, clock: str, connection: sqlite3.Connection) -> float:
    """The number a density is about."""
    rows = _select(connection, density.measure, clock, density.name)
    return float(rows[0][0] or 0) if rows else 0.0


def _select(connection: sqlite3.Connection, query: str, clock: str, where: str) -> list[sqlite3.Row]:
    try:
        return connection.execute(query, {"clock": clock}).fetchall()
    except sqlite3.Error as error:
        raise BuildError(f"{error} in: {query}", where=where) from error


def complexity(database: Database) -> dict[str, Any]:
    """Figures of how rich the rows are: rows, tables in use, distinct values, largest fan-out of a reference."""
    rows = {name: len(found) for name, found in database.rows.items()}
    distinct = 0
    fan_out: dict[str, float] = {}
    for table in database.domain.tables:
        found = database.rows.get(table.name, [])
        for column in table.columns:
            values = list(map(itemgetter(column.name), found))
            nulls = values.count(None)
            kinds = len(set(values)) - (1 if nulls else 0)
            distinct += kinds
            if column.references is not None and kinds:
                fan_out[f"{table.name}.{column.name}"] = round((len(values) - nulls) / kinds, 2)
    return {
        "rows": sum(rows.values()),
        "tables_in_use": sum(1 for number in rows.values() if number),
        "distinct_values": distinct,
        "mean_fan_out": round(sum(fan_out.values()) / len(fan_out), 2) if fan_out else 0.0,
    }
