"""The functions for typed property bags as they stand in tools.py; $names are tables and columns of the blueprint."""

from __future__ import annotations

DEFINITIONS = '''
def _properties_of(world: World, collection_id: str | None) -> dict:
    """The property definitions of a collection by name, options by name; a loose item has a title only."""
    if collection_id is None:
        return {"title": {"id": None, "type": "title", "options": {}}}
    definitions = {
        row["name"]: {
            "id": row["id"],
            "type": row["type"],
            "options": {},
$related_pair        }
        for row in world.query(
            "SELECT * FROM $definitions WHERE $definition_parent = ? ORDER BY position, id",
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
$describe_related    return described
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
        name: ${title_value}_property_value(
            _PROPERTY_KINDS.get(definition["type"]), stored.get(definition["id"], [])
        )
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
    held = (row[name] for name in ("text_value", "number_value", "date_value"))
    return next((value for value in held if value is not None), None)
'''

WRITE = '''
def _write_properties(
    world: World, item_id: str, collection_id: str | None, properties: dict$title_parameter
) -> None:
    """Check the given values against the collection's definitions and store them; None clears a value."""
    definitions = _properties_of(world, collection_id)
    for name, value in properties.items():
        if name not in definitions:
            hint = f"Known properties: {', '.join(definitions)}."
            raise ToolError("not_found", f"There is no property {name!r:.80}.", hint)
        definition = definitions[name]$write_title
        rows = _property_rows(world, name, definition, value, item_id)
        world.execute(
            "DELETE FROM $values WHERE $value_item = ? AND $value_property = ?",
            (item_id, definition["id"]),
        )
        for position, row in enumerate(rows):
            place = {"item": item_id, "property": definition["id"], "position": position}
            _store_value(world, _EMPTY_VALUE | row | place)
'''

WRITE_TITLE = """
        if definition["type"] == "title":
            _check_text(name, value, longest=2_000)
            if title not in (None, value):
                hint = "Give the title once, or twice the same."
                raise ToolError("invalid_argument", f"title and {name} are two different titles.", hint)
            world.execute("UPDATE $items SET $title = ? WHERE $item_key = ?", (value, item_id))
            continue"""

ROWS = '''
def _property_rows(world: World, name: str, definition: dict, value: object, item_id: str) -> list[dict]:
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
        return [_choice_row(world, name, kind, definition, choice, item_id) for choice in value]
    if kind == "option":
        return [_choice_row(world, name, kind, definition, value, item_id)]
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
            rule = "a date (YYYY-MM-DD), a time (YYYY-MM-DDTHH:MM:SSZ) or {start, end} of them"
            raise _invalid(name, rule, moment)
    if start is None or (end is not None and end < start):
        hint = "Give start and end in this order."
        raise ToolError("invalid_argument", f"{name} must start before it ends.", hint)
    return {"date_value": start, "date_end": end}
'''

CHOICE = '''
def _choice_row(
    world: World, name: str, kind: str, definition: dict, choice: object, item_id: str
) -> dict:
    """An option, a person or a related item as the row that stores it."""
    if kind in ("option", "options"):
        if not isinstance(choice, str) or choice not in definition["options"]:
            hint = f"Its options: {', '.join(definition['options'])}."
            raise ToolError("not_found", f"{name} has no option {choice!r:.80}.", hint)
        return {"option_id": definition["options"][choice]}
    _check_text(name, choice)
    rows = world.query(_CHOICE_QUERIES[kind], (choice,))
    if not rows:
        hint = "Pass ids as the other tools return them."
        raise ToolError("not_found", f"{name}: there is no row with id {choice!r:.80}.", hint)
$check_related    return {_MANY_COLUMNS[kind]: choice}
'''

CHECK_RELATED = """    if kind == "items":
        _check_related(name, definition, rows[0], item_id)
"""

RELATED = '''
def _check_related(name: str, definition: dict, row: dict, item_id: str) -> None:
    """Refuse a relation of an item to itself, to an item of another collection, or to one in the trash."""
    if row["$item_key"] == item_id:
        raise ToolError("invalid_argument", f"{name} cannot lead to the item itself.", "Choose another item.")
    if definition["$related_key"] not in (None, row["$item_parent"]):
        hint = f"It leads to items of {definition['$related_key']}; query those to find one."
        raise ToolError("invalid_argument", f"{name} cannot lead to {row['$item_key']!r}.", hint)
$trash_check'''

TRASH_CHECK = """    if $trash_test:
        hint = "Restore it first, or choose another item."
        raise ToolError("not_allowed", f"{name}: the item {row['$item_key']!r} is in the trash.", hint)
"""

CARRY = '''
def _carry_properties(world: World, item_id: str, collection_id: str | None) -> None:
    """Keep the values whose property the new collection has too, by name and type; delete the others."""
    known = _properties_of(world, collection_id)
    rows = world.query(
        """
        SELECT v.*, d.name AS property_name, d.type AS property_type,
               $carry_related o.name AS option_name
        FROM $values AS v
        JOIN $definitions AS d ON d.id = v.$value_property
        LEFT JOIN $options AS o ON o.id = v.option_id
        WHERE v.$value_item = ?
        """,
        (item_id,),
    )
    world.execute("DELETE FROM $values WHERE $value_item = ?", (item_id,))
    for row in rows:
        target = known.get(row["property_name"])
        if target is None or target["type"] != row["property_type"]:
            continue
$carry_other        option = target["options"].get(row["option_name"])
        if row["option_id"] is not None and option is None:
            continue
        place = {"item": item_id, "property": target["id"], "option_id": option}
        _store_value(world, row | place)
'''

STORE = '''
def _store_value(world: World, row: dict) -> None:
    """Store one value of a property."""
    world.execute(
        """
        INSERT INTO $values
            ($value_columns)
        VALUES
            ($value_marks)
        """,
        row,
    )
'''

DEFINE = '''
def _define_properties(world: World, collection_id: str, properties: dict) -> None:
    """Add, rename, extend or (with None) remove properties of a collection; it keeps one title property."""
    definitions = _properties_of(world, collection_id)
    for name, change in properties.items():
        if change is None:
            _remove_property(world, name, definitions)
            continue
        _check_object(name, change, known=($definition_keys))
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
        hint = "Choose another name."
        raise ToolError("conflict", f"There is a property {name!r:.80} already.", hint)
    definition = {"id": world.new_id("$definitions"), "type": change["type"], "options": {}}
$add_related    world.execute(
        """
        INSERT INTO $definitions (id, $definition_parent, name, type, position$related_column)
        SELECT ?, ?, ?, ?, coalesce(max(position), -1) + 1$related_mark
        FROM $definitions
        WHERE $definition_parent = ?
        """,
        (definition["id"], collection_id, name, change["type"]$related_value, collection_id),
    )
    _add_options(world, name, definition, change.get("options") or [])
    return definition
'''

OPTIONS = '''
def _add_options(world: World, name: str, definition: dict, options: list) -> None:
    """Add the options that the property does not have yet, in the given order."""
    _check_list(f"the options of {name}", options, most=100)
    if options and _PROPERTY_KINDS[definition["type"]] not in ("option", "options"):
        hint = "Only select-like types have options."
        raise ToolError("invalid_argument", f"{name} takes no options.", hint)
    for option in options:
        _check_text(f"an option of {name}", option, longest=100)
        if option not in definition["options"]:
            definition["options"][option] = world.new_id("$options")
            world.execute(
                "INSERT INTO $options (id, $option_property, name, position) VALUES (?, ?, ?, ?)",
                (definition["options"][option], definition["id"], option, len(definition["options"]) - 1),
            )
'''

TARGET = '''
def _target_of_relation(world: World, name: str, change: dict) -> str | None:
    """The collection whose items a new property leads to, if it names one."""
    target = change.get("$related_key")
    if target is None:
        return None
    if _PROPERTY_KINDS[change["type"]] != "items":
        hint = "Only relations lead to another collection."
        raise ToolError("invalid_argument", f"{name} takes no $related_key.", hint)
    _check_text(f"$related_key of {name}", target)
    rows = world.query("SELECT * FROM $collections WHERE $collection_key = ?", (target,))
    if not rows$target_trashed:
        hint = "Pass the id of one that is not in the trash."
        raise ToolError("not_found", f"{name}: there is no $collection_label with id {target!r:.80}.", hint)
    return target
'''

CHANGE = '''
def _change_property(world: World, name: str, change: dict, definitions: dict) -> None:
    """Rename a property or add options to it; its type stays."""
    definition = definitions[name]
    if change.get("type", definition["type"]) != definition["type"]:
        raise ToolError("conflict", f"The type of {name} cannot change.", "Add a property of the other type.")
$same_target    _add_options(world, name, definition, change.get("options") or [])
    renamed = change.get("name", name)
    _check_text("the name of a property", renamed, longest=100)
    if renamed != name:
        if renamed in definitions:
            hint = "Choose another name."
            raise ToolError("conflict", f"There is a property {renamed!r:.80} already.", hint)
        world.execute("UPDATE $definitions SET name = ? WHERE id = ?", (renamed, definition["id"]))
        definitions[renamed] = definitions.pop(name)
'''

REMOVE = '''
def _remove_property(world: World, name: str, definitions: dict) -> None:
    """Delete a property with its values and options."""
    if name not in definitions:
        hint = f"Known properties: {', '.join(definitions)}."
        raise ToolError("not_found", f"There is no property {name!r:.80}.", hint)
    if definitions[name]["type"] == "title":
        hint = "Rename it instead."
        raise ToolError("conflict", f"{name} is the title property and cannot be removed.", hint)
    definition = definitions.pop(name)
    world.execute("DELETE FROM $values WHERE $value_property = ?", (definition["id"],))
    world.execute("DELETE FROM $options WHERE $option_property = ?", (definition["id"],))
    world.execute("DELETE FROM $definitions WHERE id = ?", (definition["id"],))
'''
