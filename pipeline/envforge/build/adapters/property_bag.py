"""Typed property bags: read, write, define and describe the properties of a collection and its items."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from string import Template

from envforge.build.adapters import property_text as text
from envforge.build.adapters.spec import AdapterSpec
from envforge.build.adapters.tables import KINDS, BagTables, bag_tables, related_name, trash_flags
from envforge.core.records.blueprint import Blueprint

_VALUE_COLUMNS = ("text_value", "number_value", "date_value", "date_end", "boolean_value", "option_id")


def property_kinds(tables: BagTables) -> dict[str, str]:
    """Property type → kind of stored value, for the types of this bag that can be stored."""
    kinds = {name: kind for kind, names in KINDS.items() for name in names}
    if tables.value_user is None:
        kinds = {name: kind for name, kind in kinds.items() if kind != "people"}
    if tables.value_related is None:
        kinds = {name: kind for name, kind in kinds.items() if kind != "items"}
    return {name: kinds[name] for name in tables.bag.types if name in kinds}


def constants(tables: BagTables) -> dict[str, str]:
    """The constants that the functions share."""
    many = {"options": "option_name"}
    choices: dict[str, str] = {}
    if tables.value_user:
        many["people"] = tables.value_user
        reference = next(column for column in _value_table(tables) if column[0] == tables.value_user)
        choices["people"] = f"SELECT * FROM {reference[1]} WHERE {reference[2]} = ?"
    if tables.value_related:
        many["items"] = tables.value_related
        choices["items"] = f"SELECT * FROM {tables.items.name} WHERE {tables.items.primary_key[0]} = ?"
    one = {"text": "text_value", "number": "number_value", "date": "date_value", "option": "option_name"}
    one["boolean"] = "boolean_value"
    empty = dict.fromkeys(_stored_columns(tables))
    return {
        "_PROPERTY_KINDS": f"_PROPERTY_KINDS = {_literal(property_kinds(tables))}\n",
        "_ONE_COLUMN": f"_ONE_COLUMN = {_literal(one)}\n",
        "_MANY_COLUMNS": f"_MANY_COLUMNS = {_literal(many)}\n",
        "_EMPTY_VALUE": f"_EMPTY_VALUE = {_literal(empty)}\n",
        "_CHOICE_QUERIES": f"_CHOICE_QUERIES = {_literal(choices)}\n",
    }


def _literal(values: dict[str, str] | dict[str, None]) -> str:
    """A dict literal, one entry per line."""
    lines = [f'    "{key}": {_quoted(value)},' for key, value in values.items()]
    return "{\n" + "\n".join(lines) + "\n}" if lines else "{}"


def _quoted(value: str | None) -> str:
    return "None" if value is None else f'"{value}"'


def _value_table(tables: BagTables) -> list[tuple[str, str, str]]:
    return [
        (column.name, column.references.table, column.references.column)
        for column in tables.value_columns
        if column.references
    ]


def _stored_columns(tables: BagTables) -> list[str]:
    extra = [name for name in (tables.value_user, tables.value_related) if name]
    held = {column.name for column in tables.value_columns}
    return [name for name in (*_VALUE_COLUMNS, *extra) if name in held]


def names(tables: BagTables) -> dict[str, str]:
    """What the templates call the tables and columns."""
    stored = _stored_columns(tables)
    title = tables.title or ""
    columns = [tables.value_item, tables.value_property, "position", *stored]
    named = ["item", "property", "position", *stored]
    return _related_names(tables) | {
        "definitions": tables.definitions,
        "definition_parent": tables.definition_parent,
        "options": tables.options,
        "option_property": tables.option_property,
        "values": tables.values,
        "value_property": tables.value_property,
        "value_item": tables.value_item,
        "items": tables.items.name,
        "item_key": tables.items.primary_key[0],
        "item_parent": tables.bag.item_parent_column,
        "title": title,
        "title_value": f'item["{title}"]\n        if definition["type"] == "title"\n        else ' if title else "",
        "write_title": Template(text.WRITE_TITLE).substitute(
            items=tables.items.name, title=title, item_key=tables.items.primary_key[0]
        )
        if title
        else "",
        "title_parameter": ", title: str | None" if title else "",
        "value_columns": _wrapped(columns, 13),
        "value_marks": _wrapped([f":{name}" for name in named], 13),
    }


def _wrapped(names: Sequence[str], indent: int) -> str:
    """Names on lines of at most 100 columns."""
    return f"\n{' ' * indent}".join(textwrap.wrap(", ".join(names), 100 - indent))


def _related_names(tables: BagTables) -> dict[str, str]:
    """What the templates say of relations: nothing where definitions name no collection."""
    column = tables.definition_related
    test = " or ".join(f'row["{flag}"]' for flag in tables.trash)
    known = {
        "collections": tables.collections.name,
        "collection_key": tables.collections.primary_key[0],
        "collection_label": tables.collections.label,
        "related_key": (related_name(column) if column else "") or "related",
        "check_related": text.CHECK_RELATED if tables.value_related else "",
        "trash_check": Template(text.TRASH_CHECK).substitute(trash_test=test, item_key=tables.items.primary_key[0])
        if test
        else "",
        "target_trashed": "".join(f' or rows[0]["{flag.name}"]' for flag in trash_flags(tables.collections)),
    }
    pieces = {
        "related_pair": f'            "{known["related_key"]}": row["{column}"],\n',
        "describe_related": _DESCRIBE_RELATED.replace("KEY", known["related_key"]),
        "definition_keys": f'"name", "type", "options", "{known["related_key"]}"',
        "add_related": f'    definition["{known["related_key"]}"] = _target_of_relation(world, name, change)\n',
        "same_target": _SAME_TARGET.replace("KEY", known["related_key"]),
        "related_column": f", {column}",
        "related_mark": ", ?",
        "related_value": f', definition["{known["related_key"]}"]',
        "carry_related": f"d.{column} AS related,",
        "carry_other": f'        if target["{known["related_key"]}"] != row["related"]:\n            continue\n',
    }
    if column is None:
        pieces = dict.fromkeys(pieces, "") | {
            "definition_keys": '"name", "type", "options"',
            "related_pair": '            "related": None,\n' if tables.value_related else "",
        }
    return known | pieces


_SAME_TARGET = """    if change.get("KEY", definition["KEY"]) != definition["KEY"]:
        raise ToolError("conflict", f"What {name} leads to cannot change.", "Add another property.")
"""
_DESCRIBE_RELATED = """        if definition["KEY"]:
            described[name]["KEY"] = definition["KEY"]
"""


def filled(tables: BagTables, templates: dict[str, str]) -> dict[str, str]:
    """The templates with the names of tables and columns."""
    known = names(tables)
    return {name: Template(text).substitute(known).lstrip("\n") for name, text in templates.items()}


def reading_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions to read and describe properties."""
    tables = bag_tables(blueprint)
    templates = {
        "_properties_of": text.DEFINITIONS,
        "_describe_properties": text.DESCRIBE,
        "_read_properties": text.READ,
        "_property_value": text.VALUE,
    }
    return constants(tables) | filled(tables, templates)


def writing_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions to check and store property values."""
    templates = {
        "_properties_of": text.DEFINITIONS,
        "_write_properties": text.WRITE,
        "_property_rows": text.ROWS,
        "_date_row": text.DATE,
        "_choice_row": text.CHOICE,
        "_store_value": text.STORE,
    }
    tables = bag_tables(blueprint)
    if tables.value_related:
        templates["_check_related"] = text.RELATED
    return constants(tables) | filled(tables, templates)


def carrying_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions to take property values along into another collection."""
    templates = {
        "_properties_of": text.DEFINITIONS,
        "_carry_properties": text.CARRY,
        "_store_value": text.STORE,
    }
    tables = bag_tables(blueprint)
    return constants(tables) | filled(tables, templates)


def defining_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions to add, change and remove property definitions."""
    templates = {
        "_properties_of": text.DEFINITIONS,
        "_define_properties": text.DEFINE,
        "_add_property": text.ADD,
        "_add_options": text.OPTIONS,
        "_change_property": text.CHANGE,
        "_remove_property": text.REMOVE,
    }
    tables = bag_tables(blueprint)
    if tables.definition_related:
        templates["_target_of_relation"] = text.TARGET
    return constants(tables) | filled(tables, templates)


def _all_tables(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    return tuple(sorted({tables.definitions, tables.options, tables.values, tables.items.name}))


def _definition_tables(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    return tuple(sorted({tables.definitions, tables.options}))


def _defining_reads(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    led_to = {tables.collections.name} if tables.definition_related else set[str]()
    return tuple(sorted({*_definition_tables(blueprint), *led_to}))


def _only_values(blueprint: Blueprint) -> tuple[str, ...]:
    return (bag_tables(blueprint).values,)


def _written_values(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    return tuple(sorted({tables.values, *([tables.items.name] if tables.title else [])}))


def _written_definitions(blueprint: Blueprint) -> tuple[str, ...]:
    return tuple(sorted({*_definition_tables(blueprint), bag_tables(blueprint).values}))


def _trashed_relation(blueprint: Blueprint) -> tuple[tuple[str, str], ...]:
    tables = bag_tables(blueprint)
    return (("not_allowed", "a related item is in the trash"),) if tables.value_related and tables.trash else ()


def _unknown_target(blueprint: Blueprint) -> tuple[tuple[str, str], ...]:
    when = "what a relation is to lead to does not exist or is in the trash"
    return (("not_found", when),) if bag_tables(blueprint).definition_related else ()


_WRONG_VALUE = ("invalid_argument", "a value does not fit the type of its property")
READ_PROPERTIES = AdapterSpec("read_properties", "_read_properties", reading_functions, reads=_all_tables)
DESCRIBE_PROPERTIES = AdapterSpec(
    "describe_properties", "_describe_properties", reading_functions, reads=_definition_tables
)
WRITE_PROPERTIES = AdapterSpec(
    "write_properties",
    "_write_properties",
    writing_functions,
    reads=_all_tables,
    writes=_written_values,
    errors=(
        _WRONG_VALUE,
        ("not_found", "a property, an option, a person or a related item does not exist"),
    ),
    more_errors=_trashed_relation,
)
CARRY_PROPERTIES = AdapterSpec(
    "carry_properties", "_carry_properties", carrying_functions, reads=_all_tables, writes=_only_values
)
DEFINE_PROPERTIES = AdapterSpec(
    "define_properties",
    "_define_properties",
    defining_functions,
    reads=_defining_reads,
    writes=_written_definitions,
    errors=(
        ("invalid_argument", "a property definition has an unknown key or type"),
        ("conflict", "a name is taken, a type would change, or there would not be exactly one title property"),
        ("not_found", "a property that is to be removed does not exist"),
    ),
    more_errors=_unknown_target,
)
