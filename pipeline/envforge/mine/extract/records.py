"""Lists of like objects into a table: nested objects are flattened one level, deeper values stay JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from envforge.core.ids import canonical_json
from envforge.core.records.extraction import ColumnType, MinedColumn, MinedTable
from envforge.mine.extract.parse import mapping

MAX_FLAT_KEYS = 40
"""A nested object with more distinct keys than this over all records is a map: it stays JSON."""
_DATE = re.compile(r"^\d{4}-\d\d-\d\d$")
_TIMESTAMP = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$")


def table_name(path: str) -> str:
    """snake_case of a file's stem; all suffixes are cut (`data/My Flights.csv.zip` -> my_flights)."""
    stem = path.replace("\\", "/").rsplit("/", 1)[-1]
    stem = stem.split(".", 1)[0] if not stem.startswith(".") else stem[1:]
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", stem)
    name = re.sub(r"[^A-Za-z0-9]+", "_", words).strip("_").lower()
    return name or "table"


def distinct(names: Iterable[str]) -> list[str]:
    """The names, repeated ones numbered."""
    taken: set[str] = set()
    made: list[str] = []
    for wanted in names:
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        taken.add(name)
        made.append(name)
    return made


def row_locator(path: str, place: str = "") -> str:
    """Locator template of a table's rows; braces of the path itself are doubled."""
    return _literal(path + place) + "#row={row}"


def rows_of(locator: str) -> str:
    """Locator template of the rows of what stands at `locator`, a place inside a page."""
    return _literal(locator) + "/row={row}"


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def table_of(name: str, records: Sequence[dict[str, Any]], locator: str, source_id: str) -> MinedTable:
    """A table with a row per record, columns in the order in which they first appear."""
    maps = _maps(records)
    flat = [_flatten(record, maps) for record in records]
    names = list(dict.fromkeys(key for record in flat for key in record))
    columns: list[MinedColumn] = []
    data: list[list[Any]] = []
    for column in names:
        kind, values = typed_values([record.get(column) for record in flat])
        columns.append(MinedColumn(name=column, type=kind, nullable=any(value is None for value in values)))
        data.append(values)
    rows = tuple(zip(*data, strict=True)) if data else ()
    return MinedTable(name, tuple(columns), rows, locator, source_id)


def _maps(records: Sequence[dict[str, Any]]) -> frozenset[str]:
    """Keys whose objects are maps over data (languages, codes), judged over all records."""
    keys: dict[str, set[str]] = {}
    nested: dict[str, bool] = {}
    for record in records:
        for name, value in record.items():
            if isinstance(value, dict) and value:
                inner = mapping(value)
                keys.setdefault(name, set()).update(inner)
                nested[name] = nested.get(name, True) and all(isinstance(item, dict) for item in inner.values())
    return frozenset(
        name for name, found in keys.items() if len(found) > MAX_FLAT_KEYS or (nested[name] and len(found) > 2)
    )


def _flatten(record: dict[str, Any], maps: frozenset[str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict) and name not in maps and value:
            for inner, item in mapping(value).items():
                joined = f"{name}_{inner}"
                result[joined if joined not in record else f"{joined}_2"] = item
        else:
            result[name] = value
    return result


def typed_values(values: Sequence[Any]) -> tuple[ColumnType, list[Any]]:
    """The column type that holds for every value, and the values in its form."""
    present = [value for value in values if value is not None]
    if any(isinstance(value, dict | list) for value in present):
        return "json", [None if value is None else canonical_json(value) for value in values]
    if present and all(isinstance(value, bool) for value in present):
        return "boolean", list(values)
    if any(isinstance(value, bool) for value in present):
        return "text", [None if value is None else _word(value) for value in values]
    if present and all(isinstance(value, int) and abs(value) < 2**63 for value in present):
        return "integer", list(values)
    if present and all(isinstance(value, int | float) for value in present):
        return "real", [None if value is None else float(value) for value in values]
    words = [None if value is None else _word(value) for value in values]
    stated = [word for word in words if word is not None]
    if stated and all(_DATE.match(word) for word in stated):
        return "date", words
    if stated and all(_TIMESTAMP.match(word) for word in stated):
        times = [None if word is None else iso_timestamp(word) for word in words]
        if all(time is not None or word is None for time, word in zip(times, words, strict=True)):
            return "timestamp", list(times)
    return "text", words


def _word(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def iso_timestamp(word: str) -> str | None:
    """ISO 8601 text: UTC with `Z` when the source states an offset, without one when it states none."""
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return moment.isoformat()
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
