"""The oracle: what a goal changes, leaves free and answers, by SQL on the initial database; no tool is ever asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json
from envforge.core.records.intent import Allowance, AnswerField, Expectation, Intent
from envforge.core.records.task import FreeChange
from envforge.synth.document_edits import with_whole_texts
from envforge.synth.queries import Queries
from envforge.synth.rejection import UnfitError
from envforge.world.changes import TableInfo
from envforge.world.engine.guard import DOCUMENTS_TABLE
from envforge.world.environment import Environment

Row = dict[str, Any]
_COMPARED: dict[str, tuple[str, ...]] = {
    "exact": ("string", "integer", "number", "boolean"),
    "number": ("integer", "number"),
    "normalised_text": ("string",),
    "set": ("array",),
    "ordered": ("array",),
}
_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float)}


@dataclass(frozen=True)
class ExpectedRows:
    """Rows of one table that the goal changes, sorted; `key` is the table's primary key.

    update: key and final values; delete: key; insert: constrained values, equal rows as often as they are wanted.
    `fresh`: columns of new rows that hold what no row held before; `of_new`: those that refer to other new rows.
    """

    table: str
    change: Literal["insert", "update", "delete"]
    key: tuple[str, ...]
    rows: tuple[Row, ...]
    free: tuple[str, ...] = ()
    normalised: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()
    of_new: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Oracle:
    """What must hold after the goal is reached."""

    expected: tuple[ExpectedRows, ...]
    allowed: tuple[FreeChange, ...]
    answer: dict[str, Any]

    @property
    def changes(self) -> int:
        """Rows that the goal changes."""
        return sum(len(part.rows) for part in self.expected)


def oracle(environment: Environment, intent: Intent, queries: Queries | None = None) -> Oracle:
    """Evaluate the goal's SQL on the initial database.

    Raises ConfigError naming family and part for SQL that does not say what its part must say; UnfitError when these
    values give no goal (an answer that is not there). Updates that would change nothing are left out of `expected`;
    their `free` columns stay free.
    """
    source = queries or Queries(environment)
    expected: list[ExpectedRows] = []
    allowed: list[FreeChange] = []
    for number, part in enumerate(intent.expect):
        where = f"intent family {intent.family}, expect[{number}] ({part.change} {part.table})"
        rows, idle = _expected(source, intent, part, where)
        expected.append(rows)
        allowed += idle
    _refuse_overlaps(intent, expected)
    for number, allowance in enumerate(intent.allow):
        where = f"intent family {intent.family}, allow[{number}] ({allowance.table})"
        allowed += _allowed(source, intent, allowance, where)
    return Oracle(tuple(expected), tuple(allowed), _answer(source, intent))


def sort_key(row: Row, columns: Sequence[str]) -> list[tuple[str, Any]]:
    """Orders rows by values of any type, as changes are ordered (world/changes.py)."""
    return [(type(row[name]).__name__, row[name] if row[name] is not None else 0) for name in columns]


def _expected(queries: Queries, intent: Intent, part: Expectation, where: str) -> tuple[ExpectedRows, list[FreeChange]]:
    table = _table(queries, part.table, where)
    _refuse_columns(table, [*part.free, *part.normalised, *part.unnamed, *part.fresh, *part.of_new], where)
    if part.of_new and part.change != "insert":
        raise ConfigError(f"of_new says nothing of rows to {part.change}", where=where, remedy="say it of an insert")
    for target in part.of_new.values():
        if len(_table(queries, target, where).primary_key) != 1:
            raise ConfigError(f"of_new: {target} has no key of one column", where=where, remedy="leave the column free")
    rows = edited_documents(queries, intent, part, where) or queries.rows(part.rows, intent.parameters, where)
    fresh = part.fresh
    if rows:
        _refuse_columns(table, rows[0], where)
        _refuse_shape(table, part, rows[0], where)
        fresh = tuple(name for name in part.fresh if name not in rows[0])
    idle: list[FreeChange] = []
    if part.change != "insert" or part.table == DOCUMENTS_TABLE:
        rows, idle = _effective(queries, table, part, rows, where)
        rows.sort(key=lambda row: sort_key(row, table.primary_key))
    else:
        rows = sorted(({**part.unnamed, **row} for row in rows), key=canonical_json)
    return ExpectedRows(
        part.table, part.change, table.primary_key, tuple(rows), part.free, part.normalised, fresh, part.of_new
    ), idle


def edited_documents(queries: Queries, intent: Intent, part: Expectation, where: str) -> list[Row]:
    """Path and final text of the documents that the goal says edits of; none where it says whole texts, or rows."""
    if part.table != DOCUMENTS_TABLE or part.change != "update":
        return []
    rows = queries.rows(part.rows, intent.parameters, where)
    if not rows or {*rows[0]} == {"path", "text"}:
        return []
    if "path" not in rows[0]:
        raise ConfigError("edits of documents lack the path", where=where, remedy="select it")
    table = _table(queries, part.table, where)
    return with_whole_texts(rows, lambda path: _text_of(queries, table, path), where)


def _text_of(queries: Queries, table: TableInfo, path: str) -> str | None:
    """The text that a document begins with, None where there is no such document."""
    found = queries.environment.reader.own(table.select_row, [path])
    return str(table.as_row(found[0])["text"]) if found else None


def _table(queries: Queries, name: str, where: str) -> TableInfo:
    table = queries.environment.template.tables.get(name)
    if table is None:
        raise ConfigError(f"there is no table {name!r}", where=where, remedy="name one of schema.sql")
    return table


def _refuse_columns(table: TableInfo, columns: Iterable[str], where: str) -> None:
    for column in columns:
        if column not in table.columns:
            remedy = f"it has {', '.join(table.columns)}; rename with AS"
            raise ConfigError(f"{table.name} has no column {column!r}", where=where, remedy=remedy)


def _refuse_shape(table: TableInfo, part: Expectation, row: Row, where: str) -> None:
    """The key for changed rows and nothing else for deleted ones."""
    key = set(table.primary_key)
    if part.change != "insert" and not key <= set(row):
        raise ConfigError(f"rows lack the key ({', '.join(table.primary_key)})", where=where, remedy="select it")
    if part.change == "update" and set(row) == key:
        raise ConfigError("rows hold the key only", where=where, remedy="select the final values too")
    if part.table == DOCUMENTS_TABLE and part.change != "delete" and set(row) != set(table.columns):
        raise ConfigError("a document needs path and text", where=where, remedy="select both, or edits of it")
    if part.change == "delete" and set(row) != key:
        raise ConfigError("rows of a deletion hold more than the key", where=where, remedy="select the key only")


def _effective(
    queries: Queries, table: TableInfo, part: Expectation, rows: list[Row], where: str
) -> tuple[list[Row], list[FreeChange]]:
    """The rows whose values really change, each of them there and named once; the others' free columns stay free.

    A new document has a key, its path, that the goal says; so it is looked at here too.
    """
    kept: list[Row] = []
    idle: list[Row] = []
    seen: set[str] = set()
    for row in rows:
        key = [row[column] for column in table.primary_key]
        before = queries.environment.reader.own(table.select_row, key)
        if bool(before) is (part.change == "insert"):
            problem = "a document that is there already" if before else "a row that is not there"
            raise ConfigError(f"names {problem}: {key!r}", where=where, remedy="select rows of the table")
        if canonical_json(key) in seen:
            raise ConfigError(f"names the row {key!r} twice", where=where, remedy="select each row once")
        seen.add(canonical_json(key))
        known = table.as_row(before[0]) if before else {}
        changes = part.change != "update" or any(known[column] != value for column, value in row.items())
        (kept if changes else idle).append(row)
    if not idle or not part.free:
        return kept, []
    keys = tuple(tuple(row[name] for name in table.primary_key) for row in idle)
    return kept, [FreeChange(table=part.table, changes=("update",), columns=part.free, keys=keys)]


def _refuse_overlaps(intent: Intent, expected: Sequence[ExpectedRows]) -> None:
    """One row is expected in one place only; a new row must fit one pattern only, or counts mean nothing."""
    where = f"intent family {intent.family}, expect"
    named: set[str] = set()
    for part in expected:
        for row in part.rows if part.change != "insert" else ():
            name = canonical_json([part.table, [row[column] for column in part.key]])
            if name in named:
                raise ConfigError(f"two parts expect the row {name}", where=where, remedy="say it in one part")
            named.add(name)
    inserts = [part for part in expected if part.change == "insert" and part.rows]
    for number, first in enumerate(inserts):
        for second in inserts[number + 1 :]:
            if first.table == second.table and any(_compatible(a, b) for a in first.rows for b in second.rows):
                message = f"a new row of {first.table} could fit two parts"
                raise ConfigError(message, where=where, remedy="constrain a column that tells them apart")


def _compatible(first: Row, second: Row) -> bool:
    return all(first[column] == second[column] for column in first.keys() & second.keys())


def _allowed(queries: Queries, intent: Intent, allowance: Allowance, where: str) -> list[FreeChange]:
    table = _table(queries, allowance.table, where)
    named = [allowance.column] if allowance.column else []
    _refuse_columns(table, [*named, *allowance.columns], where)
    if bool(allowance.column) != bool(allowance.values):
        raise ConfigError("column and values go together", where=where, remedy="give both or neither")
    fields: dict[str, Any] = {"table": allowance.table, "changes": allowance.changes, "columns": allowance.columns}
    if not allowance.column:
        return [FreeChange(**fields)]
    found = queries.values(allowance.values, intent.parameters, where)
    values = sorted({value for value in found if value is not None}, key=lambda value: (type(value).__name__, value))
    return [FreeChange(**fields, column=allowance.column, values=tuple(values))] if values else []


def _answer(queries: Queries, intent: Intent) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, wanted in intent.answer.items():
        where = f"intent family {intent.family}, answer {name}"
        if wanted.json_type not in _COMPARED[wanted.match]:
            remedy = f"it compares {' and '.join(_COMPARED[wanted.match])}"
            raise ConfigError(f"match {wanted.match} with type {wanted.json_type}", where=where, remedy=remedy)
        rows = queries.rows(wanted.sql, intent.parameters, where)
        found[name] = _items(wanted, rows, where) if wanted.json_type == "array" else _one(name, wanted, rows, where)
    return found


def _one(name: str, wanted: AnswerField, rows: list[Row], where: str) -> Any:
    if len(rows) > 1 or (rows and len(rows[0]) != 1):
        raise ConfigError("is not one value", where=where, remedy="select one row with one column")
    value = next(iter(rows[0].values())) if rows else None
    if value is None:
        if not wanted.optional:
            raise UnfitError(f"answer {name}", "there is no value, and the answer is not optional")
        return None
    if wanted.json_type == "boolean":
        if value not in (0, 1) or isinstance(value, str):
            raise ConfigError(f"{value!r} is neither 0 nor 1", where=where, remedy="select a condition")
        return bool(value)
    return _typed(value, wanted.json_type, where)


def _items(wanted: AnswerField, rows: list[Row], where: str) -> list[Any]:
    items: list[Any] = []
    for row in rows:
        if wanted.item_type == "object":
            names = wanted.fields or tuple(row)
            if len(names) != len(row):
                raise ConfigError(f"{len(row)} columns for {len(names)} fields", where=where, remedy="name each column")
            items.append(dict(zip(names, row.values(), strict=True)))
            continue
        if len(row) != 1:
            raise ConfigError(
                f"{len(row)} columns for one value", where=where, remedy="select one column, or say object"
            )
        value = next(iter(row.values()))
        items.append(_typed(value, wanted.item_type, where))
    return items


def _typed(value: Any, wanted: str, where: str) -> Any:
    if not isinstance(value, _TYPES[wanted]):
        raise ConfigError(f"{value!r} is no {wanted}", where=where, remedy="correct json_type or the query")
    return value
