"""Property bags as columns: items of a collection carry values of properties that are rows themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envforge.core.records.domain import PropertyBag
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.synth.keys import Keys

MANY = frozenset({"multi_select", "people", "relation", "files"})
"""Types whose values are lists."""
CHOICES = frozenset({"select", "multi_select", "status"})


@dataclass(frozen=True)
class Property:
    """One property of one collection. `to_table`: whose keys it holds; `related`: of which collection."""

    id: str
    collection: Any
    name: str
    type: str
    to_table: str = ""
    related: Any = None

    @property
    def many(self) -> bool:
        """Its value is a list."""
        return self.type in MANY


@dataclass(frozen=True)
class _Columns:
    """How the tables of a bag call what it needs."""

    item: str
    property: str
    option: str
    user: str
    related: str


class Bag:
    """One kind of property bag of an environment."""

    def __init__(self, keys: Keys, bag: PropertyBag) -> None:
        self._keys, self._bag = keys, bag
        self.item_table, self.collection_table = bag.item_table, bag.collection_table
        self.item_parent = bag.item_parent_column
        self._item_key = keys.environment.template.tables[bag.item_table].primary_key[0]
        self._values: dict[str, dict[Any, Any]] = {}

    @cached_property
    def collections(self) -> dict[Any, str]:
        """Key of a collection -> its title."""
        table = self._keys.environment.template.tables[self.collection_table]
        title = next((name for name in ("title", "name") if name in table.columns), table.primary_key[0])
        sql = f'SELECT "{table.primary_key[0]}", "{title}" FROM "{table.name}" ORDER BY 1'  # noqa: S608
        return {row[0]: str(row[1]) for row in self._keys.rows(sql)}

    @cached_property
    def properties(self) -> tuple[Property, ...]:
        """All properties of all collections, in the order of their ids."""
        table = self._keys.environment.template.tables[self._bag.definition_table]
        parent = next(n for n in table.columns if self._refers(table.name, n) == self.collection_table)
        related = [n for n in table.columns if self._refers(table.name, n) == self.collection_table and n != parent]
        more = f', "{related[0]}"' if related else ", NULL"
        sql = f'SELECT "{table.primary_key[0]}", "{parent}", name, type{more} FROM "{table.name}" ORDER BY 1'  # noqa: S608
        found: list[Property] = []
        for key, collection, name, kind, other in self._keys.rows(sql):
            to_table = {"people": self._people, "relation": self.item_table}.get(str(kind), "")
            found.append(Property(str(key), collection, str(name), str(kind), to_table, other))
        return tuple(found)

    def sql(self, one: Property, item: str) -> str:
        """SELECT of the property's values of the item whose key the SQL expression `item` gives, in order."""
        place = self._columns
        column, join = self._value_column(one), ""
        if one.type in CHOICES:
            option = self._keys.environment.template.tables[self._bag.option_table]
            join = f' JOIN "{option.name}" o ON o."{option.primary_key[0]}" = v."{place.option}"'
        return (
            f'SELECT {column} FROM "{self._bag.value_table}" v{join} '  # noqa: S608
            f'WHERE v."{place.item}" = {item} AND v."{place.property}" = \'{one.id}\' AND {column} IS NOT NULL'
        )

    @property
    def value_table(self) -> str:
        """The table of the values."""
        return self._bag.value_table

    @property
    def item_column(self) -> str:
        """Its column of the item."""
        return self._columns.item

    @property
    def property_column(self) -> str:
        """Its column of the property."""
        return self._columns.property

    @property
    def option_column(self) -> str:
        """Its column of the option that was chosen."""
        return self._columns.option

    def key_columns(self, alias: str) -> str:
        """The primary key of the table of values, as columns of a SELECT."""
        key = self._keys.environment.template.tables[self.value_table].primary_key
        return ", ".join(f'{alias}."{name}" AS "{name}"' for name in key)

    def options(self, one: Property) -> str:
        """SELECT of id, name and place of the options of a property."""
        table = self._keys.environment.template.tables[self._bag.option_table]
        place = "position" if "position" in table.columns else table.primary_key[0]
        holder = next(c for c in table.columns if self._refers(table.name, c) == self._bag.definition_table)
        columns = f'"{table.primary_key[0]}" AS id, "name" AS name, "{place}" AS place'
        return f'SELECT {columns} FROM "{table.name}" WHERE "{holder}" = \'{one.id}\''  # noqa: S608

    def others(self, one: Property, count: int) -> list[tuple[Any, str]]:
        """Items that have made a choice, each with another option than their own."""
        names = [str(row[1]) for row in self._keys.rows(f"{self.options(one)} ORDER BY 1")]
        found = self._keys.rows(f"SELECT item, value FROM ({self.pairs(one, 'value')}) ORDER BY 1 LIMIT {count}")  # noqa: S608
        return [(item, name) for item, value in found for name in [n for n in names if n != value][:1]]

    @property
    def item_row(self) -> str:
        """SQL of the key of an item's row `r`."""
        return f'r."{self._item_key}"'

    def all_values(self, one: Property) -> str:
        """SELECT of the property's values of all items."""
        return self.sql(one, f'v."{self._columns.item}"')

    def pairs(self, one: Property, value: str = "value") -> str:
        """SELECT of `item` and the value, a row per value of the property."""
        item, column = f'v."{self._columns.item}"', self._value_column(one)
        return self.all_values(one).replace(f"SELECT {column}", f"SELECT {item} AS item, {column} AS {value}", 1)

    def holders(self, one: Property, keys: str) -> str:
        """SELECT of the items whose property holds one of the keys that the SELECT `keys` gives."""
        place = self._columns
        return (
            f'SELECT v."{place.item}" FROM "{self._bag.value_table}" v '  # noqa: S608
            f"WHERE v.\"{place.property}\" = '{one.id}' AND {self._value_column(one)} IN ({keys})"
        )

    def held(self, one: Property, keys: str) -> str:
        """SELECT of the values of the property of the items that the SELECT `keys` gives."""
        place = self._columns
        column = self._value_column(one)
        return (
            f'SELECT {column} FROM "{self._bag.value_table}" v '  # noqa: S608
            f'WHERE v."{place.property}" = \'{one.id}\' AND v."{place.item}" IN ({keys}) AND {column} IS NOT NULL'
        )

    def holds(self, one: Property, item: Any) -> bool:
        """The item belongs to the property's collection."""
        return self._parents.get(item) == one.collection

    def value(self, one: Property, item: Any) -> Any:
        """What a result shows of it: a value, a list, or None."""
        if one.id not in self._values:
            found: dict[Any, list[Any]] = {}
            place = self._columns
            sql = self.sql(one, f'v."{place.item}"').replace("SELECT ", f'SELECT v."{place.item}", ', 1)
            order = ' ORDER BY v."position"' if "position" in self._value_columns else ""
            for key, value in self._keys.rows(sql + order):
                found.setdefault(key, []).append(bool(value) if one.type == "checkbox" else value)
            self._values[one.id] = {key: values if one.many else values[0] for key, values in found.items()}
        return self._values[one.id].get(item, [] if one.many else None)

    @cached_property
    def _parents(self) -> dict[Any, Any]:
        sql = f'SELECT "{self._item_key}", "{self.item_parent}" FROM "{self.item_table}"'  # noqa: S608
        return dict(self._keys.rows(sql))

    @property
    def _value_columns(self) -> tuple[str, ...]:
        return self._keys.environment.template.tables[self._bag.value_table].columns

    @cached_property
    def _people(self) -> str:
        """The table that a value of type people refers to."""
        known = {self.item_table, self._bag.definition_table, self._bag.option_table}
        others = [self._refers(self._bag.value_table, column) for column in self._value_columns]
        return next((table for table in others if table and table not in known), "")

    @cached_property
    def _columns(self) -> _Columns:
        table = self._bag.value_table
        to: dict[str, list[str]] = {}
        for column in self._value_columns:
            to.setdefault(self._refers(table, column), []).append(column)
        items = to.get(self.item_table, [])
        return _Columns(
            item=items[0],
            property=to[self._bag.definition_table][0],
            option=to.get(self._bag.option_table, [""])[0],
            user=to.get(self._people, [""])[0] if self._people else "",
            related=items[1] if len(items) > 1 else "",
        )

    def _value_column(self, one: Property) -> str:
        place = self._columns
        named = {"people": place.user, "relation": place.related, "number": "number_value", "date": "date_value"}
        if one.type in CHOICES:
            return 'o."name"'
        return f'v."{named.get(one.type, "boolean_value" if one.type == "checkbox" else "text_value")}"'

    def _refers(self, table: str, column: str) -> str:
        found = [f.to_table for f in self._keys.foreign if (f.table, f.column) == (table, column)]
        return found[0] if found else ""


def bags_of(keys: Keys, knowledge: EnvironmentBlueprint) -> tuple[Bag, ...]:
    """The bags that the blueprint states."""
    return tuple(Bag(keys, bag) for bag in knowledge.blueprint.bags)
