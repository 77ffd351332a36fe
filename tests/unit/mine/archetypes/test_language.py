"""The archetype language: references, matching, binding, and what is refused when a file is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from envforge.core.contracts import Database
from envforge.core.errors import BuildError, ConfigError
from envforge.core.records.archetype import Archetype
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Domain, Table
from envforge.core.records.environment import ProvenanceEntry
from envforge.mine.archetypes import load_archetype, load_archetypes
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import match_archetypes
from envforge.mine.archetypes.refs import Binding, BoundRole, UnboundError

LENDING = Path(__file__).parents[3] / "fixtures" / "archetypes" / "lending.yaml"


def lending() -> dict[str, Any]:
    return yaml.safe_load(LENDING.read_text())


def books(*more: Column, rows: int = 15) -> Database:
    columns = (
        Column(name="id", type="text", nullable=False, role="id"),
        Column(name="title", type="text", role="title"),
        *more,
    )
    table = Table(name="books", entity="book", label="book", primary_key=("id",), columns=columns)
    found: list[dict[str, Any]] = [
        {**dict.fromkeys(column.name for column in columns), "id": f"b{n}", "title": f"Book {n}"} for n in range(rows)
    ]
    entry = ProvenanceEntry(table="books", source="src-1", kind="mined", count=rows)
    return Database(Domain(theme="x", tables=(table,)), {"books": found}, [entry], {}, "2024-05-05T12:00:00Z")


def write(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "made.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def binding() -> Binding:
    bound = BoundRole("flights", "flight", "flight", "flight_id", "string", {"starts_at": "departs"}, frozenset())
    agent = BoundRole("agents", "agent", "agent", "id", "string", {}, frozenset())
    return Binding("test", {"departure": bound, "agent": agent, "vehicle": None}, {"fee": 25}, OWNERS)


OWNERS = {"starts_at": ("departure",), "ends_at": ("departure",), "name": ("departure", "vehicle")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT f.@departure.starts_at FROM @departure f", "SELECT f.departs FROM flights f"),
        ("@departure.label {x} is over.", "Flight {x} is over."),
        ("@departure.label of {x}", "flight of {x}"),
        ("row.@starts_at", "row.departs"),
        ("search_@departure.entities", "search_flights"),
        ("@departure.entity_summary(row)", "flight_summary(row)"),
        ("@departure.entity.@departure.id", "flight.flight_id"),
        ("new_@departure.fk", "new_flight_id"),
        ("add_days(now(), @const.fee)", "add_days(now(), 25)"),
        ("write to jo@example.com", "write to jo@example.com"),
        ("f'{name}@starts_at'", "f'{name}@starts_at'"),
        ("1 if bound('departure.ends_at') else 0", "0"),
        ("d.@departure.ends_at if bound('departure.ends_at') else None", "None"),
        ("a == b and (c == d.@departure.ends_at if bound('departure.ends_at') else True)", "a == b"),
        ("not bound('departure.ends_at') and bound('departure.starts_at')", "True"),
        ("bound('departure.ends_at') or x > 1", "x > 1"),
        ("a = b <<AND c = @departure.ends_at>> <<AND d = @starts_at>>", "a = b  AND d = departs"),
        ("when it <<departure.ends_at? ends | starts (@starts_at)>>", "when it starts (departs)"),
        ("an @departure.label, or An @departure.label", "a flight, or A flight"),
        ("a @agent.label of the @agent.label", "an agent of the agent"),
        ("a @departure.labels b", "a flights b"),
        ("by <<departure.starts_at? @starts_at>>, <<vehicle? @vehicle>>", "by departs, "),
    ],
)
def test_references(text: str, expected: str) -> None:
    assert binding().resolve(text) == expected


@pytest.mark.parametrize("text", ["@vehicle", "@vehicle.name", "@departure.ends_at"])
def test_what_is_not_bound_says_so(text: str) -> None:
    with pytest.raises(UnboundError):
        binding().resolve(text)


@pytest.mark.parametrize(
    "text", ["@nobody", "@departure.colour", "@name", "@const.nothing", "bound('departure.colour')"]
)
def test_unknown_references_are_errors(text: str) -> None:
    with pytest.raises(ConfigError):
        binding().resolve(text)


def test_load_takes_a_folder() -> None:
    assert [archetype.id for archetype in load_archetypes([LENDING.parent])] == ["lending"]


def spoiled(path: str, value: Any) -> dict[str, Any]:
    content = lending()
    target: Any = content
    *parents, last = path.split("/")
    for part in parents:
        target = target[int(part) if part.isdigit() else part]
    target[int(last) if last.isdigit() else last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("scenario/0/steps/0/over", "rows('@thing'", "not an expression"),
        ("scenario/0/steps/0/over", "__import__('os')", "not a function"),
        ("scenario/0/steps/0/over", "rows('@thingy')", "@thingy"),
        ("scenario/0/steps/0/over", "open('x')", "not a function"),
        ("scenario/0/steps/0", {"loop": "x"}, "a step holds"),
        ("scenario/0/steps/0/each", "pick", "cannot be a name"),
        ("scenario/0/needs", ["@nobody"], "@nobody"),
        ("plants/0/holds", "SELECT loan FROM loans", "no such column: loan"),
        ("plants/0/population", "SELECT loan_id FROM lones", "no such table: lones"),
        ("intents/0/target", "SELECT loan_id FROM loans WHERE", "incomplete input"),
        ("intents/0/parameter_sets", "SELECT member_id AS person FROM members", ":member has no values"),
        ("intents/0/answer/late/sql", "SELECT nobody FROM members", "no such column: nobody"),
        ("intents/0/gold", "import os\nreturn {}", "line 1: Import"),
        ("intents/0/gold", "return {'late': who}", "nothing gives the name 'who'"),
        ("intents/0/gold", "call(member_name)\nreturn {}", "literal"),
        ("intents/0/wording/text", ["{whoever}"], "{whoever} is no bank"),
        ("intents/0/parameter_sets", "SELECT member FROM members", "no such column: member"),
        ("operations/0/steps/3/that", "out.n === 0", "not an expression"),
        ("operations/0/steps/2/query", "SELECT count(*) AS n FROM @thing WHERE nope = 1", "no such column: nope"),
        ("operations/0/witnesses/0/query", "SELECT x FROM loans", "no such column: x"),
        ("views/0/fields/status", "row.status.lower(", "not an expression"),
        ("densities/0/process", "nothing", "no process 'nothing'"),
        ("chronological", {"nothing": "x"}, "no table 'nothing'"),
        ("text/shelf", [], "empty"),
        ("text/shelf", ["{shelf}"], "names itself"),
        ("tables/1/checks", ["status ="], "table loans"),
        ("roles/thing/colour", "red", "roles.thing.colour"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, path: str, value: Any, says: str) -> None:
    file = write(tmp_path, spoiled(path, value))
    with pytest.raises(ConfigError) as caught:
        load_archetype(file)
    assert says in str(caught.value)
    assert str(file) in str(caught.value)


def test_what_ships_is_read_and_what_is_ones_own_is_checked(tmp_path: Path) -> None:
    folder = write(tmp_path, spoiled("intents/0/gold", "import os\nreturn {}")).parent
    assert [archetype.id for archetype in load_archetypes([folder], shipped=[folder])] == ["lending"]
    with pytest.raises(ConfigError, match="Import"):
        load_archetypes([folder])


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path, lending())
    first = load_archetype(file)
    assert load_archetype(file) is first
    write(tmp_path, spoiled("title", "Lending of boats"))
    assert load_archetype(file).title == "Lending of boats"


def test_a_key_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "twice.yaml"
    file.write_text("id: a\nversion: 1\nid: b\n")
    with pytest.raises(ConfigError, match="stands twice"):
        load_archetype(file)


def test_broken_yaml_and_a_list_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("id: [a\n")
    with pytest.raises(ConfigError, match="no YAML"):
        load_archetype(file)
    file.write_text("- a\n- b\n")
    with pytest.raises(ConfigError, match="not a mapping"):
        load_archetype(file)


def bound_books(database: Database) -> Database:
    match = match_archetypes(database.domain, database.rows, [load_archetype(LENDING)])[0]
    return bind(database, match)


def test_binding_adds_columns_tables_and_operations() -> None:
    database = bound_books(books())
    shelf = database.domain.table("books").column("shelf")
    assert (shelf.origin, database.domain.table("books").archetype_role) == ("synthetic", "thing")
    loans = database.domain.table("loans")
    assert loans.origin == "synthetic"
    assert {column.origin for column in loans.columns} == {"synthetic"}
    reference = loans.column("book_id").references
    assert reference is not None
    assert (reference.table, reference.column) == ("books", "id")
    assert database.rows["books"][0] == {"id": "b0", "title": "Book 0", "shelf": None}
    lend = database.operations[0]
    assert (lend.name, lend.origin, lend.locator) == ("lend_book", "synthetic", "archetype:lending#lend_book")
    assert lend.parameters[0].semantic == "book.id"
    assert ":clock" not in database.plants[0].holds


def test_what_nothing_plays_is_left_out_with_a_note() -> None:
    database = bound_books(books())
    assert not database.domain.table("loans").has("keeper_name")
    assert "keeper" not in database.views[0].fields
    assert [operation.name for operation in database.operations] == ["lend_book"]
    assert any("list_keepers" in note for note in database.domain.notes)


def test_dead_columns_go_unless_something_writes_them() -> None:
    extra = (Column(name="cover", type="text"), Column(name="note", type="text"), Column(name="isbn", type="text"))
    database = books(*extra)
    for row in database.rows["books"]:
        row["isbn"] = "x"
    writes = BoundParameter(name="note", source_name="note", meaning="column", column="note", json_type={})
    operation = BoundOperation(id="o", name="o", verb="update", entity="book", table="books", parameters=(writes,))
    database.domain = database.domain.model_copy(update={"operations": (operation,)})
    table = bound_books(database).domain.table("books")
    assert [column.name for column in table.columns] == ["id", "title", "note", "isbn", "shelf"]


def test_a_table_of_the_same_name_refuses_the_match() -> None:
    database = books()
    members = Table(
        name="members",
        entity="member",
        label="member",
        primary_key=("id",),
        columns=(Column(name="id", type="integer", nullable=False),),
    )
    domain = database.domain.model_copy(update={"tables": (*database.domain.tables, members)})
    match = match_archetypes(domain, database.rows, [load_archetype(LENDING)])[0]
    assert not match.accepted
    with pytest.raises(BuildError, match="members"):
        bind(database, match)


def test_a_process_must_say_what_it_needs() -> None:
    content = lending()
    del content["scenario"][4]["needs"]
    database = books()
    match = match_archetypes(database.domain, database.rows, [Archetype.model_validate(content)])[0]
    with pytest.raises(BuildError, match="process keepers uses @keeper"):
        bind(database, match)


def test_a_document_that_does_not_fit_the_schema_here_is_refused_when_it_is_bound() -> None:
    """What is written for every schema may name a column that this one does not have."""
    plan = {"name": "sheet", "format": "csv", "about": "All.", "columns": {"id": "id"}}
    rows = "SELECT 'a.csv' AS path, id, cover FROM @thing"
    content = lending() | {"documents": [{**plan, "rows": rows}]}
    database = books()
    match = match_archetypes(database.domain, database.rows, [Archetype.model_validate(content)])[0]
    with pytest.raises(ConfigError, match="no such column: cover") as caught:
        bind(database, match)
    assert "document sheet" in caught.value.where


def test_the_hash_of_an_archetype_is_in_its_source() -> None:
    database = books()
    first = match_archetypes(database.domain, database.rows, [load_archetype(LENDING)])[0]
    changed = Archetype.model_validate({**lending(), "version": 2})
    second = match_archetypes(database.domain, database.rows, [changed])[0]
    assert first.source.startswith("archetype:lending@")
    assert first.source != second.source


@pytest.mark.parametrize(
    "sql",
    ["ATTACH DATABASE '{file}' AS x", "VACUUM INTO '{file}'", "DELETE FROM loans", "SELECT 1; SELECT 2"]
    + ["PRAGMA user_version = 1", "WITH x AS (SELECT 1) DELETE FROM loans"],
)
def test_a_query_that_does_more_than_read_is_refused(tmp_path: Path, sql: str) -> None:
    content = lending()
    content["plants"][0]["holds"] = sql.replace("{file}", str(tmp_path / "written.db"))
    with pytest.raises(ConfigError, match=f"plant {content['plants'][0]['name']}, holds"):
        load_archetype(write(tmp_path, content))
    assert not (tmp_path / "written.db").exists()
