"""Catalogue SQL over extracted files: DuckDB with the files as tables and every door to the outside shut."""

from __future__ import annotations

import json
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import duckdb

from envforge.core.errors import ConfigError
from envforge.core.records.extraction import ColumnType, MinedTable
from envforge.store.csvfile import format_csv

_DUCK_TYPES: dict[ColumnType, str] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "real": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "json": "VARCHAR",
}
_READ_OPTIONS = (
    "auto_detect=false, header=true, delim=',', quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, "
    "max_line_size=100000000"
)
_CLOCK = re.compile(r"(?<![:\w]):clock\b")
# The same files must give the same rows, whenever and wherever the SQL runs.
_UNSTEADY = (
    frozenset({"random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "setseed", "now", "today", "pg_sleep"})
    | {"current_date", "current_time", "current_timestamp", "get_current_time", "get_current_timestamp"}
    | {"transaction_timestamp", "localtime", "localtimestamp", "txid_current", "version", "current_setting"}
    | {"query", "query_table"}
)
_OF_THE_MACHINE = ("duckdb_", "pragma_", "pg_")
"""Tables and functions that tell of this process: its settings, memory, connections."""
_SECONDS = 300.0
_MEMORY = "2GB"
# Functions that leave a fact as it is: a column read through them is still the source's own.
_FAITHFUL = frozenset({"trim", "ltrim", "rtrim", "nullif", "strip_accents", "upper", "lower"})


@dataclass(frozen=True)
class Reading:
    """What a SELECT reads, in order of appearance, and whether it only picks columns of one view."""

    views: tuple[str, ...]
    plain: bool


def analyse(sql: str, *, where: str) -> Reading:
    """Parse one SELECT. Raises ConfigError when it is no single SELECT or could give other rows another time."""
    with duckdb.connect() as connection:
        answer = connection.execute("SELECT json_serialize_sql($1)", [_with_clock(sql)]).fetchone()
    tree = json.loads(cast(tuple[str], answer)[0])
    if tree["error"]:
        raise ConfigError(f"not a SELECT: {tree['error_message']}", where=where, remedy="write one DuckDB SELECT")
    statements = tree["statements"]
    if len(statements) != 1:
        raise ConfigError(f"{len(statements)} statements", where=where, remedy="write one DuckDB SELECT")
    node = statements[0]["node"]
    nodes = list(_walk(node))
    unsteady = sorted({name for item in nodes for name in _unsteady(item)})
    if unsteady:
        remedy = "use :clock for the time; results must not change from run to run"
        raise ConfigError(f"calls {', '.join(unsteady)}", where=where, remedy=remedy)
    defined = {entry["key"] for item in nodes if "cte_map" in item for entry in item["cte_map"]["map"]}
    read = [str(item["table_name"]) for item in nodes if item.get("type") == "BASE_TABLE"]
    views = tuple(dict.fromkeys(name for name in read if name not in defined))
    return Reading(views, _is_plain(node))


class SqlViews:
    """Extracted files as DuckDB tables. Use as a context manager."""

    def __init__(self, tables: Mapping[str, MinedTable], *, clock: str | None) -> None:
        self._connection = duckdb.connect()
        # One thread: sums of floats and ties must not depend on scheduling.
        self._connection.execute("SET TimeZone='UTC'; SET threads=1; SET preserve_insertion_order=true")
        with tempfile.TemporaryDirectory(prefix="envforge-sql-") as folder:
            for number, (name, table) in enumerate(sorted(tables.items())):
                self._load(name, table, Path(folder) / f"{number}.csv")
        self._connection.execute(f"SET VARIABLE clock = {_literal(clock) if clock else 'NULL'}")
        self._connection.execute(f"SET memory_limit='{_MEMORY}'; SET max_temp_directory_size='0MB'")
        self._connection.execute("SET enable_external_access=false; SET lock_configuration=true")

    def __enter__(self) -> SqlViews:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def run(self, sql: str, *, where: str) -> tuple[list[tuple[str, ColumnType]], list[tuple[Any, ...]]]:
        """Columns and rows of a SELECT, values as a Database keeps them. Raises ConfigError with DuckDB's message."""
        inner = _with_clock(sql).strip().rstrip(";")
        watch = threading.Timer(_SECONDS, self._connection.interrupt)
        watch.daemon = True
        watch.start()
        try:
            described = self._connection.execute(f"DESCRIBE SELECT * FROM ({inner}\n)").fetchall()  # noqa: S608 - locked down
            columns: list[tuple[str, ColumnType]] = [(str(row[0]), _column_type(str(row[1]))) for row in described]
            picks = ", ".join(_pick(name, str(row[1])) for (name, _), row in zip(columns, described, strict=True))
            rows = self._connection.execute(f"SELECT {picks} FROM ({inner}\n)").fetchall()  # noqa: S608 - locked down
        except duckdb.Error as error:
            message = str(error).strip().split("\n\n")[0]
            raise ConfigError(f"DuckDB: {message}", where=where, remedy="correct the table's sql") from error
        finally:
            watch.cancel()
        return columns, rows

    def _load(self, name: str, table: MinedTable, scratch: Path) -> None:
        names = [column.name for column in table.columns]
        scratch.write_bytes(format_csv(names, table.rows).encode("utf-8"))
        types = ", ".join(f"{_literal(column.name)}: '{_DUCK_TYPES[column.type]}'" for column in table.columns)
        options = f"{_READ_OPTIONS}, columns={{{types}}}"
        self._connection.execute(
            f"CREATE TABLE {_quoted(name)} AS SELECT * FROM read_csv({_literal(str(scratch))}, {options})"  # noqa: S608
        )


def _with_clock(sql: str) -> str:
    return _CLOCK.sub("CAST(getvariable('clock') AS TIMESTAMP)", sql)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _column_type(duck: str) -> ColumnType:
    base = duck.split("(")[0].upper()
    if base.endswith("[]") or base in ("STRUCT", "MAP", "JSON", "UNION", "LIST"):
        return "json"
    if base in ("DOUBLE", "FLOAT", "DECIMAL"):
        return "real"
    if base.endswith(("INT", "INTEGER")):
        return "integer"
    if base.startswith("TIMESTAMP"):
        return "timestamp"
    kinds: dict[str, ColumnType] = {"BOOLEAN": "boolean", "DATE": "date"}
    return kinds.get(base, "text")


def _pick(name: str, duck: str) -> str:
    """The column as a Database keeps it: 0/1, ISO text, canonical JSON."""
    column, kind = _quoted(name), _column_type(duck)
    if kind == "timestamp":
        return f"strftime({column}::TIMESTAMP, '%Y-%m-%dT%H:%M:%SZ') AS {column}"
    if kind == "date":
        return f"strftime({column}, '%Y-%m-%d') AS {column}"
    casts = {"boolean": "INTEGER", "real": "DOUBLE", "integer": "BIGINT", "text": "VARCHAR"}
    if kind == "json":
        return f"to_json({column})::VARCHAR AS {column}"
    return f"CAST({column} AS {casts[kind]}) AS {column}"


def _walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        item = cast(dict[str, Any], node)
        yield item
        for value in item.values():
            yield from _walk(value)
    elif isinstance(node, list):
        for value in cast(list[Any], node):
            yield from _walk(value)


def _unsteady(item: dict[str, Any]) -> Iterator[str]:
    """What in a node of the syntax tree could give other rows another time."""
    name = _function(item)
    if name in _UNSTEADY or name.startswith(_OF_THE_MACHINE) or (name == "age" and len(item["arguments"]) == 1):
        yield name
    if item.get("type") == "BASE_TABLE" and str(item["table_name"]).lower().startswith(_OF_THE_MACHINE):
        yield str(item["table_name"])
    sample = item.get("sample")
    if isinstance(sample, dict) and not cast("dict[str, Any]", sample).get("repeatable"):
        yield "SAMPLE without REPEATABLE"


def _function(item: dict[str, Any]) -> str:
    if item.get("class") == "COLUMN_REF" and len(item["column_names"]) == 1:
        # current_date and its like are parsed as bare names.
        return str(item["column_names"][0]).lower() if str(item["column_names"][0]).startswith("current_") else ""
    return str(item["function_name"]).lower() if item.get("class") == "FUNCTION" else ""


def _is_plain(node: dict[str, Any]) -> bool:
    if node["type"] != "SELECT_NODE" or node["cte_map"]["map"] or node["from_table"]["type"] != "BASE_TABLE":
        return False
    if node["group_expressions"] or node["having"] or node["qualify"]:
        return False
    return all(_is_faithful(item) for item in node["select_list"])


def _is_faithful(item: dict[str, Any]) -> bool:
    kind = item["class"]
    if kind in ("COLUMN_REF", "STAR"):
        return True
    if kind == "CAST":
        return _is_faithful(item["child"])
    if kind == "FUNCTION" and item["function_name"] in _FAITHFUL:
        return all(
            argument["expression"]["class"] == "CONSTANT" or _is_faithful(argument["expression"])
            for argument in item["arguments"]
        )
    return False
