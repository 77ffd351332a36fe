"""Typed, ordered pieces of content in a container: append them in place, with positions kept dense."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from string import Template

from envforge.build.adapters.spec import AdapterSpec
from envforge.build.adapters.tables import DEAD, content_table, parents_of, people_of, role_of, trash_flags
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Column, Table

_APPEND = '''
def _append_children(
    world: World,
$parent_parameters$actor_parameter    children: list,
    after: str | None,
) -> list[dict]:
    """Insert typed children into a container, at its end or after one of its children."""
    parent = $parent
    position = _position_after(world, parent, after)
    world.execute(
        """
        UPDATE $table SET $position = $position + :count
        WHERE $inside
          AND $position >= :first
        """,
        {"count": len(children), "first": position} | parent,
    )
    added = []
    for index, child in enumerate(children):
        row = _insert_child(world, parent, position + index, child$actor)
        added.append(row)
        nested = child.get("children") or []
        _check_list("children", nested, most=100)
        for place, grandchild in enumerate(nested):
            if isinstance(grandchild, dict) and grandchild.get("children"):
                hint = "Append the rest to the child."
                raise ToolError("invalid_argument", "Children nest one level deep.", hint)
            inside = $nested_parent
            _insert_child(world, inside, place, grandchild$actor)$mark_nested
    return added
'''

_POSITION = '''
def _position_after(world: World, parent: dict, after: str | None) -> int:
    """The position behind a child of the container, or behind its last one."""
    if after is None:
        query = """
        SELECT coalesce(max($position) + 1, 0) AS next
        FROM $table
        WHERE $inside
        """
        return world.query(query, parent)[0]["next"]
    query = """
        SELECT $position AS place
        FROM $table
        WHERE $key = :after
          AND $inside$alive
        """
    rows = world.query(query, {"after": after} | parent)
    if not rows:
        hint = "List its children to see ids."
        raise ToolError("not_found", f"The container has no child {after!r:.80}.", hint)
    return rows[0]["place"] + 1
'''

_INSERT = '''
def _insert_child(world: World, parent: dict, position: int, child: object$actor_typed) -> dict:
    """One new child. Raises ToolError when its type or a field of it is unknown or does not fit."""
    _check_object("a child", child, known=$known_name, required=("type",))
    _check_choice("type", child["type"], $types)
    _check_child(child)
    row = {
$values    }
    world.execute(
        """
        INSERT INTO $table
            ($columns)
        VALUES
            ($marks)
        """,
        row,
    )
    return row
'''


_CHECK = '''
def _check_child(child: dict) -> None:
    """Refuse fields that are malformed or that a child of this type does not have."""
$checks$rules'''


def plain_columns(table: Table) -> tuple[Column, ...]:
    """Columns a caller may set besides type and text."""
    skipped = {"type", "position", "created_at", "updated_at", "author", "parent", "state", "body", "id"}
    return tuple(
        column
        for column in table.columns
        if column.name not in table.primary_key
        and column.role not in skipped
        and not column.references
        and column.type in {"text", "boolean", "integer", "real"}
        and column.name not in DEAD
        and not column.name.startswith(("parent_", "has_"))
    )


def _known_type(table: Table) -> Column | None:
    return next((column for column in table.columns if column.name == "parent_type"), None)


def append_functions(blueprint: Blueprint) -> dict[str, str]:
    """Functions that insert typed children."""
    table = content_table(blueprint)
    constants = {types_name(table): child_types(blueprint.tables, table), _fields_name(table): _fields(table)}
    constants |= {name: shown for name, shown in _ruled(table, constants[types_name(table)]).items() if shown}
    return {
        name: f"{name} = (\n" + "".join(f'    "{one}",\n' for one in shown) + ")\n" for name, shown in constants.items()
    } | {
        name: Template(text).substitute(_names(table) | {"rules": _rules(blueprint.tables, table)}).lstrip("\n")
        for name, text in (
            ("_append_children", _APPEND),
            ("_position_after", _POSITION),
            ("_insert_child", _INSERT),
            ("_check_child", _CHECK),
        )
    }


def types_name(table: Table) -> str:
    """The constant that lists the types of content."""
    return f"_{table.entity.upper()}_TYPES"


def _fields_name(table: Table) -> str:
    return f"_{table.entity.upper()}_FIELDS"


def _fields(table: Table) -> tuple[str, ...]:
    """What a caller may say of a child."""
    body = role_of(table, "body")
    return ("type", *([body] if body else []), *(column.name for column in plain_columns(table)), "children")


def child_types(tables: Sequence[Table], table: Table) -> tuple[str, ...]:
    """Types that a caller may give: not those that stand for rows of another table, which other tools make."""
    kind = next(column for column in table.columns if column.role == "type")
    others = [one.entity for one in tables if one.name != table.name and role_of(one, "title")]
    return tuple(value for value in kind.enum if not any(f"_{name}_" in f"_{value}_" for name in others))


WITHOUT_TEXT = ("breadcrumb", "column", "column_list", "divider", "separator", "table_of_contents")
"""Types of content, in the words that sources use, that hold no text."""
WITH_URL = ("audio", "bookmark", "embed", "file", "image", "link_preview", "pdf", "video")
"""Types of content that show what is at an address."""


def url_field(table: Table) -> str | None:
    """The field for an address, if callers may give one."""
    return next((column.name for column in plain_columns(table) if column.role == "url" or column.name == "url"), None)


def _ruled(table: Table, types: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Constants that list the types with rules of their own."""
    name = table.entity.upper()
    without = tuple(one for one in WITHOUT_TEXT if one in types) if role_of(table, "body") else ()
    held = tuple(one for one in WITH_URL if one in types) if url_field(table) else ()
    return {f"_{name}S_WITHOUT_TEXT": without, f"_{name}S_WITH_URL": held}


def _rules(tables: Sequence[Table], table: Table) -> str:
    """Checks of fields that depend on the type."""
    without, held = _ruled(table, child_types(tables, table)).items()
    text, body, url = "", role_of(table, "body"), url_field(table)
    if without[1]:
        text += f'''    if child["type"] in {without[0]} and child.get("{body}"):
        raise ToolError("invalid_argument", f"A {{child['type']}} holds no {body}.", "Leave it out.")
'''
    if held[1]:
        text += f'''    if child["type"] in {held[0]}:
        _check_url("{url}", child.get("{url}"))
    elif child.get("{url}") is not None:
        hint = f"Types with a {url}: {{', '.join({held[0]})}}."
        raise ToolError("invalid_argument", f"A {{child['type']}} has no {url}.", hint)
'''
    return text


def _names(table: Table) -> dict[str, str]:
    parents = [column.name for column in parents_of(table)]
    body, kind, position = role_of(table, "body"), role_of(table, "type"), role_of(table, "position")
    assert kind and position
    values = _row_values(table, body, kind, position)
    held = next((c.name for c in table.columns if c.name == "has_children"), None)
    mark = (
        f'\n            world.execute("UPDATE {table.name} SET has_children = 1 WHERE {table.primary_key[0]} = ?", '
        f'(row["{table.primary_key[0]}"],))'
        if held
        else ""
    )
    actor = bool(people_of(table))
    return {
        "actor_parameter": "    actor: str,\n" if actor else "",
        "actor_typed": ", actor: str" if actor else "",
        "actor": ", actor" if actor else "",
        "table": table.name,
        "key": table.primary_key[0],
        "position": position,
        "parent_parameters": "".join(f"    {name}: str | None,\n" for name in parents),
        "parent": "{" + ", ".join(f'"{name}": {name}' for name in parents) + "}",
        "inside": "\n          AND ".join(f"{name} IS :{name}" for name in parents),
        "alive": "".join(f"\n          AND NOT {flag.name}" for flag in trash_flags(table)),
        "nested_parent": _nested_parent(table),
        "mark_nested": mark,
        "known_name": _fields_name(table),
        "types": types_name(table),
        "checks": "".join(_check(column) for column in plain_columns(table)) + (_check_body(body) if body else ""),
        "values": "".join(f'        "{name}": {value},\n' for name, value in values.items()),
        "columns": _wrapped(list(values)),
        "marks": _wrapped([f":{name}" for name in values]),
    }


def _nested_parent(table: Table) -> str:
    """The parent of a grandchild: the child, by the column that refers to its own table."""
    pairs = {column.name: "None" for column in parents_of(table)}
    for column in parents_of(table):
        if column.references and column.references.table == table.name:
            pairs[column.name] = f'row["{column.references.column}"]'
    return "{" + ", ".join(f'"{name}": {value}' for name, value in pairs.items()) + "}"


def _check_body(body: str) -> str:
    return f'    if child.get("{body}") is not None:\n        _check_text("{body}", child["{body}"], shortest=0)\n'


def _check(column: Column) -> str:
    call = {
        "boolean": f'_check_flag("{column.name}", child["{column.name}"])',
        "integer": f'_check_integer("{column.name}", child["{column.name}"])',
        "real": f'_check_number("{column.name}", child["{column.name}"])',
    }.get(column.type, f'_check_text("{column.name}", child["{column.name}"], shortest=0)')
    if column.enum:
        call = f'_check_choice("{column.name}", child["{column.name}"], {_tuple(column.enum)})'
    return f'    if child.get("{column.name}") is not None:\n        {call}\n'


def _row_values(table: Table, body: str | None, kind: str, position: str) -> dict[str, str]:
    """Column → Python expression for the new row; nobody states the rest, which hold their default or NULL."""
    values: dict[str, str] = {}
    parents = {column.name for column in parents_of(table)}
    plain = {column.name for column in plain_columns(table)}
    for column in table.columns:
        name = column.name
        if name in table.primary_key:
            values[name] = f'world.new_id("{table.name}")'
        elif name == "parent_type":
            values[name] = _kind_of_parent(table)
        elif name in parents:
            values[name] = f'parent["{name}"]'
        elif name == position:
            values[name] = "position"
        elif name == kind:
            values[name] = 'child["type"]'
        elif name == body:
            values[name] = f'child.get("{name}")' if column.nullable else f'child.get("{name}") or ""'
        elif column.role in {"created_at", "updated_at"}:
            values[name] = "world.now()"
        elif column in people_of(table):
            values[name] = "actor"
        elif name in plain:
            values[name] = _plain_value(column)
        elif not column.nullable and column.type == "boolean":
            values[name] = "0"
        else:
            values[name] = repr(column.default)
    return values


def _plain_value(column: Column) -> str:
    """The stored form of a field that may be left out."""
    if column.type == "boolean":
        given = f'child.get("{column.name}")'
        return given if column.nullable else f"int(bool({given}))"
    if column.nullable:
        return f'child.get("{column.name}")'
    return f'child.get("{column.name}", {column.default!r})'


def _kind_of_parent(table: Table) -> str:
    """Which kind of parent is set, in the words of the discriminator."""
    kind = _known_type(table)
    values = kind.enum if kind else ()
    parents = parents_of(table)
    text = ""
    for column in reversed(parents):
        key = column.name.removeprefix("parent_")
        word = next((value for value in values if value in {key, key.removesuffix("_id")}), key)
        text = f'"{word}" if parent["{column.name}"] is not None else {text}' if text else f'"{word}"'
    return text


def _wrapped(names: Sequence[str]) -> str:
    """Names on lines of at most 100 columns."""
    return f"\n{' ' * 13}".join(textwrap.wrap(", ".join(names), 87))


def _tuple(values: tuple[str, ...]) -> str:
    return "(" + ", ".join(f'"{value}"' for value in values) + ("," if len(values) == 1 else "") + ")"


def _content_tables(blueprint: Blueprint) -> tuple[str, ...]:
    return (content_table(blueprint).name,)


APPEND_CHILDREN = AdapterSpec(
    "append_children",
    "_append_children",
    append_functions,
    reads=_content_tables,
    writes=_content_tables,
    errors=(
        ("invalid_argument", "a child has an unknown type or field, or is nested too deeply"),
        ("not_found", "the container has no child with the id given as after"),
    ),
)
