"""Containers of a row, walked upwards: what of them is in the trash, and which of them counts as changed."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from envforge.build.adapters.spec import AdapterSpec
from envforge.build.adapters.tables import content_table, parents_of, people_of, role_of, trash_flags
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Table

_TRASHED = '''
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
'''

_TOUCH = '''
def _touch_container(world: World, key: str, $actor_parameter) -> None:
    """Record that something changed on the container that a $label is in, through all ${label}s around it."""
    row = world.query("SELECT * FROM $table WHERE $key = ?", (key,))[0]
    if row["$own"] is not None:
        _touch_container(world, row["$own"], $actor)
$updates'''

_UPDATE = """    if row["$column"] is not None:
        world.execute(
            "UPDATE $table SET $sets WHERE $key = ?",
            ($values, row["$column"]),
        )
"""


def container_tables(tables: Mapping[str, Table], start: Table) -> list[Table]:
    """The tables whose rows can contain a row of `start`, directly or not, in the order they are met."""
    found: list[Table] = []
    waiting = [start]
    while waiting:
        table = waiting.pop(0)
        for column in parents_of(table):
            holder = tables.get(column.references.table) if column.references else None
            if holder is not None and holder not in found:
                found.append(holder)
                waiting.append(holder)
    return found


def can_be_in_trash(tables: Mapping[str, Table], table: Table) -> bool:
    """True if a container of the table's rows, near or far, can be in the trash."""
    return table.kind == "entity" and any(trash_flags(holder) for holder in container_tables(tables, table))


def _contained(blueprint: Blueprint) -> list[Table]:
    """Tables whose rows are kept in containers that can be in the trash, and the tables of those containers."""
    tables = {table.name: table for table in blueprint.tables}
    found: dict[str, Table] = {}
    for table in blueprint.tables:
        if can_be_in_trash(tables, table):
            found |= {one.name: one for one in (table, *container_tables(tables, table))}
    return [found[name] for name in sorted(found)]


def trashed_functions(blueprint: Blueprint) -> dict[str, str]:
    """The walk up through containers, and what it knows of each kind of row."""
    tables = {table.name: table for table in blueprint.tables}
    kinds = _contained(blueprint)
    rows, holders, hints, labels = "_ROWS = {\n", "_CONTAINERS = {\n", "_RESTORING = {\n", "_LABELS = {\n"
    for table in kinds:
        flags = " OR ".join(flag.name for flag in trash_flags(table)) or "0"
        called = role_of(table, "title") or table.primary_key[0]
        query = f"SELECT *, {flags} AS trashed, {called} AS called FROM {table.name} WHERE {table.primary_key[0]} = ?"
        rows += f'    "{table.entity}": "{query}",\n'
        labels += f'    "{table.entity}": "{table.label}",\n'
        pairs = [
            f'("{column.name}", "{tables[column.references.table].entity}")'
            for column in parents_of(table)
            if column.references and column.references.table in tables
        ]
        listed = "".join(f"{pair}, " for pair in pairs).rstrip() if len(pairs) == 1 else ", ".join(pairs)
        holders += f'    "{table.entity}": ({listed}),\n'
        hints += f'    "{table.entity}": "{_restoring(blueprint, table)}",\n' if trash_flags(table) else ""
    known = {text.split(" ")[0]: text + "}\n" for text in (rows, labels, holders, hints)}
    return {**known, "_in_trash": _TRASHED.lstrip("\n")}


def _restoring(blueprint: Blueprint, table: Table) -> str:
    """The tool that takes a row out of the trash, in a sentence."""
    flags = {flag.name for flag in trash_flags(table)}
    for operation in blueprint.operations:
        names = {parameter.name for parameter in operation.parameters}
        if operation.verb == "update" and operation.entity == table.entity and flags & names:
            return f"Restore it with {operation.name} first, or choose another {table.label}."
    return f"Choose {table.label}s that are not in the trash."


def touch_functions(blueprint: Blueprint) -> dict[str, str]:
    """The walk up from a piece of content to the container that shows it."""
    content = content_table(blueprint)
    actor = bool(people_of(content))
    own = next(c.name for c in parents_of(content) if c.references and c.references.table == content.name)
    updates = ""
    for column in parents_of(content):
        if column.references is None or column.references.table == content.name:
            continue
        holder = blueprint.table(column.references.table)
        sets, values = _sets(holder, actor)
        if sets:
            known = {"table": holder.name, "sets": ", ".join(f"{name} = ?" for name in sets), "column": column.name}
            updates += Template(_UPDATE).substitute(known, key=holder.primary_key[0], values=", ".join(values))
    known = {"actor_parameter": "actor: str" if actor else "", "actor": "actor" if actor else "", "own": own}
    text = Template(_TOUCH).substitute(
        known, label=content.label, table=content.name, key=content.primary_key[0], updates=updates
    )
    return {"_touch_container": text.replace(", )", ")").lstrip("\n")}


def _sets(holder: Table, actor: bool) -> tuple[list[str], list[str]]:
    """Columns of a container that say when and by whom it changed, and their values."""
    times = [column.name for column in holder.columns if column.role == "updated_at"]
    people = [column.name for column in people_of(holder) if column.role == "editor"] if actor and times else []
    return [*times, *people], [*("world.now()" for _ in times), *("actor" for _ in people)]


def _container_names(blueprint: Blueprint) -> tuple[str, ...]:
    return tuple(table.name for table in _contained(blueprint))


def _content_name(blueprint: Blueprint) -> tuple[str, ...]:
    return (content_table(blueprint).name,)


def touched_tables(blueprint: Blueprint) -> tuple[str, ...]:
    """Tables of the containers that a change of content shows in."""
    content = content_table(blueprint)
    held = {column.references.table for column in parents_of(content) if column.references} - {content.name}
    return tuple(sorted(name for name in held if _sets(blueprint.table(name), actor=False)[0]))


IN_TRASH = AdapterSpec("in_trash", "_in_trash", trashed_functions, reads=_container_names)
TOUCH_CONTAINER = AdapterSpec(
    "touch_container", "_touch_container", touch_functions, reads=_content_name, writes=touched_tables
)
