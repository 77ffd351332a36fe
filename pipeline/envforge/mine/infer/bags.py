"""Property bags: collections that define typed properties, and items that carry values for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envforge.core.records.domain import Column, IdStyle, PropertyBag, Reference, Table
from envforge.mine.infer.columns import TableDraft
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.lexicon import PERSON_ENTITIES
from envforge.mine.infer.names import label, plural, safe_identifier, singular, snake
from envforge.mine.infer.typeviews import Typed

_OVERLAP = 0.5
_TITLE_TYPES = ("title", "name")


@dataclass(frozen=True)
class Bag:
    """A property bag with its three tables, and the field that carries it on both sides."""

    record: PropertyBag
    tables: tuple[Table, ...]
    field: str
    collection: str
    item: str
    title_type: str | None


def find_bags(drafts: Mapping[str, TableDraft], subjects: Sequence[Subject]) -> tuple[Bag, ...]:
    """Pairs of entities whose maps have the same name and types, the item's parent being the collection."""
    found: list[Bag] = []
    for item in drafts.values():
        if item.bag is None or item.parent is None:
            continue
        for collection in drafts.values():
            if collection is item or collection.bag is None or collection.bag[0] != item.bag[0]:
                continue
            if collection.entity.name not in item.parent.targets:
                continue
            types = _shared_types(collection.bag[1], item.bag[1], _writable(subjects, item.bag[0], item.entity.name))
            if types:
                found.append(_bag(collection, item, types, drafts))
    return tuple(found)


def _shared_types(collection: Typed, item: Typed, writable: frozenset[str]) -> tuple[str, ...]:
    """Types that the collection may define, the items carry, and requests can set."""
    defined, carried = collection.view(), item.view()
    if defined is None or carried is None:
        return ()
    shared = [value for value in defined.variants if value in carried.variants]
    if len(shared) < _OVERLAP * len(defined.variants):
        return ()
    return tuple(value for value in shared if not writable or value in writable)


def _writable(subjects: Sequence[Subject], field: str, entity: str) -> frozenset[str]:
    found: set[str] = set()
    for subject in subjects:
        if entity not in subject.answered or subject.many:
            continue
        for parameter in subject.call.parameters():
            if parameter.name == field and parameter.location == "body":
                for typed in parameter.alternatives:
                    item = typed.item()
                    view = item.view() if item is not None else None
                    found.update(view.variants if view is not None else ())
    return frozenset(found)


def _bag(collection: TableDraft, item: TableDraft, types: tuple[str, ...], drafts: Mapping[str, TableDraft]) -> Bag:
    assert collection.bag is not None and item.parent is not None
    field = collection.bag[0]
    one = singular(snake(field))
    taken = {draft.entity.table for draft in drafts.values()}
    prefix = "" if plural(one) not in taken else f"{collection.entity.name}_"
    names = (f"{prefix}{plural(one)}", f"{prefix}{one}_options", f"{prefix}{one}_values")
    record = PropertyBag(
        collection_table=collection.entity.table,
        item_table=item.entity.table,
        item_parent_column=item.parent.column_of(collection.entity.name),
        definition_table=names[0],
        option_table=names[1],
        value_table=names[2],
        types=types,
    )
    person = next((drafts[name] for name in PERSON_ENTITIES if name in drafts), None)
    tables = (
        _definitions(record, collection, one, types),
        _options(record, collection, one),
        _values(record, item, one, person),
    )
    title = next((name for name in _TITLE_TYPES if name in types), None)
    return Bag(record, tables, field, collection.entity.name, item.entity.name, title)


def _refer(draft: TableDraft, name: str, *, nullable: bool = False, role: str | None = None) -> Column:
    key = safe_identifier(draft.entity.key)
    column = next(one for one in draft.columns if one.name == key)
    reference = Reference(table=draft.entity.table, column=key, confidence=1.0, evidence="property bag")
    return Column(
        name=name, type=column.type, nullable=nullable, references=reference, role=role, evidence="property bag"
    )


def _plain(name: str, kind: str, *, nullable: bool = True, **more: object) -> Column:
    return Column.model_validate({"name": name, "type": kind, "nullable": nullable, "evidence": "property bag", **more})


def _definitions(record: PropertyBag, collection: TableDraft, one: str, types: tuple[str, ...]) -> Table:
    parent = f"{collection.entity.name}_id"
    columns = [
        _plain("id", "text", nullable=False, role="id"),
        _refer(collection, parent, role="parent"),
        _plain("name", "text", nullable=False, role="title"),
        _plain("type", "text", nullable=False, enum=types, role="type"),
        _plain("position", "integer", nullable=False, role="position"),
    ]
    if "relation" in types:
        columns.append(_refer(collection, f"related_{parent}", nullable=True))
    return Table(
        name=record.definition_table,
        entity=singular(record.definition_table),
        label=label(one),
        description=f"Properties that each {label(collection.entity.name)} defines for its items.",
        columns=tuple(columns),
        primary_key=("id",),
        unique=((parent, "name"),),
        indexes=((parent, "position"),),
        kind="child",
        id_style=IdStyle(kind="code", alphabet="abcdefghijkmnpqrstuvwxyz23456789", length=4),
    )


def _options(record: PropertyBag, collection: TableDraft, one: str) -> Table:
    definition = Reference(table=record.definition_table, confidence=1.0, evidence="property bag")
    columns = (
        _plain("id", "text", nullable=False, role="id"),
        _plain(f"{one}_id", "text", nullable=False, references=definition, role="parent"),
        _plain("name", "text", nullable=False, role="title"),
        _plain("color", "text"),
        _plain("position", "integer", nullable=False, role="position"),
    )
    return Table(
        name=record.option_table,
        entity=singular(record.option_table),
        label=f"{label(one)} option",
        description=f"Choices of select-like properties of a {label(collection.entity.name)}.",
        columns=columns,
        primary_key=("id",),
        unique=((f"{one}_id", "name"),),
        kind="child",
        id_style=IdStyle(kind="code", alphabet="abcdefghijkmnpqrstuvwxyz23456789", length=6),
    )


def _values(record: PropertyBag, item: TableDraft, one: str, person: TableDraft | None) -> Table:
    owner = f"{item.entity.name}_id"
    definition = Reference(table=record.definition_table, confidence=1.0, evidence="property bag")
    option = Reference(table=record.option_table, confidence=1.0, evidence="property bag")
    columns = [
        _refer(item, owner, role="parent"),
        _plain(f"{one}_id", "text", nullable=False, references=definition),
        _plain("position", "integer", nullable=False, role="position", default=0),
        _plain("text_value", "text"),
        _plain("number_value", "real"),
        _plain("date_value", "text", description="date or timestamp, as it was set"),
        _plain("date_end", "text", description="end of a date range"),
        _plain("boolean_value", "boolean"),
        _plain("option_id", "text", references=option),
    ]
    if person is not None:
        columns.append(_refer(person, f"{person.entity.name}_id", nullable=True))
    if "relation" in record.types:
        columns.append(_refer(item, f"related_{owner}", nullable=True))
    return Table(
        name=record.value_table,
        entity=singular(record.value_table),
        label=f"{label(one)} value",
        description=f"Values that a {label(item.entity.name)} carries for the properties of its collection.",
        columns=tuple(columns),
        primary_key=(owner, f"{one}_id", "position"),
        indexes=((f"{one}_id",),),
        kind="child",
    )
