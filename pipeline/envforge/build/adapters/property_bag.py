"""Typed property bags: read, write, define and describe the properties of a collection and its items."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

from string import Template

from envforge.build.adapters.spec import AdapterSpec
from envforge.build.adapters.tables import KINDS, BagTables, bag_tables
from envforge.core.records.blueprint import Blueprint

_DEFINITIONS = '''
def _properties_of(world: World, collection_id: str | None) -> dict:
    """The property definitions of a collection by name, options by name; a loose item has a title only."""
    if collection_id is None:
        return {"title": {"id": None, "type": "title", "options": {}}}
    definitions = {
        row["name"]: {"id": row["id"], "type": row["type"], "options": {}}
        for row in world.query(
            "SELECT id, name, type FROM $definitions WHERE $definition_parent = ? ORDER BY position, id",
            (collection_id,),
        )
    }
    options = world.query(
        """
        SELECT o.id, o.name, d.name AS property
        FROM $options AS o
        JOIN $definitions AS d ON d.id = o.$option_property
        WHERE d.$definition_parent = ?
        ORDER BY o.position, o.id
        """,
        (collection_id,),
    )
    for option in options:
        definitions[option["property"]]["options"][option["name"]] = option["id"]
    return definitions
'''

_DESCRIBE = '''
def _describe_properties(world: World, collection_id: str) -> dict:
    """What a caller sees of a collection's property definitions."""
    described = {}
    for name, definition in _properties_of(world, collection_id).items():
        described[name] = {"id": definition["id"], "type": definition["type"]}
        if definition["options"]:
            described[name]["options"] = list(definition["options"])
    return described
'''

_READ = '''
def _read_properties(world: World, item_id: str) -> dict:
    """The property values of an item by name; empty for an item outside of collections."""
    item = world.query("SELECT * FROM $items WHERE $item_key = ?", (item_id,))[0]
    if item["$item_parent"] is None:
        return {}
    stored = {}
    rows = world.query(
        """
        SELECT v.*, o.name AS option_name
        FROM $values AS v
        LEFT JOIN $options AS o ON o.id = v.option_id
        WHERE v.$value_item = ?
        ORDER BY v.$value_property, v.position
        """,
        (item_id,),
    )
    for row in rows:
        stored.setdefault(row["$value_property"], []).append(row)
    return {
        name: ${title_value}_property_value(_PROPERTY_KINDS.get(definition["type"]), stored.get(definition["id"], []))
        for name, definition in _properties_of(world, item["$item_parent"]).items()
    }
'''

_VALUE = '''
def _property_value(kind: str | None, rows: list[dict]) -> object:
    """The stored rows of one property as the value a caller sees."""
    if kind in _MANY_COLUMNS:
        return [row[_MANY_COLUMNS[kind]] for row in rows]
    if not rows:
        return False if kind == "boolean" else None
    row = rows[0]
    if kind == "date" and row["date_end"] is not None:
        return {"start": row["date_value"], "end": row["date_end"]}
    if kind == "boolean":
        return bool(row["boolean_value"])
    if kind in _ONE_COLUMN:
        return row[_ONE_COLUMN[kind]]
    return next((row[name] for name in ("text_value", "number_value", "date_value") if row[name] is not None), None)
'''

_WRITE = '''
def _write_properties(world: World, item_id: str, collection_id: str | None, properties: dict) -> None:
    """Check the given values against the collection's definitions and store them; None clears a value."""
    definitions = _properties_of(world, collection_id)
    for name, value in properties.items():
        if name not in definitions:
            known = ", ".join(definitions)
            raise ToolError("invalid_argument", f"There is no property {name!r:.80}.", f"Known properties: {known}.")
        definition = definitions[name]
        rows = _property_rows(world, name, definition, value)$write_title
        world.execute(
            "DELETE FROM $values WHERE $value_item = ? AND $value_property = ?",
            (item_id, definition["id"]),
        )
        for position, row in enumerate(rows):
            world.execute(
                """
                INSERT INTO $values ($value_columns)
                VALUES ($value_marks)
                """,
                _EMPTY_VALUE | row | {"item": item_id, "property": definition["id"], "position": position},
            )
'''

_WRITE_TITLE = """
        if definition["type"] == "title":
            title = rows[0]["text_value"] if rows else ""
            world.execute("UPDATE $items SET $title = ? WHERE $item_key = ?", (title, item_id))
            continue"""

_ROWS = '''
def _property_rows(world: World, name: str, definition: dict, value: object) -> list[dict]:
    """A value as the rows that store it. Raises ToolError when it does not fit the property's type."""
    kind = _PROPERTY_KINDS.get(definition["type"])
    if kind is None:
        raise ToolError("invalid_argument", f"{name} is computed and cannot be set.", "Leave it out.")
    if value is None:
        return []
    if kind == "date":
        return [_date_row(name, value)]
    if kind in _MANY_COLUMNS:
        _check_list(name, value, most=100)
        _check_distinct(name, value)
        return [_choice_row(world, name, kind, definition, choice) for choice in value]
    if kind == "option":
        return [_choice_row(world, name, kind, definition, value)]
    if kind == "number":
        _check_number(name, value)
    elif kind == "boolean":
        _check_flag(name, value)
    else:
        _check_text(name, value, shortest=0, longest=2_000)
    if definition["type"] == "email":
        _check_email(name, value)
    if definition["type"] == "url":
        _check_url(name, value)
    return [{_ONE_COLUMN[kind]: value}]
'''

_DATE = '''
def _date_row(name: str, value: object) -> dict:
    """A date, a time, or {start, end} as the row that stores it."""
    if not isinstance(value, dict):
        value = {"start": value}
    _check_object(name, value, known=("start", "end"), required=("start",))
    start, end = value["start"], value.get("end")
    for moment in (start, end):
        if moment is not None and not _is_date(moment) and not _is_timestamp(moment):
            raise _invalid(name, "a date (YYYY-MM-DD), a time (YYYY-MM-DDTHH:MM:SSZ) or {start, end} of them", moment)
    if start is None or (end is not None and end < start):
        raise ToolError("invalid_argument", f"{name} must start before it ends.", "Give start and end in this order.")
    return {"date_value": start, "date_end": end}
'''

_CHOICE = '''
def _choice_row(world: World, name: str, kind: str, definition: dict, choice: object) -> dict:
    """An option, a person or a related item as the row that stores it."""
    if kind in ("option", "options"):
        if not isinstance(choice, str) or choice not in definition["options"]:
            options = ", ".join(definition["options"])
            raise ToolError("invalid_argument", f"{name} has no option {choice!r:.80}.", f"Its options: {options}.")
        return {"option_id": definition["options"][choice]}
    _check_text(name, choice)
    if not world.query(_CHOICE_QUERIES[kind], (choice,)):
        raise ToolError("not_found", f"{name}: there is no row with id {choice!r:.80}.", "$choice_hint")
    return {_MANY_COLUMNS[kind]: choice}
'''

_DEFINE = '''
def _define_properties(world: World, collection_id: str, properties: dict) -> None:
    """Add, rename, extend or (with None) remove properties of a collection; it keeps one title property."""
    definitions = _properties_of(world, collection_id)
    for name, change in properties.items():
        if change is None:
            _remove_property(world, name, definitions)
            continue
        _check_object(name, change, known=("name", "type", "options"))
        if name in definitions:
            _change_property(world, name, change, definitions)
        else:
            definitions[name] = _add_property(world, collection_id, name, change, definitions)
    if all(definition["type"] != "title" for definition in definitions.values()):
        _add_property(world, collection_id, "Name", {"type": "title"}, definitions)
'''

_ADD = '''
def _add_property(world: World, collection_id: str, name: str, change: dict, definitions: dict) -> dict:
    """A new property at the end, with its options."""
    _check_text("the name of a property", name, longest=100)
    _check_choice(f"the type of {name}", change.get("type"), tuple(_PROPERTY_KINDS))
    if change["type"] == "title" and any(one["type"] == "title" for one in definitions.values()):
        raise ToolError("conflict", "A collection has exactly one title property.", "Choose another type.")
    if name in definitions:
        raise ToolError("conflict", f"There is a property {name!r:.80} already.", "Choose another name.")
    definition = {"id": world.new_id("$definitions"), "type": change["type"], "options": {}}
    world.execute(
        """
        INSERT INTO $definitions (id, $definition_parent, name, type, position)
        SELECT ?, ?, ?, ?, coalesce(max(position), -1) + 1 FROM $definitions WHERE $definition_parent = ?
        """,
        (definition["id"], collection_id, name, change["type"], collection_id),
    )
    _add_options(world, name, definition, change.get("options") or [])
    return definition
'''

_OPTIONS = '''
def _add_options(world: World, name: str, definition: dict, options: list) -> None:
    """Add the options that the property does not have yet, in the given order."""
    _check_list(f"the options of {name}", options, most=100)
    if options and _PROPERTY_KINDS[definition["type"]] not in ("option", "options"):
        raise ToolError("invalid_argument", f"{name} takes no options.", "Only select-like types have options.")
    for option in options:
        _check_text(f"an option of {name}", option, longest=100)
        if option not in definition["options"]:
            definition["options"][option] = world.new_id("$options")
            world.execute(
                "INSERT INTO $options (id, $option_property, name, position) VALUES (?, ?, ?, ?)",
                (definition["options"][option], definition["id"], option, len(definition["options"]) - 1),
            )
'''

_CHANGE = '''
def _change_property(world: World, name: str, change: dict, definitions: dict) -> None:
    """Rename a property or add options to it; its type stays."""
    definition = definitions[name]
    if change.get("type", definition["type"]) != definition["type"]:
        raise ToolError("not_allowed", f"The type of {name} cannot change.", "Add a property of the other type.")
    _add_options(world, name, definition, change.get("options") or [])
    renamed = change.get("name", name)
    _check_text("the name of a property", renamed, longest=100)
    if renamed != name:
        if renamed in definitions:
            raise ToolError("conflict", f"There is a property {renamed!r:.80} already.", "Choose another name.")
        world.execute("UPDATE $definitions SET name = ? WHERE id = ?", (renamed, definition["id"]))
        definitions[renamed] = definitions.pop(name)
'''

_REMOVE = '''
def _remove_property(world: World, name: str, definitions: dict) -> None:
    """Delete a property with its values and options."""
    if name not in definitions:
        known = ", ".join(definitions)
        raise ToolError("invalid_argument", f"There is no property {name!r:.80}.", f"Known properties: {known}.")
    if definitions[name]["type"] == "title":
        raise ToolError("not_allowed", f"{name} is the title property and cannot be removed.", "Rename it instead.")
    definition = definitions.pop(name)
    world.execute("DELETE FROM $values WHERE $value_property = ?", (definition["id"],))
    world.execute("DELETE FROM $options WHERE $option_property = ?", (definition["id"],))
    world.execute("DELETE FROM $definitions WHERE id = ?", (definition["id"],))
'''

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
        choices["people"] = f"SELECT 1 FROM {reference[1]} WHERE {reference[2]} = ?"
    if tables.value_related:
        many["items"] = tables.value_related
        choices["items"] = f"SELECT 1 FROM {tables.items.name} WHERE {tables.items.primary_key[0]} = ?"
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
    return {
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
        "write_title": Template(_WRITE_TITLE).substitute(
            items=tables.items.name, title=title, item_key=tables.items.primary_key[0]
        )
        if title
        else "",
        "value_columns": ", ".join([tables.value_item, tables.value_property, "position", *stored]),
        "value_marks": ", ".join([":item", ":property", ":position", *(f":{name}" for name in stored)]),
        "choice_hint": "Pass ids as the other tools return them.",
    }


def filled(tables: BagTables, templates: dict[str, str]) -> dict[str, str]:
    """The templates with the names of tables and columns."""
    known = names(tables)
    return {name: Template(text).substitute(known).lstrip("\n") for name, text in templates.items()}


def reading_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions to read and describe properties."""
    tables = bag_tables(blueprint)
    templates = {
        "_properties_of": _DEFINITIONS,
        "_describe_properties": _DESCRIBE,
        "_read_properties": _READ,
        "_property_value": _VALUE,
    }
    return constants(tables) | filled(tables, templates)


def writing_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions to check and store property values."""
    templates = {
        "_properties_of": _DEFINITIONS,
        "_write_properties": _WRITE,
        "_property_rows": _ROWS,
        "_date_row": _DATE,
        "_choice_row": _CHOICE,
    }
    tables = bag_tables(blueprint)
    return constants(tables) | filled(tables, templates)


def defining_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions to add, change and remove property definitions."""
    templates = {
        "_properties_of": _DEFINITIONS,
        "_define_properties": _DEFINE,
        "_add_property": _ADD,
        "_add_options": _OPTIONS,
        "_change_property": _CHANGE,
        "_remove_property": _REMOVE,
    }
    tables = bag_tables(blueprint)
    return constants(tables) | filled(tables, templates)


def _all_tables(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    return tuple(sorted({tables.definitions, tables.options, tables.values, tables.items.name}))


def _definition_tables(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    return tuple(sorted({tables.definitions, tables.options}))


def _written_values(blueprint: Blueprint) -> tuple[str, ...]:
    tables = bag_tables(blueprint)
    return tuple(sorted({tables.values, *([tables.items.name] if tables.title else [])}))


def _written_definitions(blueprint: Blueprint) -> tuple[str, ...]:
    return tuple(sorted({*_definition_tables(blueprint), bag_tables(blueprint).values}))


_WRONG_VALUE = ("invalid_argument", "a property is unknown or its value does not fit its type")
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
    errors=(_WRONG_VALUE, ("not_found", "a person or related item does not exist")),
)
DEFINE_PROPERTIES = AdapterSpec(
    "define_properties",
    "_define_properties",
    defining_functions,
    reads=_definition_tables,
    writes=_written_definitions,
    errors=(
        ("invalid_argument", "a property definition has an unknown key or type"),
        ("conflict", "the name is taken or there would be two title properties"),
        ("not_allowed", "the type of a property would change or the title property would go"),
    ),
)
