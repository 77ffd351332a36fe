"""Entities as people see them: rows of a table, or items of one collection of it, with attributes that have words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from envforge.core.records.domain import Column, Table
from envforge.synth.bags import Bag, Property
from envforge.synth.landscape import Landscape
from envforge.synth.nouns import (
    column_noun,
    column_unit,
    is_people,
    plural,
    property_noun,
    property_unit,
    said,
    sayable,
    singular,
)

Nature: TypeAlias = Literal["text", "name", "number", "date", "choice", "tick"]
LONGEST = 60
"""Characters of a text that somebody asks for."""
MOST_CHOICES = 9
_CODE = re.compile(r"[A-Z]{2,4}")
MOST_ALIKE = 0.9
"""A choice that more rows than this share have made says nothing of a row."""


@dataclass(frozen=True)
class Attribute:
    """Something that people know or ask of an entity.

    `columns`: what a sight must show (two for a full name). `sql`: its value of the row `r`. `noun`: "status"; without
    one it is quoted by its `label` ("Waiting for").
    """

    columns: tuple[str, ...]
    sql: str
    nature: Nature
    noun: str = ""
    label: str = ""
    unit: str = ""

    @property
    def words(self) -> str:
        """What it is called in the answer's field and description."""
        return self.noun or self.label.lower()

    @property
    def parts(self) -> tuple[Attribute, ...]:
        """What an answer gives apart: first and last name; most things are one."""
        if len(self.columns) == 1:
            return (self,)
        return tuple(Attribute((one,), f'r."{one}"', "text", one.replace("_", " ")) for one in self.columns)


@dataclass(frozen=True)
class Link:
    """A column or property that holds keys of another entity. `label`: the name of a property."""

    column: str
    to_table: str
    to_label: str
    role: str = ""
    noun: str = ""
    label: str = ""
    many: bool = False
    property: Property | None = None


@dataclass(frozen=True)
class Entity:
    """Rows of a table; of a collection with `property bag` only the items of `collection`."""

    table: Table
    key: str
    label: str
    plural: str
    people: bool
    collection: Any = None
    bag: Bag | None = None
    attributes: tuple[Attribute, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def id(self) -> str:
        """Unique among entities, fit for ids of families."""
        return f"{self.table.entity}-{self.label}" if self.collection is not None else self.table.entity

    def member(self, keys: str) -> str:
        """Condition that a row `r` is one of the keys of a SELECT."""
        return f'r."{self.key}" IN ({keys})'

    @property
    def among(self) -> str:
        """Condition that a row `r` belongs to the collection."""
        if self.bag is None or self.collection is None:
            return "1"
        return f"r.\"{self.bag.item_parent}\" = '{self.collection}'"


def _telling(values: Sequence[Any]) -> bool:
    """The values are few, and none of them stands almost everywhere."""
    counts = Counter(value for value in values if value is not None)
    return 2 <= len(counts) <= MOST_CHOICES and max(counts.values()) <= MOST_ALIKE * sum(counts.values())


class Entities:
    """The entities of a landscape; tables without labels are none."""

    def __init__(self, landscape: Landscape) -> None:
        self._landscape = landscape
        self._keys = landscape.keys

    @cached_property
    def all(self) -> tuple[Entity, ...]:
        """In the order of the tables, collections in that of their keys."""
        return tuple(entity for table in self._landscape.knowledge.blueprint.tables for entity in self._of(table))

    def of_table(self, table: str) -> list[Entity]:
        """The entities whose rows stand in a table."""
        return [entity for entity in self.all if entity.table.name == table]

    def _of(self, table: Table) -> Iterator[Entity]:
        if not table.label or len(table.primary_key) != 1:
            return
        key = table.primary_key[0]
        attributes, links = tuple(self._attributes(table)), tuple(self._links(table))
        label = said(table.label) or table.label
        yield Entity(table, key, label, plural(label), is_people(table), None, None, attributes, links)
        for bag in self._landscape.bags:
            for collection, title in bag.collections.items() if bag.item_table == table.name else ():
                label = singular(title)
                own = [one for one in bag.properties if one.collection == collection]
                more = tuple(a for one in own for a in self._property(bag, one))
                held = tuple(link for one in own for link in self._held(bag, one))
                rest = tuple(one for one in links if one.column != bag.item_parent)
                yield Entity(
                    table, key, label, plural(label), False, collection, bag, (*attributes, *more), (*rest, *held)
                )

    def _attributes(self, table: Table) -> Iterator[Attribute]:
        names = {column.name for column in table.columns}
        if {"first_name", "last_name"} <= names:
            yield Attribute(
                ("first_name", "last_name"), 'r."first_name" || \' \' || r."last_name"', "name", "full name"
            )
        for column in table.columns:
            nature = self._nature(table, column)
            noun = sayable(column_noun(table, column)) if nature else ""
            if nature and noun and column.name not in ("first_name", "last_name"):
                yield Attribute((column.name,), f'r."{column.name}"', nature, noun, "", column_unit(column))

    def _nature(self, table: Table, column: Column) -> Nature | None:
        if column.name in table.primary_key or self._refers(table.name, column.name):
            return None
        if column.role in ("id", "parent", "created_at", "updated_at", "position", "url", "author", "editor", "body"):
            return None
        if column.type in ("integer", "real"):
            return "number" if not column.name.endswith("number") else None
        if column.type == "date" or column.format == "date":
            return "date"
        if column.enum or column.role == "state":
            values = self._keys.rows(f'SELECT "{column.name}" FROM "{table.name}"')  # noqa: S608
            return "choice" if column.type == "text" and _telling([row[0] for row in values]) else None
        if column.type != "text" or column.format or self._longest(table.name, column.name) > LONGEST:
            return None
        if column.role == "title":
            return "name"
        texts = self._keys.texts(table.name, column.name)
        return "text" if not texts or any(not _CODE.fullmatch(text) for text in texts) else None

    def _links(self, table: Table) -> Iterator[Link]:
        for foreign in self._keys.foreign:
            if foreign.table == table.name:
                column = next((c for c in table.columns if c.name == foreign.column), None)
                role = (column.role or "") if column is not None else ""
                yield Link(foreign.column, foreign.to_table, self._label(foreign.to_table), role)

    def _property(self, bag: Bag, one: Property) -> Iterator[Attribute]:
        natures: dict[str, Nature] = {"number": "number", "date": "date", "select": "choice", "status": "choice"}
        natures |= {"checkbox": "tick", "email": "text", "phone_number": "text", "rich_text": "text"}
        nature = natures.get(one.type)
        if nature is None:
            return
        values = [str(row[0]) for row in self._keys.rows(bag.all_values(one))]
        if not values or (nature == "text" and max(len(value) for value in values) > LONGEST):
            return
        if nature in ("choice", "tick") and not _telling(values):
            return
        sql = f"({bag.sql(one, bag.item_row)} LIMIT 1)"
        noun = property_noun(one.name, one.type)
        yield Attribute((f"@{one.id}",), sql, nature, noun, one.name, property_unit(one.name))

    def _held(self, bag: Bag, one: Property) -> Iterator[Link]:
        if not one.to_table:
            return
        held = self._keys.rows(f"SELECT item, count(*) FROM ({bag.pairs(one)}) GROUP BY item")  # noqa: S608
        many = any(count > 1 for _, count in held)
        if held:
            label = self._label(one.to_table)
            yield Link(f"@{one.id}", one.to_table, label, "", property_noun(one.name, one.type), one.name, many, one)

    def _label(self, table: str) -> str:
        label = self._landscape.knowledge.blueprint.table(table).label
        return said(label) or label

    def _refers(self, table: str, column: str) -> bool:
        return any((f.table, f.column) == (table, column) for f in self._keys.foreign)

    def _longest(self, table: str, column: str) -> int:
        return max((len(str(v)) for v in self._keys.values(table, column) if v is not None), default=0)
