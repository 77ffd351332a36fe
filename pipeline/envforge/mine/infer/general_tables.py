"""Tables nobody described: names, keys and references are inferred from the rows.

Tables of one name that come from several files are merged where their keys agree, else numbered apart.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from envforge.core.contracts import Row
from envforge.core.records.domain import Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.records.extraction import ColumnType, MinedTable
from envforge.mine.infer.drafts import Draft, Tabular, finish, runs
from envforge.mine.infer.foreign_keys import Target, find_reference
from envforge.mine.infer.keys import find_key, is_code_like
from envforge.mine.infer.merge import merge_columns
from envforge.mine.infer.names import plural, safe_identifier, singular, words
from envforge.mine.infer.nested import Child, unnest
from envforge.mine.infer.stated_keys import keep_stated_key, refer_as_stated

_MIN_CODES = 10
_PART_NUMBER = re.compile(r"(_(\d+|part|all|data|list))+$")


@dataclass
class _Found:
    """A draft and the file each of its rows comes from."""

    draft: Draft
    tables: list[MinedTable]
    labels: list[int]
    """Per row, the position in `tables` of its file."""
    before: dict[int, int] = field(default_factory=lambda: dict[int, int]())
    """For a part of a table: how many rows stand in the parts before it."""
    parent: Draft | None = None
    child: Child | None = None


def tables_in_general(mined: Sequence[MinedTable]) -> Tabular:
    """Tables as their names and values suggest; what could not be kept is said in the notes."""
    notes: list[str] = []
    found = _gather(mined, notes)
    for item in list(found.values()):
        for child in unnest(item.draft, found):
            found[child.draft.name] = _of_child(item, child)
            notes.append(f"{item.tables[0].path}: {child.draft.name} is nested in {item.draft.name}")
    for item in found.values():
        order = item.draft.sort()
        item.labels = [item.labels[position] for position in order]
    stating = [(item.draft, item.tables) for item in found.values() if item.child is None]
    refer_as_stated(stating, notes)
    _refer([item.draft for item in found.values()])
    tables: list[Table] = []
    rows: dict[str, list[Row]] = {}
    for name in sorted(found):
        table, rows[name] = finish(found[name].draft)
        tables.append(table)
    provenance = [entry for name in sorted(found) for entry in _provenance(found[name])]
    return Tabular(tuple(tables), rows, provenance, tuple(notes))


def _gather(mined: Sequence[MinedTable], notes: list[str]) -> dict[str, _Found]:
    """Drafts by name, files about the same things merged; the larger file comes first."""
    entities = [_entity(_table_name(table)) for table in mined]
    found: dict[str, _Found] = {}
    for table in sorted(mined, key=lambda table: (-len(table.rows), table.path, table.name)):
        draft = _draft(table, entities, notes)
        if draft is None:
            continue
        known = found.get(draft.name)
        if known is not None and _merge(known, draft, table, notes):
            continue
        if known is not None:
            draft.name = _numbered(draft.name, found)
            draft.entity = _entity(draft.name)
        found[draft.name] = _in_parts(draft, table)
    return found


def _in_parts(draft: Draft, table: MinedTable) -> _Found:
    """A table that goes on over several files is one draft; each of its rows keeps its file."""
    if not table.parts:
        return _Found(draft, [table], [0] * len(table.rows))
    draft.source_ids = tuple(dict.fromkeys(part.source_id for part in table.parts))
    places = [replace(table, locator=part.locator, source_id=part.source_id, parts=()) for part in table.parts]
    labels = [number for number, part in enumerate(table.parts) for _ in range(part.rows)]
    before = dict(enumerate(accumulate((part.rows for part in table.parts[:-1]), initial=0)))
    return _Found(draft, places, labels, before)


def _of_child(item: _Found, child: Child) -> _Found:
    if child.parents is None:
        # Each code stands in many rows; the file of the first is as good as any.
        return _Found(child.draft, item.tables, [0] * len(child.draft.values["code"]), {}, item.draft, child)
    return _Found(child.draft, item.tables, [item.labels[row] for row in child.parents], item.before, item.draft, child)


def _table_name(table: MinedTable) -> str:
    name = safe_identifier(table.name)
    name = _PART_NUMBER.sub("", name) or name
    # Plurals that no ending tells from a singular.
    return name if name.endswith(("_", "data", "ii")) else plural(name)


def _entity(name: str) -> str:
    """The singular; a word that tools cannot give to a value (class, world) says that it is a record."""
    entity = singular(name.rstrip("_"))
    return f"{entity}_record" if keyword.iskeyword(entity) or entity == "world" else entity


def _draft(table: MinedTable, entities: Sequence[str], notes: list[str]) -> Draft | None:
    if not table.rows or (len(table.rows) == 1 and len(table.columns) == 1):
        what = "has no rows" if not table.rows else "holds a single value"
        notes.append(f"{table.path}: table {table.name} {what} and is left out")
        return None
    name = _table_name(table)
    draft = Draft(name=name, entity=_entity(name), types={}, values={}, source_ids=(table.source_id,))
    source_names: dict[str, str] = {}
    for column, values in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        cleaned = [_clean(column.name, column.type, value) for value in values]
        if all(value is None for value in cleaned):
            notes.append(f"{table.path}: column {column.name} of {table.name} is empty and is left out")
            continue
        kept = _free(safe_identifier(column.name), draft.types)
        flag = column.type == "integer" and _is_flag(kept, cleaned)
        draft.types[kept], draft.values[kept] = "boolean" if flag else column.type, cleaned
        if kept != column.name:
            source_names[kept] = column.name
    if not draft.types:
        notes.append(f"{table.path}: table {table.name} holds only NULLs and is left out")
        return None
    draft.source_names = source_names
    stated = {column.name: column.unit for column in table.columns}
    draft.units = {name: unit for name in draft.types if (unit := stated.get(source_names.get(name, name)))}
    if not keep_stated_key(draft, table, notes):
        _set_key(draft, entities)
    return draft


def _is_flag(name: str, values: Sequence[Any]) -> bool:
    return name.startswith(("is_", "has_", "was_", "can_")) and set(values) <= {0, 1, None}


def _set_key(draft: Draft, entities: Sequence[str]) -> None:
    key = find_key(draft.columns(), entity=draft.entity, entities=entities)
    if key is not None:
        draft.key, draft.evidence = key.columns, key.evidence
        return
    name = _free("id", draft.types)
    count = len(next(iter(draft.values.values())))
    draft.types = {name: "integer", **draft.types}
    draft.values = {name: list(range(1, count + 1)), **draft.values}
    draft.key, draft.surrogate = (name,), True
    draft.evidence = "no natural key: the number of the row in its file"


def _free(name: str, taken: dict[str, ColumnType]) -> str:
    number, wanted = 2, name
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name


def _numbered(name: str, found: dict[str, _Found]) -> str:
    number = 2
    while f"{name}_{number}" in found:
        number += 1
    return f"{name}_{number}"


def _clean(name: str, kind: ColumnType, value: Any) -> Any:
    """The value as a Database keeps it; blanks and a year 0 are NULL."""
    if value is None:
        return None
    if kind == "boolean":
        return int(value)
    if kind in ("text", "json") and isinstance(value, str):
        return value.strip() or None
    if kind == "timestamp":
        # No offset stated: taken as UTC, the one zone that timestamps have here.
        return f"{str(value).removesuffix('Z').split('.')[0]}Z"
    if kind == "integer" and value == 0 and words(name)[-1:] == ("year",):
        return None
    return float(value) if kind == "real" else value


def _merge(known: _Found, draft: Draft, table: MinedTable, notes: list[str]) -> bool:
    merged = merge_columns(known.draft, draft)
    if merged is None:
        return False
    number = len(known.tables)
    known.tables.append(table)
    known.labels.extend([number] * merged.added)
    known.draft.origin = "derived"
    known.draft.source_ids = (*known.draft.source_ids, table.source_id)
    notes.append(
        f"{table.path}: merged into {known.draft.name} by {merged.by}: {merged.matched} rows matched, "
        f"{merged.added} added, {merged.lost} left out for want of a key"
    )
    return True


def _refer(drafts: Sequence[Draft]) -> None:
    targets = [target for draft in drafts for target in _targets(draft)]
    by_name = {draft.name: draft for draft in drafts}
    for draft in drafts:
        for column in draft.columns():
            if column.name in draft.references:
                continue
            reference = find_reference(
                column, table=draft.name, own_key=draft.key, own_surrogate=draft.surrogate, targets=targets
            )
            if reference is None:
                continue
            draft.references[column.name] = reference
            target = by_name[reference.table]
            if target.key != (reference.column,) and (reference.column,) not in target.unique:
                target.unique = (*target.unique, (reference.column,))


def _targets(draft: Draft) -> list[Target]:
    """What others may refer to: the key, and codes that are unique where they are filled."""
    targets: list[Target] = []
    if len(draft.key) == 1:
        targets.append(Target(draft.name, draft.entity, draft.column(draft.key[0]), draft.surrogate))
    for column in draft.columns():
        filled = [value for value in column.values if value is not None]
        if (
            column.name not in draft.key
            and column.type == "text"
            and len(filled) >= _MIN_CODES
            and len(set(filled)) == len(filled)
            and is_code_like(filled)
        ):
            targets.append(Target(draft.name, draft.entity, column, surrogate=False, primary=False))
    return targets


def _provenance(item: _Found) -> list[ProvenanceEntry]:
    keys = item.draft.keys()
    stretches = runs(item.labels)
    return [
        ProvenanceEntry(
            table=item.draft.name,
            keys="all" if len(stretches) == 1 else (keys[first], keys[last]),
            source=item.tables[label].source_id,
            locator=_locator(item, label),
            kind=item.draft.origin,
            count=last - first + 1,
        )
        for label, first, last in stretches
    ]


def _locator(item: _Found, label: int) -> str:
    """Where a row stands: its number when that is the key, else the values of its key columns."""
    table, child = item.tables[label], item.child
    draft = item.parent or item.draft
    if child is not None and child.parents is None:
        return table.locator.rsplit("#", 1)[0] + "#" + child.suffix.removeprefix(".")
    renamed = child.renamed if child else {}
    keys = {name: f"{{{renamed.get(name, name)}}}" for name in draft.key}
    suffix = child.suffix if child else ""
    if draft.surrogate:
        # Rows of a part are counted from its own beginning: the place is the number of the row less those before.
        less = f"-{item.before[label]}" if item.before.get(label) else ""
        return table.locator.replace("{row}", keys[draft.key[0]] + less) + suffix
    inside = "&".join(f"{draft.source_names.get(name, name)}={place}" for name, place in keys.items())
    others = sorted({other.path for other in item.tables} - {table.path}) if not item.before else []
    place = table.locator.rsplit("#", 1)[0]
    return f"{place}#{inside}{suffix}" + (f" with {', '.join(others)}" if others else "")
