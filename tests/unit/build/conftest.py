"""Two small databases by hand: a workspace of documents with operations, and a flight schedule without any."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from envforge.build.lower import lower
from envforge.core.contracts import Database, Row
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Domain, PropertyBag, Reference, Table

NOW = "2026-01-15T12:00:00Z"
CONTENT_TYPES = ("paragraph", "heading", "to_do", "bulleted_list_item", "divider", "bookmark", "child_doc")
BAG_TYPES = (
    *("title", "rich_text", "number", "select", "multi_select", "status", "date", "checkbox", "people", "relation"),
)


def column(name: str, kind: str = "text", *, to: str | None = None, null: bool = False, **more: Any) -> Column:
    reference = None
    if to:
        table, _, target = to.partition(".")
        reference = Reference(table=table, column=target or "id", confidence=1.0, evidence="test")
    return Column(name=name, type=kind, nullable=null, references=reference, **more)  # type: ignore[arg-type]


def audit(*, deletable: bool = True) -> tuple[Column, ...]:
    flags = (column("in_trash", "boolean", role="state"),) if deletable else ()
    return (
        *flags,
        column("created_by", to="people", role="author"),
        column("last_edited_by", to="people", role="editor"),
        column("created_time", "timestamp", role="created_at"),
        column("last_edited_time", "timestamp", role="updated_at"),
    )


def table(name: str, entity: str, columns: Sequence[Column], key: Sequence[str] = ("id",), **more: Any) -> Table:
    label = entity.replace("_", " ")
    return Table(name=name, entity=entity, label=label, columns=tuple(columns), primary_key=tuple(key), **more)


WORKSPACE_TABLES = (
    table(
        "people",
        "person",
        (column("id", role="id"), column("name", role="title"), column("type", enum=("person", "bot"), role="type")),
    ),
    table(
        "docs",
        "doc",
        (
            column("id", role="id"),
            column("title", role="title"),
            column("parent_type", enum=("tracker", "doc", "workspace")),
            column("parent_tracker_id", to="trackers", null=True, role="parent"),
            column("parent_doc_id", to="docs", null=True, role="parent"),
            column("url", role="url"),
            column("icon", null=True),
            column("is_archived", "boolean"),
            *audit(),
        ),
        checks=("(parent_type = 'doc') = (parent_doc_id IS NOT NULL)",),
    ),
    table(
        "trackers",
        "tracker",
        (
            column("id", role="id"),
            column("title", role="title"),
            column("doc_id", to="docs", role="parent"),
            *audit(),
        ),
    ),
    table(
        "pieces",
        "piece",
        (
            column("id", role="id"),
            column("type", enum=CONTENT_TYPES, role="type"),
            column("parent_type", enum=("doc", "piece")),
            column("parent_doc_id", to="docs", null=True, role="parent"),
            column("parent_piece_id", to="pieces", null=True, role="parent"),
            column("text", null=True, role="body"),
            column("checked", "boolean", null=True),
            column("url", null=True, role="url"),
            column("position", "integer", role="position"),
            *audit(),
        ),
    ),
    table(
        "remarks",
        "remark",
        (
            column("id", role="id"),
            column("parent_type", enum=("doc", "piece")),
            column("parent_doc_id", to="docs", null=True, role="parent"),
            column("parent_piece_id", to="pieces", null=True, role="parent"),
            column("text", role="body"),
            column("thread_id"),
            *audit(deletable=False),
        ),
    ),
    table(
        "fields",
        "field",
        (
            column("id", role="id"),
            column("tracker_id", to="trackers", role="parent"),
            column("name", role="title"),
            column("type", enum=BAG_TYPES, role="type"),
            column("position", "integer", role="position"),
            column("related_tracker_id", to="trackers", null=True),
        ),
        kind="child",
    ),
    table(
        "field_options",
        "field_option",
        (
            column("id", role="id"),
            column("field_id", to="fields", role="parent"),
            column("name", role="title"),
            column("position", "integer", role="position"),
        ),
        kind="child",
    ),
    table(
        "field_values",
        "field_value",
        (
            column("doc_id", to="docs", role="parent"),
            column("field_id", to="fields"),
            column("position", "integer", role="position", default=0),
            column("text_value", null=True),
            column("number_value", "real", null=True),
            column("date_value", null=True),
            column("date_end", null=True),
            column("boolean_value", "boolean", null=True),
            column("option_id", to="field_options", null=True),
            column("person_id", to="people", null=True),
            column("related_doc_id", to="docs", null=True),
        ),
        key=("doc_id", "field_id", "position"),
        kind="child",
    ),
)
BAG = PropertyBag(
    collection_table="trackers",
    item_table="docs",
    item_parent_column="parent_tracker_id",
    definition_table="fields",
    option_table="field_options",
    value_table="field_values",
    types=BAG_TYPES,
)


def given(name: str, meaning: str, kind: str = "string", **more: Any) -> BoundParameter:
    return BoundParameter(name=name, source_name=name, meaning=meaning, json_type={"type": kind}, **more)


def bound(verb: str, name: str, entity: str, plural: str, *parameters: BoundParameter, **more: Any) -> BoundOperation:
    return BoundOperation(id=name, name=name, verb=verb, entity=entity, table=plural, parameters=parameters, **more)  # type: ignore[arg-type]


PAGING = (given("start_cursor", "cursor"), given("page_size", "page_size", "integer"))
IN_DOC_OR_PIECE = (
    given("doc_id", "parent", column="parent_doc_id", semantic="doc.id"),
    given("piece_id", "parent", column="parent_piece_id", semantic="piece.id"),
)
DOC_KEY = given("doc_id", "key", column="id", semantic="doc.id", required=True)
DOC_PARENTS = (
    given("parent_tracker_id", "parent", column="parent_tracker_id", semantic="tracker.id"),
    given("parent_doc_id", "parent", column="parent_doc_id", semantic="doc.id"),
)
CHILDREN = given("children", "children", "array", child="piece", required=True)
WORKSPACE_OPERATIONS = (
    bound("search", "search", "doc", "docs", given("query", "query"), *PAGING, also=("trackers",)),
    bound("get", "get_doc", "doc", "docs", DOC_KEY),
    bound(
        *("create", "create_doc", "doc", "docs"),
        given("title", "column", column="title", required=True),
        *DOC_PARENTS,
        given("icon", "column", column="icon"),
        given("properties", "bag", "object"),
        given("children", "children", "array", child="piece"),
    ),
    bound(
        *("update", "update_doc", "doc", "docs"),
        DOC_KEY,
        given("title", "column", column="title"),
        given("in_trash", "column", "boolean", column="in_trash"),
        given("is_archived", "column", "boolean", column="is_archived"),
        given("properties", "bag", "object"),
    ),
    bound("transfer", "move_doc", "doc", "docs", DOC_KEY, *DOC_PARENTS),
    bound("list", "list_pieces", "piece", "pieces", *IN_DOC_OR_PIECE, *PAGING),
    bound(
        *("create", "append_pieces", "piece", "pieces"),
        CHILDREN,
        *IN_DOC_OR_PIECE,
        given("after", "column", column="position", semantic="piece.id"),
    ),
    bound(
        *("update", "update_piece", "piece", "pieces"),
        given("piece_id", "key", column="id", required=True),
        given("text", "column", column="text"),
        given("checked", "column", "boolean", column="checked"),
    ),
    bound(
        *("delete", "delete_piece", "piece", "pieces"),
        given("piece_id", "key", column="id", required=True),
        target_state={"in_trash": True},
    ),
    bound("list", "list_remarks", "remark", "remarks", *IN_DOC_OR_PIECE, *PAGING),
    bound(
        *("create", "create_remark", "remark", "remarks"),
        given("text", "column", column="text", required=True),
        *IN_DOC_OR_PIECE,
        given("thread_id", "column", column="thread_id"),
    ),
    bound("delete", "delete_remark", "remark", "remarks", given("remark_id", "key", column="id", required=True)),
    bound(
        *("filter", "query_tracker", "doc", "docs"),
        given("tracker_id", "parent", column="parent_tracker_id", semantic="tracker.id", required=True),
        given("filter", "bag_filter", "object"),
        given("sorts", "bag_sort", "array"),
        *PAGING,
    ),
    bound("get", "get_tracker", "tracker", "trackers", given("tracker_id", "key", column="id", required=True)),
    bound(
        *("create", "create_tracker", "tracker", "trackers"),
        given("title", "column", column="title", required=True),
        given("doc_id", "parent", column="doc_id", semantic="doc.id", required=True),
        given("properties", "bag", "object"),
    ),
    bound(
        *("update", "update_tracker", "tracker", "trackers"),
        given("tracker_id", "key", column="id", required=True),
        given("title", "column", column="title"),
        given("properties", "bag", "object"),
    ),
    bound("list", "list_people", "person", "people", *PAGING),
    bound("get", "get_self", "person", "people"),
)


def made(by: str = "ada", day: int = 1, *, deletable: bool = True) -> Row:
    row: Row = {"in_trash": 0} if deletable else {}
    time = f"2026-01-{day:02}T09:00:00Z"
    return row | {"created_by": by, "last_edited_by": by, "created_time": time, "last_edited_time": time}


def doc(key: str, title: str, *, doc: str | None = None, tracker: str | None = None, day: int = 1) -> Row:
    kind = "doc" if doc else "tracker" if tracker else "workspace"
    parents = {"parent_type": kind, "parent_tracker_id": tracker, "parent_doc_id": doc}
    return {"id": key, "title": title, **parents, "url": f"https://docs.test/{key}", "icon": None} | {
        "is_archived": 0,
        **made(day=day),
    }


def piece(key: str, text: str, position: int, *, doc: str | None = None, piece: str | None = None) -> Row:
    parents = {"parent_type": "doc" if doc else "piece", "parent_doc_id": doc, "parent_piece_id": piece}
    kind = "to_do" if text.startswith("Buy") else "paragraph"
    row: Row = {"id": key, "type": kind, **parents, "text": text, "checked": None} | {
        "url": None,
        "position": position,
    }
    return row | made()


def value(doc: str, field: str, **held: Any) -> Row:
    empty = ("text_value", "number_value", "date_value", "date_end", "boolean_value", "option_id", "person_id")
    return {"doc_id": doc, "field_id": field, "position": 0, **dict.fromkeys((*empty, "related_doc_id")), **held}


WORKSPACE_ROWS: dict[str, list[Row]] = {
    "people": [
        {"id": "ada", "name": "Ada Byron", "type": "person"},
        {"id": "bob", "name": "Bob Marsh", "type": "person"},
        {"id": "helper", "name": "Helper", "type": "bot"},
    ],
    "docs": [
        doc("home", "Home", day=1),
        doc("plans", "Plans", doc="home", day=2),
        doc("q1", "Plans for spring", doc="plans", day=3),
        doc("attic", "Attic", day=1) | {"in_trash": 1},
        doc("box", "Box of letters", doc="attic", day=1),
        doc("old", "Old plans", doc="home", day=1) | {"is_archived": 1},
        doc("t1", "Fix the roof", tracker="tasks", day=4),
        doc("t2", "Paint the fence", tracker="tasks", day=5),
        doc("t3", "Call the plumber", tracker="tasks", day=6),
    ],
    "trackers": [{"id": "tasks", "title": "Tasks", "doc_id": "home", **made(day=2)}],
    "pieces": [
        piece("p1", "Welcome", 0, doc="home"),
        piece("p2", "Buy paint", 1, doc="home"),
        piece("p3", "Under the welcome", 0, piece="p1"),
        piece("p4", "A letter", 0, doc="box"),
    ],
    "remarks": [
        {"id": "r1", "parent_type": "doc", "parent_doc_id": "q1", "parent_piece_id": None, "text": "Nice"}
        | {"thread_id": "th1", **made(deletable=False)},
        {"id": "r2", "parent_type": "doc", "parent_doc_id": "box", "parent_piece_id": None, "text": "Keep"}
        | {"thread_id": "th2", **made(deletable=False)},
    ],
    "fields": [
        {"id": "f0", "tracker_id": "tasks", "name": "Name", "type": "title", "position": 0, "related_tracker_id": None},
        {
            "id": "f1",
            "tracker_id": "tasks",
            "name": "Status",
            "type": "status",
            "position": 1,
            "related_tracker_id": None,
        },
        {"id": "f2", "tracker_id": "tasks", "name": "Due", "type": "date", "position": 2, "related_tracker_id": None},
        {
            "id": "f3",
            "tracker_id": "tasks",
            "name": "Cost",
            "type": "number",
            "position": 3,
            "related_tracker_id": None,
        },
        {
            "id": "f4",
            "tracker_id": "tasks",
            "name": "Urgent",
            "type": "checkbox",
            "position": 4,
            "related_tracker_id": None,
        },
        {"id": "f5", "tracker_id": "tasks", "name": "Who", "type": "people", "position": 5, "related_tracker_id": None},
        {
            "id": "f6",
            "tracker_id": "tasks",
            "name": "Tags",
            "type": "multi_select",
            "position": 6,
            "related_tracker_id": None,
        },
        {
            "id": "f7",
            "tracker_id": "tasks",
            "name": "Note",
            "type": "rich_text",
            "position": 7,
            "related_tracker_id": None,
        },
        {
            "id": "f8",
            "tracker_id": "tasks",
            "name": "Blocks",
            "type": "relation",
            "position": 8,
            "related_tracker_id": "tasks",
        },
    ],
    "field_options": [
        {"id": "o1", "field_id": "f1", "name": "Open", "position": 0},
        {"id": "o2", "field_id": "f1", "name": "Done", "position": 1},
        {"id": "o3", "field_id": "f6", "name": "house", "position": 0},
        {"id": "o4", "field_id": "f6", "name": "garden", "position": 1},
    ],
    "field_values": [
        value("t1", "f1", option_id="o1"),
        value("t1", "f2", date_value="2026-01-10"),
        value("t1", "f3", number_value=900.0),
        value("t1", "f4", boolean_value=1),
        value("t1", "f5", person_id="ada"),
        value("t1", "f6", option_id="o3"),
        value("t2", "f1", option_id="o1"),
        value("t2", "f2", date_value="2026-02-01", date_end="2026-02-03"),
        value("t2", "f3", number_value=120.0),
        value("t2", "f5", person_id="bob"),
        value("t2", "f6", option_id="o4"),
        value("t2", "f7", text_value="100% oil_paint"),
        value("t3", "f1", option_id="o2"),
        value("t1", "f8", related_doc_id="t2"),
    ],
}

FLIGHT_TABLES = (
    table("airlines", "airline", (column("code", role="id"), column("name", role="title")), key=("code",)),
    table(
        "airports",
        "airport",
        (
            column("code", role="id"),
            column("name", role="title"),
            column("city", null=True),
            column("country"),
            column("latitude", "real"),
        ),
        key=("code",),
    ),
    table(
        "flights",
        "flight",
        (
            column("flight_id", role="id"),
            column("carrier", to="airlines.code"),
            column("flight_number", "integer"),
            column("flight_date", "date"),
            column("origin", to="airports.code"),
            column("destination", to="airports.code"),
            column("departure", "timestamp", role="starts_at"),
            column("departure_local"),
            column("status", enum=("scheduled", "departed"), role="state"),
            column("distance_miles", "integer", unit="mi"),
        ),
        key=("flight_id",),
    ),
)


def flight(number: int) -> Row:
    """Forty flights over four days between three airports."""
    day, carrier = number % 4 + 1, ("UA", "DL")[number % 2]
    origin, destination = (("EWR", "BOS"), ("EWR", "ORD"), ("BOS", "ORD"))[number % 3]
    return {
        "flight_id": f"{carrier}{number}",
        "carrier": carrier,
        "flight_number": 100 + number // 2,
        "flight_date": f"2013-01-0{day}",
        "origin": origin,
        "destination": destination,
        "departure": f"2013-01-0{day}T{number % 24:02}:00:00Z",
        "departure_local": f"2013-01-0{day}T{number % 24:02}:00",
        "status": "departed" if day < 3 else "scheduled",
        "distance_miles": 200 + 10 * number,
    }


FLIGHT_ROWS: dict[str, list[Row]] = {
    "airlines": [{"code": "UA", "name": "United Air Lines"}, {"code": "DL", "name": "Delta Air Lines"}],
    "airports": [
        {"code": "EWR", "name": "Newark Liberty", "city": "Newark", "country": "US", "latitude": 40.7},
        {"code": "BOS", "name": "Logan", "city": "Boston", "country": "US", "latitude": 42.4},
        {"code": "ORD", "name": "O'Hare", "city": "Chicago", "country": "US", "latitude": 42.0},
        {"code": "MDW", "name": "Midway", "city": "Chicago", "country": "US", "latitude": 41.8},
        {"code": "YYZ", "name": "Pearson", "city": "Toronto", "country": "CA", "latitude": 43.7},
        {"code": "YTZ", "name": "Bishop", "city": "Toronto", "country": "CA", "latitude": 43.6},
    ],
    "flights": [flight(number) for number in range(40)],
}


@pytest.fixture(scope="session")
def workspace() -> Database:
    domain = Domain(theme="workspace", tables=WORKSPACE_TABLES, operations=WORKSPACE_OPERATIONS, bags=(BAG,))
    return Database(domain=domain, rows=WORKSPACE_ROWS, provenance=[], documents={}, clock=NOW)


@pytest.fixture(scope="session")
def schedule() -> Database:
    domain = Domain(theme="schedule", tables=FLIGHT_TABLES)
    return Database(domain=domain, rows=FLIGHT_ROWS, provenance=[], documents={}, clock="2013-01-03T00:00:00Z")


class TinyWorld:
    """A World over an in-memory SQLite, as small as tests need it."""

    def __init__(self, database: Database) -> None:
        self._now = database.clock
        self._minted = 0
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        kinds = {"real": "REAL", "integer": "INTEGER", "boolean": "INTEGER"}
        for one in database.domain.tables:
            parts = [
                f'"{c.name}" {kinds.get(c.type, "TEXT")}{"" if c.nullable else " NOT NULL"}'
                + (f' REFERENCES "{c.references.table}"("{c.references.column}")' if c.references else "")
                for c in one.columns
            ]
            parts.append(f"PRIMARY KEY ({', '.join(one.primary_key)})")
            parts += [f"CHECK ({check})" for check in one.checks]
            self.connection.execute(f'CREATE TABLE "{one.name}" ({", ".join(parts)}) STRICT')
        for name, rows in database.rows.items():
            for row in rows:
                marks = ", ".join(f":{key}" for key in row)
                self.connection.execute(f'INSERT INTO "{name}" ({", ".join(row)}) VALUES ({marks})', row)
        self.connection.execute("PRAGMA foreign_keys = ON")

    def query(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
        return [dict(row) for row in self.connection.execute(sql, params)]

    def execute(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        return self.connection.execute(sql, params).rowcount

    def now(self) -> str:
        return self._now

    def new_id(self, table: str) -> str:
        self._minted += 1
        return f"{table}-{self._minted}"


Call = Callable[..., dict[str, Any]]


def loaded(blueprint: Blueprint) -> dict[str, Any]:
    """The lowered module's names."""
    namespace: dict[str, Any] = {}
    exec(compile(lower(blueprint)[0], "tools.py", "exec"), namespace)
    return namespace


def running(namespace: dict[str, Any], world: TinyWorld) -> Call:
    """A function that calls the lowered tools; a ToolError takes back what the call did, as in a World."""

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        world.connection.execute("BEGIN")
        try:
            result = namespace[tool](world, **arguments)
        except BaseException:
            world.connection.execute("ROLLBACK")
            raise
        world.connection.execute("COMMIT")
        return result

    return call
