"""Free-text search over the titles of one table, or of several at once."""

# Names of tables and columns come from a checked blueprint; values are always bound.

from __future__ import annotations

from typing import Any

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.reading import draw_list, finish, page_value
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
    arguments = {"text": name, "object": kind.name if several else "None"}
    arguments |= {"start_cursor": page.cursor, "page_size": page.size}
    labels = " and ".join(
        filter(None, [", ".join(facts.words(t.name) for t in tables[:-1]), facts.words(tables[-1].name)])
    )
    return finish(
        operation,
        summary=f"Search {labels} by title, most recently changed first.",
        description="What is in the trash is left out.",
        parameters=[text, *([kind] if several else []), *parts.page_parameters(page)],
        steps=[
            Sql(name="matches", query=_union(tables), parameters=_search_values(arguments)),
            Adapter(
                name="found",
                adapter="page_of_rows",
                arguments={"rows": "matches", "start_cursor": page.cursor, "page_size": page.size},
            ),
            Return(value=page_value("found.items")),
        ],
        returns=parts.page_returns(_match_schema(tables)),
    )


def _search_values(arguments: dict[str, str]) -> dict[str, str]:
    return {"text": f"({arguments['text']} or '').strip()", "object": arguments["object"]}


def _union(tables: list[Table]) -> str:
    """SELECT of all matching rows as (object, id, title, last_changed)."""
    selects: list[str] = []
    for table in tables:
        label, changed = facts.label_column(table), facts.updated_column(table)
        assert label is not None
        title = facts.sql_name(label.name)
        columns = [
            f"'{table.entity}' AS object",
            _as(parts.key_of(table).name, "id"),
            _as(label.name, "title"),
            f"{facts.sql_name(changed.name) if changed else 'NULL'} AS last_changed",
        ]
        tests = [
            f"(:object IS NULL OR :object = '{table.entity}')",
            f"instr(lower(coalesce({title}, '')), lower(:text)) > 0",
            *(f"NOT {facts.sql_name(flag.name)}" for flag in facts.dead_flags(table)),
        ]
        where = "\n  AND ".join(tests)
        selects.append(f"SELECT {', '.join(columns)}\nFROM {facts.sql_name(table.name)}\nWHERE {where}")
    return "\nUNION ALL\n".join(selects) + "\nORDER BY last_changed DESC, object, id"


def _as(column: str, name: str) -> str:
    return name if column == name else f"{facts.sql_name(column)} AS {name}"


def _match_schema(tables: list[Table]) -> dict[str, Any]:
    members = [f"{table.entity}.{parts.key_of(table).name}" for table in tables]
    properties: dict[str, Any] = {
        "object": {"type": "string", "enum": [table.entity for table in tables]},
        "id": {"type": "string", "x-semantic": members[0] if len(members) == 1 else members},
        "title": {"type": ["string", "null"]},
        "last_changed": {"type": ["string", "null"], "format": "date-time"},
    }
    return {"type": "object", "properties": properties, "required": list(properties)}
