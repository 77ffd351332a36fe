"""Arguments for typed properties, filters, sort keys and children: derived from the definitions that are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from envforge.build.adapters.bag_query import OPERATORS
from envforge.build.adapters.children import WITH_URL, WITHOUT_TEXT, child_types, url_field
from envforge.build.adapters.tables import content_table, related_name
from envforge.build.unit_tests.bag_values import (
    Definition,
    bag_of,
    definitions_of,
    plain_value,
    stored_values,
)
from envforge.build.unit_tests.expressions import add_days
from envforge.build.unit_tests.kinds import members
from envforge.build.unit_tests.uses import target_of, uses_of
from envforge.core.records.blueprint import Operation, Parameter

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference


def bag_values(
    reference: Reference,
    operation: Operation,
    parameter: Parameter,
    adapter: tuple[str, str],
    arguments: Mapping[str, Any],
) -> list[Any] | None:
    """Values for a parameter that an adapter takes; None when it is nothing special."""
    if adapter == ("append_children", "children"):
        return list(_children(reference, parameter))
    if adapter not in _TYPED:
        return None
    collection = _collection(reference, operation, arguments)
    definitions = definitions_of(reference, collection) if collection is not None else {}
    return list(_TYPED[adapter](reference, definitions, collection))


def _collection(reference: Reference, operation: Operation, arguments: Mapping[str, Any]) -> Any:
    """The collection that the other arguments lead to."""
    bag, uses = bag_of(reference), uses_of(operation)
    for parameter in operation.parameters:
        target = target_of(reference.blueprint, parameter, uses[parameter.name])
        value = arguments.get(parameter.name)
        if target is None or value is None:
            continue
        if target[0].name == bag.collections.name:
            return value
        if target[0].name == bag.items.name and any(use.how == "key" for use in uses[parameter.name]):
            held = reference.tables.find(bag.items.name, {target[1]: value})
            if held and held[0][bag.bag.item_parent_column] is not None:
                return held[0][bag.bag.item_parent_column]
    return None


def _values(reference: Reference, definitions: Mapping[str, Definition], collection: Any) -> Iterator[dict[str, Any]]:
    made = {name: value for name, one in definitions.items() if (value := _value(reference, one)) is not None}
    if made:
        yield made
    yield from ({name: value} for name, value in made.items())
    for name, one in definitions.items():
        if one.kind == "date":
            start = reference.live.now()[:10]
            yield {name: {"start": start, "end": add_days(start, 2)}}
            yield {name: {"start": add_days(start, 2), "end": start}}
        if one.kind not in (None, "title"):
            yield {name: None}
    yield {"no such property": "x"}
    yield from _titles(definitions)
    yield from _wrong_relations(reference, definitions)
    if collection is None and bag_of(reference).title:
        yield {"title": "A checked title"}
    for name, one in definitions.items():
        if one.kind in ("people", "items"):
            yield {name: ["no-such-id"]}
        yield {name: {"number": "many", "boolean": "yes", "option": "no such option"}.get(one.kind or "", 1.5)}
        if one.kind in ("options", "people", "items") and made.get(name):
            yield {name: [made[name][0], made[name][0]]}


def _titles(definitions: Mapping[str, Definition]) -> Iterator[dict[str, Any]]:
    for name, one in definitions.items():
        if one.kind == "title":
            yield from ({name: value} for value in (None, "  ", "Checked title"))


def _wrong_relations(reference: Reference, definitions: Mapping[str, Definition]) -> Iterator[dict[str, Any]]:
    """An item of another collection, one in the trash, and each of the collection's own items."""
    bag = bag_of(reference)
    key = bag.items.primary_key[0]
    for name, one in definitions.items():
        led_to = one.row.get(bag.definition_related or "")
        if one.kind != "items":
            continue
        rows = reference.tables.rows(bag.items.name)
        inside = [row for row in rows if led_to is None or row[bag.bag.item_parent_column] == led_to]
        trashed = [row for row in inside if any(row[flag] for flag in bag.trash)]
        others = [row for row in rows if row not in inside]
        yield from ({name: [row[key]]} for row in [*trashed[:1], *others[:1]])


def _value(reference: Reference, definition: Definition) -> Any:
    bag, kind = bag_of(reference), definition.kind
    now = reference.live.now()
    if kind in ("option", "options"):
        names = [option["name"] for option in definition.options]
        return (names[-1] if kind == "option" else names[-2:][::-1]) if names else None
    if kind in ("people", "items"):
        column = bag.value_user if kind == "people" else bag.value_related
        target = reference.tables.tables[bag.values].column(column or "").references
        rows = reference.tables.rows(target.table) if target else []
        led_to = definition.row.get(bag.definition_related or "") if kind == "items" else None
        if kind == "items":
            rows = [row for row in rows if not any(row[flag] for flag in bag.trash)]
        if led_to is not None:
            rows = [row for row in rows if row[bag.bag.item_parent_column] == led_to]
        return [row[target.column] for row in rows[:2][::-1]] if target else None
    plain: dict[str, Any] = {"number": 42.5, "boolean": True, "date": add_days(now[:10], 5), "title": "A checked title"}
    stated = {"email": "rosa.lindgren@example.org", "url": "https://example.org/notes"}
    return plain.get(kind or "", stated.get(definition.type, "Checked text") if kind else None)


def _definitions(
    reference: Reference, definitions: Mapping[str, Definition], collection: Any
) -> Iterator[dict[str, Any]]:
    types = {kind: name for name in reversed(bag_of(reference).bag.types) if (kind := _kind(name)) is not None}
    plain, choice = types.get("number") or types.get("text"), types.get("option") or types.get("options")
    if plain:
        yield {"Estimate": {"type": plain}}
    if choice:
        yield {"Stage": {"type": choice, "options": ["First", "Second"]}}
    if "title" in types and collection is None:
        yield {"Heading": {"type": types["title"]}, "Estimate": {"type": plain}}
        yield {"Heading": {"type": types["title"]}, "Second": {"type": types["title"]}}
    yield from _led_to(reference, types, definitions)
    for name, one in definitions.items():
        yield {name: {"name": f"{name} (renamed)"}}
        yield {name: None}
        if one.options:
            yield {name: {"options": [one.options[0]["name"], "One more"]}}
        yield {name: {"type": next(other for other in types.values() if other != one.type)}}
        yield {name: {"name": next((other for other in definitions if other != name), name)}}
        if one.kind != "title" and "title" in types:
            yield {"Another title": {"type": types["title"]}}
    if plain:
        yield {"Estimate": {"type": plain, "options": ["First"]}}
    yield {"Estimate": {"type": "no such type"}}
    yield {"no such property": None}
    yield {"Estimate": {"kind": "number"}}


def _led_to(
    reference: Reference, types: Mapping[str, str], definitions: Mapping[str, Definition]
) -> Iterator[dict[str, Any]]:
    """Relations that lead to a collection."""
    bag = bag_of(reference)
    if bag.definition_related is None or "items" not in types:
        return
    key, collections = related_name(bag.definition_related), reference.tables.rows(bag.collections.name)
    for row in collections[:1]:
        target = row[bag.collections.primary_key[0]]
        yield {"Linked": {"type": types["items"], key: target}}
        yield {"Linked": {"type": next(name for kind, name in types.items() if kind != "items"), key: target}}
        for name, one in definitions.items():
            if one.kind == "items":
                yield {name: {key: target}}
    yield {"Linked": {"type": types["items"]}}
    yield {"Linked": {"type": types["items"], key: "no-such-id"}}
    yield {"Linked": {"type": types["items"], key: 7}}


def _kind(name: str) -> str | None:
    return Definition({"type": name}, []).kind


def _filters(reference: Reference, definitions: Mapping[str, Definition], collection: Any) -> Iterator[dict[str, Any]]:
    single: list[dict[str, Any]] = []
    for name, one in definitions.items():
        if one.kind is None:
            continue
        operand = _held(reference, one, collection)
        for operator in OPERATORS.get(one.kind, ()):
            value: Any = True if operator.startswith(("is_", "past_", "next_")) else operand
            if value is not None:
                single.append({"property": name, operator: _part(value, operator)})
            if one.kind == "boolean":
                single.append({"property": name, operator: False})
    now = reference.live.now()
    for name in bag_of(reference).timestamps:
        single += [{"timestamp": name, operator: now[:10]} for operator in ("on_or_before", "after")]
        single += [{"timestamp": name, "past_week": True}]
    yield from single
    if len(single) > 2:
        yield {"and": [single[0], {"or": [single[len(single) // 2], single[-1]]}]}
        yield {"or": [single[1], single[len(single) // 3]]}
    for name, one in definitions.items():
        if one.kind is None:
            continue
        operator = OPERATORS[one.kind][0]
        held = _held(reference, one, collection)
        if held is not None and one.kind != "title":
            yield {"property": name, one.type: {operator: _part(held, operator)}}
        yield {"property": name, "resembles": "x"}
        yield {"property": name, "is_empty": False}
        if one.kind in ("people", "items"):
            yield {"property": name, "contains": "no-such-id"}
        yield {"property": name, operator: ["x"]}
    yield {"property": "no such property", "equals": "x"}
    yield {"timestamp": "no such time", "after": now[:10]}
    yield {"equals": "x"}
    yield {"and": []}
    if single:
        yield {"and": [single[0]], **single[0]}
        yield {"and": [{"or": [{"and": [single[0]]}]}]}
        yield {"and": [{"or": [{"and": [{"or": [single[0]]}]}]}]}


def _part(value: Any, operator: str) -> Any:
    """For a comparison of texts by their parts: a part, in another case."""
    if isinstance(value, str) and operator in ("starts_with", "ends_with", "contains", "does_not_contain"):
        words = value.split()
        if len(words) > 1:
            return (words[-1] if operator == "ends_with" else words[0]).swapcase()
    return value


def _held(reference: Reference, definition: Definition, collection: Any) -> Any:
    """A value that an item of the collection holds: the middle one, so that filters keep some items."""
    bag = bag_of(reference)
    values: list[Any] = []
    for item in reference.tables.find(bag.items.name, {bag.bag.item_parent_column: collection}):
        if definition.kind == "title":
            values.append(item[bag.title or ""])
            continue
        rows = stored_values(reference, item[bag.items.primary_key[0]], definition)
        values += [plain_value(reference, definition, row) for row in rows]
    found = sorted({value for value in values if value is not None}, key=lambda value: (isinstance(value, str), value))
    if definition.kind == "boolean":
        return True
    return found[len(found) // 2] if found else None


def _sorts(reference: Reference, definitions: Mapping[str, Definition], _: Any) -> Iterator[list[dict[str, Any]]]:
    names = [name for name, one in definitions.items() if one.kind is not None]
    for name in names:
        yield [{"property": name, "direction": "ascending"}]
        yield [{"property": name, "direction": "descending"}]
    for name in bag_of(reference).timestamps:
        yield [{"timestamp": name, "direction": "descending"}]
    if len(names) > 1:
        yield [{"property": names[1]}, {"property": names[0], "direction": "descending"}]
    yield [{"property": "no such property"}]
    yield [{"direction": "ascending"}]
    yield [{"property": names[0] if names else "", "direction": "sideways"}]


def _children(reference: Reference, parameter: Parameter) -> Iterator[Any]:
    table = content_table(reference.blueprint)
    body = next((column.name for column in table.columns if column.role == "body"), None)
    kinds = child_types(reference.blueprint.tables, table)
    address = url_field(table)
    properties = members(members(parameter.json_schema.get("items")).get("properties"))
    text = {body: "The first point"} if body else {}
    extras = {
        name: {"boolean": True, "integer": 2, "number": 2.5}.get(str(schema.get("type")), "https://example.org/notes")
        if not schema.get("enum")
        else schema["enum"][0]
        for name, schema in properties.items()
        if name not in ("type", "children", body, address)
    }
    nested = {"type": kinds[0], **({body: "A point under it"} if body else {})}
    yield [{"type": kinds[0], **text}]
    plain = next((kind for kind in reversed(kinds) if kind not in (*WITH_URL, *WITHOUT_TEXT)), kinds[0])
    yield [{"type": plain, **text, **extras}, {"type": kinds[0]}]
    shown = [kind for kind in kinds if kind in WITH_URL] if address else []
    if address and shown:
        for kind in (shown[0], shown[-1]):
            yield [{"type": kind, address: "https://example.org/notes"}]
            yield [{"type": kind}]
            yield [{"type": kind, address: "not an address"}]
        yield [{"type": kinds[0], address: "https://example.org/notes"}]
    for kind in [kind for kind in kinds if kind in WITHOUT_TEXT and body][:2]:
        yield [{"type": kind}]
        yield [{"type": kind, **text}]
    yield [{"type": kinds[0], **text, "children": [nested, {**nested, **extras}]}, {"type": kinds[0], **text}]
    yield [{"type": "no_such_type"}]
    yield [{"type": kinds[0], "unknown_field": "x"}]
    yield [{"type": kinds[0], "children": [{**nested, "children": [nested]}]}]
    yield [{"type": kinds[0], "children": [{"type": "no_such_type"}]}]
    if body:
        yield [{"type": kinds[0], "children": [{"type": kinds[0], body: 7}]}]


_Candidates = Callable[["Reference", Mapping[str, Definition], Any], Iterator[Any]]
_TYPED: dict[tuple[str, str], _Candidates] = {
    ("write_properties", "properties"): _values,
    ("define_properties", "properties"): _definitions,
    ("query_items", "condition"): _filters,
    ("query_items", "order"): _sorts,
}
"""(adapter, its argument) → candidates for it, over the definitions of a collection."""
OF_PROPERTIES = frozenset(_TYPED)
"""(adapter, its argument) for what is said of typed properties."""


def is_typed(adapter: tuple[str, str]) -> bool:
    """True for an argument with a structure of its own: properties, filters, sort keys, children."""
    return adapter in OF_PROPERTIES or adapter == ("append_children", "children")
