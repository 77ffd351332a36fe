"""The workspace archetype on a library of articles: other words, no containers, fewer kinds of pieces."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from envforge.core.contracts import Database
from envforge.core.records.domain import Column, Domain, IdStyle, PropertyBag, Reference, Table
from envforge.mine.archetypes import load_archetype
from envforge.mine.archetypes.bind import bind
from envforge.mine.archetypes.match import ArchetypeMatch, match_archetypes
from envforge.mine.complexify import complexify
from envforge.mine.scenario import simulate
from envforge.mine.scenario.measures import measure_plants, opened

FILE = Path(__file__).parents[4] / "themes" / "archetypes" / "collaborative-workspace.yaml"
FOREIGN = {"people", "articles", "sections", "shelves", "fields", "choices"}
SECTIONS = ("text", "heading", "list_item", "check", "quote", "code", "rule", "link")
KINDS = ("title", "text", "number", "date", "checkbox", "single_select", "labels", "person", "reference")


def column(name: str, kind: str = "text", *, to: str = "", role: str = "", enum: tuple[str, ...] = ()) -> Column:
    reference = Reference(table=to, column="id", confidence=1, evidence="test") if to else None
    needed = name in {"id", "name", "title"} or role in {"type", "position"}
    return Column(name=name, type=kind, nullable=not needed, references=reference, role=role or None, enum=enum)  # type: ignore[arg-type]


def table(name: str, entity: str, *columns: Column, key: tuple[str, ...] = ("id",)) -> Table:
    own = (column("id", role="id"), *columns) if key == ("id",) else columns
    return Table(name=name, entity=entity, label=entity, columns=own, primary_key=key, id_style=IdStyle(kind="uuid"))


def library() -> Database:
    """Articles lie on shelves that define fields, or below other articles; they hold sections and get notes."""
    times = (column("written_at", "timestamp", role="created_at"), column("changed_at", "timestamp", role="updated_at"))
    hands = (column("writer_id", to="people", role="author"), column("reviser_id", to="people", role="editor"))
    tables = (
        table("people", "person", column("name", role="title"), column("mail", role="email")),
        table("shelves", "shelf", column("title", role="title"), column("summary", role="body"), *hands, *times),
        table(
            "articles",
            "article",
            column("title", role="title"),
            column("shelf_id", to="shelves"),
            column("parent_article_id", to="articles"),
            column("archived", "boolean"),
            column("link", role="url"),
            *hands,
            *times,
        ),
        table(
            "sections",
            "section",
            column("kind", role="type", enum=SECTIONS),
            column("article_id", to="articles"),
            column("parent_section_id", to="sections"),
            column("words", role="body"),
            column("rank", "integer", role="position"),
            column("done", "boolean"),
            *hands,
            *times,
        ),
        table(
            "notes",
            "note",
            column("article_id", to="articles"),
            column("section_id", to="sections"),
            column("words", role="body"),
            column("thread_id"),
            column("writer_id", to="people", role="author"),
            *times,
        ),
        table(
            "fields",
            "field",
            column("shelf_id", to="shelves", role="parent"),
            column("name", role="title"),
            column("kind", role="type", enum=KINDS),
            column("rank", "integer", role="position"),
            column("target_shelf_id", to="shelves"),
        ),
        table("choices", "choice", column("field_id", to="fields", role="parent"), column("name", role="title")),
        table(
            "field_values",
            "field_value",
            column("article_id", to="articles", role="parent"),
            column("field_id", to="fields"),
            column("rank", "integer", role="position"),
            column("text_value"),
            column("number_value", "real"),
            column("date_value"),
            column("boolean_value", "boolean"),
            column("option_id", to="choices"),
            column("user_id", to="people"),
            column("related_article_id", to="articles"),
            key=("article_id", "field_id", "rank"),
        ),
    )
    bag = PropertyBag(
        collection_table="shelves",
        item_table="articles",
        item_parent_column="shelf_id",
        definition_table="fields",
        option_table="choices",
        value_table="field_values",
        types=KINDS,
    )
    domain = Domain(theme="library", tables=tables, bags=(bag,))
    return Database(domain, {name.name: [] for name in tables}, [], {}, "2024-10-09T08:30:00Z")


def matched(database: Database) -> ArchetypeMatch:
    return match_archetypes(database.domain, database.rows, [load_archetype(FILE)])[0]


@cache
def played(seed: int) -> Database:
    database = library()
    match = matched(database)
    filled = simulate(bind(database, match), match, seed=seed)
    return complexify(filled, match, rounds=1, seed=seed)


def test_a_library_matches_by_shape() -> None:
    match = matched(library())
    assert match.accepted, match.reasons
    assert match.roles == {
        "member": "people",
        "document": "articles",
        "collection": "shelves",
        "definition": "fields",
        "option": "choices",
        "value": "field_values",
        "piece": "sections",
        "remark": "notes",
    }
    assert match.fields["document"]["above"] == "parent_article_id"
    assert match.fields["value"]["document"] == "article_id"
    assert match.fields["value"]["related"] == "related_article_id"


def without(database: Database, *, bags: bool = True, table: str = "", name: str = "") -> Domain:
    tables = tuple(
        t.model_copy(update={"columns": tuple(c for c in t.columns if c.name != name)}) if t.name == table else t
        for t in database.domain.tables
    )
    return database.domain.model_copy(update={"tables": tables, "bags": database.domain.bags if bags else ()})


def test_documents_without_typed_properties_are_refused() -> None:
    match = match_archetypes(without(library(), bags=False), {}, [load_archetype(FILE)])[0]
    assert not match.accepted
    assert any(reason.startswith("definition: no table plays it") for reason in match.reasons)


def test_documents_that_cannot_nest_are_refused() -> None:
    domain = without(library(), table="articles", name="parent_article_id")
    match = match_archetypes(domain, {}, [load_archetype(FILE)])[0]
    assert not match.accepted
    assert "lacks above" in " ".join(match.reasons)


def test_flights_are_no_workspace() -> None:
    tables = (
        table("airports", "airport", column("name", role="title"), column("city")),
        table("planes", "plane", column("model", role="title"), column("seats", "integer")),
        table(
            "flights",
            "flight",
            column("origin_id", to="airports"),
            column("destination_id", to="airports"),
            column("plane_id", to="planes"),
            column("departs_at", "timestamp"),
            column("arrives_at", "timestamp"),
        ),
    )
    match = match_archetypes(Domain(theme="air", tables=tables), {}, [load_archetype(FILE)])[0]
    assert not match.accepted
    assert match.roles.keys().isdisjoint({"document", "collection", "value", "definition"})


@pytest.mark.parametrize("seed", [0, 1])
def test_the_library_comes_to_life_in_its_own_words(seed: int) -> None:
    database = played(seed)
    assert {name: len(rows) for name, rows in database.rows.items() if len(rows) < 8} == {}
    assert len(database.rows["articles"]) > 400 and len(database.rows["sections"]) > 900
    assert {row["kind"] for row in database.rows["sections"]} <= set(SECTIONS)
    assert {row["kind"] for row in database.rows["fields"]} <= set(KINDS)
    with opened(database) as connection:
        measures = measure_plants(database, connection)
    assert [m for m in measures if not m.within] == []
    assert "overdue tasks" in {m.name for m in measures}
    assert 12 <= len(database.intents) <= 20
    assert all("@" not in intent.target for intent in database.intents)


@pytest.mark.parametrize("seed", [0, 1])
def test_times_agree(seed: int) -> None:
    rows = played(seed).rows
    articles = {row["id"]: row for row in rows["articles"]}
    for article in articles.values():
        assert article["written_at"] <= article["changed_at"] <= "2024-10-09T08:30:00Z"
        above = articles.get(article["parent_article_id"])
        assert above is None or above["written_at"] <= article["written_at"], article["title"]
    for section in rows["sections"]:
        holder = articles.get(section["article_id"])
        if holder is not None:
            assert holder["written_at"] <= section["written_at"] <= section["changed_at"] <= holder["changed_at"]
    sections = {row["id"]: row for row in rows["sections"]}
    for note in rows["notes"]:
        subject = articles.get(note["article_id"]) or sections[note["section_id"]]
        assert subject["written_at"] <= note["written_at"]


@pytest.mark.parametrize("seed", [0, 1])
def test_sections_stand_in_dense_order(seed: int) -> None:
    places: dict[tuple[str | None, str | None], list[int]] = {}
    for row in played(seed).rows["sections"]:
        places.setdefault((row["article_id"], row["parent_section_id"]), []).append(row["rank"])
    assert all(sorted(ranks) == list(range(len(ranks))) for ranks in places.values())


@pytest.mark.parametrize("seed", [0, 1])
def test_status_and_dates_of_tasks_agree(seed: int) -> None:
    rows = played(seed).rows
    shelf = next(row["id"] for row in rows["shelves"] if row["title"] == "Tasks")
    names = {row["id"]: row["name"] for row in rows["fields"]}
    choices = {row["id"]: row["name"] for row in rows["choices"]}
    tasks = {row["id"]: row for row in rows["articles"] if row["shelf_id"] == shelf}
    values: dict[str, dict[str, str]] = {key: {} for key in tasks}
    for row in rows["field_values"]:
        if row["article_id"] in tasks:
            shown = choices.get(row["option_id"]) or row["date_value"] or row["text_value"] or row["user_id"]
            values[row["article_id"]].setdefault(names[row["field_id"]], shown)
    for key, found in values.items():
        assert (found["Status"] == "Done") == ("Done on" in found)
        assert (found["Status"] == "Blocked") == ("Waiting for" in found)
        assert found.get("Done on", "") <= "2024-10-09"
        assert found.get("Done on", "9999") >= tasks[key]["written_at"][:10]


@pytest.mark.parametrize("seed", [0, 1])
def test_few_people_write_most(seed: int) -> None:
    for name in ("articles", "sections", "notes"):
        owned = sorted(Counter(row["writer_id"] for row in played(seed).rows[name]).values(), reverse=True)
        assert sum(owned[: round(len(owned) * 0.2)]) / sum(owned) >= 0.5, name


def test_a_seed_changes_people_and_days_and_not_the_structure() -> None:
    first, again, other = played(0), played.__wrapped__(0), played(1)
    assert first.rows == again.rows
    assert {row["name"] for row in first.rows["people"]} != {row["name"] for row in other.rows["people"]}
    for name, column_name in (("shelves", "title"), ("fields", "name"), ("choices", "name")):
        kept = [row[column_name] for row in first.rows[name]]
        assert kept == [row[column_name] for row in other.rows[name]], name
    assert first.domain.tables == other.domain.tables


def test_addresses_follow_names() -> None:
    for row in played(0).rows["people"]:
        if row["mail"] is not None:
            assert row["mail"].endswith("@brackwater.example")
            assert row["mail"][0] == row["name"][0].lower()
