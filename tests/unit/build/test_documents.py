"""Tools for the documents of a database: when there are any, what they answer, and that their tests notice faults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envforge.build.author import CompiledToolAuthor
from envforge.build.blueprint import documents as drawn
from envforge.build.blueprint import draw_blueprint
from envforge.core.contracts import Database
from envforge.core.outcome import Produced
from envforge.core.records.domain import Domain
from envforge.gates import calls
from envforge.gates.folder import Folder
from envforge.gates.mutants import mutants
from envforge.world.api import ToolError
from envforge.world.environment import Environment
from envforge.world.test_runner import Mutant, run_mutants, run_tests

from .conftest import Call, TinyWorld, column, loaded, running, table
from .test_author import draft

NAMES = {"list_documents", "search_documents", "read_document"}
GUIDE = """# Boarding guide

How boarding works here.

## Groups

Families board first.

### Late guests

Whoever is late boards last, behind a BAGGAGE check.

```
# no heading: code
```

## Baggage

One bag each; a second bag costs extra.
"""
DOCUMENTS = {
    "guides/baggage.md": "# Baggage\n\n" + "Bags are weighed. Heavy bags pay more, light bags do not. " * 12,
    "guides/boarding.md": GUIDE,
    "guides/seats.md": "# Seats\n\nSeats are chosen early.\n\n## Rows\n\nExit rows have room for long legs.\n",
    "notes/crew.md": "# Crew\n\nThe crew boards before the guests and checks every seat.\n",
    "notes/fuel.csv": "airport,litres\nEWR,4000\nORD,5200\n",
}


@pytest.fixture(scope="module")
def documented(schedule: Database) -> Database:
    return replace(schedule, documents=DOCUMENTS)


class Shelf(TinyWorld):
    def documents(self, prefix: str = "") -> list[str]:
        return [path for path in sorted(DOCUMENTS) if path.startswith(prefix)]

    def document(self, path: str) -> str:
        return DOCUMENTS[path]


@pytest.fixture(scope="module")
def tools(documented: Database) -> dict[str, Any]:
    return loaded(draw_blueprint(documented, max_tools=24)[0])


@pytest.fixture
def call(documented: Database, tools: dict[str, Any]) -> Call:
    return running(tools, Shelf(documented))


def names_of(database: Database) -> set[str]:
    return {operation.name for operation in draw_blueprint(database, max_tools=24)[0].operations}


def test_documents_bring_their_tools_and_none_without(schedule: Database, documented: Database) -> None:
    assert names_of(documented) >= names_of(schedule) | NAMES
    assert names_of(schedule) & NAMES == set()


def test_they_come_before_the_last_tools_of_tables(documented: Database) -> None:
    kept = {one.name for one in draw_blueprint(documented, max_tools=5)[0].operations}
    assert kept >= NAMES


def test_the_manual_of_an_interface_is_not_part_of_its_world(workspace: Database) -> None:
    assert names_of(replace(workspace, documents=DOCUMENTS)) & NAMES == set()


def test_beside_an_archetype_only_documents_that_rows_refer_to(documented: Database) -> None:
    brought = tuple(draw_blueprint(replace(documented, documents={}), max_tools=24)[0].operations[:1])
    assert names_of(replace(documented, operations=brought)) & NAMES == set()
    pages = table("manuals", "manual", (column("path", role="id"), column("title")), key=("path",))
    domain = documented.domain.model_copy(update={"tables": (*documented.domain.tables, pages)})
    rows = {**documented.rows, "manuals": [{"path": path, "title": path} for path in DOCUMENTS]}
    assert names_of(replace(documented, operations=brought, domain=domain, rows=rows)) >= NAMES


def test_a_table_of_documents_keeps_its_name(documented: Database) -> None:
    own = table("documents", "document", (column("id", role="id"), column("name")))
    domain = Domain(theme="own", tables=(own,))
    rows = {"documents": [{"id": str(number), "name": f"plan {number}"} for number in range(9)]}
    found = names_of(replace(documented, domain=domain, rows=rows))
    assert {"search_documents", "get_document", "list_source_documents", "read_source_document"} <= found


def test_too_much_text_is_not_searched(documented: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "MOST_SEARCHED", 100)
    assert names_of(documented) & NAMES == {"list_documents", "read_document"}


def test_descriptions_say_what_the_documents_are(documented: Database) -> None:
    operations = {one.name: one for one in draw_blueprint(documented, max_tools=24)[0].operations}
    for name in NAMES:
        assert "5 documents (md, csv)" in operations[name].description


def test_search_finds_documents_that_hold_all_words(call: Call) -> None:
    found = call("search_documents", query="bag boards")["items"]
    assert [item["path"] for item in found] == ["guides/boarding.md"]
    titled = call("search_documents", query="baggage")["items"]
    assert [item["path"] for item in titled] == ["guides/baggage.md", "guides/boarding.md"]
    assert "behind a BAGGAGE check" in titled[1]["passage"]
    assert call("search_documents", query="baggage", prefix="notes/")["items"] == []
    assert call("search_documents", query="zeppelin")["items"] == []


def test_a_passage_is_found_again_at_its_offset(call: Call) -> None:
    (item,) = call("search_documents", query="second bag")["items"]
    text = call("read_document", path=item["path"], offset=item["offset"])["text"]
    assert " ".join(text.split()).startswith(item["passage"][:60])


def test_a_section_ends_at_the_next_heading_of_its_level(call: Call) -> None:
    read = call("read_document", path="guides/boarding.md", section="groups")
    assert read["text"].startswith("## Groups")
    assert "Late guests" in read["text"]
    assert "## Baggage" not in read["text"]
    assert read["sections"] == ["Boarding guide", "Groups", "Late guests", "Baggage"]


def test_a_line_of_marks_alone_is_no_heading(documented: Database) -> None:
    held = {"bare.md": "#\n##\n# Fares\n\nCheap.\n######", "odd.md": "###"}

    class Odd(Shelf):
        def documents(self, prefix: str = "") -> list[str]:
            return [path for path in sorted(held) if path.startswith(prefix)]

        def document(self, path: str) -> str:
            return held[path]

    database = replace(documented, documents=held)
    call = running(loaded(draw_blueprint(database, max_tools=24)[0]), Odd(database))
    assert [item["title"] for item in call("list_documents")["items"]] == ["Fares", "odd.md"]
    assert call("read_document", path="bare.md")["sections"] == ["Fares"]


def test_the_pieces_of_a_document_make_the_whole(call: Call) -> None:
    text, at = "", 0
    while at is not None:
        piece = call("read_document", path="guides/baggage.md", offset=at, max_characters=200)
        text, at = text + piece["text"], piece["next_offset"]
        assert len(piece["text"]) <= 200
    assert text == DOCUMENTS["guides/baggage.md"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "guides"}, "not_found"),
        ({"path": "../secrets"}, "not_found"),
        ({"path": "guides/seats.md", "section": "Wings"}, "not_found"),
        ({"path": "guides/seats.md", "offset": 9999}, "invalid_argument"),
        ({"path": "guides/seats.md", "max_characters": 1_000_000}, "invalid_argument"),
    ],
)
def test_what_is_not_there_is_refused(call: Call, arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(ToolError) as caught:
        call("read_document", **arguments)
    assert caught.value.code == code
    assert caught.value.hint


def test_their_unit_tests_pass_and_notice_faults(documented: Database, tmp_path: Path) -> None:
    folder = draft(documented, tmp_path / "world")
    assert isinstance(CompiledToolAuthor().write(documented, folder, max_tools=12), Produced)
    assert run_tests(folder).failed == ()
    view = Folder(folder)
    by_tool = calls.tests_by_tool(view.tests, sorted(NAMES))
    made = [one for one in mutants(view.module, {}, most=600, seed=0) if set(one.tools) <= NAMES]
    tests = {one.id: tuple(name for tool in one.tools for name in by_tool[tool]) for one in made}
    verdicts = run_mutants(folder, [Mutant(one.id, "", tests[one.id], patch=one.patch) for one in made])
    killed = sum(one.killed for one in verdicts)
    assert len(made) >= 30
    assert killed >= 0.8 * len(made), [one.id for one in verdicts if not one.killed]


def test_tools_read_the_documents_of_a_live_world(documented: Database, tmp_path: Path) -> None:
    folder = draft(documented, tmp_path / "world")
    CompiledToolAuthor().write(documented, folder, max_tools=12)
    with Environment.open(folder).start(0) as session:
        page = session.call("list_documents", {"prefix": "guides/"}).to_json()
        assert [item["title"] for item in page["result"]["items"]] == ["Baggage", "Boarding guide", "Seats"]
        assert session.diff().empty
