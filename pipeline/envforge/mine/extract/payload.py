"""JSON and YAML documents that are data: shapes inferred from values, tables from lists of records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from envforge.core.contracts import Fetched
from envforge.core.records.extraction import Example, Extraction, Issue, MinedTable, Shape
from envforge.core.records.source import Source
from envforge.mine.extract.inference import infer_type
from envforge.mine.extract.parse import child, decode, mapping, read_json, read_plain, sequence
from envforge.mine.extract.records import row_locator, table_name, table_of

MAX_EXAMPLES = 20
"""Examples kept of one list of records."""
MIN_MAP = 3
MAX_SAMPLE = 5_000
"""Records an inferred shape looks at; the table holds them all."""

_JSON_PATH = re.compile(r"\.(json|jsonl|ndjson|geojson|ya?ml)$", re.IGNORECASE)
_LINES_PATH = re.compile(r"\.(jsonl|ndjson)$", re.IGNORECASE)


class PayloadExtractor:
    """Reads data documents: lists or maps of records, indexes of example payloads, single objects."""

    name = "payload"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for JSON by content, and for YAML by its name or MIME."""
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        named = bool(_JSON_PATH.search(source.path)) or "json" in source.mime or "yaml" in source.mime
        return named and (start in (b"{", b"[") or "yaml" in source.mime or source.path.endswith((".yaml", ".yml")))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the document. Raises ExtractError naming file and line when it is broken."""
        if _LINES_PATH.search(fetched.source.path):
            value: Any = _read_lines(fetched)
        else:
            value = read_plain(fetched)
        return _Reader(fetched.source).read(value)


def _read_lines(fetched: Fetched) -> list[Any]:
    lines = decode(fetched).split("\n")
    return [read_json(line, f"{fetched.source.path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = table_name(source.path)
        self.shapes: dict[str, Shape] = {}
        self.tables: list[MinedTable] = []
        self.examples: list[Example] = []
        self.issues: list[Issue] = []

    def read(self, value: Any) -> Extraction:
        """Everything the document holds, by what its top level is."""
        if isinstance(value, list):
            records = objects(value)
            if records is None:
                self.issues.append(Issue(locator="#", reason="a list of values that are no objects; left out"))
            elif _is_examples_index(records):
                self._read_index(records)
            else:
                self._records(self.name, records, "#")
        elif isinstance(value, dict):
            self._read_object(mapping(value))
        else:
            self.issues.append(Issue(locator="#", reason="a single value; left out"))
        return Extraction(
            source_id=self.source.id,
            extractor=PayloadExtractor.name,
            shapes=self.shapes,
            tables=tuple(self.tables),
            examples=tuple(self.examples),
            issues=tuple(self.issues),
        )

    def _read_object(self, value: dict[str, Any]) -> None:
        if _is_map_of_records(value):
            self._records(self.name, _keyed(value), "#")
            return
        found = False
        for key, item in value.items():
            records = objects(item)
            if records and len(records) >= 1 and _are_alike(records):
                self._records(self._table_name(key), records, child("#", key))
                found = True
            elif isinstance(item, dict) and _is_map_of_records(mapping(item)):
                self._records(self._table_name(key), _keyed(mapping(item)), child("#", key))
                found = True
        if not found:
            self._shape(self.name, [value], "#")
            self.examples.append(Example(shape=self.name, value=value, locator="#"))

    def _table_name(self, key: str) -> str:
        """The key names the records, if it is a word; a code or number needs the file's name."""
        name = table_name(key)
        if name in self.name and not name.isalpha():
            return self.name
        return name if re.match(r"^[a-z][a-z_]{2,}$", name) else f"{self.name}_{name}"

    def _read_index(self, entries: Sequence[dict[str, Any]]) -> None:
        """An index of example payloads: [{name, examples: [...]}]."""
        for position, entry in enumerate(entries):
            name = str(entry["name"])
            values = objects(entry["examples"]) or []
            pointer = child("#", position, "examples")
            self._shape(name, values, pointer, str(entry.get("description") or ""))
            for index, value in enumerate(values):
                self.examples.append(Example(shape=name, value=value, locator=child(pointer, index)))

    def _records(self, name: str, records: list[dict[str, Any]], pointer: str) -> None:
        if not records:
            self.issues.append(Issue(locator=pointer, reason="an empty list; its shape is unknown"))
            return
        locator = row_locator(self.source.path, pointer.removeprefix("#"))
        self.tables.append(table_of(name, records, locator, self.source.id))
        self._shape(name, records[:MAX_SAMPLE], pointer)
        for index, record in enumerate(records[:MAX_EXAMPLES]):
            self.examples.append(Example(shape=name, value=record, locator=child(pointer, index)))

    def _shape(self, name: str, values: Sequence[Any], pointer: str, description: str = "") -> None:
        expr = infer_type(values).model_copy(update={"name": name})
        self.shapes[name] = Shape(name=name, type=expr, locator=pointer, description=description)


def objects(value: Any) -> list[dict[str, Any]] | None:
    """The items of a list of objects; None if it is no list or holds anything else."""
    if not isinstance(value, list):
        return None
    items = sequence(value)
    return cast("list[dict[str, Any]]", items) if all(isinstance(item, dict) for item in items) else None


def _is_examples_index(records: Sequence[dict[str, Any]]) -> bool:
    return bool(records) and all(
        isinstance(record.get("name"), str) and bool(objects(record.get("examples"))) for record in records
    )


def _are_alike(records: Sequence[dict[str, Any]]) -> bool:
    """True if most records have most of the fields that half of them have."""
    counts: dict[str, int] = {}
    for record in records:
        for key in record:
            counts[key] = counts.get(key, 0) + 1
    common = {key for key, count in counts.items() if 2 * count >= len(records)}
    if len(common) < 2:
        return False
    full = sum(len(common & record.keys()) >= 0.6 * len(common) for record in records)
    return full >= 0.8 * len(records)


def _is_map_of_records(value: dict[str, Any]) -> bool:
    items = list(value.values())
    if len(items) < MIN_MAP or not all(isinstance(item, dict) for item in items):
        return False
    records = [mapping(item) for item in items]
    shared = set(records[0]).intersection(*records[1:])
    return bool(shared) and _are_alike(records)


def _keyed(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Records of a map, each with its key as first column."""
    taken = {name for item in value.values() for name in mapping(item)}
    column = next(name for name in ("key", "map_key", "map_key_2") if name not in taken)
    return [{column: key, **mapping(item)} for key, item in value.items()]
