"""What both ways of reading tables share: a table in the making, and how it becomes a Table with rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from envforge.core.contracts import Row
from envforge.core.records.domain import Column, Origin, Reference, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.core.records.extraction import ColumnType
from envforge.mine.infer.keys import NamedColumn
from envforge.mine.infer.names import label
from envforge.mine.infer.profile import find_enum, find_format, find_role, find_unit

Label = TypeVar("Label")


@dataclass(frozen=True)
class Tabular:
    """Typed tables, their rows in key order, and where each row comes from."""

    tables: tuple[Table, ...]
    rows: dict[str, list[Row]]
    provenance: list[ProvenanceEntry]
    notes: tuple[str, ...] = ()


@dataclass
class Draft:
    """A table in the making. `values` are whole columns, rows in key order once the key is known."""

    name: str
    entity: str
    types: dict[str, ColumnType]
    values: dict[str, list[Any]]
    key: tuple[str, ...] = ()
    surrogate: bool = False
    source_ids: tuple[str, ...] = ()
    description: str = ""
    origin: Origin = "mined"
    kind: Literal["entity", "link", "reference", "child"] = "entity"
    references: dict[str, Reference] = field(default_factory=lambda: dict[str, Reference]())
    descriptions: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    units: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    enums: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: dict[str, tuple[str, ...]]())
    roles: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    source_names: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    unique: tuple[tuple[str, ...], ...] = ()
    evidence: str = ""

    def column(self, name: str) -> NamedColumn:
        """The column `name` with its values."""
        return NamedColumn(name, self.types[name], self.values[name])

    def columns(self) -> list[NamedColumn]:
        """All columns in order."""
        return [self.column(name) for name in self.types]

    def keys(self) -> list[tuple[Any, ...]]:
        """The primary key of every row, in row order."""
        return list(zip(*(self.values[name] for name in self.key), strict=True))

    def sort(self) -> list[int]:
        """Bring the rows into key order; the old position of each row."""
        keys = self.keys()
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self.values = {name: [values[position] for position in order] for name, values in self.values.items()}
        return order


def finish(draft: Draft) -> tuple[Table, list[Row]]:
    """The Table and its rows as dicts."""
    columns = tuple(_column(draft, name) for name in draft.types)
    names = list(draft.types)
    rows = [dict(zip(names, values, strict=True)) for values in zip(*draft.values.values(), strict=True)]
    # Schedules are searched by their beginning, related rows by their reference.
    indexed = [c.name for c in columns if c.references is not None or c.role == "starts_at"]
    indexes = tuple((name,) for name in indexed if draft.key != (name,))
    table = Table(
        name=draft.name,
        entity=draft.entity,
        label=label(draft.entity),
        description=draft.description,
        columns=_one_title(columns),
        primary_key=draft.key,
        unique=draft.unique,
        indexes=indexes,
        kind=draft.kind,
        origin=draft.origin,
        source_ids=draft.source_ids,
    )
    return table, rows


def _column(draft: Draft, name: str) -> Column:
    kind, values = draft.types[name], draft.values[name]
    in_key = name in draft.key
    reference = draft.references.get(name)
    enum = draft.enums.get(name, ())
    form = find_format(kind, values)
    if not enum and not in_key and reference is None and form is None:
        enum = find_enum(name, kind, values)
    role = draft.roles.get(name)
    if role is None and draft.key == (name,):
        role = "id"
    if role is None and reference is None:
        role = find_role(name, kind, form=form, enum=bool(enum), columns=list(draft.types))
    return Column(
        name=name,
        type=kind,
        nullable=not in_key and (not values or any(value is None for value in values)),
        enum=enum,
        unit=draft.units.get(name) or find_unit(name, kind),
        format=form,
        role=role,
        references=reference,
        description=draft.descriptions.get(name, ""),
        origin="derived" if draft.surrogate and in_key else draft.origin,
        source_name=draft.source_names.get(name, ""),
        evidence=draft.evidence if in_key else (reference.evidence if reference else ""),
    )


def _one_title(columns: Sequence[Column]) -> tuple[Column, ...]:
    """At most one title; the first column that ends in `_name` when nothing is called name or title."""
    titles = [column.name for column in columns if column.role == "title"]
    if not titles:
        free = [column.name for column in columns if column.type == "text" and column.role is None]
        titles = [name for name in free if name.endswith(("_name", "_title")) or name.startswith("name_")]
    chosen = titles[0] if titles else None
    marked: list[Column] = []
    for column in columns:
        if column.name == chosen:
            marked.append(column.model_copy(update={"role": "title"}))
        elif column.role == "title":
            marked.append(column.model_copy(update={"role": None}))
        else:
            marked.append(column)
    return tuple(marked)


def runs(labels: Iterable[Label]) -> list[tuple[Label, int, int]]:
    """Stretches of rows (in key order) with one label: (label, first position, last position)."""
    found: list[tuple[Label, int, int]] = []
    for position, mark in enumerate(labels):
        if found and found[-1][0] == mark:
            found[-1] = (mark, found[-1][1], position)
        else:
            found.append((mark, position, position))
    return found
