"""Notion: the tools.

One function per tool. A tool changes nothing but the World it is given: the World makes each call
one transaction, so a ToolError leaves no trace.
"""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timedelta

from envforge.world.api import ToolError, World

_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_URL = re.compile(r"https?://[^\s/?#]+[^\s]*")
_CURSOR = re.compile(r"after-(\d{1,9})", re.ASCII)
_BLOCK_TYPES = (
    "paragraph",
    "heading_1",
    "heading_2",
    "heading_3",
    "heading_4",
    "bulleted_list_item",
    "numbered_list_item",
    "quote",
    "to_do",
    "toggle",
    "template",
    "synced_block",
    "equation",
    "code",
    "callout",
    "divider",
    "breadcrumb",
    "table_of_contents",
    "tab",
    "column_list",
    "column",
    "table",
    "table_row",
    "meeting_notes",
    "transcription",
    "embed",
    "bookmark",
    "image",
    "video",
    "pdf",
    "file",
    "audio",
    "link_preview",
)
_BLOCK_FIELDS = (
    "type",
    "text",
    "checked",
    "language",
    "url",
    "children",
)
_BLOCKS_WITHOUT_TEXT = (
    "breadcrumb",
    "column",
    "column_list",
    "divider",
    "table_of_contents",
)
_BLOCKS_WITH_URL = (
    "audio",
    "bookmark",
    "embed",
    "file",
    "image",
    "link_preview",
    "pdf",
    "video",
)
_PROPERTY_KINDS = {
    "number": "number",
    "select": "option",
    "multi_select": "options",
    "status": "option",
    "relation": "items",
    "title": "text",
    "rich_text": "text",
    "url": "text",
    "people": "people",
    "email": "text",
    "phone_number": "text",
    "date": "date",
    "checkbox": "boolean",
}
_ONE_COLUMN = {
    "text": "text_value",
    "number": "number_value",
    "date": "date_value",
    "option": "option_name",
    "boolean": "boolean_value",
}
_MANY_COLUMNS = {
    "options": "option_name",
    "people": "user_id",
    "items": "related_page_id",
}
_EMPTY_VALUE = {
    "text_value": None,
    "number_value": None,
    "date_value": None,
    "date_end": None,
    "boolean_value": None,
    "option_id": None,
    "user_id": None,
    "related_page_id": None,
}
_CHOICE_QUERIES = {
    "people": "SELECT * FROM users WHERE id = ?",
    "items": "SELECT * FROM pages WHERE id = ?",
}
_ROWS = {
    "block": "SELECT *, in_trash AS trashed, id AS called FROM blocks WHERE id = ?",
    "comment": "SELECT *, 0 AS trashed, id AS called FROM comments WHERE id = ?",
    "data_source": "SELECT *, in_trash AS trashed, title AS called FROM data_sources WHERE id = ?",
    "database": "SELECT *, in_trash AS trashed, title AS called FROM databases WHERE id = ?",
    "page": "SELECT *, in_trash AS trashed, title AS called FROM pages WHERE id = ?",
}
_LABELS = {
    "block": "block",
    "comment": "comment",
    "data_source": "data source",
    "database": "database",
    "page": "page",
}
_CONTAINERS = {
    "block": (("parent_page_id", "page"), ("parent_block_id", "block")),
    "comment": (("parent_page_id", "page"), ("parent_block_id", "block")),
    "data_source": (("database_id", "database"),),
    "database": (("parent_page_id", "page"),),
    "page": (("parent_data_source_id", "data_source"), ("parent_page_id", "page")),
}
_RESTORING = {
    "block": "Restore it with update_block first, or choose another block.",
    "data_source": "Restore it with update_data_source first, or choose another data source.",
    "database": "Restore it with update_database first, or choose another database.",
    "page": "Restore it with update_page first, or choose another page.",
}
_OPERATORS = {
    "title": (
        "equals",
        "does_not_equal",
        "contains",
        "does_not_contain",
        "starts_with",
        "ends_with",
        "is_empty",
        "is_not_empty",
    ),
    "text": (
        "equals",
        "does_not_equal",
        "contains",
        "does_not_contain",
        "starts_with",
        "ends_with",
        "is_empty",
        "is_not_empty",
    ),
    "number": (
        "equals",
        "does_not_equal",
        "greater_than",
        "less_than",
        "greater_than_or_equal_to",
        "less_than_or_equal_to",
        "is_empty",
        "is_not_empty",
    ),
    "boolean": ("equals", "does_not_equal"),
    "date": (
        "equals",
        "before",
        "after",
        "on_or_before",
        "on_or_after",
        "past_week",
        "past_month",
        "past_year",
        "next_week",
        "next_month",
        "next_year",
        "is_empty",
        "is_not_empty",
    ),
    "timestamp": (
        "equals",
        "before",
        "after",
        "on_or_before",
        "on_or_after",
        "past_week",
        "past_month",
        "past_year",
        "next_week",
        "next_month",
        "next_year",
    ),
    "option": ("equals", "does_not_equal", "is_empty", "is_not_empty"),
    "options": ("contains", "does_not_contain", "is_empty", "is_not_empty"),
    "people": ("contains", "does_not_contain", "is_empty", "is_not_empty"),
    "items": ("contains", "does_not_contain", "is_empty", "is_not_empty"),
}
_SPANS = {
    "past_week": -7,
    "past_month": -30,
    "past_year": -365,
    "next_week": 7,
    "next_month": 30,
    "next_year": 365,
}
_SIGNS = {
    "does_not_equal": "=",
    "greater_than": ">",
    "less_than": "<",
    "greater_than_or_equal_to": ">=",
    "less_than_or_equal_to": "<=",
    "before": "<",
    "after": ">",
    "on_or_before": "<=",
    "on_or_after": ">=",
}
_PATTERNS = {
    "contains": "%*%",
    "does_not_contain": "%*%",
    "starts_with": "*%",
    "ends_with": "%*",
}
_FILTER_COLUMNS = {
    "title": "i.title",
    "text": "v.text_value",
    "number": "v.number_value",
    "boolean": "v.boolean_value",
    "date": "v.date_value",
    "option": "o.name",
    "options": "o.name",
    "people": "v.user_id",
    "items": "v.related_page_id",
}
_SORT_COLUMNS = {
    "title": "i.title",
    "text": "v.text_value",
    "number": "v.number_value",
    "boolean": "v.boolean_value",
    "date": "v.date_value",
    "option": "o.position",
    "options": "o.position",
    "people": "v.user_id",
    "items": "v.related_page_id",
}
_TIMESTAMPS = ("created_time", "last_edited_time")
_VALUES_OF_ITEM = (
    "SELECT 1 FROM property_values AS v LEFT JOIN property_options AS o ON o.id = v.option_id "
    "WHERE v.page_id = i.id AND v.property_id = ?"
)


def _invalid(name: str, rule: str, value: object) -> ToolError:
    """The error for an argument that breaks a rule."""
    return ToolError("invalid_argument", f"{name} must be {rule}, not {value!r:.80}.", f"Give {rule}.")


def _check_text(name: str, value: object, shortest: int = 1, longest: int = 20_000) -> None:
    """Refuse what is not text of a sensible length."""
    if not isinstance(value, str):
        raise _invalid(name, "text", value)
    if shortest and not value.strip():
        raise _invalid(name, "text that is not empty", value)
    if not shortest <= len(value) <= longest:
        raise _invalid(name, f"text of {shortest} to {longest} characters", value)


def _check_choice(name: str, value: object, allowed: tuple) -> None:
    """Refuse what is not one of the allowed values."""
    if isinstance(value, bool) or value not in allowed:
        choices = ", ".join(str(choice) for choice in allowed)
        raise ToolError("invalid_argument", f"{name} cannot be {value!r:.80}.", f"Allowed values: {choices}.")


def _check_flag(name: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise _invalid(name, "true or false", value)


def _check_integer(name: str, value: object, least: int | None = None, most: int | None = None) -> None:
    """Refuse what is not a whole number in the range."""
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise _invalid(name, "a whole number", value)
    _check_range(name, value, least, most)


def _check_number(name: str, value: object, least: float | None = None, most: float | None = None) -> None:
    """Refuse what is not a finite number in the range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -(2**63) <= value < 2**63:
        raise _invalid(name, "a number", value)
    _check_range(name, value, least, most)


def _check_range(name: str, value: float, least: float | None, most: float | None) -> None:
    """Refuse a number outside of the range."""
    if least is not None and value < least:
        raise _invalid(name, f"at least {least}", value)
    if most is not None and value > most:
        raise _invalid(name, f"at most {most}", value)


def _check_email(name: str, value: object) -> None:
    """Refuse what is not an e-mail address."""
    if not _is_email(value):
        raise _invalid(name, "an e-mail address", value)


def _check_url(name: str, value: object) -> None:
    """Refuse what is not a web address."""
    if not _is_url(value):
        raise _invalid(name, "a URL that starts with http:// or https://", value)


def _check_list(name: str, value: object, fewest: int = 0, most: int = 1_000) -> None:
    """Refuse what is not a list of a sensible length."""
    if not isinstance(value, list):
        raise _invalid(name, "a list", value)
    if not fewest <= len(value) <= most:
        raise _invalid(name, f"a list of {fewest} to {most} items", value)


def _check_distinct(name: str, values: list) -> None:
    """Refuse a list that holds a value twice."""
    if any(value in values[:position] for position, value in enumerate(values)):
        raise _invalid(name, "a list without repeated items", values)


def _check_object(name: str, value: object, known: tuple = (), required: tuple = ()) -> None:
    """Refuse what is not an object with the known keys (any key, if none are named)."""
    if not isinstance(value, dict):
        raise _invalid(name, "an object", value)
    for key in value:
        if known and key not in known:
            hint = f"Known keys: {', '.join(known)}."
            raise ToolError("invalid_argument", f"{name} has no key {key!r:.80}.", hint)
    for key in required:
        if key not in value:
            hint = f"Required keys: {', '.join(required)}."
            raise ToolError("invalid_argument", f"{name} lacks the key {key!r}.", hint)


def _is_date(value: object) -> bool:
    """True for a calendar date written as YYYY-MM-DD."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_timestamp(value: object) -> bool:
    """True for a moment in UTC written as YYYY-MM-DDTHH:MM:SSZ."""
    if not isinstance(value, str) or not _TIMESTAMP.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_email(value: object) -> bool:
    """True for text that looks like an e-mail address."""
    return isinstance(value, str) and len(value) <= 254 and _EMAIL.fullmatch(value) is not None


def _is_url(value: object) -> bool:
    """True for an absolute http or https address."""
    return isinstance(value, str) and len(value) <= 2_000 and _URL.fullmatch(value) is not None


def _shifted(text: str, step: timedelta) -> str:
    """A date or timestamp moved by `step`, written as the text was."""
    if len(text) == 10:
        return (datetime.fromisoformat(text) + step).date().isoformat()
    return (datetime.fromisoformat(text) + step).isoformat().replace("+00:00", "Z")


def _add_days(text: str, days: float) -> str:
    """The date or timestamp that many days later."""
    return _shifted(text, timedelta(days=days))


def _like(text: str) -> str:
    """Text for a LIKE pattern (ESCAPE '!') that stands for itself."""
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _marks(values: list) -> str:
    """One placeholder for each value of an IN list."""
    return ", ".join("?" * len(values))


def _where_all(conditions: list[str]) -> str:
    """The WHERE clause for conditions that all must hold; empty if there are none."""
    return "WHERE " + "\n  AND ".join(conditions) if conditions else ""


def _assignments(changes: dict) -> str:
    """The SET list of an UPDATE, with a placeholder for each column."""
    return ", ".join(f"{column} = ?" for column in changes)


def _given(**columns: object) -> dict:
    """The columns that were given a value."""
    return {column: value for column, value in columns.items() if value is not None}


def _offset_of(cursor: object) -> int:
    """The position where a page starts; the beginning without a cursor."""
    if cursor is None:
        return 0
    match = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if match is None:
        raise ToolError(
            "invalid_argument",
            f"{cursor!r:.80} is not a cursor.",
            "Pass the next_cursor of the page before, or leave it out to start at the beginning.",
        )
    return int(match[1])


def _page(rows: list[dict], size: int, offset: int) -> dict:
    """One page out of a query that asked for one row more than the page holds."""
    has_more = len(rows) > size
    return {
        "items": rows[:size],
        "next_cursor": f"after-{offset + size}" if has_more else None,
        "has_more": has_more,
    }


def _flag(value: int | None) -> bool | None:
    """A stored 0, 1 or NULL as a JSON boolean or null."""
    return None if value is None else bool(value)


def _parsed(text: str | None) -> object:
    """Stored JSON text as a value."""
    return None if text is None else json.loads(text)


def _to_json(value: object) -> str | None:
    """A value as canonical JSON text for a column; None stays NULL."""
    if value is None:
        return None
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _append_children(
    world: World,
    parent_page_id: str | None,
    parent_block_id: str | None,
    actor: str,
    children: list,
    after: str | None,
) -> list[dict]:
    """Insert typed children into a container, at its end or after one of its children."""
    parent = {"parent_page_id": parent_page_id, "parent_block_id": parent_block_id}
    position = _position_after(world, parent, after)
    world.execute(
        """
        UPDATE blocks SET position = position + :count
        WHERE parent_page_id IS :parent_page_id
          AND parent_block_id IS :parent_block_id
          AND position >= :first
        """,
        {"count": len(children), "first": position} | parent,
    )
    added = []
    for index, child in enumerate(children):
        row = _insert_child(world, parent, position + index, child, actor)
        added.append(row)
        nested = child.get("children") or []
        _check_list("children", nested, most=100)
        for place, grandchild in enumerate(nested):
            if isinstance(grandchild, dict) and grandchild.get("children"):
                hint = "Append the rest to the child."
                raise ToolError("invalid_argument", "Children nest one level deep.", hint)
            inside = {"parent_page_id": None, "parent_block_id": row["id"]}
            _insert_child(world, inside, place, grandchild, actor)
    return added


def _position_after(world: World, parent: dict, after: str | None) -> int:
    """The position behind a child of the container, or behind its last one."""
    if after is None:
        query = """
        SELECT coalesce(max(position) + 1, 0) AS next
        FROM blocks
        WHERE parent_page_id IS :parent_page_id
          AND parent_block_id IS :parent_block_id
        """
        return world.query(query, parent)[0]["next"]
    query = """
        SELECT position AS place
        FROM blocks
        WHERE id = :after
          AND parent_page_id IS :parent_page_id
          AND parent_block_id IS :parent_block_id
          AND NOT in_trash
        """
    rows = world.query(query, {"after": after} | parent)
    if not rows:
        hint = "List its children to see ids."
        raise ToolError("not_found", f"The container has no child {after!r:.80}.", hint)
    return rows[0]["place"] + 1


def _insert_child(world: World, parent: dict, position: int, child: object, actor: str) -> dict:
    """One new child. Raises ToolError when its type or a field of it is unknown or does not fit."""
    _check_object("a child", child, known=_BLOCK_FIELDS, required=("type",))
    _check_choice("type", child["type"], _BLOCK_TYPES)
    _check_child(child)
    row = {
        "id": world.new_id("blocks"),
        "type": child["type"],
        "parent_type": "page" if parent["parent_page_id"] is not None else "block",
        "parent_page_id": parent["parent_page_id"],
        "parent_block_id": parent["parent_block_id"],
        "in_trash": 0,
        "text": child.get("text"),
        "checked": child.get("checked"),
        "language": child.get("language"),
        "content": None,
        "position": position,
        "url": child.get("url"),
        "created_by": actor,
        "last_edited_by": actor,
        "created_time": world.now(),
        "last_edited_time": world.now(),
    }
    world.execute(
        """
        INSERT INTO blocks
            (id, type, parent_type, parent_page_id, parent_block_id, in_trash, text, checked,
             language, content, position, url, created_by, last_edited_by, created_time,
             last_edited_time)
        VALUES
            (:id, :type, :parent_type, :parent_page_id, :parent_block_id, :in_trash, :text,
             :checked, :language, :content, :position, :url, :created_by, :last_edited_by,
             :created_time, :last_edited_time)
        """,
        row,
    )
    return row


def _check_child(child: dict) -> None:
    """Refuse fields that are malformed or that a child of this type does not have."""
    if child.get("checked") is not None:
        _check_flag("checked", child["checked"])
    if child.get("language") is not None:
        _check_text("language", child["language"], shortest=0)
    if child.get("url") is not None:
        _check_text("url", child["url"], shortest=0)
    if child.get("text") is not None:
        _check_text("text", child["text"], shortest=0)
    if child["type"] in _BLOCKS_WITHOUT_TEXT and child.get("text"):
        raise ToolError("invalid_argument", f"A {child['type']} holds no text.", "Leave it out.")
    if child["type"] in _BLOCKS_WITH_URL:
        _check_url("url", child.get("url"))
    elif child.get("url") is not None:
        hint = f"Types with a url: {', '.join(_BLOCKS_WITH_URL)}."
        raise ToolError("invalid_argument", f"A {child['type']} has no url.", hint)


def _properties_of(world: World, collection_id: str | None) -> dict:
    """The property definitions of a collection by name, options by name; a loose item has a title only."""
    if collection_id is None:
        return {"title": {"id": None, "type": "title", "options": {}}}
    definitions = {
        row["name"]: {
            "id": row["id"],
            "type": row["type"],
            "options": {},
            "data_source_id": row["related_data_source_id"],
        }
        for row in world.query(
            "SELECT * FROM properties WHERE data_source_id = ? ORDER BY position, id",
            (collection_id,),
        )
    }
    options = world.query(
        """
        SELECT o.id, o.name, d.name AS property
        FROM property_options AS o
        JOIN properties AS d ON d.id = o.property_id
        WHERE d.data_source_id = ?
        ORDER BY o.position, o.id
        """,
        (collection_id,),
    )
    for option in options:
        definitions[option["property"]]["options"][option["name"]] = option["id"]
    return definitions


def _carry_properties(world: World, item_id: str, collection_id: str | None) -> None:
    """Keep the values whose property the new collection has too, by name and type; delete the others."""
    known = _properties_of(world, collection_id)
    rows = world.query(
        """
        SELECT v.*, d.name AS property_name, d.type AS property_type,
               d.related_data_source_id AS related, o.name AS option_name
        FROM property_values AS v
        JOIN properties AS d ON d.id = v.property_id
        LEFT JOIN property_options AS o ON o.id = v.option_id
        WHERE v.page_id = ?
        """,
        (item_id,),
    )
    world.execute("DELETE FROM property_values WHERE page_id = ?", (item_id,))
    for row in rows:
        target = known.get(row["property_name"])
        if target is None or target["type"] != row["property_type"]:
            continue
        if target["data_source_id"] != row["related"]:
            continue
        option = target["options"].get(row["option_name"])
        if row["option_id"] is not None and option is None:
            continue
        place = {"item": item_id, "property": target["id"], "option_id": option}
        _store_value(world, row | place)


def _store_value(world: World, row: dict) -> None:
    """Store one value of a property."""
    world.execute(
        """
        INSERT INTO property_values
            (page_id, property_id, position, text_value, number_value, date_value, date_end,
             boolean_value, option_id, user_id, related_page_id)
        VALUES
            (:item, :property, :position, :text_value, :number_value, :date_value, :date_end,
             :boolean_value, :option_id, :user_id, :related_page_id)
        """,
        row,
    )


def _define_properties(world: World, collection_id: str, properties: dict) -> None:
    """Add, rename, extend or (with None) remove properties of a collection; it keeps one title property."""
    definitions = _properties_of(world, collection_id)
    for name, change in properties.items():
        if change is None:
            _remove_property(world, name, definitions)
            continue
        _check_object(name, change, known=("name", "type", "options", "data_source_id"))
        if name in definitions:
            _change_property(world, name, change, definitions)
        else:
            definitions[name] = _add_property(world, collection_id, name, change, definitions)
    if all(definition["type"] != "title" for definition in definitions.values()):
        _add_property(world, collection_id, "Name", {"type": "title"}, definitions)


def _add_property(world: World, collection_id: str, name: str, change: dict, definitions: dict) -> dict:
    """A new property at the end, with its options."""
    _check_text("the name of a property", name, longest=100)
    _check_choice(f"the type of {name}", change.get("type"), tuple(_PROPERTY_KINDS))
    if change["type"] == "title" and any(one["type"] == "title" for one in definitions.values()):
        raise ToolError("conflict", "A collection has exactly one title property.", "Choose another type.")
    if name in definitions:
        hint = "Choose another name."
        raise ToolError("conflict", f"There is a property {name!r:.80} already.", hint)
    definition = {"id": world.new_id("properties"), "type": change["type"], "options": {}}
    definition["data_source_id"] = _target_of_relation(world, name, change)
    world.execute(
        """
        INSERT INTO properties (id, data_source_id, name, type, position, related_data_source_id)
        SELECT ?, ?, ?, ?, coalesce(max(position), -1) + 1, ?
        FROM properties
        WHERE data_source_id = ?
        """,
        (definition["id"], collection_id, name, change["type"], definition["data_source_id"], collection_id),
    )
    _add_options(world, name, definition, change.get("options") or [])
    return definition


def _add_options(world: World, name: str, definition: dict, options: list) -> None:
    """Add the options that the property does not have yet, in the given order."""
    _check_list(f"the options of {name}", options, most=100)
    if options and _PROPERTY_KINDS[definition["type"]] not in ("option", "options"):
        hint = "Only select-like types have options."
        raise ToolError("invalid_argument", f"{name} takes no options.", hint)
    for option in options:
        _check_text(f"an option of {name}", option, longest=100)
        if option not in definition["options"]:
            definition["options"][option] = world.new_id("property_options")
            world.execute(
                "INSERT INTO property_options (id, property_id, name, position) VALUES (?, ?, ?, ?)",
                (definition["options"][option], definition["id"], option, len(definition["options"]) - 1),
            )


def _change_property(world: World, name: str, change: dict, definitions: dict) -> None:
    """Rename a property or add options to it; its type stays."""
    definition = definitions[name]
    if change.get("type", definition["type"]) != definition["type"]:
        raise ToolError("conflict", f"The type of {name} cannot change.", "Add a property of the other type.")
    if change.get("data_source_id", definition["data_source_id"]) != definition["data_source_id"]:
        raise ToolError("conflict", f"What {name} leads to cannot change.", "Add another property.")
    _add_options(world, name, definition, change.get("options") or [])
    renamed = change.get("name", name)
    _check_text("the name of a property", renamed, longest=100)
    if renamed != name:
        if renamed in definitions:
            hint = "Choose another name."
            raise ToolError("conflict", f"There is a property {renamed!r:.80} already.", hint)
        world.execute("UPDATE properties SET name = ? WHERE id = ?", (renamed, definition["id"]))
        definitions[renamed] = definitions.pop(name)


def _remove_property(world: World, name: str, definitions: dict) -> None:
    """Delete a property with its values and options."""
    if name not in definitions:
        hint = f"Known properties: {', '.join(definitions)}."
        raise ToolError("not_found", f"There is no property {name!r:.80}.", hint)
    if definitions[name]["type"] == "title":
        hint = "Rename it instead."
        raise ToolError("conflict", f"{name} is the title property and cannot be removed.", hint)
    definition = definitions.pop(name)
    world.execute("DELETE FROM property_values WHERE property_id = ?", (definition["id"],))
    world.execute("DELETE FROM property_options WHERE property_id = ?", (definition["id"],))
    world.execute("DELETE FROM properties WHERE id = ?", (definition["id"],))


def _target_of_relation(world: World, name: str, change: dict) -> str | None:
    """The collection whose items a new property leads to, if it names one."""
    target = change.get("data_source_id")
    if target is None:
        return None
    if _PROPERTY_KINDS[change["type"]] != "items":
        hint = "Only relations lead to another collection."
        raise ToolError("invalid_argument", f"{name} takes no data_source_id.", hint)
    _check_text(f"data_source_id of {name}", target)
    rows = world.query("SELECT * FROM data_sources WHERE id = ?", (target,))
    if not rows or rows[0]["in_trash"]:
        hint = "Pass the id of one that is not in the trash."
        raise ToolError("not_found", f"{name}: there is no data source with id {target!r:.80}.", hint)
    return target


def _describe_properties(world: World, collection_id: str) -> dict:
    """What a caller sees of a collection's property definitions."""
    described = {}
    for name, definition in _properties_of(world, collection_id).items():
        described[name] = {"id": definition["id"], "type": definition["type"]}
        if definition["options"]:
            described[name]["options"] = list(definition["options"])
        if definition["data_source_id"]:
            described[name]["data_source_id"] = definition["data_source_id"]
    return described


def _read_properties(world: World, item_id: str) -> dict:
    """The property values of an item by name; empty for an item outside of collections."""
    item = world.query("SELECT * FROM pages WHERE id = ?", (item_id,))[0]
    if item["parent_data_source_id"] is None:
        return {}
    stored = {}
    rows = world.query(
        """
        SELECT v.*, o.name AS option_name
        FROM property_values AS v
        LEFT JOIN property_options AS o ON o.id = v.option_id
        WHERE v.page_id = ?
        ORDER BY v.property_id, v.position
        """,
        (item_id,),
    )
    for row in rows:
        stored.setdefault(row["property_id"], []).append(row)
    return {
        name: item["title"]
        if definition["type"] == "title"
        else _property_value(
            _PROPERTY_KINDS.get(definition["type"]), stored.get(definition["id"], [])
        )
        for name, definition in _properties_of(world, item["parent_data_source_id"]).items()
    }


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


def _in_trash(world: World, kind: str, key: str, itself: bool) -> dict | None:
    """What puts a row into the trash, the row (if `itself`) or what it is inside of: its name, and a hint."""
    row = world.query(_ROWS[kind], (key,))[0]
    if itself and row["trashed"]:
        return {"name": f"{_LABELS[kind]} {row['called']!r:.80}", "hint": _RESTORING[kind]}
    for column, holder in _CONTAINERS[kind]:
        found = _in_trash(world, holder, row[column], True) if row[column] is not None else None
        if found:
            inside = f"The {_LABELS[kind]} {row['called']!r:.80} is inside of it."
            return {"name": found["name"], "hint": f"{inside} {found['hint']}"}
    return None


def _page_of_rows(world: World, rows: list[dict], start_cursor: str | None, page_size: int) -> dict:
    """The page of `rows` that starts at a cursor."""
    offset = _offset_of(start_cursor)
    return _page(rows[offset : offset + page_size + 1], page_size, offset)


def _query_items(
    world: World,
    collection_id: str,
    condition: dict | None,
    order: list | None,
    start_cursor: str | None,
    page_size: int,
    in_trash: bool,
) -> dict:
    """One page of a collection's items that meet the condition, in the given order."""
    definitions = _properties_of(world, collection_id)
    test, values = _condition_sql(world, definitions, condition) if condition else ("1", [])
    sort, sort_values = _order_sql(definitions, order or [])
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT i.*
        FROM pages AS i
        WHERE i.parent_data_source_id = ?
          AND (i.in_trash) = ?
          AND {test}
        ORDER BY {sort}
        LIMIT ? OFFSET ?
        """,
        [collection_id, int(in_trash), *values, *sort_values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)
    found["items"] = [
        {
            "id": row["id"],
            "title": row["title"],
            "created_time": row["created_time"],
            "last_edited_time": row["last_edited_time"],
            "is_archived": bool(row["is_archived"]),
            "properties": _read_properties(world, row["id"]),
        }
        for row in found["items"]
    ]
    return found


def _condition_sql(world: World, definitions: dict, condition: object, depth: int = 0) -> tuple[str, list]:
    """SQL and values for a condition, or for conditions joined by and/or up to three levels deep."""
    _check_object("a filter", condition)
    joins = [word for word in ("and", "or") if word in condition]
    if not joins:
        return _comparison_sql(world, definitions, condition)
    if len(condition) > 1 or depth > 2:
        raise ToolError(
            "invalid_argument",
            "A filter holds either one condition or one of and/or, at most three levels deep.",
            'For example {"and": [{"property": ..., "equals": ...}, {"or": [...]}]}.',
        )
    _check_list(joins[0], condition[joins[0]], fewest=1, most=20)
    parts = [_condition_sql(world, definitions, part, depth + 1) for part in condition[joins[0]]]
    sql = f" {joins[0].upper()} ".join(part for part, _ in parts)
    return f"({sql})", [value for _, values in parts for value in values]


def _comparison_sql(world: World, definitions: dict, condition: dict) -> tuple[str, list]:
    """SQL and values for one condition on a property or a timestamp."""
    kind, definition = _subject(definitions, condition)
    operator, operand = _operator_of(world, condition, kind, definition)
    column = _FILTER_COLUMNS.get(kind, f"i.{condition.get('timestamp')}")
    negative = operator in ("does_not_equal", "does_not_contain", "is_empty")
    if operator in ("is_empty", "is_not_empty"):
        test, values = f"coalesce({column}, '') != ''", []
    elif operator in _SPANS:
        today = world.now()[:10]
        first, last = sorted((today, _add_days(today, _SPANS[operator])))
        test, values = f"substr({column}, 1, 10) BETWEEN ? AND ?", [first, last]
    else:
        test, values = _value_test(operator, column, kind, operand)
    if kind == "boolean" and operand is False:
        # A box that was never ticked has no stored value: not ticked is the absence of a tick.
        negative, values = not negative, [1]
    if kind not in ("title", "timestamp"):
        values = [definition["id"], *values]
        test = f"EXISTS ({_VALUES_OF_ITEM} AND {test})"
    return f"NOT coalesce({test}, 0)" if negative else test, values


def _value_test(operator: str, column: str, kind: str, operand: object) -> tuple[str, list]:
    """SQL and values that compare a column with an operand; negations are left to the caller."""
    if operator in _PATTERNS and kind in ("title", "text"):
        return f"{column} LIKE ? ESCAPE '!'", [_PATTERNS[operator].replace("*", _like(operand))]
    if operator == "starts_with":
        return f"{column} LIKE ? ESCAPE '!'", [_like(operand) + "%"]
    sign = _SIGNS.get(operator, "=")
    if kind in ("date", "timestamp") and len(operand) == 10:
        return f"substr({column}, 1, 10) {sign} ?", [operand]
    return f"{column} {sign} ?", [int(operand) if kind == "boolean" else operand]


def _subject(definitions: dict, condition: dict) -> tuple[str, dict]:
    """The kind and definition of what a condition or a sort key is about."""
    if ("timestamp" in condition) == ("property" in condition):
        raise ToolError(
            "invalid_argument",
            "A condition or sort key names either a property or a timestamp.",
            f'For example {{"property": "{next(iter(definitions), "Name")}", ...}}.',
        )
    if "timestamp" in condition:
        _check_choice("timestamp", condition["timestamp"], _TIMESTAMPS)
        return "timestamp", {"type": condition["timestamp"]}
    name = condition.get("property")
    if not isinstance(name, str) or name not in definitions:
        hint = f"Known properties: {', '.join(definitions)}."
        raise ToolError("not_found", f"There is no property {name!r:.80}.", hint)
    definition = definitions[name]
    kind = "title" if definition["type"] == "title" else _PROPERTY_KINDS.get(definition["type"])
    if kind is None:
        hint = "Choose another property."
        raise ToolError("invalid_argument", f"{name} is computed; nothing filters or sorts by it.", hint)
    return kind, definition


def _operator_of(world: World, condition: dict, kind: str, definition: dict) -> tuple[str, object]:
    """The operator of a condition and its checked operand."""
    given = {key: value for key, value in condition.items() if key not in ("property", "timestamp", "type")}
    if len(given) == 1 and isinstance(given.get(definition["type"]), dict):
        # The operator may stand under the property's type: {"property": "Due", "date": {"before": ...}}.
        given = given[definition["type"]]
    allowed = _OPERATORS[kind]
    if len(given) != 1 or next(iter(given)) not in allowed:
        names = ", ".join(given) or "none"
        raise ToolError(
            "invalid_argument",
            f"A condition on a {definition['type']} needs one operator, not {names:.80}.",
            f"Operators: {', '.join(allowed)}.",
        )
    operator, operand = next(iter(given.items()))
    if operator in ("is_empty", "is_not_empty"):
        if operand is not True:
            other = "is_not_empty" if operator == "is_empty" else "is_empty"
            raise ToolError("invalid_argument", f"{operator} takes true.", f"For the opposite use {other}.")
    elif operator not in _SPANS:
        _check_operand(world, operator, kind, definition, operand)
    return operator, operand


def _check_operand(world: World, operator: str, kind: str, definition: dict, operand: object) -> None:
    """Refuse a value that the operator cannot compare with."""
    if kind == "number":
        _check_number(operator, operand)
    elif kind == "boolean":
        _check_flag(operator, operand)
    elif kind in ("date", "timestamp"):
        if not _is_date(operand) and not _is_timestamp(operand):
            raise _invalid(operator, "a date (YYYY-MM-DD) or a time (YYYY-MM-DDTHH:MM:SSZ)", operand)
    elif kind in ("option", "options"):
        _check_choice(operator, operand, tuple(definition["options"]))
    else:
        _check_text(operator, operand)
    if kind in _CHOICE_QUERIES and not world.query(_CHOICE_QUERIES[kind], (operand,)):
        hint = "Pass an id as the other tools return it, not a name."
        raise ToolError("not_found", f"{operator}: there is no row with id {operand!r:.80}.", hint)


def _order_sql(definitions: dict, order: list) -> tuple[str, list]:
    """ORDER BY for the sort keys, and its values; empty values last, ties by key."""
    parts, values = [], []
    for key in order:
        _check_object("a sort key", key, known=("property", "timestamp", "direction"))
        kind, definition = _subject(definitions, key)
        direction = key.get("direction", "ascending")
        _check_choice("direction", direction, ("ascending", "descending"))
        column = _SORT_COLUMNS.get(kind, f"i.{key.get('timestamp')}")
        if kind not in ("title", "timestamp"):
            values.append(definition["id"])
            column = f"(SELECT {column} {_VALUES_OF_ITEM[9:]} ORDER BY v.position LIMIT 1)"
        parts.append(f"{column} {'ASC' if direction == 'ascending' else 'DESC'} NULLS LAST")
    return ", ".join([*parts, "i.id"]), values


def _touch_container(world: World, key: str, actor: str) -> None:
    """Record that something changed on the container that a block is in, through all blocks around it."""
    row = world.query("SELECT * FROM blocks WHERE id = ?", (key,))[0]
    if row["parent_block_id"] is not None:
        _touch_container(world, row["parent_block_id"], actor)
    if row["parent_page_id"] is not None:
        world.execute(
            "UPDATE pages SET last_edited_time = ?, last_edited_by = ? WHERE id = ?",
            (world.now(), actor, row["parent_page_id"]),
        )


def _write_properties(
    world: World, item_id: str, collection_id: str | None, properties: dict, title: str | None
) -> None:
    """Check the given values against the collection's definitions and store them; None clears a value."""
    definitions = _properties_of(world, collection_id)
    for name, value in properties.items():
        if name not in definitions:
            hint = f"Known properties: {', '.join(definitions)}."
            raise ToolError("not_found", f"There is no property {name!r:.80}.", hint)
        definition = definitions[name]
        if definition["type"] == "title":
            _check_text(name, value, longest=2_000)
            if title not in (None, value):
                hint = "Give the title once, or twice the same."
                raise ToolError("invalid_argument", f"title and {name} are two different titles.", hint)
            world.execute("UPDATE pages SET title = ? WHERE id = ?", (value, item_id))
            continue
        rows = _property_rows(world, name, definition, value, item_id)
        world.execute(
            "DELETE FROM property_values WHERE page_id = ? AND property_id = ?",
            (item_id, definition["id"]),
        )
        for position, row in enumerate(rows):
            place = {"item": item_id, "property": definition["id"], "position": position}
            _store_value(world, _EMPTY_VALUE | row | place)


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
    if kind == "items":
        _check_related(name, definition, rows[0], item_id)
    return {_MANY_COLUMNS[kind]: choice}


def _check_related(name: str, definition: dict, row: dict, item_id: str) -> None:
    """Refuse a relation of an item to itself, to an item of another collection, or to one in the trash."""
    if row["id"] == item_id:
        raise ToolError("invalid_argument", f"{name} cannot lead to the item itself.", "Choose another item.")
    if definition["data_source_id"] not in (None, row["parent_data_source_id"]):
        hint = f"It leads to items of {definition['data_source_id']}; query those to find one."
        raise ToolError("invalid_argument", f"{name} cannot lead to {row['id']!r}.", hint)
    if row["in_trash"]:
        hint = "Restore it first, or choose another item."
        raise ToolError("not_allowed", f"{name}: the item {row['id']!r} is in the trash.", hint)


def _block_details(row: dict) -> dict:
    """The details of a block that results show."""
    return {
        "id": row["id"],
        "type": row["type"],
        "parent": {
            key: value
            for key, value in {"page_id": row["parent_page_id"], "block_id": row["parent_block_id"]}.items()
            if value
            is not None
        },
        "in_trash": bool(row["in_trash"]),
        "text": row["text"],
        "checked": _flag(row["checked"]),
        "language": row["language"],
        "content": _parsed(row["content"]),
        "position": row["position"],
        "url": row["url"],
        "created_by": row["created_by"],
        "last_edited_by": row["last_edited_by"],
        "created_time": row["created_time"],
        "last_edited_time": row["last_edited_time"],
    }


def _block_summary(row: dict) -> dict:
    """The summary of a block that results show."""
    return {
        "id": row["id"],
        "type": row["type"],
        "parent": {
            key: value
            for key, value in {"page_id": row["parent_page_id"], "block_id": row["parent_block_id"]}.items()
            if value
            is not None
        },
        "text": row["text"],
        "checked": _flag(row["checked"]),
        "language": row["language"],
        "position": row["position"],
        "created_by": row["created_by"],
        "created_time": row["created_time"],
        "last_edited_time": row["last_edited_time"],
        "created_by_name": row["created_by_name"],
    }


def _comment_details(row: dict) -> dict:
    """The details of a comment that results show."""
    return {
        "id": row["id"],
        "parent": {
            key: value
            for key, value in {"page_id": row["parent_page_id"], "block_id": row["parent_block_id"]}.items()
            if value
            is not None
        },
        "text": row["text"],
        "discussion_id": row["discussion_id"],
        "display_name": row["display_name"],
        "created_by": row["created_by"],
        "created_time": row["created_time"],
        "last_edited_time": row["last_edited_time"],
    }


def _comment_summary(row: dict) -> dict:
    """The summary of a comment that results show."""
    return {
        "id": row["id"],
        "parent": {
            key: value
            for key, value in {"page_id": row["parent_page_id"], "block_id": row["parent_block_id"]}.items()
            if value
            is not None
        },
        "text": row["text"],
        "discussion_id": row["discussion_id"],
        "display_name": row["display_name"],
        "created_by": row["created_by"],
        "created_time": row["created_time"],
        "last_edited_time": row["last_edited_time"],
        "created_by_name": row["created_by_name"],
    }


def _data_source_details(row: dict) -> dict:
    """The details of a data source that results show."""
    return {
        "id": row["id"],
        "title": row["title"],
        "database_id": row["database_id"],
        "in_trash": bool(row["in_trash"]),
        "description": row["description"],
        "is_inline": bool(row["is_inline"]),
        "icon": row["icon"],
        "cover": row["cover"],
        "url": row["url"],
        "created_by": row["created_by"],
        "last_edited_by": row["last_edited_by"],
        "created_time": row["created_time"],
        "last_edited_time": row["last_edited_time"],
    }


def _database_details(row: dict) -> dict:
    """The details of a database that results show."""
    return {
        "id": row["id"],
        "title": row["title"],
        "parent": {
            key: value
            for key, value in {
                "page_id": row["parent_page_id"],
                "workspace": True if row["parent_type"] == "workspace" else None,
            }.items()
            if value
            is not None
        },
        "in_trash": bool(row["in_trash"]),
        "description": row["description"],
        "is_inline": bool(row["is_inline"]),
        "is_locked": bool(row["is_locked"]),
        "icon": row["icon"],
        "cover": row["cover"],
        "url": row["url"],
        "created_time": row["created_time"],
        "last_edited_time": row["last_edited_time"],
    }


def _page_details(row: dict) -> dict:
    """The details of a page that results show."""
    return {
        "id": row["id"],
        "title": row["title"],
        "parent": {
            key: value
            for key, value in {
                "data_source_id": row["parent_data_source_id"],
                "page_id": row["parent_page_id"],
                "workspace": True if row["parent_type"] == "workspace" else None,
            }.items()
            if value
            is not None
        },
        "in_trash": bool(row["in_trash"]),
        "is_archived": bool(row["is_archived"]),
        "is_locked": bool(row["is_locked"]),
        "icon": row["icon"],
        "cover": row["cover"],
        "url": row["url"],
        "created_by": row["created_by"],
        "last_edited_by": row["last_edited_by"],
        "created_time": row["created_time"],
        "last_edited_time": row["last_edited_time"],
    }


def _user_details(row: dict) -> dict:
    """The details of a user that results show."""
    return {
        "id": row["id"],
        "name": row["name"],
        "type": row["type"],
        "email": row["email"],
    }


def _get_block(world: World, block_id: str) -> dict:
    """The block with this id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM blocks WHERE id = ?", (block_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no block with id {block_id}.",
            "Use list_block_children to find block ids.",
        )
    return rows[0]


def _get_comment(world: World, comment_id: str) -> dict:
    """The comment with this id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM comments WHERE id = ?", (comment_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no comment with id {comment_id}.",
            "Use list_comments to find comment ids.",
        )
    return rows[0]


def _get_data_source(world: World, data_source_id: str) -> dict:
    """The data source with this id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM data_sources WHERE id = ?", (data_source_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no data source with id {data_source_id}.",
            "Use search to find data source ids.",
        )
    return rows[0]


def _get_database(world: World, database_id: str) -> dict:
    """The database with this id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM databases WHERE id = ?", (database_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no database with id {database_id}.",
            "Use list_block_children to find database ids.",
        )
    return rows[0]


def _get_page(world: World, page_id: str) -> dict:
    """The page with this id. Raises ToolError(not_found)."""
    rows = world.query("SELECT * FROM pages WHERE id = ?", (page_id,))
    if not rows:
        raise ToolError("not_found", f"There is no page with id {page_id}.", "Use search to find page ids.")
    return rows[0]


def query_data_source(
    world: World,
    data_source_id: str,
    filter: dict | None = None,
    sorts: list[dict] | None = None,
    in_trash: bool = False,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Query the pages of a data source, filtered and sorted.

    Each item carries its property values by name.

    Args:
        data_source_id: The id of the data source.
        filter: A condition {"property": NAME, OPERATOR: VALUE}, or {"and": [...]} / {"or": [...]} of
            such. Operators: equals, does_not_equal, contains, does_not_contain, starts_with, ends_with,
            greater_than, less_than, greater_than_or_equal_to, less_than_or_equal_to, before, after,
            on_or_before, on_or_after; for dates also past_week, past_month, past_year, next_week,
            next_month, next_year, counted from today; is_empty, is_not_empty (these take true). People
            and relations are compared by id. {"timestamp": COLUMN, ...} compares a time of the item;
            COLUMN: created_time or last_edited_time.
        sorts: Sort keys, first one strongest: {"property": NAME, "direction": "ascending" or
            "descending"}, or {"timestamp": COLUMN, ...} with COLUMN created_time or last_edited_time.
        in_trash: True lists the pages that are in the trash instead of the others. Default: false.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with id, title, created_time, last_edited_time, is_archived,
            properties.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. A filter
                or sort has a wrong operator or a value of a wrong type.
            not_found: There is no data source with id <data_source_id>. The <name> is in the trash. A
                filter or sort names a property, a person or an item that is not there.
    """
    _check_text("data_source_id", data_source_id)
    if filter is not None:
        _check_object("filter", filter)
    if sorts is not None:
        _check_list("sorts", sorts, most=5)
        for position, item in enumerate(sorts):
            _check_object(f"sorts[{position}]", item, known=("property", "timestamp", "direction"))
            if item.get("property") is not None:
                _check_text(f"sorts[{position}].property", item["property"])
            if item.get("timestamp") is not None:
                _check_text(f"sorts[{position}].timestamp", item["timestamp"])
            if item.get("direction") is not None:
                _check_choice(f"sorts[{position}].direction", item["direction"], ("ascending", "descending"))
    _check_flag("in_trash", in_trash)
    if start_cursor is not None:
        _check_text("start_cursor", start_cursor)
    _check_integer("page_size", page_size, least=1, most=50)

    data_source = _get_data_source(world, data_source_id)
    trashed = _in_trash(world, kind="data_source", key=data_source["id"], itself=True)
    if trashed is not None:
        raise ToolError("not_found", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    found = _query_items(
        world,
        collection_id=data_source_id,
        condition=filter,
        order=sorts,
        start_cursor=start_cursor,
        page_size=page_size,
        in_trash=in_trash,
    )

    return {"items": found["items"], "next_cursor": found["next_cursor"], "has_more": found["has_more"]}


def search(
    world: World,
    query: str | None = None,
    object_type: str | None = None,
    in_trash: bool = False,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """Search pages and data sources by title, most recently changed first.

    What is in the trash, by itself or with what contains it, is left out unless it is asked for.

    Args:
        query: Text that the title contains, upper and lower case alike; leave out to list everything.
        object_type: Only results of this kind. One of: page, data_source.
        in_trash: True lists the pages and data sources that are in the trash instead of the others.
            Default: false.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with object, id, title, parent, is_archived, last_changed.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                cursor is not one of this tool.
    """
    if query is not None:
        _check_text("query", query)
    if object_type is not None:
        _check_choice("object_type", object_type, ("page", "data_source"))
    _check_flag("in_trash", in_trash)
    if start_cursor is not None:
        _check_text("start_cursor", start_cursor)
    _check_integer("page_size", page_size, least=1, most=50)

    matches = world.query(
        """
        WITH RECURSIVE trash(kind, id) AS (
          SELECT 'page', id FROM pages WHERE in_trash
          UNION
          SELECT 'data_source', id FROM data_sources WHERE in_trash
          UNION
          SELECT 'database', id FROM databases WHERE in_trash
          UNION
          SELECT 'page', c.id
          FROM trash JOIN pages AS c
            ON trash.kind = 'data_source' AND c.parent_data_source_id = trash.id
          UNION
          SELECT 'page', c.id
          FROM trash JOIN pages AS c
            ON trash.kind = 'page' AND c.parent_page_id = trash.id
          UNION
          SELECT 'data_source', c.id
          FROM trash JOIN data_sources AS c
            ON trash.kind = 'database' AND c.database_id = trash.id
          UNION
          SELECT 'database', c.id
          FROM trash JOIN databases AS c
            ON trash.kind = 'page' AND c.parent_page_id = trash.id
        )
        SELECT 'page' AS object, id, title, parent_data_source_id AS data_source_id,
               parent_page_id AS page_id, NULL AS database_id,
               parent_type = 'workspace' AS workspace, is_archived,
               last_edited_time AS last_changed
        FROM pages
        WHERE (:object IS NULL OR :object = 'page')
          AND instr(lower(coalesce(title, '')), lower(:text)) > 0
          AND (id IN (SELECT id FROM trash WHERE kind = 'page')) = :trashed
        UNION ALL
        SELECT 'data_source' AS object, id, title, NULL AS data_source_id, NULL AS page_id,
               database_id, 0 AS workspace, 0 AS is_archived, last_edited_time AS last_changed
        FROM data_sources
        WHERE (:object IS NULL OR :object = 'data_source')
          AND instr(lower(coalesce(title, '')), lower(:text)) > 0
          AND (id IN (SELECT id FROM trash WHERE kind = 'data_source')) = :trashed
        ORDER BY last_changed DESC, object, id
        """,
        {"text": (query or "").strip(), "object": object_type, "trashed": 1 if in_trash else 0},
    )
    found = _page_of_rows(world, rows=matches, start_cursor=start_cursor, page_size=page_size)

    return {
        "items": [
            {
                "object": row["object"],
                "id": row["id"],
                "title": row["title"],
                "parent": {
                    key: value
                    for key, value in {
                        "data_source_id": row["data_source_id"],
                        "page_id": row["page_id"],
                        "database_id": row["database_id"],
                        "workspace": True if row["workspace"] else None,
                    }.items()
                    if value
                    is not None
                },
                "is_archived": bool(row["is_archived"]),
                "last_changed": row["last_changed"],
            }
            for row in found["items"]
        ],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def retrieve_page(world: World, page_id: str) -> dict:
    """Retrieve a page.

    Args:
        page_id: The id of the page.

    Returns:
        page: an object with id, title, parent, in_trash, is_archived, is_locked, icon, cover, url,
            created_by, last_edited_by, created_time, last_edited_time.
        properties: an object.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no page with id <page_id>.
    """
    _check_text("page_id", page_id)

    page = _get_page(world, page_id)
    property_values = _read_properties(world, item_id=page["id"])
    return {"page": _page_details(page), "properties": property_values}


def create_page(
    world: World,
    title: str,
    parent_data_source_id: str | None = None,
    parent_page_id: str | None = None,
    icon: str | None = None,
    cover: str | None = None,
    properties: dict | None = None,
    children: list[dict] | None = None,
) -> dict:
    """Create a page.

    The author is the acting user.

    Args:
        title: The title of the page.
        parent_data_source_id: The id of the data source that contains it.
        parent_page_id: The id of the page that contains it.
        icon: The icon: an emoji, or the URL of an image.
        cover: The URL of the cover image.
        properties: Property values by name: text, number, true/false, option name (a list of names for
            multi-select), date "YYYY-MM-DD" or {"start": ..., "end": ...}, list of ids for people and
            relations; null clears.
        children: Blocks in order: objects with `type`, `text`, `checked`, `language`, `url`; `children`
            nests one level. Types that need `url`: embed, bookmark, image, video, pdf, file, audio,
            link_preview. Make pages with create_page and databases with create_database.

    Returns:
        page: an object with id, title, parent, in_trash, is_archived, is_locked, icon, cover, url,
            created_by, last_edited_by, created_time, last_edited_time.
        properties: an object.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. Give at
                most one of parent_data_source_id and parent_page_id. A value does not fit the type of
                its property. A child has an unknown type or field, or is nested too deeply.
            not_found: There is no data source with id <parent_data_source_id>. There is no page with id
                <parent_page_id>. A property, an option, a person or a related item does not exist. The
                container has no child with the id given as after.
            not_allowed: The <name> is in the trash. The page <title> is archived. A related item is in
                the trash.
    """
    _check_text("title", title)
    if parent_data_source_id is not None:
        _check_text("parent_data_source_id", parent_data_source_id)
    if parent_page_id is not None:
        _check_text("parent_page_id", parent_page_id)
    if icon is not None:
        _check_text("icon", icon)
    if cover is not None:
        _check_text("cover", cover)
    if properties is not None:
        _check_object("properties", properties)
    if children is not None:
        _check_list("children", children, fewest=1, most=100)
        for position, item in enumerate(children):
            _check_object(
                f"children[{position}]",
                item,
                known=("type", "text", "checked", "language", "url", "children"),
                required=("type",),
            )
            _check_choice(f"children[{position}].type", item["type"], _BLOCK_TYPES)
            if item.get("text") is not None:
                _check_text(f"children[{position}].text", item["text"], shortest=0)
            if item.get("checked") is not None:
                _check_flag(f"children[{position}].checked", item["checked"])
            if item.get("language") is not None:
                _check_text(f"children[{position}].language", item["language"])
            if item.get("url") is not None:
                _check_text(f"children[{position}].url", item["url"])
            if item.get("children") is not None:
                _check_list(f"children[{position}].children", item["children"])

    if len([given for given in [parent_data_source_id, parent_page_id] if given is not None]) > 1:
        raise ToolError(
            "invalid_argument",
            "Give at most one of parent_data_source_id and parent_page_id.",
            "Leave all of them out for the top level.",
        )
    if parent_data_source_id is not None:
        parent_data_source = _get_data_source(world, parent_data_source_id)
        trashed = _in_trash(world, kind="data_source", key=parent_data_source["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if parent_page_id is not None:
        parent_page = _get_page(world, parent_page_id)
        trashed = _in_trash(world, kind="page", key=parent_page["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
        if parent_page["is_archived"]:
            raise ToolError(
                "not_allowed",
                f"The page {parent_page['title']!r} is archived.",
                "Restore it with update_page first, or choose another page.",
            )
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    new_key = world.new_id("pages")
    page = {
        "id": new_key,
        "title": title,
        "parent_type": (
            "data_source"
            if parent_data_source_id is not None
            else ("page" if parent_page_id is not None else "workspace")
        ),
        "parent_data_source_id": parent_data_source_id,
        "parent_page_id": parent_page_id,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": icon,
        "cover": cover,
        "url": "https://workspace.example/" + new_key.replace("-", ""),
        "created_by": actor["id"],
        "last_edited_by": actor["id"],
        "created_time": world.now(),
        "last_edited_time": world.now(),
    }
    world.execute(
        """
        INSERT INTO pages (id, title, parent_type, parent_data_source_id, parent_page_id, in_trash,
                           is_archived, is_locked, icon, cover, url, created_by, last_edited_by,
                           created_time, last_edited_time)
        VALUES (:id, :title, :parent_type, :parent_data_source_id, :parent_page_id, :in_trash,
                :is_archived, :is_locked, :icon, :cover, :url, :created_by, :last_edited_by,
                :created_time, :last_edited_time)
        """,
        page,
    )
    if properties is not None:
        _write_properties(
            world,
            item_id=page["id"],
            collection_id=parent_data_source_id,
            properties=properties,
            title=title,
        )
    if children is not None:
        _append_children(
            world,
            parent_page_id=page["id"],
            parent_block_id=None,
            actor=actor["id"],
            children=children,
            after=None,
        )
    page = world.query("SELECT * FROM pages WHERE id = ?", (page["id"],))[0]
    property_values = _read_properties(world, item_id=page["id"])

    return {"page": _page_details(page), "properties": property_values}


def update_page(
    world: World,
    page_id: str,
    in_trash: bool | None = None,
    icon: str | None = None,
    cover: str | None = None,
    is_locked: bool | None = None,
    is_archived: bool | None = None,
    title: str | None = None,
    properties: dict | None = None,
) -> dict:
    """Update a page; only what is given changes.

    Args:
        page_id: The id of the page.
        in_trash: True moves the page to the trash, false restores it.
        icon: The icon: an emoji, or the URL of an image.
        cover: The URL of the cover image.
        is_locked: Whether it is locked.
        is_archived: True moves the page out of use, false restores it.
        title: The title of the page.
        properties: Property values by name: text, number, true/false, option name (a list of names for
            multi-select), date "YYYY-MM-DD" or {"start": ..., "end": ...}, list of ids for people and
            relations; null clears.

    Returns:
        page: an object with id, title, parent, in_trash, is_archived, is_locked, icon, cover, url,
            created_by, last_edited_by, created_time, last_edited_time.
        properties: an object.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. There is
                nothing to change. A value does not fit the type of its property.
            not_found: There is no page with id <page_id>. A property, an option, a person or a related
                item does not exist.
            not_allowed: The <name> is in the trash. The page <title> is in the trash. The page <title>
                is archived. A related item is in the trash.
    """
    _check_text("page_id", page_id)
    if in_trash is not None:
        _check_flag("in_trash", in_trash)
    if icon is not None:
        _check_text("icon", icon)
    if cover is not None:
        _check_text("cover", cover)
    if is_locked is not None:
        _check_flag("is_locked", is_locked)
    if is_archived is not None:
        _check_flag("is_archived", is_archived)
    if title is not None:
        _check_text("title", title)
    if properties is not None:
        _check_object("properties", properties)

    page = _get_page(world, page_id)
    trashed = _in_trash(world, kind="page", key=page["id"], itself=False)
    if trashed is not None:
        raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if page["in_trash"] and in_trash is not False:
        raise ToolError(
            "not_allowed",
            f"The page {page['title']!r} is in the trash.",
            "Set in_trash to false first.",
        )
    if page["is_archived"] and is_archived is not False:
        raise ToolError(
            "not_allowed",
            f"The page {page['title']!r} is archived.",
            "Set is_archived to false first.",
        )
    if (
        in_trash is None
        and icon is None
        and cover is None
        and is_locked is None
        and is_archived is None
        and title is None
        and not properties
    ):
        raise ToolError(
            "invalid_argument",
            "There is nothing to change.",
            "Give at least one of in_trash, icon, cover, is_locked, is_archived, title, properties.",
        )
    if properties is not None:
        _write_properties(
            world,
            item_id=page["id"],
            collection_id=page["parent_data_source_id"],
            properties=properties,
            title=title,
        )
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    changes = _given(
        in_trash=in_trash,
        icon=icon,
        cover=cover,
        is_locked=is_locked,
        is_archived=is_archived,
        title=title,
    )
    changes["last_edited_time"] = world.now()
    changes["last_edited_by"] = actor["id"]
    world.execute(f"UPDATE pages SET {_assignments(changes)} WHERE id = ?", [*changes.values(), page_id])
    page = world.query("SELECT * FROM pages WHERE id = ?", (page["id"],))[0]
    property_values = _read_properties(world, item_id=page["id"])

    return {"page": _page_details(page), "properties": property_values}


def move_page(
    world: World,
    page_id: str,
    parent_data_source_id: str | None = None,
    parent_page_id: str | None = None,
) -> dict:
    """Move a page under another page or into a data source.

    It keeps the property values for which the new data source has a property of the same name and type
    (and an option of the same name); the others are deleted.

    Args:
        page_id: The id of the page.
        parent_data_source_id: The id of the data source to move it into.
        parent_page_id: The id of the page to move it into.

    Returns:
        page: an object with id, title, parent, in_trash, is_archived, is_locked, icon, cover, url,
            created_by, last_edited_by, created_time, last_edited_time.
        properties: an object.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. Give
                exactly one of parent_data_source_id and parent_page_id.
            not_found: There is no page with id <page_id>. There is no data source with id
                <parent_data_source_id>. There is no page with id <parent_page_id>.
            not_allowed: The <name> is in the trash. The page <title> is archived. A page cannot be
                moved into itself or into what it contains.
    """
    _check_text("page_id", page_id)
    if parent_data_source_id is not None:
        _check_text("parent_data_source_id", parent_data_source_id)
    if parent_page_id is not None:
        _check_text("parent_page_id", parent_page_id)

    page = _get_page(world, page_id)
    trashed = _in_trash(world, kind="page", key=page["id"], itself=True)
    if trashed is not None:
        raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if page["is_archived"]:
        raise ToolError(
            "not_allowed",
            f"The page {page['title']!r} is archived.",
            "Restore it with update_page first, or choose another page.",
        )
    if len([given for given in [parent_data_source_id, parent_page_id] if given is not None]) != 1:
        raise ToolError(
            "invalid_argument",
            "Give exactly one of parent_data_source_id and parent_page_id.",
            "Leave out all but one of parent_data_source_id and parent_page_id.",
        )
    if parent_data_source_id is not None:
        parent_data_source = _get_data_source(world, parent_data_source_id)
        trashed = _in_trash(world, kind="data_source", key=parent_data_source["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if parent_page_id is not None:
        parent_page = _get_page(world, parent_page_id)
        trashed = _in_trash(world, kind="page", key=parent_page["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
        if parent_page["is_archived"]:
            raise ToolError(
                "not_allowed",
                f"The page {parent_page['title']!r} is archived.",
                "Restore it with update_page first, or choose another page.",
            )
    rows = world.query(
        """
        WITH RECURSIVE up(kind, id) AS (
          SELECT 'data_sources', :parent_data_source_id WHERE :parent_data_source_id IS NOT NULL
          UNION
          SELECT 'pages', :parent_page_id WHERE :parent_page_id IS NOT NULL
          UNION
          SELECT 'databases', c.database_id
          FROM up JOIN data_sources AS c
            ON up.kind = 'data_sources' AND c.id = up.id
          WHERE c.database_id IS NOT NULL
          UNION
          SELECT 'data_sources', c.parent_data_source_id
          FROM up JOIN pages AS c
            ON up.kind = 'pages' AND c.id = up.id
          WHERE c.parent_data_source_id IS NOT NULL
          UNION
          SELECT 'pages', c.parent_page_id
          FROM up JOIN pages AS c
            ON up.kind = 'pages' AND c.id = up.id
          WHERE c.parent_page_id IS NOT NULL
          UNION
          SELECT 'pages', c.parent_page_id
          FROM up JOIN databases AS c
            ON up.kind = 'databases' AND c.id = up.id
          WHERE c.parent_page_id IS NOT NULL
        )
        SELECT 1 AS found FROM up WHERE kind = 'pages' AND id = :moved LIMIT 1
        """,
        {
            "moved": page["id"],
            "parent_data_source_id": parent_data_source_id,
            "parent_page_id": parent_page_id,
        },
    )
    cycle = rows[0] if rows else None
    if cycle is not None:
        raise ToolError(
            "not_allowed",
            "A page cannot be moved into itself or into what it contains.",
            "Choose a place outside of it.",
        )
    _carry_properties(world, item_id=page["id"], collection_id=parent_data_source_id)
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    world.execute(
        """
        UPDATE pages
        SET parent_data_source_id = ?, parent_page_id = ?, parent_type = ?, last_edited_time = ?,
            last_edited_by = ?
        WHERE id = ?
        """,
        (
            parent_data_source_id,
            parent_page_id,
            "data_source" if parent_data_source_id is not None else "page",
            world.now(),
            actor["id"],
            page_id,
        ),
    )
    page = _get_page(world, page_id)
    property_values = _read_properties(world, item_id=page["id"])

    return {"page": _page_details(page), "properties": property_values}


def list_block_children(
    world: World,
    page_id: str | None = None,
    block_id: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List blocks of a page or a block, in order.

    The databases and pages that are kept right inside of it stand in `child_databases` and
    `child_pages`.

    Args:
        page_id: The id of the page whose blocks are listed.
        block_id: The id of the block whose blocks are listed.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with id, type, parent, text, checked, language, position, created_by,
            created_time, last_edited_time, created_by_name, has_children.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.
        child_databases: a list of objects with id, title.
        child_pages: a list of objects with id, title.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. Give
                exactly one of page_id and block_id. The start_cursor does not come from an earlier
                page.
            not_found: There is no page with id <page_id>. The <name> is in the trash. There is no block
                with id <block_id>.
    """
    if page_id is not None:
        _check_text("page_id", page_id)
    if block_id is not None:
        _check_text("block_id", block_id)
    _check_integer("page_size", page_size, least=1, most=50)

    if len([given for given in [page_id, block_id] if given is not None]) != 1:
        raise ToolError(
            "invalid_argument",
            "Give exactly one of page_id and block_id.",
            "Leave out all but one of page_id and block_id.",
        )
    if page_id is not None:
        parent_page = _get_page(world, page_id)
        trashed = _in_trash(world, kind="page", key=parent_page["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_found", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if block_id is not None:
        parent_block = _get_block(world, block_id)
        trashed = _in_trash(world, kind="block", key=parent_block["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_found", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    where = ["blocks.in_trash = ?"]
    values: list[object] = [0]
    if page_id is not None:
        where.append("blocks.parent_page_id = ?")
        values.append(page_id)
    if block_id is not None:
        where.append("blocks.parent_block_id = ?")
        values.append(block_id)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT blocks.id, blocks.type, blocks.parent_type, blocks.parent_page_id,
               blocks.parent_block_id, blocks.in_trash, blocks.text, blocks.checked,
               blocks.language, blocks.content, blocks.position, blocks.url, blocks.created_by,
               blocks.last_edited_by, blocks.created_time, blocks.last_edited_time,
               created_by.name AS created_by_name
        FROM blocks
        LEFT JOIN users AS created_by ON created_by.id = blocks.created_by
        {_where_all(where)}
        ORDER BY blocks.position, blocks.id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)
    wanted = [row["id"] for row in found["items"]]
    nested = world.query(
        f"""
        SELECT parent_block_id, count(*) AS count
        FROM blocks
        WHERE parent_block_id IN ({_marks(wanted)})
          AND in_trash = ?
        GROUP BY parent_block_id
        ORDER BY parent_block_id
        """,
        [*wanted, 0],
    )
    holders = {row["parent_block_id"] for row in nested}
    child_databases = world.query(
        """
        SELECT id, title
        FROM databases
        WHERE parent_page_id = :container
          AND NOT in_trash
        ORDER BY title, id
        """,
        {"container": page_id},
    )
    child_pages = world.query(
        """
        SELECT id, title
        FROM pages
        WHERE parent_page_id = :container
          AND NOT in_trash
        ORDER BY title, id
        """,
        {"container": page_id},
    )

    return {
        "items": [dict(_block_summary(row), has_children=row["id"] in holders) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
        "child_databases": child_databases,
        "child_pages": child_pages,
    }


def retrieve_block(world: World, block_id: str) -> dict:
    """Retrieve a block.

    Args:
        block_id: The id of the block.

    Returns:
        block: an object with id, type, parent, in_trash, text, checked, language, content, position,
            url, created_by, last_edited_by, created_time, last_edited_time, has_children.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no block with id <block_id>.
    """
    _check_text("block_id", block_id)

    block = _get_block(world, block_id)
    wanted = [block["id"]]
    nested = world.query(
        f"""
        SELECT parent_block_id, count(*) AS count
        FROM blocks
        WHERE parent_block_id IN ({_marks(wanted)})
          AND in_trash = ?
        GROUP BY parent_block_id
        ORDER BY parent_block_id
        """,
        [*wanted, 0],
    )
    holders = {row["parent_block_id"] for row in nested}

    return {"block": dict(_block_details(block), has_children=block["id"] in holders)}


def append_block_children(
    world: World,
    children: list[dict],
    page_id: str | None = None,
    block_id: str | None = None,
    after: str | None = None,
) -> dict:
    """Append blocks to a page or a block.

    Args:
        children: Blocks in order: objects with `type`, `text`, `checked`, `language`, `url`; `children`
            nests one level. Types that need `url`: embed, bookmark, image, video, pdf, file, audio,
            link_preview. Make pages with create_page and databases with create_database.
        page_id: The id of the page to append to.
        block_id: The id of the block to append to.
        after: Insert after this block of the container; leave out to append at the end.

    Returns:
        items: a list of objects with id, type, parent, in_trash, text, checked, language, content,
            position, url, created_by, last_edited_by, created_time, last_edited_time.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. Give
                exactly one of page_id and block_id. A child has an unknown type or field, or is nested
                too deeply.
            not_found: There is no page with id <page_id>. There is no block with id <block_id>. The
                container has no child with the id given as after.
            not_allowed: The <name> is in the trash. The page <title> is archived.
    """
    _check_list("children", children, fewest=1, most=100)
    for position, item in enumerate(children):
        _check_object(
            f"children[{position}]",
            item,
            known=("type", "text", "checked", "language", "url", "children"),
            required=("type",),
        )
        _check_choice(f"children[{position}].type", item["type"], _BLOCK_TYPES)
        if item.get("text") is not None:
            _check_text(f"children[{position}].text", item["text"], shortest=0)
        if item.get("checked") is not None:
            _check_flag(f"children[{position}].checked", item["checked"])
        if item.get("language") is not None:
            _check_text(f"children[{position}].language", item["language"])
        if item.get("url") is not None:
            _check_text(f"children[{position}].url", item["url"])
        if item.get("children") is not None:
            _check_list(f"children[{position}].children", item["children"])
    if page_id is not None:
        _check_text("page_id", page_id)
    if block_id is not None:
        _check_text("block_id", block_id)
    if after is not None:
        _check_text("after", after)

    if len([given for given in [page_id, block_id] if given is not None]) != 1:
        raise ToolError(
            "invalid_argument",
            "Give exactly one of page_id and block_id.",
            "Leave out all but one of page_id and block_id.",
        )
    if page_id is not None:
        parent_page = _get_page(world, page_id)
        trashed = _in_trash(world, kind="page", key=parent_page["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
        if parent_page["is_archived"]:
            raise ToolError(
                "not_allowed",
                f"The page {parent_page['title']!r} is archived.",
                "Restore it with update_page first, or choose another page.",
            )
    if block_id is not None:
        parent_block = _get_block(world, block_id)
        trashed = _in_trash(world, kind="block", key=parent_block["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    added = _append_children(
        world,
        parent_page_id=page_id,
        parent_block_id=block_id,
        actor=actor["id"],
        children=children,
        after=after,
    )
    if page_id is not None:
        world.execute(
            "UPDATE pages SET last_edited_time = ?, last_edited_by = ? WHERE id = ?",
            (world.now(), actor["id"], page_id),
        )
    if block_id is not None:
        world.execute(
            "UPDATE blocks SET last_edited_time = ?, last_edited_by = ? WHERE id = ?",
            (world.now(), actor["id"], block_id),
        )
        _touch_container(world, key=block_id, actor=actor["id"])

    return {"items": [_block_details(row) for row in added]}


def update_block(
    world: World,
    block_id: str,
    in_trash: bool | None = None,
    text: str | None = None,
    checked: bool | None = None,
    language: str | None = None,
    url: str | None = None,
    content: dict | None = None,
) -> dict:
    """Update a block; only what is given changes.

    Args:
        block_id: The id of the block.
        in_trash: True moves the block to the trash, false restores it.
        text: The text of the block.
        checked: Whether it is checked.
        language: The language of the block.
        url: The url of the block.
        content: What the block holds besides its text; the keys depend on its type.

    Returns:
        block: an object with id, type, parent, in_trash, text, checked, language, content, position,
            url, created_by, last_edited_by, created_time, last_edited_time, has_children.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. There is
                nothing to change. A <type> has no text. A <type> has no url.
            not_found: There is no block with id <block_id>.
            not_allowed: The <name> is in the trash. The block is in the trash.
    """
    _check_text("block_id", block_id)
    if in_trash is not None:
        _check_flag("in_trash", in_trash)
    if text is not None:
        _check_text("text", text)
    if checked is not None:
        _check_flag("checked", checked)
    if language is not None:
        _check_text("language", language)
    if url is not None:
        _check_url("url", url)
    if content is not None:
        _check_object("content", content)

    block = _get_block(world, block_id)
    trashed = _in_trash(world, kind="block", key=block["id"], itself=False)
    if trashed is not None:
        raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if block["in_trash"] and in_trash is not False:
        raise ToolError("not_allowed", "The block is in the trash.", "Set in_trash to false first.")
    if (
        in_trash is None
        and text is None
        and checked is None
        and language is None
        and url is None
        and content is None
    ):
        raise ToolError(
            "invalid_argument",
            "There is nothing to change.",
            "Give at least one of in_trash, text, checked, language, url, content.",
        )
    if (
        text is not None
        and block["type"] in ("divider", "breadcrumb", "table_of_contents", "column_list", "column")
    ):
        raise ToolError("invalid_argument", f"A {block['type']} has no text.", "Leave text out.")
    if (
        url is not None
        and block["type"]
        not in ("embed", "bookmark", "image", "video", "pdf", "file", "audio", "link_preview")
    ):
        raise ToolError(
            "invalid_argument",
            f"A {block['type']} has no url.",
            "Types with a url: embed, bookmark, image, video, pdf, file, audio, link_preview.",
        )
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    changes = _given(
        in_trash=in_trash,
        text=text,
        checked=checked,
        language=language,
        url=url,
        content=_to_json(content),
    )
    changes["last_edited_time"] = world.now()
    changes["last_edited_by"] = actor["id"]
    world.execute(f"UPDATE blocks SET {_assignments(changes)} WHERE id = ?", [*changes.values(), block_id])
    _touch_container(world, key=block["id"], actor=actor["id"])
    block = world.query("SELECT * FROM blocks WHERE id = ?", (block["id"],))[0]
    wanted = [block["id"]]
    nested = world.query(
        f"""
        SELECT parent_block_id, count(*) AS count
        FROM blocks
        WHERE parent_block_id IN ({_marks(wanted)})
          AND in_trash = ?
        GROUP BY parent_block_id
        ORDER BY parent_block_id
        """,
        [*wanted, 0],
    )
    holders = {row["parent_block_id"] for row in nested}

    return {"block": dict(_block_details(block), has_children=block["id"] in holders)}


def delete_block(world: World, block_id: str) -> dict:
    """Delete a block.

    The block goes to the trash: lists leave it out, and what it contains cannot be listed.

    Args:
        block_id: The id of the block.

    Returns:
        block_id: text.
        deleted: true or false.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no block with id <block_id>.
            conflict: The <name> is in the trash.
    """
    _check_text("block_id", block_id)

    block = _get_block(world, block_id)
    trashed = _in_trash(world, kind="block", key=block["id"], itself=True)
    if trashed is not None:
        raise ToolError("conflict", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    world.execute(
        """
        UPDATE blocks
        SET in_trash = ?, last_edited_time = ?, last_edited_by = ?
        WHERE id = ?
        """,
        (1, world.now(), actor["id"], block_id),
    )
    _touch_container(world, key=block["id"], actor=actor["id"])

    return {"block_id": block["id"], "deleted": True}


def list_comments(
    world: World,
    page_id: str | None = None,
    block_id: str | None = None,
    start_cursor: str | None = None,
    page_size: int = 20,
) -> dict:
    """List comments of a page or a block.

    Args:
        page_id: The id of the page whose comments are listed.
        block_id: The id of the block whose comments are listed.
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with id, parent, text, discussion_id, display_name, created_by,
            created_time, last_edited_time, created_by_name.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. Give
                exactly one of page_id and block_id. The start_cursor does not come from an earlier
                page.
            not_found: There is no page with id <page_id>. The <name> is in the trash. There is no block
                with id <block_id>.
    """
    if page_id is not None:
        _check_text("page_id", page_id)
    if block_id is not None:
        _check_text("block_id", block_id)
    _check_integer("page_size", page_size, least=1, most=50)

    if len([given for given in [page_id, block_id] if given is not None]) != 1:
        raise ToolError(
            "invalid_argument",
            "Give exactly one of page_id and block_id.",
            "Leave out all but one of page_id and block_id.",
        )
    if page_id is not None:
        parent_page = _get_page(world, page_id)
        trashed = _in_trash(world, kind="page", key=parent_page["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_found", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if block_id is not None:
        parent_block = _get_block(world, block_id)
        trashed = _in_trash(world, kind="block", key=parent_block["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_found", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    where: list[str] = []
    values: list[object] = []
    if page_id is not None:
        where.append("comments.parent_page_id = ?")
        values.append(page_id)
    if block_id is not None:
        where.append("comments.parent_block_id = ?")
        values.append(block_id)
    offset = _offset_of(start_cursor)
    rows = world.query(
        f"""
        SELECT comments.id, comments.parent_type, comments.parent_page_id, comments.parent_block_id,
               comments.text, comments.discussion_id, comments.display_name, comments.created_by,
               comments.created_time, comments.last_edited_time, created_by.name AS created_by_name
        FROM comments
        LEFT JOIN users AS created_by ON created_by.id = comments.created_by
        {_where_all(where)}
        ORDER BY comments.created_time, comments.id
        LIMIT ? OFFSET ?
        """,
        [*values, page_size + 1, offset],
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_comment_summary(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def retrieve_comment(world: World, comment_id: str) -> dict:
    """Retrieve a comment.

    Args:
        comment_id: The id of the comment.

    Returns:
        comment: an object with id, parent, text, discussion_id, display_name, created_by, created_time,
            last_edited_time.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no comment with id <comment_id>.
    """
    _check_text("comment_id", comment_id)

    comment = _get_comment(world, comment_id)
    return {"comment": _comment_details(comment)}


def create_comment(
    world: World,
    text: str,
    parent_page_id: str | None = None,
    parent_block_id: str | None = None,
    display_name: str | None = None,
    discussion_id: str | None = None,
) -> dict:
    """Create a comment.

    The author is the acting user.

    Args:
        text: The text of the comment.
        parent_page_id: The id of the page that it is about.
        parent_block_id: The id of the block that it is about.
        display_name: The display name of the comment.
        discussion_id: Answer in this thread: the discussion id of an earlier comment.

    Returns:
        comment: an object with id, parent, text, discussion_id, display_name, created_by, created_time,
            last_edited_time.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. Give
                exactly one of parent_page_id, parent_block_id and discussion_id.
            not_found: There is no page with id <parent_page_id>. There is no block with id
                <parent_block_id>. There is no discussion with id <discussion_id>.
            not_allowed: The <name> is in the trash. The page <title> is archived.
    """
    _check_text("text", text)
    if parent_page_id is not None:
        _check_text("parent_page_id", parent_page_id)
    if parent_block_id is not None:
        _check_text("parent_block_id", parent_block_id)
    if display_name is not None:
        _check_text("display_name", display_name)
    if discussion_id is not None:
        _check_text("discussion_id", discussion_id)

    if len([given for given in [parent_page_id, parent_block_id, discussion_id] if given is not None]) != 1:
        raise ToolError(
            "invalid_argument",
            "Give exactly one of parent_page_id, parent_block_id and discussion_id.",
            "Leave out all but one of parent_page_id, parent_block_id and discussion_id.",
        )
    if parent_page_id is not None:
        parent_page = _get_page(world, parent_page_id)
        trashed = _in_trash(world, kind="page", key=parent_page["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
        if parent_page["is_archived"]:
            raise ToolError(
                "not_allowed",
                f"The page {parent_page['title']!r} is archived.",
                "Restore it with update_page first, or choose another page.",
            )
    if parent_block_id is not None:
        parent_block = _get_block(world, parent_block_id)
        trashed = _in_trash(world, kind="block", key=parent_block["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    rows = world.query(
        """
        SELECT *
        FROM comments
        WHERE discussion_id = :thread
        ORDER BY created_time, id
        LIMIT 1
        """,
        {"thread": discussion_id},
    )
    thread = rows[0] if rows else None
    if discussion_id is not None and thread is None:
        raise ToolError(
            "not_found",
            f"There is no discussion with id {discussion_id}.",
            "Use list_comments to see discussion ids.",
        )
    if thread is not None:
        trashed = _in_trash(world, kind="comment", key=thread["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    comment = {
        "id": world.new_id("comments"),
        "parent_type": (
            thread["parent_type"]
            if thread is not None
            else ("page" if parent_page_id is not None else "block")
        ),
        "parent_page_id": thread["parent_page_id"] if thread is not None else parent_page_id,
        "parent_block_id": thread["parent_block_id"] if thread is not None else parent_block_id,
        "text": text,
        "discussion_id": discussion_id if discussion_id is not None else world.new_id("comments"),
        "display_name": display_name,
        "created_by": actor["id"],
        "created_time": world.now(),
        "last_edited_time": world.now(),
    }
    world.execute(
        """
        INSERT INTO comments (id, parent_type, parent_page_id, parent_block_id, text, discussion_id,
                              display_name, created_by, created_time, last_edited_time)
        VALUES (:id, :parent_type, :parent_page_id, :parent_block_id, :text, :discussion_id,
                :display_name, :created_by, :created_time, :last_edited_time)
        """,
        comment,
    )
    comment = world.query("SELECT * FROM comments WHERE id = ?", (comment["id"],))[0]

    return {"comment": _comment_details(comment)}


def update_comment(world: World, comment_id: str, text: str) -> dict:
    """Update a comment; only what is given changes.

    Args:
        comment_id: The id of the comment.
        text: The text of the comment.

    Returns:
        comment: an object with id, parent, text, discussion_id, display_name, created_by, created_time,
            last_edited_time.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no comment with id <comment_id>.
            not_allowed: The <name> is in the trash. The comment was written by somebody else.
    """
    _check_text("comment_id", comment_id)
    _check_text("text", text)

    comment = _get_comment(world, comment_id)
    trashed = _in_trash(world, kind="comment", key=comment["id"], itself=True)
    if trashed is not None:
        raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    if comment["created_by"] != actor["id"]:
        raise ToolError(
            "not_allowed",
            "The comment was written by somebody else.",
            "Only its author can change it; get_self shows who you are.",
        )
    world.execute(
        "UPDATE comments SET text = ?, last_edited_time = ? WHERE id = ?",
        (text, world.now(), comment_id),
    )
    comment = world.query("SELECT * FROM comments WHERE id = ?", (comment["id"],))[0]

    return {"comment": _comment_details(comment)}


def retrieve_data_source(world: World, data_source_id: str) -> dict:
    """Retrieve a data source.

    Args:
        data_source_id: The id of the data source.

    Returns:
        data_source: an object with id, title, database_id, in_trash, description, is_inline, icon,
            cover, url, created_by, last_edited_by, created_time, last_edited_time.
        properties: an object.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no data source with id <data_source_id>.
    """
    _check_text("data_source_id", data_source_id)

    data_source = _get_data_source(world, data_source_id)
    definitions = _describe_properties(world, collection_id=data_source["id"])
    return {"data_source": _data_source_details(data_source), "properties": definitions}


def create_data_source(
    world: World,
    database_id: str,
    title: str,
    icon: str | None = None,
    properties: dict | None = None,
) -> dict:
    """Create a data source.

    The author is the acting user.

    Args:
        database_id: The id of the database that contains it.
        title: The title of the data source.
        icon: The icon: an emoji, or the URL of an image.
        properties: Property definitions by name: {"type": TYPE, "options": [names, for select types],
            "data_source_id": id of the one that a relation leads to}; {"name": NEW_NAME} renames, null
            removes. Types: number, select, multi_select, status, relation, title, rich_text, url,
            people, email, phone_number, date, checkbox.

    Returns:
        data_source: an object with id, title, database_id, in_trash, description, is_inline, icon,
            cover, url, created_by, last_edited_by, created_time, last_edited_time.
        properties: an object.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. A
                property definition has an unknown key or type.
            not_found: There is no database with id <database_id>. A property that is to be removed does
                not exist. What a relation is to lead to does not exist or is in the trash.
            not_allowed: The <name> is in the trash.
            conflict: A name is taken, a type would change, or there would not be exactly one title
                property.
    """
    _check_text("database_id", database_id)
    _check_text("title", title)
    if icon is not None:
        _check_text("icon", icon)
    if properties is not None:
        _check_object("properties", properties)

    database = _get_database(world, database_id)
    trashed = _in_trash(world, kind="database", key=database["id"], itself=True)
    if trashed is not None:
        raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    new_key = world.new_id("data_sources")
    data_source = {
        "id": new_key,
        "title": title,
        "database_id": database["id"],
        "in_trash": 0,
        "description": None,
        "is_inline": 0,
        "icon": icon,
        "cover": None,
        "url": "https://workspace.example/" + new_key.replace("-", ""),
        "created_by": actor["id"],
        "last_edited_by": actor["id"],
        "created_time": world.now(),
        "last_edited_time": world.now(),
    }
    world.execute(
        """
        INSERT INTO data_sources (id, title, database_id, in_trash, description, is_inline, icon,
                                  cover, url, created_by, last_edited_by, created_time,
                                  last_edited_time)
        VALUES (:id, :title, :database_id, :in_trash, :description, :is_inline, :icon, :cover, :url,
                :created_by, :last_edited_by, :created_time, :last_edited_time)
        """,
        data_source,
    )
    if properties is not None:
        _define_properties(world, collection_id=data_source["id"], properties=properties)
    data_source = world.query("SELECT * FROM data_sources WHERE id = ?", (data_source["id"],))[0]
    definitions = _describe_properties(world, collection_id=data_source["id"])

    return {"data_source": _data_source_details(data_source), "properties": definitions}


def update_data_source(
    world: World,
    data_source_id: str,
    database_id: str | None = None,
    title: str | None = None,
    description: str | None = None,
    icon: str | None = None,
    in_trash: bool | None = None,
    properties: dict | None = None,
) -> dict:
    """Update a data source; only what is given changes.

    Args:
        data_source_id: The id of the data source.
        database_id: The id of the database to move it into.
        title: The title of the data source.
        description: The description of the data source.
        icon: The icon: an emoji, or the URL of an image.
        in_trash: True moves the data source to the trash, false restores it.
        properties: Property definitions by name: {"type": TYPE, "options": [names, for select types],
            "data_source_id": id of the one that a relation leads to}; {"name": NEW_NAME} renames, null
            removes. Types: number, select, multi_select, status, relation, title, rich_text, url,
            people, email, phone_number, date, checkbox.

    Returns:
        data_source: an object with id, title, database_id, in_trash, description, is_inline, icon,
            cover, url, created_by, last_edited_by, created_time, last_edited_time.
        properties: an object.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. There is
                nothing to change. A property definition has an unknown key or type.
            not_found: There is no data source with id <data_source_id>. There is no database with id
                <database_id>. A property that is to be removed does not exist. What a relation is to
                lead to does not exist or is in the trash.
            not_allowed: The <name> is in the trash. The data source <title> is in the trash.
            conflict: A name is taken, a type would change, or there would not be exactly one title
                property.
    """
    _check_text("data_source_id", data_source_id)
    if database_id is not None:
        _check_text("database_id", database_id)
    if title is not None:
        _check_text("title", title)
    if description is not None:
        _check_text("description", description)
    if icon is not None:
        _check_text("icon", icon)
    if in_trash is not None:
        _check_flag("in_trash", in_trash)
    if properties is not None:
        _check_object("properties", properties)

    data_source = _get_data_source(world, data_source_id)
    trashed = _in_trash(world, kind="data_source", key=data_source["id"], itself=False)
    if trashed is not None:
        raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if data_source["in_trash"] and in_trash is not False:
        raise ToolError(
            "not_allowed",
            f"The data source {data_source['title']!r} is in the trash.",
            "Set in_trash to false first.",
        )
    if (
        database_id is None
        and title is None
        and description is None
        and icon is None
        and in_trash is None
        and not properties
    ):
        raise ToolError(
            "invalid_argument",
            "There is nothing to change.",
            "Give at least one of database_id, title, description, icon, in_trash, properties.",
        )
    if database_id is not None:
        given_database_id = _get_database(world, database_id)
        trashed = _in_trash(world, kind="database", key=given_database_id["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if properties is not None:
        _define_properties(world, collection_id=data_source["id"], properties=properties)
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    changes = _given(
        database_id=database_id,
        title=title,
        description=description,
        icon=icon,
        in_trash=in_trash,
    )
    changes["last_edited_time"] = world.now()
    changes["last_edited_by"] = actor["id"]
    world.execute(
        f"UPDATE data_sources SET {_assignments(changes)} WHERE id = ?",
        [*changes.values(), data_source_id],
    )
    data_source = world.query("SELECT * FROM data_sources WHERE id = ?", (data_source["id"],))[0]
    definitions = _describe_properties(world, collection_id=data_source["id"])

    return {"data_source": _data_source_details(data_source), "properties": definitions}


def list_users(world: World, start_cursor: str | None = None, page_size: int = 20) -> dict:
    """List users.

    Args:
        start_cursor: The next_cursor of the previous page; leave out for the first page.
        page_size: How many items to return, at most 50. Default: 20.

    Returns:
        items: a list of objects with id, name, type, email.
        next_cursor: where the next page starts; null on the last page.
        has_more: whether there is a next page.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. The
                start_cursor does not come from an earlier page.
    """
    _check_integer("page_size", page_size, least=1, most=50)

    offset = _offset_of(start_cursor)
    rows = world.query(
        "SELECT id, name, type, email FROM users ORDER BY name, id LIMIT ? OFFSET ?",
        (page_size + 1, offset),
    )
    found = _page(rows, page_size, offset)

    return {
        "items": [_user_details(row) for row in found["items"]],
        "next_cursor": found["next_cursor"],
        "has_more": found["has_more"],
    }


def get_self(world: World) -> dict:
    """Retrieve the user that these tools act as.

    What the other tools create or change is recorded under this name.

    Returns:
        user: an object with id, name, type, email.
    """
    actor = world.query("SELECT * FROM users ORDER BY type = 'bot' DESC, id LIMIT 1")[0]
    return {"user": _user_details(actor)}


def retrieve_user(world: World, user_id: str) -> dict:
    """Retrieve a user.

    Args:
        user_id: The id of the user.

    Returns:
        user: an object with id, name, type, email.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no user with id <user_id>.
    """
    _check_text("user_id", user_id)

    rows = world.query("SELECT * FROM users WHERE id = ?", (user_id,))
    if not rows:
        raise ToolError(
            "not_found",
            f"There is no user with id {user_id}.",
            "Use list_users to find user ids.",
        )
    user = rows[0]

    return {"user": _user_details(user)}


def retrieve_database(world: World, database_id: str) -> dict:
    """Retrieve a database.

    Args:
        database_id: The id of the database.

    Returns:
        database: an object with id, title, parent, in_trash, description, is_inline, is_locked, icon,
            cover, url, created_time, last_edited_time.
        data_sources: a list of objects with id, title.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no database with id <database_id>.
    """
    _check_text("database_id", database_id)

    database = _get_database(world, database_id)
    data_sources = world.query(
        """
        SELECT id, title
        FROM data_sources
        WHERE database_id = ?
          AND in_trash = ?
        ORDER BY title, id
        """,
        (database["id"], 0),
    )

    return {"database": _database_details(database), "data_sources": data_sources}


def create_database(
    world: World,
    title: str,
    parent_page_id: str | None = None,
    description: str | None = None,
    is_inline: bool | None = None,
    icon: str | None = None,
    cover: str | None = None,
) -> dict:
    """Create a database.

    Args:
        title: The title of the database.
        parent_page_id: The id of the page that contains it.
        description: The description of the database.
        is_inline: Whether it is inline.
        icon: The icon: an emoji, or the URL of an image.
        cover: The URL of the cover image.

    Returns:
        database: an object with id, title, parent, in_trash, description, is_inline, is_locked, icon,
            cover, url, created_time, last_edited_time.
        data_sources: a list of objects with id, title.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above.
            not_found: There is no page with id <parent_page_id>.
            not_allowed: The <name> is in the trash. The page <title> is archived.
    """
    _check_text("title", title)
    if parent_page_id is not None:
        _check_text("parent_page_id", parent_page_id)
    if description is not None:
        _check_text("description", description)
    if is_inline is not None:
        _check_flag("is_inline", is_inline)
    if icon is not None:
        _check_text("icon", icon)
    if cover is not None:
        _check_text("cover", cover)

    if parent_page_id is not None:
        parent_page = _get_page(world, parent_page_id)
        trashed = _in_trash(world, kind="page", key=parent_page["id"], itself=True)
        if trashed is not None:
            raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
        if parent_page["is_archived"]:
            raise ToolError(
                "not_allowed",
                f"The page {parent_page['title']!r} is archived.",
                "Restore it with update_page first, or choose another page.",
            )
    new_key = world.new_id("databases")
    database = {
        "id": new_key,
        "title": title,
        "parent_type": "page" if parent_page_id is not None else "workspace",
        "parent_page_id": parent_page_id,
        "in_trash": 0,
        "description": description,
        "is_inline": is_inline if is_inline is not None else 0,
        "is_locked": 0,
        "icon": icon,
        "cover": cover,
        "url": "https://workspace.example/" + new_key.replace("-", ""),
        "created_time": world.now(),
        "last_edited_time": world.now(),
    }
    world.execute(
        """
        INSERT INTO databases (id, title, parent_type, parent_page_id, in_trash, description,
                               is_inline, is_locked, icon, cover, url, created_time,
                               last_edited_time)
        VALUES (:id, :title, :parent_type, :parent_page_id, :in_trash, :description, :is_inline,
                :is_locked, :icon, :cover, :url, :created_time, :last_edited_time)
        """,
        database,
    )
    database = world.query("SELECT * FROM databases WHERE id = ?", (database["id"],))[0]
    data_sources = world.query(
        """
        SELECT id, title
        FROM data_sources
        WHERE database_id = ?
          AND in_trash = ?
        ORDER BY title, id
        """,
        (database["id"], 0),
    )

    return {"database": _database_details(database), "data_sources": data_sources}


def update_database(
    world: World,
    database_id: str,
    title: str | None = None,
    description: str | None = None,
    is_inline: bool | None = None,
    icon: str | None = None,
    cover: str | None = None,
    in_trash: bool | None = None,
    is_locked: bool | None = None,
) -> dict:
    """Update a database; only what is given changes.

    Args:
        database_id: The id of the database.
        title: The title of the database.
        description: The description of the database.
        is_inline: Whether it is inline.
        icon: The icon: an emoji, or the URL of an image.
        cover: The URL of the cover image.
        in_trash: True moves the database to the trash, false restores it.
        is_locked: Whether it is locked.

    Returns:
        database: an object with id, title, parent, in_trash, description, is_inline, is_locked, icon,
            cover, url, created_time, last_edited_time.
        data_sources: a list of objects with id, title.

    Raises:
        ToolError: with the code
            invalid_argument: An argument is missing, malformed or outside of the limits above. There is
                nothing to change.
            not_found: There is no database with id <database_id>.
            not_allowed: The <name> is in the trash. The database <title> is in the trash.
    """
    _check_text("database_id", database_id)
    if title is not None:
        _check_text("title", title)
    if description is not None:
        _check_text("description", description)
    if is_inline is not None:
        _check_flag("is_inline", is_inline)
    if icon is not None:
        _check_text("icon", icon)
    if cover is not None:
        _check_text("cover", cover)
    if in_trash is not None:
        _check_flag("in_trash", in_trash)
    if is_locked is not None:
        _check_flag("is_locked", is_locked)

    database = _get_database(world, database_id)
    trashed = _in_trash(world, kind="database", key=database["id"], itself=False)
    if trashed is not None:
        raise ToolError("not_allowed", f"The {trashed['name']} is in the trash.", f"{trashed['hint']}")
    if database["in_trash"] and in_trash is not False:
        raise ToolError(
            "not_allowed",
            f"The database {database['title']!r} is in the trash.",
            "Set in_trash to false first.",
        )
    if (
        title is None
        and description is None
        and is_inline is None
        and icon is None
        and cover is None
        and in_trash is None
        and is_locked is None
    ):
        raise ToolError(
            "invalid_argument",
            "There is nothing to change.",
            "Give at least one of title, description, is_inline, icon, cover, in_trash, is_locked.",
        )
    changes = _given(
        title=title,
        description=description,
        is_inline=is_inline,
        icon=icon,
        cover=cover,
        in_trash=in_trash,
        is_locked=is_locked,
    )
    changes["last_edited_time"] = world.now()
    world.execute(
        f"UPDATE databases SET {_assignments(changes)} WHERE id = ?",
        [*changes.values(), database_id],
    )
    database = world.query("SELECT * FROM databases WHERE id = ?", (database["id"],))[0]
    data_sources = world.query(
        """
        SELECT id, title
        FROM data_sources
        WHERE database_id = ?
          AND in_trash = ?
        ORDER BY title, id
        """,
        (database["id"], 0),
    )

    return {"database": _database_details(database), "data_sources": data_sources}
