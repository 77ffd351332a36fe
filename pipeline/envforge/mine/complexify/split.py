"""Splits repeated groups of mined rows into tables of their own, linked to the rows they stood in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from envforge.core.contracts import Database, Row
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.core.records.domain import Reference, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.complexify.repeated import Group, Refused, repeated_groups
from envforge.mine.infer.drafts import Draft, finish
from envforge.mine.infer.names import plural, safe_identifier, singular, words

_SLOT = re.compile(r"\{(\w+)\}")
_MIN_CODES = 5
"""Different items that make a table's key their target although its name does not say so."""


class SplitRepeated:
    """phone1, phone2, phone3 and `red|blue` become rows of a child table; items that are keys become links.

    Works on mined tables that no operation of a source or an archetype names: those know the columns as they are.
    """

    name = "split"

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """The database with a table more for each regular group, or Rejected, saying what was not regular."""
        del seed, round_number  # the rows alone decide
        if database.operations or database.intents:
            return Rejected("operations of an archetype name the columns as they are")
        done = database
        made: list[dict[str, Any]] = []
        refused: list[str] = []
        for table in database.domain.tables:
            groups, faults = _groups(database, table)
            refused += [f"{table.name}: {', '.join(one.columns)}: {one.reason}" for one in faults]
            for group in groups:
                done, child = _split(done, done.domain.table(table.name), group)
                columns = ", ".join(group.columns)
                made.append(
                    {"table": child.name, "from": f"{table.name}: {columns}", "rows": len(done.rows[child.name])}
                )
        if not made:
            return Rejected("no table has a regular repeated group", {"refused": refused})
        log = [*database.changelog, {"detail": {"tables": made, "refused": refused}}]
        return Produced(replace(done, changelog=log))


def _groups(database: Database, table: Table) -> tuple[list[Group], list[Refused]]:
    served = {operation.table for operation in database.domain.operations}
    rows = database.rows.get(table.name, [])
    if table.name in served or table.origin == "synthetic" or len(table.primary_key) != 1 or not rows:
        return [], []
    entries = [entry for entry in database.provenance if entry.table == table.name]
    places = {slot for entry in entries for slot in _SLOT.findall(entry.locator)}
    if not entries or not places <= {"key", *table.primary_key}:
        return [], []
    return repeated_groups(table, rows, _fixed(database, table))


def _fixed(database: Database, table: Table) -> Iterator[str]:
    """Columns that must stay: keys, what is unique or checked, what others refer to."""
    yield from table.primary_key
    for names in table.unique:
        yield from names
    checked = " ".join(table.checks)
    yield from (column.name for column in table.columns if re.search(rf"\b{column.name}\b", checked))
    for other in database.domain.tables:
        for column in other.columns:
            if column.references and column.references.table == table.name:
                yield column.references.column


def _split(database: Database, table: Table, group: Group) -> tuple[Database, Table]:
    """The database with the group as a table beside `table`, and that table."""
    child, rows = _child(database, table, group)
    columns = tuple(column for column in table.columns if column.name not in group.columns)
    indexes = tuple(index for index in table.indexes if not set(index) & set(group.columns))
    left = table.model_copy(update={"columns": columns, "indexes": indexes})
    tables: list[Table] = []
    found: dict[str, list[Row]] = {}
    for one in database.domain.tables:
        tables += [left, child] if one.name == table.name else [one]
        found[one.name] = database.rows.get(one.name, [])
        if one.name == table.name:
            names = [column.name for column in columns]
            found[one.name] = [{name: row[name] for name in names} for row in found[one.name]]
            found[child.name] = rows
    note = f"{child.name} is split from {', '.join(group.columns)} of {table.name}"
    domain = database.domain.model_copy(update={"tables": tuple(tables), "notes": (*database.domain.notes, note)})
    provenance = [*database.provenance, *_provenance(database, table, child, rows, group)]
    return replace(database, domain=domain, rows=found, provenance=provenance), child


def _child(database: Database, table: Table, group: Group) -> tuple[Table, list[Row]]:
    key = table.primary_key[0]
    owner = key if key.startswith(table.entity) else f"{table.entity}_{key}"
    names = {name: name if name not in (owner, "position") else f"{name}_value" for name in group.fields}
    keys = [row[key] for row in database.rows[table.name]]
    flat = [(keys[at], place, item) for at, items in enumerate(group.items) for place, item in enumerate(items, 1)]
    flat.sort(key=lambda one: one[:2])
    target = group.reference or _target(database, table, group, flat)
    many = target.table if target is not None else plural(safe_identifier(group.stem))
    name = _free(f"{table.entity}_{many}", {one.name for one in database.domain.tables})
    evidence = f"split from {', '.join(group.columns)} of {table.name}"
    draft = Draft(
        name=name,
        entity=singular(name),
        types={owner: table.column(key).type, "position": "integer"},
        values={owner: [one[0] for one in flat], "position": [one[1] for one in flat]},
        key=(owner, "position"),
        source_ids=table.source_ids,
        origin="derived",
        kind="child",
        references={owner: Reference(table=table.name, column=key, confidence=1.0, evidence=evidence)},
        descriptions={"position": f"The place among the {' '.join(words(plural(group.stem)))} of the {table.label}."},
        roles={"position": "position"},
        evidence=evidence,
    )
    for at, (field, kind) in enumerate(group.fields.items()):
        draft.types[names[field]], draft.values[names[field]] = kind, [one[2][at] for one in flat]
    if target is not None:
        draft.references[names[next(iter(group.fields))]] = target
        draft.kind = "link"
    return finish(draft)


def _target(database: Database, table: Table, group: Group, flat: Sequence[tuple[Any, ...]]) -> Reference | None:
    """The table whose keys the items are: all of them, and its name says so or there are many."""
    if len(group.fields) != 1:
        return None
    items = {item[0] for _, _, item in flat}
    for other in database.domain.tables:
        keys = {row[other.primary_key[0]] for row in database.rows.get(other.name, [])}
        if len(other.primary_key) != 1 or not items <= keys:
            continue
        named = words(singular(group.stem))[-1:] == words(other.entity)[-1:]
        codes = len(items) >= _MIN_CODES and all(isinstance(item, str) for item in items)
        if named or codes:
            evidence = f"all {len(items)} items of {table.name}.{', '.join(group.columns)} are keys of {other.name}"
            return Reference(table=other.name, column=other.primary_key[0], confidence=1.0, evidence=evidence)
    return None


def _provenance(
    database: Database, table: Table, child: Table, rows: Sequence[Row], group: Group
) -> Iterator[ProvenanceEntry]:
    """One entry per stretch of the parent's rows: the same source and row, and the place in it."""
    entries = [entry for entry in database.provenance if entry.table == table.name]
    owner = child.primary_key[0]
    for entry in entries:
        inside = [row for row in rows if _covers(entry, row[owner])]
        if not inside:
            continue
        first, last = ((row[owner], row["position"]) for row in (inside[0], inside[-1]))
        yield ProvenanceEntry(
            table=child.name,
            keys="all" if len(inside) == len(rows) else (first, last),
            source=entry.source,
            locator=f"{_SLOT.sub(f'{{{owner}}}', entry.locator)}.{group.place}" if entry.locator else "",
            kind="derived",
            count=len(inside),
        )


def _covers(entry: ProvenanceEntry, key: Any) -> bool:
    return entry.keys == "all" or tuple(entry.keys[0]) <= (key,) <= tuple(entry.keys[1])


def _free(name: str, taken: set[str]) -> str:
    number, wanted = 2, name
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
