"""Databases in folders: schema, rows, provenance; and rows that are refused."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.contracts import Database
from envforge.core.errors import BuildError, StoreError
from envforge.core.records.domain import Column, Domain, IdStyle, Reference, Table
from envforge.core.records.environment import Clock, EnvironmentManifest, ProvenanceEntry
from envforge.mine.facts import facts_only_documents, facts_only_rows
from envforge.mine.load import create_sql, id_styles, verify_rows, write_database
from envforge.store.csvfile import read_table


def refers(table: str, column: str = "id", confidence: float = 1.0) -> Reference:
    return Reference(table=table, column=column, confidence=confidence, evidence="test")


TASKS = Table(
    name="tasks",
    entity="task",
    label="task",
    columns=(
        Column(name="id", type="integer", nullable=False),
        Column(name="title", type="text", nullable=False),
        Column(name="state", type="text", nullable=False, enum=("open", "it's done")),
        Column(name="urgent", type="boolean"),
        Column(name="hours", type="real"),
        Column(name="due", type="date"),
        Column(name="created_at", type="timestamp"),
        Column(name="extra", type="json"),
        Column(name="owner", type="text", references=refers("people", "code")),
        Column(name="parent_id", type="integer", references=refers("tasks")),
    ),
    primary_key=("id",),
    unique=(("title",),),
    checks=("hours IS NULL OR hours >= 0",),
)
PEOPLE = Table(
    name="people",
    entity="person",
    label="person",
    columns=(Column(name="code", type="text", nullable=False), Column(name="name", type="text")),
    primary_key=("code",),
)
TASK: dict[str, Any] = {
    "id": 2,
    "title": "Écrire",
    "state": "it's done",
    "urgent": 1,
    "hours": 2,
    "due": "2024-02-29",
    "created_at": "2024-01-01T00:00:00Z",
    "extra": '{"a":1}',
    "owner": "p1",
    "parent_id": None,
}


def database(**change: Any) -> Database:
    tasks = [{**TASK, **change}, {**TASK, "id": 1, "title": "", "hours": None, "extra": None, "parent_id": 2}]
    entries = [
        ProvenanceEntry(table="tasks", source="src-1", kind="mined", count=2),
        ProvenanceEntry(table="people", source="src-1", kind="mined", count=1),
    ]
    domain = Domain(theme="t", tables=(TASKS, PEOPLE))
    rows = {"tasks": tasks, "people": [{"code": "p1", "name": "P"}]}
    return Database(domain, rows, entries, {"notes/a.md": "hello"}, "2024-01-01T00:00:00Z")


MANIFEST = EnvironmentManifest(
    id="t",
    theme="t",
    family="t-0",
    database_seed=0,
    title="T",
    licence="MIT",
    sources=("src-1",),
    clock=Clock(epoch="2024-01-01T00:00:00Z"),
    ids={},
    authors={},
    grounding="mined",
)


def test_the_folder_reads_back_as_it_was(tmp_path: Path) -> None:
    write_database(database(), tmp_path, MANIFEST, [])
    rows = read_table(tmp_path, TASKS)
    assert [row["id"] for row in rows] == [1, 2]
    assert rows[1] == {**TASK, "hours": 2.0}
    assert rows[0]["title"] == ""
    assert rows[0]["extra"] is None
    assert (tmp_path / "documents/notes/a.md").read_text() == "hello"


def test_the_same_database_gives_the_same_bytes(tmp_path: Path) -> None:
    turned = database()
    turned.rows["tasks"].reverse()
    turned.provenance.reverse()
    for name, value in (("a", database()), ("b", turned)):
        write_database(value, tmp_path / name, MANIFEST, [])
    first, second = (
        {path.relative_to(tmp_path / name).as_posix(): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("a", "b")
    )
    assert first == second


def test_sql_enforces_what_the_tables_say() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(create_sql(database().domain))
    connection.execute("INSERT INTO people VALUES ('p1', NULL)")
    good = "INSERT INTO tasks (id, title, state, owner) VALUES (1, 'a', 'open', 'p1')"
    connection.execute(good)
    for bad in (
        good.replace("(1,", "(2,").replace("'p1'", "'p2'").replace("'a'", "'b'"),
        good.replace("(1,", "(2,").replace("'open'", "'closed'").replace("'a'", "'b'"),
        good.replace("(1,", "('x',").replace("'a'", "'b'"),
        good.replace("(1,", "(2,"),
        "UPDATE tasks SET urgent = 2",
        "UPDATE tasks SET hours = -1",
        "UPDATE tasks SET extra = '{'",
    ):
        with pytest.raises(sqlite3.Error):
            connection.execute(bad)


def test_tables_that_refer_to_each_other_are_deferred() -> None:
    def table(name: str, other: str) -> Table:
        columns = (Column(name="id", type="integer"), Column(name="other_id", type="integer", references=refers(other)))
        return Table(name=name, entity=name, label=name, columns=columns, primary_key=("id",))

    sql = create_sql(Domain(theme="t", tables=(table("a", "b"), table("b", "a"))))
    assert sql.count("DEFERRABLE INITIALLY DEFERRED") == 1
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript("PRAGMA foreign_keys = ON;" + sql)
    connection.executescript("BEGIN; INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1); COMMIT;")


def test_a_doubtful_reference_is_named_and_not_enforced() -> None:
    owner = TASKS.column("owner").model_copy(update={"references": refers("people", "code", 0.9)})
    columns = tuple(owner if column.name == "owner" else column for column in TASKS.columns)
    sql = create_sql(Domain(theme="t", tables=(TASKS.model_copy(update={"columns": columns}), PEOPLE)))
    assert "-- owner refers to people.code, not enforced: 90.0% of values" in sql
    assert "REFERENCES people" not in sql


def test_reserved_names_are_quoted() -> None:
    table = Table(
        name="order",
        entity="order",
        label="order",
        columns=(Column(name="group", type="text"),),
        primary_key=("group",),
    )
    sqlite3.connect(":memory:").executescript(create_sql(Domain(theme="t", tables=(table,))))


@pytest.mark.parametrize(
    ("change", "message", "where"),
    [
        ({"title": None}, "is NULL", "tasks.title, row 2"),
        ({"title": ""}, "stands there twice", "tasks.title, row 1"),
        ({"id": 1}, "1 stands there twice", "tasks.id, row 1"),
        ({"state": "gone"}, "is none of open", "tasks.state, row 2"),
        ({"urgent": 2}, "is not boolean", "tasks.urgent, row 2"),
        ({"hours": "2"}, "is not real", "tasks.hours, row 2"),
        ({"hours": -1}, "CHECK constraint", "tasks, row 2"),
        ({"due": "2023-02-29"}, "is not date", "tasks.due, row 2"),
        ({"created_at": "2024-01-01 00:00:00"}, "is not timestamp", "tasks.created_at, row 2"),
        ({"extra": "{"}, "is not json", "tasks.extra, row 2"),
        ({"owner": "p9"}, "is not in people.code", "tasks.owner, row 2"),
        ({"parent_id": 7}, "is not in tasks.id", "tasks.parent_id, row 2"),
        ({"surplus": 1}, "no such column", "tasks.surplus, row 2"),
    ],
)
def test_a_faulty_row_is_refused_by_name(change: dict[str, Any], message: str, where: str) -> None:
    with pytest.raises(BuildError, match=message) as caught:
        verify_rows(database(**change))
    assert caught.value.where == where


def _gap(value: Database) -> None:
    value.provenance.pop()


def _escape(value: Database) -> None:
    value.documents["../outside.md"] = "x"


@pytest.mark.parametrize(("spoil", "message"), [(_gap, "0 entries cover the row p1"), (_escape, "leaves the")])
def test_inexact_databases_are_not_written(tmp_path: Path, spoil: Callable[[Database], None], message: str) -> None:
    value = database()
    spoil(value)
    with pytest.raises(BuildError, match=message):
        write_database(value, tmp_path / "env", MANIFEST, [])
    assert not (tmp_path / "outside.md").exists()


def test_a_file_in_the_way_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(StoreError):
        write_database(database(), tmp_path, MANIFEST, [])


def test_ids_that_the_world_gives_are_not_minted() -> None:
    coded = PEOPLE.model_copy(update={"name": "coded", "id_style": IdStyle(kind="code", prefix="P")})
    named = PEOPLE.model_copy(
        update={"name": "named", "columns": (Column(name="id", type="text"),), "primary_key": ("id",)}
    )
    styles = id_styles(Domain(theme="t", tables=(TASKS, PEOPLE, coded, named)), {})
    assert {name: style.kind for name, style in styles.items()} == {
        "tasks": "integer",
        "coded": "code",
        "named": "uuid",
    }


def test_keys_that_differ_in_their_number_only_are_minted_alike() -> None:
    parts = Table(
        name="parts",
        entity="part",
        label="Part",
        columns=(Column(name="part_no", type="text"),),
        primary_key=("part_no",),
    )

    def style(*keys: str) -> IdStyle | None:
        return id_styles(Domain(theme="t", tables=(parts,)), {"parts": [{"part_no": key} for key in keys]}).get("parts")

    assert style("I02000", "I02001") == IdStyle(kind="code", prefix="I", alphabet="0123456789", length=5)
    for given in (("EWR", "JFK"), ("I02000", "J02000"), ("I02000", "I2000"), ("N101", "N102"), ()):
        assert style(*given) is None


def test_facts_are_kept_and_prose_is_dropped() -> None:
    columns = (
        *PEOPLE.columns,
        Column(name="story", type="text", role="body"),
        Column(name="remark", type="text"),
        Column(name="city", type="text"),
    )
    table = PEOPLE.model_copy(update={"columns": columns, "indexes": (("remark",), ("city",))})
    remark = "She moved to the coast in spring and never came back again"
    rows = {"people": [{"code": "p1", "name": "Ada Byron", "story": "Born.", "remark": remark, "city": "York"}]}
    domain, kept = facts_only_rows(Domain(theme="t", tables=(table,)), rows)
    assert kept == {"people": [{"code": "p1", "name": "Ada Byron", "city": "York"}]}
    assert [column.name for column in domain.tables[0].columns] == ["code", "name", "city"]
    assert domain.tables[0].indexes == (("city",),)
    assert domain.notes == ("facts only: free text left out (people.remark, people.story)",)
    assert facts_only_documents({"a.md": "text"}) == {}
