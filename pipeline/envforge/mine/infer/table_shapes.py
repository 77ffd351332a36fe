"""Tables of a catalogue entry: run their SQL over the files and verify what the entry states about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envforge.core.contracts import Row
from envforge.core.errors import ConfigError
from envforge.core.records.domain import Reference, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.records.extraction import MinedTable, TablePart
from envforge.core.records.source import TableShape, Theme
from envforge.mine.infer.drafts import Draft, Tabular, finish, runs
from envforge.mine.infer.foreign_keys import coverage
from envforge.mine.infer.keys import find_key, key_faults
from envforge.mine.infer.names import singular
from envforge.mine.infer.sql_views import Reading, SqlViews, analyse

VIEW_COLUMN = "_view"
"""A result column of this name says from which view each row comes, or from which page of a view; it is not kept."""


def tables_by_shapes(theme: Theme, views: Mapping[str, MinedTable], *, clock: str | None) -> Tabular:
    """Tables as the theme's entry shapes them.

    Raises ConfigError naming entry, table and column with counterexamples when a stated key, reference, enum
    or column is not so, and when a file that the SQL reads is absent (unless the table is optional).
    """
    readings = {shape.name: analyse(shape.sql, where=_where(theme, shape, "sql")) for shape in theme.tables}
    kept, notes = _present(theme, readings, views)
    needed = {name for shape in kept for name in readings[shape.name].views}
    drafts: dict[str, Draft] = {}
    provenance: list[ProvenanceEntry] = []
    with SqlViews({name: views[name] for name in needed}, clock=clock) as sql:
        for shape in kept:
            draft, labels = _draft(theme, shape, readings[shape.name], sql)
            drafts[shape.name] = draft
            provenance.extend(_provenance(theme, shape, readings[shape.name], draft, labels, views))
    for shape in kept:
        notes.extend(_refer(theme, shape, drafts))
    tables: list[Table] = []
    rows: dict[str, list[Row]] = {}
    for draft in drafts.values():
        table, rows[draft.name] = finish(draft)
        tables.append(table)
    return Tabular(tuple(tables), rows, provenance, tuple(notes))


def _present(
    theme: Theme, readings: Mapping[str, Reading], views: Mapping[str, MinedTable]
) -> tuple[list[TableShape], list[str]]:
    kept: list[TableShape] = []
    notes: list[str] = []
    for shape in theme.tables:
        absent = [name for name in readings[shape.name].views if name not in views]
        if not absent:
            kept.append(shape)
        elif shape.optional:
            notes.append(f"table {shape.name} is left out: no file for {', '.join(absent)}")
        else:
            raise ConfigError(
                f"reads {', '.join(absent)}, but the files are {', '.join(sorted(views)) or 'none'}",
                where=_where(theme, shape, "sql"),
                remedy="name the file in the anchor's views, fetch it, or mark the table optional",
            )
    return kept, notes


def _draft(theme: Theme, shape: TableShape, reading: Reading, sql: SqlViews) -> tuple[Draft, list[Any] | None]:
    columns, rows = sql.run(shape.sql, where=_where(theme, shape, "sql"))
    if not rows:
        raise ConfigError("the SQL gives no rows", where=_where(theme, shape, "sql"), remedy="check its conditions")
    values = {name: list(column) for (name, _), column in zip(columns, zip(*rows, strict=True), strict=True)}
    labels = values.pop(VIEW_COLUMN, None)
    draft = Draft(
        name=shape.name,
        entity=shape.entity or singular(shape.name),
        types={name: kind for name, kind in columns if name != VIEW_COLUMN},
        values=values,
        description=shape.description,
        kind=shape.kind,
        origin="mined" if reading.plain else "derived",
        descriptions=shape.columns,
        units=shape.units,
        enums=shape.enums,
        roles=shape.roles,
    )
    _check_names(theme, shape, draft)
    _check_enums(theme, shape, draft)
    draft.key, draft.evidence = _key(theme, shape, draft)
    order = draft.sort()
    return draft, [labels[position] for position in order] if labels else None


def _check_names(theme: Theme, shape: TableShape, draft: Draft) -> None:
    stated: dict[str, Iterable[str]] = {
        "key": shape.key,
        "columns": shape.columns,
        "units": shape.units,
        "enums": shape.enums,
        "roles": shape.roles,
        "references": shape.references,
        "partial_references": shape.partial_references,
    }
    for part, names in stated.items():
        unknown = [name for name in names if name not in draft.types]
        if unknown:
            message = f"names {', '.join(unknown)}, but the SQL gives {', '.join(draft.types)}"
            raise ConfigError(message, where=_where(theme, shape, part), remedy="correct the name or the SQL")


def _check_enums(theme: Theme, shape: TableShape, draft: Draft) -> None:
    for name, allowed in shape.enums.items():
        others = sorted({str(value) for value in draft.values[name] if value is not None and value not in allowed})
        if others:
            message = f"{name} also takes {', '.join(others[:3])}"
            raise ConfigError(message, where=_where(theme, shape, "enums"), remedy="add the values or change the SQL")


def _key(theme: Theme, shape: TableShape, draft: Draft) -> tuple[tuple[str, ...], str]:
    if not shape.key:
        key = find_key(draft.columns(), entity=draft.entity)
        if key is None:
            raise ConfigError("no column is a key", where=_where(theme, shape, "key"), remedy="state the key")
        return key.columns, key.evidence
    faults = key_faults([draft.column(name) for name in shape.key])
    if faults:
        message = f"{', '.join(shape.key)} is no key of {shape.name}: {'; '.join(faults)}"
        raise ConfigError(message, where=_where(theme, shape, "key"), remedy="state a key that the rows have")
    return shape.key, "stated in the catalogue and verified against the rows"


def _refer(theme: Theme, shape: TableShape, drafts: Mapping[str, Draft]) -> list[str]:
    """Set the table's references; notes for those to tables that were left out."""
    notes: list[str] = []
    draft = drafts[shape.name]
    for part, stated in (("references", shape.references), ("partial_references", shape.partial_references)):
        for name, target in stated.items():
            table, _, column = target.partition(".")
            if table not in drafts:
                if all(other.name != table for other in theme.tables):
                    raise ConfigError(f"{name} refers to {target}: no such table", where=_where(theme, shape, part))
                notes.append(f"{shape.name}.{name} refers to {table}, which was left out")
                continue
            draft.references[name] = _reference(theme, shape, part, draft, name, drafts[table], column)
    return notes


def _reference(
    theme: Theme, shape: TableShape, part: str, draft: Draft, name: str, target: Draft, column: str
) -> Reference:
    where = _where(theme, shape, part)
    if column not in target.types:
        raise ConfigError(f"{name} refers to {target.name}.{column}: no such column", where=where)
    if draft.types[name] != target.types[column]:
        kinds = f"{draft.types[name]} and {target.types[column]}"
        raise ConfigError(f"{name} and {target.name}.{column} are {kinds}", where=where, remedy="cast one of them")
    measured = coverage(draft.values[name], target.values[column])
    if measured.missing and part == "references":
        shown = ", ".join(f"{value} ({count} rows)" for value, count in measured.missing[:3])
        raise ConfigError(
            f"{len(measured.missing)} values of {name} are not in {target.name}.{column}: {shown}",
            where=where,
            remedy="correct the SQL, or state it under partial_references",
        )
    # Stated as partial: never enforced, even when these rows happen to hold it in full.
    confidence = 1.0 if part == "references" else min(round(measured.share, 6), 0.999999)
    evidence = f"stated in the catalogue; {measured.share:.2%} of {measured.checked} values are there"
    return Reference(table=target.name, column=column, confidence=confidence, evidence=evidence)


def _provenance(
    theme: Theme,
    shape: TableShape,
    reading: Reading,
    draft: Draft,
    labels: Sequence[Any] | None,
    views: Mapping[str, MinedTable],
) -> list[ProvenanceEntry]:
    """One entry for the table, or one per stretch of rows from one file where the SQL tells them apart."""
    base = shape.rows_from or (reading.views[0] if reading.views else "")
    files = _files(reading, views)
    for name in {base, *(labels or ())}:
        if name not in files:
            message = f"{name!r} is none of the files that the SQL reads ({', '.join(reading.views)})"
            raise ConfigError(message, where=_where(theme, shape, "rows_from"), remedy="name one of them")
    draft.source_ids = tuple(dict.fromkeys(files[name].source_id for name in (base, *reading.views, *(labels or ()))))
    keys = draft.keys()
    stretches = runs(labels) if labels else [(base, 0, len(keys) - 1)]
    whole = len(stretches) == 1
    return [
        ProvenanceEntry(
            table=shape.name,
            keys="all" if whole else (keys[first], keys[last]),
            source=files[name].source_id,
            locator=_locator(shape, draft, files[name].path, [views[other].path for other in reading.views]),
            kind=draft.origin,
            count=last - first + 1,
        )
        for name, first, last in stretches
    ]


def _files(reading: Reading, views: Mapping[str, MinedTable]) -> dict[str, MinedTable | TablePart]:
    """What `_view` may name: the views of the SQL, and the pages of those that go on over several files."""
    files: dict[str, MinedTable | TablePart] = {}
    for name in reading.views:
        files |= {part.label: part for part in views[name].parts if part.label}
    return files | {name: views[name] for name in reading.views}


def _locator(shape: TableShape, draft: Draft, path: str, others: Sequence[str]) -> str:
    inside = shape.locator or "&".join(f"{column}={{{column}}}" for column in draft.key)
    beside = [other for other in others if other != path]
    return f"{path}#{inside}" + (f" with {', '.join(beside)}" if beside else "")


def _where(theme: Theme, shape: TableShape, part: str) -> str:
    return f"themes/catalogue/{theme.slug}.yaml, tables.{shape.name}.{part}"
