"""The tables and columns that adapters work on, found in a blueprint by shape."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Column, PropertyBag, Table

KINDS = {
    "text": ("title", "rich_text", "text", "string", "url", "email", "phone_number", "phone", "textarea"),
    "number": ("number", "integer", "currency", "float"),
    "boolean": ("checkbox", "boolean"),
    "date": ("date", "datetime"),
    "option": ("select", "status", "single_select", "enum", "dropdown"),
    "options": ("multi_select", "labels", "multi_enum"),
    "people": ("people", "person", "users", "user"),
    "items": ("relation", "reference"),
}
"""Kind of stored value → property types that sources use for it. All other types are computed: read-only."""
STORED_TYPES = frozenset(name for names in KINDS.values() for name in names)
"""All property types that can be set."""


DEAD = ("archived", "in_trash", "is_archived", "is_deleted", "deleted", "trashed", "is_trashed")
"""Names of flags that say a row is archived or in the trash."""


def trash_flags(table: Table) -> tuple[Column, ...]:
    """The flags that put a row into the trash. What is merely archived stays in sight where there is a trash."""
    dead = tuple(column for column in table.columns if column.type == "boolean" and column.name in DEAD)
    return tuple(column for column in dead if "trash" in column.name or "deleted" in column.name) or dead


def parents_of(table: Table) -> tuple[Column, ...]:
    """Columns that hold the container: by role, or by name."""
    return tuple(
        column
        for column in table.columns
        if column.references and (column.role == "parent" or column.name.startswith("parent_"))
    )


def people_of(table: Table) -> tuple[Column, ...]:
    """Columns that say who made or changed a row: adapters take the acting user for them."""
    return tuple(column for column in table.columns if column.references and column.role in {"author", "editor"})


def role_of(table: Table, role: str) -> str | None:
    """The name of the first column that plays a role."""
    return next((column.name for column in table.columns if column.role == role), None)


def related_name(column: str) -> str:
    """What callers call the collection that a relation leads to: `related_data_source_id` → `data_source_id`."""
    return column.removeprefix("related_").removeprefix("target_")


def related_key(definitions: Table, collections: str) -> str | None:
    """The key of a property definition that names the collection which a relation leads to, if there is such."""
    parents = _referring(definitions, collections)
    own = _own_parent(parents).name if parents else ""
    return next((related_name(column.name) for column in parents if column.name != own), None)


@dataclass(frozen=True)
class BagTables:
    """Names of the tables and columns of a property bag."""

    bag: PropertyBag
    collections: Table
    items: Table
    definition_parent: str
    option_property: str
    value_item: str
    value_property: str
    value_user: str | None
    value_related: str | None
    title: str | None
    trash: tuple[str, ...]
    """Flags of an item that put it into the trash."""
    kept: tuple[str, ...]
    """Flags of an item that is out of use and still shown: archived."""
    definition_related: str | None
    """Column of a definition that names the collection which a relation leads to."""
    timestamps: tuple[str, ...]
    value_columns: tuple[Column, ...]

    @property
    def definitions(self) -> str:
        """Table of property definitions."""
        return self.bag.definition_table

    @property
    def options(self) -> str:
        """Table of choices."""
        return self.bag.option_table

    @property
    def values(self) -> str:
        """Table of values."""
        return self.bag.value_table


def bag_tables(blueprint: Blueprint) -> BagTables:
    """The blueprint's property bag. Raises BuildError when there is none or a part of it is missing."""
    if not blueprint.bags:
        raise BuildError("a step uses typed properties, but the blueprint has no property bag", where=blueprint.theme)
    bag = blueprint.bags[0]
    items, values = blueprint.table(bag.item_table), blueprint.table(bag.value_table)
    definitions = blueprint.table(bag.definition_table)
    own = [column.name for column in _referring(values, bag.item_table)]
    keyed = [name for name in own if name in values.primary_key] or own
    related = [name for name in own if name not in keyed]
    people = [
        column.name
        for column in values.columns
        if column.references and column.references.table not in {bag.item_table, bag.definition_table, bag.option_table}
    ]
    parents = _referring(definitions, bag.collection_table)
    owned = _referring(blueprint.table(bag.option_table), bag.definition_table)
    defined = _referring(values, bag.definition_table)
    if not parents or not keyed or not owned or not defined:
        raise BuildError(
            f"the property bag of {bag.item_table} lacks a reference between its tables",
            where=blueprint.theme,
        )
    title = next((column.name for column in items.columns if column.role == "title"), None)
    leading = [column.name for column in parents if column.name != _own_parent(parents).name]
    trash = tuple(column.name for column in trash_flags(items))
    return BagTables(
        bag=bag,
        collections=blueprint.table(bag.collection_table),
        items=items,
        definition_parent=_own_parent(parents).name,
        definition_related=leading[0] if leading else None,
        option_property=owned[0].name,
        value_item=keyed[0],
        value_property=defined[0].name,
        value_user=people[0] if people else None,
        value_related=related[0] if related else None,
        title=title,
        trash=trash,
        kept=tuple(c.name for c in items.columns if c.type == "boolean" and c.name in DEAD and c.name not in trash),
        timestamps=tuple(column.name for column in items.columns if column.type == "timestamp"),
        value_columns=values.columns,
    )


def _own_parent(parents: list[Column]) -> Column:
    """The column for the collection that defines a property, among those that refer to collections."""
    return next((column for column in parents if column.role == "parent"), parents[0])


def _referring(table: Table, target: str) -> list[Column]:
    return [column for column in table.columns if column.references and column.references.table == target]


def content_table(blueprint: Blueprint) -> Table:
    """The table of typed, ordered pieces of content. Raises BuildError when there is none."""
    for table in blueprint.tables:
        roles = {column.role for column in table.columns}
        held = any(column.references and column.name.startswith("parent_") for column in table.columns)
        if {"position", "type"} <= roles and (held or "parent" in roles):
            return table
    raise BuildError("a step appends content, but no table has a type, a position and a parent", where=blueprint.theme)
