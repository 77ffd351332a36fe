"""Free-text search over the titles of one table, or of several at once."""

# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

from typing import Any

from envforge.build.adapters.containers import container_tables
from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.reading import draw_list, finish, page_value, trash_parameter
from envforge.build.blueprint.views import parent_key, parent_roots, parent_schema
from envforge.core.records.blueprint import Adapter, Operation, Parameter, Return, Sql
from envforge.core.records.domain import BoundOperation, Table


def draw_search(drawing: Drawing, operation: BoundOperation) -> Operation:
    """Free-text search over the titles of one table, or of several at once."""
    query = next(iter(parts.given_meaning(operation, "query")), None)
    if query is None:
        return draw_list(drawing, operation)
    tables = [drawing.table(name) for name in (operation.table, *operation.also)]
    if any(facts.label_column(table) is None for table in tables):
        raise CannotDraw("no_title", f"{operation.name} searches a table whose rows have no title")
    page = parts.page_of(operation)
    name = query.name
    text = Parameter(
        name=name,
        json_schema={"type": "string"},
        required=False,
        description="Text that the title contains, upper and lower case alike; leave out to list everything.",
    )
    choice = next((one.name for one in operation.parameters if one.op == "entity"), "object")
    kind = Parameter(
        name=choice,
        json_schema={"type": "string", "enum": [table.entity for table in tables]},
        required=False,
        description="Only results of this kind.",
    )
    several = len(tables) > 1
    trashed = trash_parameter(*tables)
    values = {"text": f"({name} or '').strip()", "object": kind.name if several else "None"}
    if trashed:
        values["trashed"] = f"1 if {trashed[0].name} else 0"
    labels = " and ".join(
        filter(None, [", ".join(facts.words(t.name) for t in tables[:-1]), facts.words(tables[-1].name)])
    )
    described = "What is in the trash, by itself or with what contains it, is left out unless it is asked for."
    return finish(
        operation,
        summary=f"Search {labels} by title, most recently changed first.",
        description=described if trashed else "",
        parameters=[text, *([kind] if several else []), *trashed, *parts.page_parameters(page)],
        steps=[
            Sql(name="matches", query=_union(drawing, tables, trash=bool(trashed)), parameters=values),
            Adapter(
                name="found",
                adapter="page_of_rows",
                arguments={"rows": "matches", "start_cursor": page.cursor, "page_size": page.size},
            ),
            Return(value=page_value(f"[{_match(tables)} for row in found.items]")),
        ],
        returns=parts.page_returns(_match_schema(drawing, tables)),
    )


def _match(tables: list[Table]) -> str:
    """How one result is shown: the parent tells equal titles apart."""
    keys = _parent_keys(tables)
    pairs = [f'"{key}": row.{_alias(key)}' for key in keys]
    pairs += [f'"{root}": True if row.{root} else None' for root in _roots(tables)]
    parent = "{key: value for key, value in {" + ", ".join(pairs) + "}.items() if value is not None}"
    shown = {name: f"row.{name}" for name in ("object", "id", "title")}
    shown |= {"parent": parent} if pairs else {}
    shown |= {flag: f"bool(row.{flag})" for flag in _kept_flags(tables)}
    shown |= {"last_changed": "row.last_changed"}
    return "{" + ", ".join(f'"{name}": {text}' for name, text in shown.items()) + "}"


def _parent_keys(tables: list[Table]) -> list[str]:
    """Keys of the parent object: which of them a result has depends on its kind."""
    return list(dict.fromkeys(parent_key(column) for table in tables for column, _ in facts.parent_columns(table)))


def _alias(key: str) -> str:
    """The result's column for a key of the parent: a parent of the same kind is told by a bare id, as the row is."""
    return f"parent_{key}" if key in {"object", "id", "title", "last_changed"} else key


def _roots(tables: list[Table]) -> list[str]:
    return list(dict.fromkeys(root for table in tables if facts.parent_type(table) for root in parent_roots(table)))


def _kept_flags(tables: list[Table]) -> list[str]:
    """Flags of rows that are out of use and shown all the same: archived."""
    flags = [flag for table in tables for flag in facts.dead_flags(table) if flag not in facts.trash_flags(table)]
    return list(dict.fromkeys(flag.name for flag in flags))


def _union(drawing: Drawing, tables: list[Table], *, trash: bool) -> str:
    """SELECT of all matching rows as (object, id, title, parent, last_changed)."""
    selects: list[str] = []
    for table in tables:
        label, changed = facts.label_column(table), facts.updated_column(table)
        assert label is not None
        title = facts.sql_name(label.name)
        columns = [
            f"'{table.entity}' AS object",
            _as(parts.key_of(table).name, "id"),
            _as(label.name, "title"),
            *_parent_columns(table, tables),
            *(name if table.has(name) else f"0 AS {name}" for name in _kept_flags(tables)),
            f"{facts.sql_name(changed.name) if changed else 'NULL'} AS last_changed",
        ]
        tests = [
            f"(:object IS NULL OR :object = '{table.entity}')",
            f"instr(lower(coalesce({title}, '')), lower(:text)) > 0",
        ]
        if trash:
            key = facts.sql_name(parts.key_of(table).name)
            tests.append(f"({key} IN (SELECT id FROM trash WHERE kind = '{table.entity}')) = :trashed")
        where = "\n  AND ".join(tests)
        shown = _wrapped(columns)
        selects.append(f"SELECT {shown}\nFROM {facts.sql_name(table.name)}\nWHERE {where}")
    head = _in_trash(drawing, tables) if trash else ""
    return head + "\nUNION ALL\n".join(selects) + "\nORDER BY last_changed DESC, object, id"


def _wrapped(columns: list[str]) -> str:
    """The columns on lines of at most 88 characters, none of them broken."""
    lines = [columns[0]]
    for column in columns[1:]:
        if len(lines[-1]) + len(column) > 80:
            lines.append(column)
        else:
            lines[-1] += f", {column}"
    return ",\n       ".join(lines)


def _parent_columns(table: Table, tables: list[Table]) -> list[str]:
    own = {parent_key(column): column.name for column, _ in facts.parent_columns(table)}
    found = [_as(own[key], _alias(key)) if key in own else f"NULL AS {_alias(key)}" for key in _parent_keys(tables)]
    roots = parent_roots(table) if facts.parent_type(table) else ()
    tops = {root: f"parent_type = '{root}'" if root in roots else "0" for root in _roots(tables)}
    return [*found, *(f"{test} AS {root}" for root, test in tops.items())]


def _in_trash(drawing: Drawing, tables: list[Table]) -> str:
    """A CTE of everything in the trash: the rows that are, then, downwards, what they contain."""
    involved: dict[str, Table] = {}
    for table in tables:
        involved |= {one.name: one for one in (table, *container_tables(drawing.tables, table))}
    first: list[str] = []
    inside: list[str] = []
    for table in involved.values():
        key = facts.sql_name(parts.key_of(table).name)
        flags = " OR ".join(facts.sql_name(flag.name) for flag in facts.trash_flags(table))
        if flags:
            first.append(f"SELECT '{table.entity}', {key} FROM {facts.sql_name(table.name)} WHERE {flags}")
        for column, reference in facts.parent_columns(table):
            if reference.table in involved:
                inside.append(
                    f"SELECT '{table.entity}', c.{key}\nFROM trash JOIN {facts.sql_name(table.name)} AS c\n"
                    f"  ON trash.kind = '{involved[reference.table].entity}' "
                    f"AND c.{facts.sql_name(column.name)} = trash.id"
                )
    body = "\nUNION\n".join([*first, *inside]).replace("\n", "\n  ")
    return f"WITH RECURSIVE trash(kind, id) AS (\n  {body}\n)\n"


def _as(column: str, name: str) -> str:
    return name if column == name else f"{facts.sql_name(column)} AS {name}"


def _match_schema(drawing: Drawing, tables: list[Table]) -> dict[str, Any]:
    members = [f"{table.entity}.{parts.key_of(table).name}" for table in tables]
    properties: dict[str, Any] = {
        "object": {"type": "string", "enum": [table.entity for table in tables]},
        "id": {"type": "string", "x-semantic": members[0] if len(members) == 1 else members},
        "title": {"type": ["string", "null"]},
    }
    parent: dict[str, Any] = {}
    for table in tables:
        parent |= parent_schema(table, drawing.tables)["properties"] if facts.parent_columns(table) else {}
    if parent:
        properties["parent"] = {"type": "object", "properties": parent}
    properties |= {flag: {"type": "boolean"} for flag in _kept_flags(tables)}
    properties["last_changed"] = {"type": ["string", "null"], "format": "date-time"}
    return {"type": "object", "properties": properties, "required": list(properties)}
