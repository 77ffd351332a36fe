"""References: a row named by the fewest human attributes that fit one row only, checked by SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.intent import Reference
from envforge.synth.queries import Queries
from envforge.synth.rejection import UnfitError
from envforge.synth.wording.speak import speak_row
from envforge.world.changes import TableInfo

Labels = Mapping[str, Mapping[str, Mapping[str, str]]]
"""table -> column -> value -> words"""
_SLOT = re.compile(r"\{(\w+)(?:\|(\w+))?\}")
_TIME_ON_A_DAY = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_HEARD_ALIKE = frozenset({"text", "quoted", "name", "place", "label", None})
"""Ways of saying a text in which small and capital letters sound alike."""


@dataclass(frozen=True)
class Named:
    """What a person says of a row: the values of its said columns, and the words."""

    said: dict[str, Any]
    words: str


def resolve(
    queries: Queries,
    name: str,
    reference: Reference,
    parameters: Mapping[str, Any],
    *,
    labels: Labels,
    rng: Random,
    where: str,
) -> Named:
    """The first set of attributes that fits the row of the key and no other.

    Raises UnfitError when there is none; ConfigError for a reference that its table does not carry.
    """
    table = _table(queries, reference, where)
    row = _row(queries, table, name, reference, parameters, where)
    refused: list[str] = []
    for columns in reference.by:
        words = reference.say.get("+".join(columns))
        if words is None:
            raise ConfigError(f"say has no words for {'+'.join(columns)}", where=where, remedy="add them")
        said = _said(table, columns, row, where)
        if any(value is None or value == "" for value in said.values()):
            refused.append(f"{'+'.join(columns)}: is not known of this row")
            continue
        try:
            spoken = speak_row(words, said, labels=labels.get(table.name), rng=rng, clock=queries.clock)
        except ValueError as error:
            refused.append(f"{'+'.join(columns)}: {error}")
            continue
        fitting = _fitting(queries, table, reference, said, words, parameters, where)
        if fitting == [table.key_of([row[column] for column in table.columns])]:
            return Named(said, spoken)
        refused.append(f"{'+'.join(columns)}: fits {len(fitting)} rows")
    raise UnfitError(f"reference {name}", f"no attributes name one row only ({'; '.join(refused)})")


def _table(queries: Queries, reference: Reference, where: str) -> TableInfo:
    table = queries.environment.template.tables.get(reference.table)
    if table is None:
        raise ConfigError(f"there is no table {reference.table!r}", where=where, remedy="name one of schema.sql")
    return table


def _row(
    queries: Queries, table: TableInfo, name: str, reference: Reference, parameters: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """The row that is meant."""
    keys = queries.rows(reference.key, parameters, where)
    if len(keys) != 1 or None in keys[0].values():
        raise UnfitError(f"reference {name}", f"its key is {'nothing' if not keys else f'{len(keys)} rows or NULL'}")
    values = list(keys[0].values())
    if len(values) != len(table.primary_key):
        wanted = ", ".join(table.primary_key)
        raise ConfigError(f"key selects {len(values)} columns", where=where, remedy=f"select {wanted}")
    bound = {f"envforge_key_{number}": value for number, value in enumerate(values)}
    test = " AND ".join(f'"{column}" = :envforge_key_{number}' for number, column in enumerate(table.primary_key))
    rows = queries.rows(f'SELECT * FROM "{table.name}" WHERE {test}', bound, where)  # noqa: S608
    if not rows:
        raise ConfigError(f"key names no row of {table.name}: {values!r}", where=where, remedy="select its primary key")
    return rows[0]


def _said(table: TableInfo, columns: tuple[str, ...], row: Mapping[str, Any], where: str) -> dict[str, Any]:
    strays = [column for column in columns if column not in table.columns]
    if strays:
        raise ConfigError(f"by: {table.name} has no column {strays[0]!r}", where=where, remedy="name its columns")
    return {column: row[column] for column in columns}


def _fitting(
    queries: Queries,
    table: TableInfo,
    reference: Reference,
    said: Mapping[str, Any],
    words: str,
    parameters: Mapping[str, Any],
    where: str,
) -> list[tuple[Any, ...]]:
    """Keys of the rows that the words could mean; three are enough to know that they are too many."""
    how = {column: spoken or None for column, spoken in _SLOT.findall(words)}
    strays = sorted(set(said) ^ set(how))
    if strays:
        raise ConfigError(f"say and by disagree on {strays[0]!r}", where=where, remedy="say each column of the set")
    tests: list[str] = []
    bound = dict(parameters)
    for number, (column, value) in enumerate(said.items()):
        parameter = f"envforge_said_{number}"
        bound[parameter] = value
        if how[column] == "clock" and isinstance(value, str) and _TIME_ON_A_DAY.match(value):
            tests.append(f'substr("{column}", 12) = substr(:{parameter}, 12)')  # the day is not said
        elif isinstance(value, str) and how[column] in _HEARD_ALIKE:
            tests.append(f'"{column}" = :{parameter} COLLATE NOCASE')
        else:
            tests.append(f'"{column}" = :{parameter}')
    if reference.among:
        tests.append(f"({reference.among})")
    keys = ", ".join(f'"{column}"' for column in table.primary_key)
    sql = f'SELECT {keys} FROM "{table.name}" WHERE {" AND ".join(tests)} LIMIT 3'  # noqa: S608
    return [tuple(row.values()) for row in queries.rows(sql, bound, where)]
