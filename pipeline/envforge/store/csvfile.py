"""CSV files of an environment: RFC 4180, UTF-8, LF, one header line.

An empty field is NULL and `""` is the empty string; Python's own `csv` module cannot tell the two apart,
so reading and writing are done here, exactly and fast. Every physical line ends in LF, the last one too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from envforge.core.errors import StoreError
from envforge.core.records.domain import Table
from envforge.core.records.extraction import ColumnType
from envforge.store.files import write_text

T = TypeVar("T")
Read: TypeAlias = tuple[list[str], list[tuple[Any, ...]]]
"""Column names and rows."""
_NEEDS_QUOTES = re.compile(r'[",\r\n]')
_FIELD = re.compile(r'"([^"]*(?:""[^"]*)*)"(?:,|\Z)|([^",]*)(?:,|\Z)')
_REMEDY = "data files are written by envforge; build the environment again or restore the file"


def format_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The text of a CSV file.

    None is an empty field, True and False are 1 and 0, floats are written so that they read back exactly.
    Raises StoreError for a value that has no exact text (NaN, infinity, a list …) or a row of wrong width.
    """
    width = len(columns)
    lines = [",".join(_field(name) for name in columns)]
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise StoreError(f"row {number} has {len(row)} values for {width} columns", where=",".join(columns[:4]))
        lines.append(",".join([_field(value) for value in row]))
    lines.append("")
    return "\n".join(lines)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file atomically. Raises StoreError."""
    text = _located(path, lambda: format_csv(columns, rows))
    write_text(path, text)


def read_csv(path: Path, table_types: Mapping[str, ColumnType] | None = None) -> Read:
    """Column names and rows of a CSV file; values are typed by `table_types` (columns not named there are text).

    Raises StoreError naming file, line and column when the file is missing, ragged or holds a value of another type.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}", where=str(path), remedy=_REMEDY) from error
    except UnicodeDecodeError as error:
        raise StoreError(f"is not UTF-8 at byte {error.start}", where=str(path), remedy=_REMEDY) from error
    return _located(path, lambda: parse_csv(text, table_types))


def parse_csv(text: str, table_types: Mapping[str, ColumnType] | None = None) -> Read:
    """Like `read_csv`, from text. Raises StoreError naming line and column."""
    records = _records(text)
    if not records:
        raise StoreError("has no header line", remedy=_REMEDY)
    columns = [name or "" for name in records[0]]
    body = records[1:]
    width = len(columns)
    for number, record in enumerate(body, start=1):
        if len(record) != width:
            raise StoreError(f"data row {number} has {len(record)} fields for {width} columns", remedy=_REMEDY)
    if not body:
        return columns, []
    types = table_types or {}
    typed = [
        _typed(name, values, types.get(name, "text"))
        for name, values in zip(columns, zip(*body, strict=True), strict=True)
    ]
    return columns, list(zip(*typed, strict=True))


def read_table(folder: Path, table: Table) -> list[dict[str, Any]]:
    """The rows of a table of an environment folder, as dicts.

    Raises StoreError, also when the file's columns are not the table's.
    """
    path = folder / "data" / f"{table.name}.csv"
    columns, rows = read_csv(path, {column.name: column.type for column in table.columns})
    if columns != [column.name for column in table.columns]:
        raise StoreError(f"has the columns {columns}", where=str(path), remedy=_REMEDY)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        if value and not _NEEDS_QUOTES.search(value):
            return value
        return '"' + value.replace('"', '""') + '"'
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise StoreError(f"{value!r} has no exact CSV text", remedy="use None, text, integers or finite numbers")


def _records(text: str) -> list[list[str | None]]:
    """Fields of all records; None for an empty unquoted field."""
    lines = text.split("\n")
    if lines.pop():
        raise StoreError("does not end in a line feed: it was cut", remedy=_REMEDY)
    if '"' not in text:
        return [[field or None for field in line.split(",")] for line in lines]
    records: list[list[str | None]] = []
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if '"' not in line:
            records.append([field or None for field in line.split(",")])
            continue
        first = position
        while line.count('"') % 2:
            if position == len(lines):
                raise StoreError(f"line {first}: a quoted field does not end", remedy=_REMEDY)
            line = f"{line}\n{lines[position]}"
            position += 1
        records.append(_quoted_record(line, first))
    return records


def _quoted_record(line: str, number: int) -> list[str | None]:
    fields: list[str | None] = []
    position = 0
    while True:
        match = _FIELD.match(line, position)
        if match is None:
            raise StoreError(f"line {number}: a quote stands inside a field", remedy=_REMEDY)
        quoted, plain = match.groups()
        fields.append(quoted.replace('""', '"') if quoted is not None else plain or None)
        position = match.end()
        if position == len(line) and not match.group().endswith(","):
            return fields
        if position == len(line):
            fields.append(None)
            return fields


def _typed(name: str, values: Sequence[str | None], kind: ColumnType) -> Sequence[Any]:
    convert: Callable[[str], Any] | None = {"integer": int, "boolean": _boolean, "real": _real}.get(kind)
    if convert is None:
        return values
    try:
        return [None if value is None else convert(value) for value in values]
    except ValueError:
        return [_convert(name, number, value, kind, convert) for number, value in enumerate(values, start=1)]


def _convert(name: str, number: int, value: str | None, kind: str, convert: Callable[[str], Any]) -> Any:
    """The slow way, taken only to say where a value of another type stands."""
    if value is None:
        return None
    try:
        return convert(value)
    except ValueError as error:
        raise StoreError(f"data row {number}, column {name}: {value!r} is not {kind}", remedy=_REMEDY) from error


def _real(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _boolean(text: str) -> int:
    if text not in ("0", "1"):
        raise ValueError(text)
    return int(text)


def _located(path: Path, work: Callable[[], T]) -> T:
    try:
        return work()
    except StoreError as error:
        raise StoreError(error.message, where=str(path), remedy=error.remedy) from error
