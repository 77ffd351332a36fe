"""A Database goes into an environment folder: schema, rows, documents, sources, provenance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from envforge.core.contracts import Database, Row
from envforge.core.errors import BuildError
from envforge.core.records.domain import Column, Domain, IdStyle, Table
from envforge.core.records.environment import EnvironmentManifest, ProvenanceEntry
from envforge.core.records.source import Source
from envforge.mine.load_sql import create_sql
from envforge.mine.verify import verify_rows
from envforge.store.csvfile import write_csv
from envforge.store.files import write_json, write_jsonl, write_text
from envforge.store.provenance import coverage_problems

__all__ = ["create_sql", "id_styles", "verify_rows", "write_database"]


def write_database(database: Database, folder: Path, manifest: EnvironmentManifest, sources: Sequence[Source]) -> None:
    """Write environment.json (a draft, without hash), schema.sql, data/, documents/, sources and provenance.

    The same database gives the same bytes. Raises BuildError when rows break a constraint or their provenance
    is not exact, StoreError when a file cannot be written.
    """
    verify_rows(database)
    rows = {table.name: sorted_rows(table, database.rows.get(table.name, [])) for table in database.domain.tables}
    provenance = _exact(database, rows)
    write_json(folder / "environment.json", manifest.to_json())
    write_text(folder / "schema.sql", create_sql(database.domain))
    for table in database.domain.tables:
        names = [column.name for column in table.columns]
        body = (_values(table, row) for row in rows[table.name])
        write_csv(folder / "data" / f"{table.name}.csv", names, body)
    for path, text in sorted(database.documents.items()):
        write_text(folder / "documents" / _inside(path), text)
    write_jsonl(folder / "sources.jsonl", [s.to_json() for s in sorted(sources, key=lambda s: (s.path, s.id))])
    write_jsonl(folder / "provenance.jsonl", [entry.to_json() for entry in provenance])


_NUMBERED = re.compile(r"(?P<head>[A-Za-z][A-Za-z_-]*)(?P<digits>[0-9]{4,})")


def id_styles(domain: Domain, rows: Mapping[str, Sequence[Row]]) -> dict[str, IdStyle]:
    """How the World mints ids, for each table with a one-column key that can be minted.

    Stated styles first; whole numbers count on; text keys called `id` are UUIDs; where all keys are the same letters
    and as many digits (I02000), so is a new one. Codes that the world gives (an airport's, a flight's) never are.
    """
    styles: dict[str, IdStyle] = {}
    for table in domain.tables:
        if table.id_style is not None:
            styles[table.name] = table.id_style
            continue
        if len(table.primary_key) != 1:
            continue
        key = table.column(table.primary_key[0])
        if key.references is None and key.type == "integer":
            styles[table.name] = IdStyle(kind="integer")
        elif key.references is None and (key.format == "uuid" or key.name == "id"):
            styles[table.name] = IdStyle(kind="uuid")
        elif key.references is None and key.type == "text":
            numbered = _numbered([str(row[key.name]) for row in rows.get(table.name, ())])
            styles |= {table.name: numbered} if numbered is not None else {}
    return styles


def _numbered(keys: Sequence[str]) -> IdStyle | None:
    """The style of keys that differ in their number only."""
    found = [_NUMBERED.fullmatch(key) for key in keys]
    shapes = {(match["head"], len(match["digits"])) for match in found if match is not None}
    if len(shapes) != 1 or not all(found):
        return None
    head, length = shapes.pop()
    return IdStyle(kind="code", prefix=head, alphabet="0123456789", length=length)


def sorted_rows(table: Table, rows: Sequence[Row]) -> list[Row]:
    """The rows in the order of the primary key."""
    key = table.primary_key
    if len(key) == 1:
        return sorted(rows, key=lambda row: row[key[0]])
    return sorted(rows, key=lambda row: tuple(row[name] for name in key))


def _values(table: Table, row: Mapping[str, Any]) -> list[Any]:
    return [_value(column, row.get(column.name)) for column in table.columns]


def _value(column: Column, value: Any) -> Any:
    # A whole number in a real column is written as a real: 5 and 5.0 are one value and get one text. So are 0 and -0.
    return float(value) + 0.0 if column.type == "real" and value is not None else value


def _exact(database: Database, rows: Mapping[str, Sequence[Row]]) -> list[ProvenanceEntry]:
    keys = {
        table.name: [tuple(row[name] for name in table.primary_key) for row in rows[table.name]]
        for table in database.domain.tables
    }
    entries = [entry for entry in database.provenance if keys.get(entry.table) or entry.count]
    problems = coverage_problems(entries, keys)
    if problems:
        raise BuildError(
            f"provenance is not exact: {'; '.join(problems)}",
            where="provenance.jsonl",
            remedy="each row needs exactly one entry",
        )
    order = {table.name: number for number, table in enumerate(database.domain.tables)}
    return sorted(entries, key=lambda entry: (order[entry.table], entry.keys != "all", _first(entry)))


def _first(entry: ProvenanceEntry) -> tuple[Any, ...]:
    return () if entry.keys == "all" else tuple(entry.keys[0])


def _inside(path: str) -> PurePosixPath:
    place = PurePosixPath(path)
    if place.is_absolute() or ".." in place.parts or not place.parts:
        raise BuildError("the document's path leaves the environment", where=path, remedy="use a relative path")
    return place
