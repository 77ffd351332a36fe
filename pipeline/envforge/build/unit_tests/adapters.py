"""The adapters of the step language, a second time and in plain Python over whole tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from envforge.build.adapters.children import WITH_URL, WITHOUT_TEXT, child_types, url_field
from envforge.build.adapters.tables import DEAD, content_table, parents_of, people_of, trash_flags
from envforge.build.unit_tests.bag_values import (
    carry_properties,
    define_properties,
    describe_properties,
    read_properties,
    write_properties,
)
from envforge.build.unit_tests.containers import in_trash, touch_container
from envforge.build.unit_tests.document_writing import WRITING
from envforge.build.unit_tests.documents import list_documents, read_document, search_documents
from envforge.build.unit_tests.expressions import FORMATS
from envforge.build.unit_tests.filters import query_items
from envforge.build.unit_tests.kinds import entries, is_object
from envforge.build.unit_tests.selecting import paged
from envforge.build.unit_tests.told import Found, Refusal
from envforge.core.contracts import Row
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Page
from envforge.core.records.domain import Column, Table

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

_Run = Callable[..., Any]


def run_adapter(reference: Reference, name: str, arguments: Mapping[str, Any]) -> Any:
    """What the adapter answers. Raises Refusal; BuildError for an adapter that the reference does not know."""
    if name not in REFERENCES:
        remedy = "write its reference in build.unit_tests.adapters"
        raise BuildError(f"the adapter {name!r} has no reference for unit tests", where="build.adapters", remedy=remedy)
    return REFERENCES[name](reference, **arguments)


def _page_of_rows(reference: Reference, rows: list[Row], start_cursor: str | None, page_size: int) -> Any:
    scope = {"cursor": start_cursor, "size": page_size}
    reference.found.append(Found(None, total=len(rows)))
    return paged(reference, rows, Page(cursor="cursor", size="size"), scope, "page_of_rows", lambda row: row)


def _append_children(
    reference: Reference, children: list[dict[str, Any]], after: str | None, actor: Any = None, **parent: Any
) -> list[Row]:
    tables, content = reference.tables, content_table(reference.blueprint)
    position = next(column.name for column in content.columns if column.role == "position")
    key = content.primary_key[0]
    siblings = tables.find(content.name, parent)
    reference.features.add(("siblings", bool(siblings)))
    first = max((row[position] for row in siblings), default=-1) + 1
    if after is not None:
        behind = [row for row in siblings if row[key] == after]
        behind = [row for row in behind if not any(row[flag.name] for flag in trash_flags(content))]
        if not behind:
            raise Refusal("not_found")
        reference.features.add(("after", siblings.index(behind[0]) > 0))
        first = behind[0][position] + 1
    for row in siblings:
        if row[position] >= first:
            tables.update(content.name, {key: row[key]}, {position: row[position] + len(children)})
    return [
        _insert_child(reference, content, parent, first + number, child, actor) for number, child in enumerate(children)
    ]


def _insert_child(
    reference: Reference, table: Table, parent: Mapping[str, Any], position: int, child: Any, actor: Any
) -> Row:
    extras = _extras(table)
    body = next((column.name for column in table.columns if column.role == "body"), None)
    kind = next(column for column in table.columns if column.role == "type")
    known = {"type", "children", *(column.name for column in extras), *([body] if body else [])}
    if not is_object(child) or not set(child) <= known:
        raise Refusal("invalid_argument")
    if child.get("type") not in child_types(reference.blueprint.tables, table):
        raise Refusal("invalid_argument")
    for name, value in child.items():
        reference.features.add(("child", name))
        if name not in {"type", "children"} and value is not None and not _fits(table.column(name), value):
            raise Refusal("invalid_argument")
    _refuse_fields(table, child, body)
    key = table.primary_key[0]
    values: dict[str, Any] = {
        key: reference.mint(table.name),
        kind.name: child["type"],
        next(column.name for column in table.columns if column.role == "position"): position,
        **parent,
        **_kept_by_tool(reference, table, actor),
    }
    if table.has("parent_type"):
        values["parent_type"] = _parent_word(table, parent)
    for column in (*extras, *([table.column(body)] if body else ())):
        values[column.name] = child.get(column.name) if column.nullable else child.get(column.name) or _zero(column)
    row = tables_insert(reference, table, values)
    nested = entries(child.get("children"))
    for place, grandchild in enumerate(nested):
        if is_object(grandchild) and grandchild.get("children"):
            raise Refusal("invalid_argument")
        inner = {column.name: row[key] if _own(column, table) else None for column in parents_of(table)}
        _insert_child(reference, table, inner, place, grandchild, actor)
        if table.has("has_children"):
            reference.tables.update(table.name, {key: row[key]}, {"has_children": True})
    return row


def _refuse_fields(table: Table, child: Mapping[str, Any], body: str | None) -> None:
    """Some types hold no text, some show what is at an address."""
    if body and child["type"] in WITHOUT_TEXT and child.get(body):
        raise Refusal("invalid_argument")
    url = url_field(table)
    if url is None or not set(WITH_URL) & set(next(c for c in table.columns if c.role == "type").enum):
        return
    if child["type"] in WITH_URL and not FORMATS["url"](child.get(url) or ""):
        raise Refusal("invalid_argument")
    if child["type"] not in WITH_URL and child.get(url) is not None:
        raise Refusal("invalid_argument")


def tables_insert(reference: Reference, table: Table, values: Mapping[str, Any]) -> Row:
    """A new row; required flags that nobody states are off."""
    off = {
        column.name: False
        for column in table.columns
        if column.type == "boolean" and not column.nullable and column.default is None
    }
    return reference.tables.insert(table.name, {**off, **values})


def _kept_by_tool(reference: Reference, table: Table, actor: Any) -> dict[str, Any]:
    times = {column.name: reference.live.now() for column in table.columns if column.role in TIMES}
    return {**times, **{column.name: actor for column in people_of(table)}}


TIMES = ("created_at", "updated_at")


def _extras(table: Table) -> list[Column]:
    """Plain columns that a caller may set."""
    taken = {"type", "position", *TIMES, "author", "parent", "state", "body", "id"}
    return [
        column
        for column in table.columns
        if column.name not in (*table.primary_key, *DEAD)
        and column.role not in taken
        and not column.references
        and column.type in {"text", "boolean", "integer", "real"}
        and not column.name.startswith(("parent_", "has_"))
    ]


def _fits(column: Column, value: Any) -> bool:
    if column.enum:
        return value in column.enum
    kinds: dict[str, tuple[type, ...]] = {"boolean": (bool,), "integer": (int,), "real": (int, float)}
    fits = isinstance(value, kinds.get(column.type, (str,)))
    return fits and (column.type == "boolean" or not isinstance(value, bool))


def _zero(column: Column) -> Any:
    if column.default is not None:
        return column.default
    return {"boolean": False, "integer": 0, "real": 0.0}.get(column.type, "")


def _own(column: Column, table: Table) -> bool:
    return column.references is not None and column.references.table == table.name


def _parent_word(table: Table, parent: Mapping[str, Any]) -> str:
    words = table.column("parent_type").enum
    held = next(name for name, value in parent.items() if value is not None).removeprefix("parent_")
    return next((word for word in words if word in {held, held.removesuffix("_id")}), held)


REFERENCES: dict[str, _Run] = {
    "append_children": _append_children,
    "carry_properties": carry_properties,
    "define_properties": define_properties,
    "describe_properties": describe_properties,
    "in_trash": in_trash,
    "list_documents": list_documents,
    "page_of_rows": _page_of_rows,
    "query_items": query_items,
    "read_document": read_document,
    "read_properties": read_properties,
    "search_documents": search_documents,
    "touch_container": touch_container,
    "write_properties": write_properties,
    **WRITING,
}
