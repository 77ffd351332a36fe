"""Pieces that many operations share: key parameters, look-ups that fail with a hint, paging, the acting user."""
# Names of tables and columns come from a checked blueprint; values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from envforge.build.adapters.containers import can_be_in_trash
from envforge.build.blueprint import columns as facts
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.core.articles import with_article
from envforge.core.records.blueprint import Adapter, ErrorCode, Fetch, Page, Parameter, Require, Sql, Step, When
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Table

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
DEFAULT_PAGE = 20
MAXIMUM_PAGE = 50


def key_of(table: Table) -> Column:
    """The single key column of a table. Raises CannotDraw for a composite key."""
    if len(table.primary_key) != 1:
        raise CannotDraw("composite_key", f"{table.name} has the composite key {', '.join(table.primary_key)}")
    return table.column(table.primary_key[0])


def key_parameters(drawing: Drawing, table: Table, operation: BoundOperation | None = None) -> dict[str, Parameter]:
    """Column → parameter for the whole key of a table, named as the source names them when it does."""
    stated = [given for given in operation.parameters if given.meaning == "key"] if operation else []
    found: dict[str, Parameter] = {}
    for position, name in enumerate(table.primary_key):
        column = table.column(name)
        given = next((one for one in stated if one.column == name), None)
        if given is None and len(stated) == len(table.primary_key):
            given = stated[position]
        found[name] = Parameter(
            name=given.name if given else facts.key_parameter(table, name),
            json_schema=facts.column_schema(column),
            description=_key_description(table, column),
            semantic=facts.semantic_of(drawing.tables, table, column) or f"{table.entity}.{name}",
        )
    return found


def _key_description(table: Table, column: Column) -> str:
    if len(table.primary_key) == 1 and column.name in facts.GENERIC_KEYS:
        return f"The {facts.words(column.name)} of the {table.label}."
    return column.description or f"The {facts.words(column.name)} of the {table.label}."


def fetch(drawing: Drawing, table: Table, where: dict[str, str], *, name: str = "", optional: bool = False) -> Fetch:
    """The row with this key, or not_found with a hint that names the tool that finds such keys."""
    named = ", ".join(f"{facts.words(column)} {{{value}}}" for column, value in where.items())
    return Fetch(
        name=name or drawing.row(table),
        table=table.name,
        where=where,
        optional=optional,
        message="" if optional else f"There is no {table.label} with {named}.",
        hint="" if optional else drawing.find_hint(table),
    )


def check_reference(drawing: Drawing, table: Table, column: Column, parameter: Parameter, *, name: str) -> list[Step]:
    """The row that a given reference leads to must exist; a container must not be in the trash."""
    assert column.references is not None
    target = drawing.table(column.references.table)
    steps: list[Step] = [fetch(drawing, target, {column.references.column: parameter.name}, name=name)]
    if column in [parent for parent, _ in facts.parent_columns(table)]:
        steps += alive(drawing, target, name)
    if parameter.required:
        return steps
    return [When(that=f"{parameter.name} is not None", then=tuple(steps))]


def column_parameter(
    drawing: Drawing, table: Table, column: Column, *, name: str, required: bool, description: str = ""
) -> Parameter:
    """A parameter that takes a value of `column`."""
    return Parameter(
        name=name,
        json_schema=facts.column_schema(column),
        required=required,
        description=_own_words(table, column) or _sentence(description or column.description) or _about(table, column),
        semantic=facts.semantic_of(drawing.tables, table, column) if column.references else None,
    )


_FLATTENED = {"cover": "The URL of the cover image.", "icon": "The icon: an emoji, or the URL of an image."}


def _own_words(table: Table, column: Column) -> str:
    """What to say of a column that is not what the source describes: one value was made of an object of its."""
    if column.evidence.startswith("payload of"):
        return f"What the {table.label} holds besides its text; the keys depend on its type."
    return _FLATTENED.get(column.name, "") if "nested object" in column.evidence else ""


def _about(table: Table, column: Column) -> str:
    """What to say of a column that nobody described."""
    words = facts.words(column.name)
    if column.type == "boolean":
        return f"Whether it is {words.removeprefix('is ')}."
    return f"The {words} of the {table.label}."


def _sentence(text: str) -> str:
    """The first sentence, on one line, at most 160 characters."""
    flat = _LINK.sub(r"\1", " ".join(text.split())).replace("*", "")
    head = flat.split(". ")[0].rstrip(".")
    if len(head) > 160:
        head = head[:160].rsplit(" ", 1)[0] + " …"
    return f"{head}." if head else ""


def page_of(operation: BoundOperation | None) -> Page:
    """Paging with the source's own parameter names."""
    names = {given.meaning: given.name for given in operation.parameters} if operation else {}
    return Page(
        cursor=names.get("cursor", "start_cursor"),
        size=names.get("page_size", "page_size"),
        default=DEFAULT_PAGE,
        maximum=MAXIMUM_PAGE,
    )


def page_parameters(page: Page) -> list[Parameter]:
    """The cursor and size parameters."""
    return [
        Parameter(
            name=page.cursor,
            json_schema={"type": "string"},
            required=False,
            description="The next_cursor of the previous page; leave out for the first page.",
        ),
        Parameter(
            name=page.size,
            json_schema={"type": "integer", "minimum": 1, "maximum": page.maximum},
            required=False,
            default=page.default,
            description=f"How many items to return, at most {page.maximum}.",
        ),
    ]


def page_returns(item: dict[str, Any], **more: dict[str, Any]) -> dict[str, Any]:
    """The schema of a page of items, with what else the result holds."""
    return returns(
        items={"type": "array", "items": item},
        next_cursor={"type": ["string", "null"]},
        has_more={"type": "boolean"},
        **more,
    )


def returns(**properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a result object whose keys are always there."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def alive(
    drawing: Drawing,
    table: Table,
    row: str,
    *,
    given: Mapping[str, str] | None = None,
    code: ErrorCode = "not_allowed",
) -> list[Step]:
    """Rows in the trash cannot be changed, unless the same call takes them out (`given`: flag → parameter).

    Lists answer with `code` not_found instead: what is in the trash cannot be reached through them, while what is
    only archived can be read. A row is in the trash as well when something that contains it is.
    """
    steps: list[Step] = []
    label = facts.by_role(table, "title")
    called = f" {{{row}.{label.name}!r}}" if label else ""
    walked = can_be_in_trash(drawing.tables, table)
    own = facts.trash_flags(table)
    for flag in own if code == "not_found" else facts.dead_flags(table):
        parameter = (given or {}).get(flag.name)
        if walked and flag in own and not parameter:
            continue
        state = "in the trash" if flag in own else "archived"
        restorer = drawing.restorers.get(table.entity)
        restore = f"Set {parameter} to false first." if parameter else ""
        if not restore and restorer:
            restore = f"Restore it with {restorer} first, or choose another {table.label}."
        steps.append(
            Require(
                that=f"not {row}.{flag.name}" + (f" or {parameter} is False" if parameter else ""),
                code=code,
                message=f"The {table.label}{called} is {state}.",
                hint=restore or f"Choose {with_article(table.label)} that is not {state}.",
            )
        )
    itself = not any(flag.name in (given or {}) for flag in own)
    return [*_out_of_trash(table, row, code, itself=itself), *steps] if walked else steps


def _out_of_trash(table: Table, row: str, code: ErrorCode, *, itself: bool) -> list[Step]:
    """The row and what it is inside of must not be in the trash; without `itself`, only the latter."""
    arguments = {"kind": f'"{table.entity}"', "key": f"{row}.{key_of(table).name}", "itself": str(itself)}
    return [
        Adapter(name="trashed", adapter="in_trash", arguments=arguments),
        Require(
            that="trashed is None",
            code=code,
            message="The {trashed.name} is in the trash.",
            hint="{trashed.hint}",
        ),
    ]


def people_table(drawing: Drawing, column: Column) -> Table | None:
    """The table of people that an author column refers to."""
    return drawing.tables.get(column.references.table) if column.references else None


def shows_in_container(drawing: Drawing, table: Table) -> bool:
    """True for nested, ordered content, whose changes count as changes of the container that it is in."""
    if not (facts.by_role(table, "position") and facts.by_role(table, "type")):
        return False
    holders = [drawing.tables.get(reference.table) for _, reference in facts.parent_columns(table)]
    dated = [one for one in holders if one and one.name != table.name and facts.updated_column(one)]
    return bool(dated) and table in holders


def acting_query(table: Table, drawing: Drawing) -> str:
    """SELECT of the row that acts: the marked one, else the first integration, else the first row by key."""
    key = ", ".join(map(facts.sql_name, table.primary_key))
    name = facts.sql_name(table.name)
    flag = next((name for name in facts.ACTING_FLAGS if table.has(name)), None)
    if flag:
        return f"SELECT * FROM {name} ORDER BY {flag} DESC, {key} LIMIT 1"
    kind = next((column for column in table.columns if set(column.enum) & set(facts.ACTING_TYPES)), None)
    rows = drawing.database.rows.get(table.name, []) if kind else []
    held: set[Any] = {row.get(kind.name) for row in rows} if kind else set()
    if kind and held & set(facts.ACTING_TYPES):
        acting = next(value for value in facts.ACTING_TYPES if value in held)
        return f"SELECT * FROM {name} ORDER BY {facts.sql_name(kind.name)} = '{acting}' DESC, {key} LIMIT 1"
    return f"SELECT * FROM {name} ORDER BY {key} LIMIT 1"


def acting_steps(drawing: Drawing, columns: tuple[Column, ...]) -> tuple[list[Step], dict[str, str]]:
    """Steps that find the acting user, and the value for each of the author columns."""
    people = next((found for column in columns if (found := people_table(drawing, column))), None)
    if people is None:
        return [], {}
    values: dict[str, str] = {}
    for column in columns:
        if column.references and column.references.table == people.name:
            values[column.name] = f"actor.{column.references.column}"
    return [acting_step(drawing, people)], values


def acting_step(drawing: Drawing, people: Table) -> Sql:
    """The user that the tools act as; there always is one."""
    return Sql(name="actor", query=acting_query(people, drawing), one=True, always=True)


def only_author(drawing: Drawing, table: Table, row: str) -> list[Step]:
    """What somebody has said can be changed by its author only, where callers can find out who they are."""
    authors = facts.author_columns(table)
    people = people_table(drawing, authors[0]) if authors else None
    known = [one for one in drawing.database.domain.operations if people and one.table == people.name]
    selves = [one for one in known if one.verb == "get" and not given_meaning(one, "key")]
    if people is None or not selves or not facts.is_remark(table):
        return []
    actor, values = acting_steps(drawing, authors[:1])
    return [
        *actor,
        Require(
            that=f"{row}.{authors[0].name} == {values[authors[0].name]}",
            code="not_allowed",
            message=f"The {table.label} was written by somebody else.",
            hint=f"Only its author can change it; {selves[0].name} shows who you are.",
        ),
    ]


def actor_argument(drawing: Drawing, table: Table) -> tuple[list[Step], dict[str, str]]:
    """Steps and the `actor` argument for an adapter that makes rows of `table` in the acting user's name."""
    columns = tuple(column for column in table.columns if column.references and column.role in {"author", "editor"})
    steps, values = acting_steps(drawing, columns)
    return steps, {"actor": next(iter(values.values()))} if values else {}


def given_meaning(operation: BoundOperation, *meanings: str) -> list[BoundParameter]:
    """The operation's parameters with one of these meanings."""
    return [given for given in operation.parameters if given.meaning in meanings]
