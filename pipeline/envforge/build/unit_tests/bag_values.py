"""Typed property bags for the reference: definitions, stored values and how they are shown and changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envforge.build.adapters.tables import KINDS, BagTables, bag_tables, related_name, trash_flags
from envforge.build.unit_tests.expressions import FORMATS, is_date, is_timestamp
from envforge.build.unit_tests.kinds import is_list, is_object
from envforge.build.unit_tests.told import Refusal
from envforge.core.contracts import Row

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}


@dataclass
class Definition:
    """A property of a collection: its row and the rows of its options."""

    row: Row
    options: list[Row]

    @property
    def type(self) -> str:
        """The type in the source's words."""
        return self.row["type"]

    @property
    def kind(self) -> str | None:
        """How values are stored; None for what is computed."""
        return "title" if self.type == "title" else KIND_OF.get(self.type)

    def option(self, name: Any) -> Row:
        """The option of that name. Raises Refusal."""
        for row in self.options:
            if row["name"] == name:
                return row
        raise Refusal("not_found")


def bag_of(reference: Reference) -> BagTables:
    """The blueprint's property bag. Raises BuildError when there is none."""
    return reference.bag or bag_tables(reference.blueprint)


def definitions_of(reference: Reference, collection_id: Any) -> dict[str, Definition]:
    """The properties of a collection by name, in their order."""
    bag = bag_of(reference)
    if collection_id is None:
        return {"title": Definition({"id": None, "type": "title", "name": "title"}, [])}

    steady = not any(reference.tables.is_changed(name) for name in (bag.definitions, bag.options))
    if steady and collection_id in reference.definitions:
        return reference.definitions[collection_id]

    def in_order(row: Row) -> tuple[Any, Any]:
        return row["position"], row["id"]

    found = sorted(reference.tables.find(bag.definitions, {bag.definition_parent: collection_id}), key=in_order)
    made = {
        row["name"]: Definition(
            row, sorted(reference.tables.find(bag.options, {bag.option_property: row["id"]}), key=in_order)
        )
        for row in found
    }
    if steady:
        reference.definitions[collection_id] = made
    return made


def describe_properties(reference: Reference, collection_id: Any) -> dict[str, Any]:
    """What a caller sees of a collection's properties."""
    described: dict[str, Any] = {}
    for name, definition in definitions_of(reference, collection_id).items():
        described[name] = {"id": definition.row["id"], "type": definition.type}
        if definition.options:
            described[name]["options"] = [option["name"] for option in definition.options]
        if led_to := _led_to(reference, definition):
            described[name][_key_of_target(reference)] = led_to
    return described


def _led_to(reference: Reference, definition: Definition) -> Any:
    """The collection whose items a relation leads to, if its definition names one."""
    return definition.row.get(bag_of(reference).definition_related or "")


def _key_of_target(reference: Reference) -> str:
    return related_name(bag_of(reference).definition_related or "")


def stored_values(reference: Reference, item_id: Any, definition: Definition) -> list[Row]:
    """The stored values of one property of an item, in order."""
    bag = bag_of(reference)
    where = {bag.value_item: item_id, bag.value_property: definition.row["id"]}
    return sorted(reference.tables.find(bag.values, where), key=lambda row: row["position"])


def plain_value(reference: Reference, definition: Definition, row: Row) -> Any:
    """One stored value as a caller compares it."""
    bag, kind = bag_of(reference), definition.kind
    if kind in ("option", "options"):
        names = [option["name"] for option in definition.options if option["id"] == row["option_id"]]
        return names[0] if names else None
    columns = {"number": "number_value", "date": "date_value", "boolean": "boolean_value", "people": bag.value_user}
    return row[columns.get(kind or "", bag.value_related if kind == "items" else "text_value") or "text_value"]


def read_properties(reference: Reference, item_id: Any) -> dict[str, Any]:
    """The property values of an item by name."""
    bag = bag_of(reference)
    item = reference.tables.find(bag.items.name, {bag.items.primary_key[0]: item_id})[0]
    collection = item[bag.bag.item_parent_column]
    if collection is None:
        return {}
    return {
        name: _shown_value(reference, item, definition)
        for name, definition in definitions_of(reference, collection).items()
    }


def _shown_value(reference: Reference, item: Row, definition: Definition) -> Any:
    bag, kind = bag_of(reference), definition.kind
    if kind == "title":
        return item[bag.title] if bag.title else None
    rows = stored_values(reference, item[bag.items.primary_key[0]], definition)
    values = [plain_value(reference, definition, row) for row in rows]
    if kind in ("options", "people", "items"):
        return values
    if kind == "boolean":
        return bool(values and values[0])
    if not rows:
        return None
    if kind is None:
        return next((rows[0][name] for name in ("text_value", "number_value", "date_value") if rows[0][name]), None)
    if kind == "date" and rows[0]["date_end"] is not None:
        return {"start": values[0], "end": rows[0]["date_end"]}
    return values[0]


def write_properties(
    reference: Reference, item_id: Any, collection_id: Any, properties: dict[str, Any], title: Any = None
) -> None:
    """Store the given values; None clears."""
    bag = bag_of(reference)
    for name, value in properties.items():
        definition = definitions_of(reference, collection_id).get(name)
        if definition is None:
            raise Refusal("not_found")
        reference.features.add(("wrote", definition.type, value is None))
        if definition.kind == "title" and bag.title:
            if not isinstance(value, str) or not value.strip() or title not in (None, value):
                raise Refusal("invalid_argument")
            reference.tables.update(bag.items.name, {bag.items.primary_key[0]: item_id}, {bag.title: value})
            continue
        rows = _rows_of(reference, definition, value, item_id)
        where = {bag.value_item: item_id, bag.value_property: definition.row["id"]}
        reference.tables.delete(bag.values, where)
        for position, row in enumerate(rows):
            reference.tables.insert(bag.values, {**where, "position": position, **row})


def carry_properties(reference: Reference, item_id: Any, collection_id: Any) -> None:
    """Values go along into a collection that defines such a property; the others are deleted."""
    bag, known = bag_of(reference), definitions_of(reference, collection_id)
    held = list(reference.tables.find(bag.values, {bag.value_item: item_id}))
    reference.tables.delete(bag.values, {bag.value_item: item_id})
    for row in held:
        (old,) = reference.tables.find(bag.definitions, {"id": row[bag.value_property]})
        new = known.get(old["name"])
        same = new is not None and new.type == old["type"]
        if new is None or not same or _led_to(reference, new) != old.get(bag.definition_related or ""):
            reference.features.add(("value left behind", new is not None))
            continue
        option = None
        if row["option_id"] is not None:
            (chosen,) = reference.tables.find(bag.options, {"id": row["option_id"]})
            option = next((one["id"] for one in new.options if one["name"] == chosen["name"]), None)
            if option is None:
                reference.features.add(("option left behind",))
                continue
        reference.features.add(("value carried", option is not None))
        reference.tables.insert(bag.values, {**row, bag.value_property: new.row["id"], "option_id": option})


def _rows_of(reference: Reference, definition: Definition, value: Any, item_id: Any) -> list[Row]:
    kind = definition.kind
    if kind is None:
        raise Refusal("invalid_argument")
    if value is None:
        return []
    if kind == "date":
        return [_date(value)]
    if kind in ("options", "people", "items"):
        if not is_list(value) or any(one in value[:at] for at, one in enumerate(value)):
            raise Refusal("invalid_argument")
        if kind == "options":
            return [{"option_id": definition.option(name)["id"]} for name in value]
        return [_related(reference, definition, key, item_id) for key in value]
    if kind == "option":
        return [{"option_id": definition.option(value)["id"]}]
    wanted = {"number": int | float, "boolean": bool}.get(kind, str)
    form = FORMATS.get(definition.type)
    if not isinstance(value, wanted) or (kind == "number" and isinstance(value, bool)) or (form and not form(value)):
        raise Refusal("invalid_argument")
    return [{f"{kind}_value" if kind in ("number", "boolean") else "text_value": value}]


def _related(reference: Reference, definition: Definition, key: Any, item_id: Any) -> Row:
    bag, kind = bag_of(reference), definition.kind
    column = (bag.value_user if kind == "people" else bag.value_related) or ""
    target = reference.tables.tables[bag.values].column(column).references
    if not isinstance(key, str) or not key.strip():
        raise Refusal("invalid_argument")
    held = reference.tables.find(target.table, {target.column: key}) if target else []
    if not held:
        raise Refusal("not_found")
    if kind == "items":
        _refuse_related(reference, definition, held[0], item_id)
    return {column: key}


def _refuse_related(reference: Reference, definition: Definition, row: Row, item_id: Any) -> None:
    bag, led_to = bag_of(reference), _led_to(reference, definition)
    if row[bag.items.primary_key[0]] == item_id:
        raise Refusal("invalid_argument")
    if led_to is not None and row[bag.bag.item_parent_column] != led_to:
        raise Refusal("invalid_argument")
    if any(row[flag] for flag in bag.trash):
        raise Refusal("not_allowed")


def _date(value: Any) -> Row:
    whole = value if is_object(value) else {"start": value}
    start, end = whole.get("start"), whole.get("end")
    if not set(whole) <= {"start", "end"} or start is None:
        raise Refusal("invalid_argument")
    for moment in (start, end):
        if moment is not None and not is_date(moment) and not is_timestamp(moment):
            raise Refusal("invalid_argument")
    if end is not None and end < start:
        raise Refusal("invalid_argument")
    return {"date_value": start, "date_end": end}


def define_properties(reference: Reference, collection_id: Any, properties: dict[str, Any]) -> None:
    """Add, rename, extend or remove properties; one title property stays."""
    for name, change in properties.items():
        known = definitions_of(reference, collection_id)
        if change is None:
            _remove(reference, known.get(name))
            continue
        more = {_key_of_target(reference)} if bag_of(reference).definition_related else set[str]()
        if not is_object(change) or not set(change) <= {"name", "type", "options", *more}:
            raise Refusal("invalid_argument")
        if name in known:
            _change(reference, known, name, change)
        else:
            _add(reference, collection_id, known, name, change)
    if all(one.kind != "title" for one in definitions_of(reference, collection_id).values()):
        _add(reference, collection_id, definitions_of(reference, collection_id), "Name", {"type": "title"})


def _remove(reference: Reference, definition: Definition | None) -> None:
    bag = bag_of(reference)
    if definition is None:
        raise Refusal("not_found")
    if definition.kind == "title":
        raise Refusal("conflict")
    reference.features.add(("property removed", bool(definition.options)))
    reference.tables.delete(bag.values, {bag.value_property: definition.row["id"]})
    reference.tables.delete(bag.options, {bag.option_property: definition.row["id"]})
    reference.tables.delete(bag.definitions, {"id": definition.row["id"]})


def _change(reference: Reference, known: dict[str, Definition], name: str, change: Mapping[str, Any]) -> None:
    bag, definition = bag_of(reference), known[name]
    if change.get("type", definition.type) != definition.type:
        raise Refusal("conflict")
    led_to = _led_to(reference, definition)
    if bag.definition_related and change.get(_key_of_target(reference), led_to) != led_to:
        raise Refusal("conflict")
    _add_options(reference, definition, change.get("options") or [])
    renamed = change.get("name", name)
    if not isinstance(renamed, str) or not renamed.strip():
        raise Refusal("invalid_argument")
    if renamed != name:
        if renamed in known:
            raise Refusal("conflict")
        reference.features.add(("property renamed",))
        reference.tables.update(bag.definitions, {"id": definition.row["id"]}, {"name": renamed})


def _add(
    reference: Reference, collection_id: Any, known: dict[str, Definition], name: str, change: Mapping[str, Any]
) -> None:
    bag = bag_of(reference)
    if change.get("type") not in [one for one in bag.bag.types if one in KIND_OF]:
        raise Refusal("invalid_argument")
    if name in known or (change["type"] == "title" and any(one.kind == "title" for one in known.values())):
        raise Refusal("conflict")
    reference.features.add(("property added", KIND_OF[change["type"]]))
    last = max((one.row["position"] for one in known.values()), default=-1)
    row = {
        "id": reference.mint(bag.definitions),
        bag.definition_parent: collection_id,
        "name": name,
        "type": change["type"],
        "position": last + 1,
    }
    if bag.definition_related:
        row[bag.definition_related] = _target(reference, change)
    reference.tables.insert(bag.definitions, row)
    _add_options(reference, Definition(row, []), change.get("options") or [])


def _target(reference: Reference, change: Mapping[str, Any]) -> Any:
    """The collection that a new relation is to lead to."""
    bag, target = bag_of(reference), change.get(_key_of_target(reference))
    if target is None:
        return None
    if KIND_OF[change["type"]] != "items" or not isinstance(target, str) or not target.strip():
        raise Refusal("invalid_argument")
    held = reference.tables.find(bag.collections.name, {bag.collections.primary_key[0]: target})
    if not held or any(held[0][flag.name] for flag in trash_flags(bag.collections)):
        raise Refusal("not_found")
    reference.features.add(("relation leads to",))
    return target


def _add_options(reference: Reference, definition: Definition, options: Any) -> None:
    bag = bag_of(reference)
    if not is_list(options) or (options and definition.kind not in ("option", "options")):
        raise Refusal("invalid_argument")
    known = [row["name"] for row in definition.options]
    for option in options:
        if not isinstance(option, str) or not option.strip():
            raise Refusal("invalid_argument")
        if option not in known:
            reference.features.add(("option added", bool(known)))
            row = {"id": reference.mint(bag.options), bag.option_property: definition.row["id"], "name": option}
            reference.tables.insert(bag.options, {**row, "position": len(known)})
            known.append(option)
