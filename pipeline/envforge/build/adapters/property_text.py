"""The functions for typed property bags as they stand in tools.py; $names are tables and columns of the blueprint."""

from __future__ import annotations

DEFINITIONS = '''
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

DESCRIBE = '''
def _describe_properties(world: World, collection_id: str) -> dict:
    """What a caller sees of a collection's property definitions."""
    described = {}
    for name, definition in _properties_of(world, collection_id).items():
        described[name] = {"id": definition["id"], "type": definition["type"]}
        if definition["options"]:
            described[name]["options"] = list(definition["options"])
    return described
'''

READ = '''
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

VALUE = '''
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
    if kind == "number" and row["number_value"] == int(row["number_value"]):
        return int(row["number_value"])
    if kind in _ONE_COLUMN:
        return row[_ONE_COLUMN[kind]]
    return next((row[name] for name in ("text_value", "number_value", "date_value") if row[name] is not None), None)
'''

WRITE = '''
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

WRITE_TITLE = """
        if definition["type"] == "title":
            title = rows[0]["text_value"] if rows else ""
            world.execute("UPDATE $items SET $title = ? WHERE $item_key = ?", (title, item_id))
            continue"""

ROWS = '''
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

DATE = '''
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

CHOICE = '''
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

DEFINE = '''
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

ADD = '''
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

OPTIONS = '''
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

CHANGE = '''
def _change_property(world: World, name: str, change: dict, definitions: dict) -> None:
    """Rename a property or add options to it; its type stays."""
    definition = definitions[name]
    if change.get("type", definition["type"]) != definition["type"]:
        raise ToolError("conflict", f"The type of {name} cannot change.", "Add a property of the other type.")
    _add_options(world, name, definition, change.get("options") or [])
    renamed = change.get("name", name)
    _check_text("the name of a property", renamed, longest=100)
    if renamed != name:
        if renamed in definitions:
            raise ToolError("conflict", f"There is a property {renamed!r:.80} already.", "Choose another name.")
        world.execute("UPDATE $definitions SET name = ? WHERE id = ?", (renamed, definition["id"]))
        definitions[renamed] = definitions.pop(name)
'''

REMOVE = '''
def _remove_property(world: World, name: str, definitions: dict) -> None:
    """Delete a property with its values and options."""
    if name not in definitions:
        known = ", ".join(definitions)
        raise ToolError("invalid_argument", f"There is no property {name!r:.80}.", f"Known properties: {known}.")
    if definitions[name]["type"] == "title":
        raise ToolError("conflict", f"{name} is the title property and cannot be removed.", "Rename it instead.")
    definition = definitions.pop(name)
    world.execute("DELETE FROM $values WHERE $value_property = ?", (definition["id"],))
    world.execute("DELETE FROM $options WHERE $option_property = ?", (definition["id"],))
    world.execute("DELETE FROM $definitions WHERE id = ?", (definition["id"],))
'''
