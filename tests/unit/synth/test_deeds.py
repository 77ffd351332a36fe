"""Deeds are learned from calls whose whole effect is understood; goals that end in one hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from envforge.cli.commands import graph_command
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.gates.solutions import Player
from envforge.rollout.checks import evaluate
from envforge.store.files import read_json
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.landscape import survey
from envforge.synth.walk_families import graph_and_families
from envforge.world.environment import Environment

from .conftest import LIBRARY
from .library_domain import BOOKS, DOMAIN, LOANS, MEMBERS, to_table

COMMENTS = Table(
    name="comments",
    entity="comment",
    label="comment",
    primary_key=("id",),
    columns=(
        Column(name="id", type="text", role="id"),
        Column(name="book_id", type="integer", role="parent", references=to_table("books")),
        Column(name="text", type="text", role="body"),
    ),
)
KNOWN = DOMAIN.model_copy(
    update={"blueprint": DOMAIN.blueprint.model_copy(update={"tables": (MEMBERS, BOOKS, LOANS, COMMENTS)})}
)
TOOL = '''

def comment_on_book(world: World, book_id: int, text: str) -> dict:
    """Say something about a book.

    Args:
        book_id: the book's id.
        text: what is said.
    """
    _one(world, "books", book_id)
    comment_id = world.new_id("comments")
    world.execute("INSERT INTO comments VALUES (?, ?, ?)", (comment_id, book_id, text)){more}
    return {{"id": comment_id}}
'''
COUNTED = '\n    world.execute("UPDATE books SET copies = copies + 1 WHERE id = ?", (book_id,))'


def library_with_comments(folder: Path, more: str = "") -> Environment:
    """The library with one more table and one more tool."""
    shutil.copytree(LIBRARY, folder)
    schema = (
        "CREATE TABLE comments (id TEXT NOT NULL PRIMARY KEY, book_id INTEGER NOT NULL, text TEXT NOT NULL) STRICT;\n"
    )
    (folder / "schema.sql").write_text((folder / "schema.sql").read_text() + schema)
    (folder / "data" / "comments.csv").write_text("id,book_id,text\n")
    (folder / "tools.py").write_text((folder / "tools.py").read_text() + TOOL.format(more=more))
    tools = json.loads((folder / "tools.json").read_text())
    borrow = next(tool for tool in tools if tool["name"] == "borrow_book")
    integer, string = {"type": "integer"}, {"type": "string", "minLength": 1}
    parameters = {
        "type": "object",
        "properties": {"book_id": integer, "text": string},
        "required": ["book_id", "text"],
        "additionalProperties": False,
    }
    new = {
        **borrow,
        "name": "comment_on_book",
        "entity": "comment",
        "parameters": parameters,
        "reads": ["books"],
        "writes": ["comments", "books"] if more else ["comments"],
        "consumes": {"book_id": "book.id"},
    }
    (folder / "tools.json").write_text(json.dumps([*tools, new]))
    manifest = json.loads((folder / "environment.json").read_text())
    manifest["ids"]["comments"] = manifest["ids"]["loans"]
    (folder / "environment.json").write_text(json.dumps(manifest))
    return Environment.open(folder)


@pytest.fixture(scope="module")
def commented(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return library_with_comments(tmp_path_factory.mktemp("deeds") / "library")


def test_one_new_child_row_is_a_deed(commented: Environment) -> None:
    (deed,) = survey(commented, KNOWN).deeds
    assert (deed.tool, deed.parameter, deed.value) == ("comment_on_book", "book_id", "text")
    assert (deed.table, deed.parent, deed.column) == ("comments", "book_id", "text")


def test_a_call_that_changes_more_is_none(tmp_path: Path) -> None:
    assert survey(library_with_comments(tmp_path / "library", COUNTED), KNOWN).deeds == ()


def test_the_goal_of_a_deed_holds_and_doing_nothing_does_not(commented: Environment) -> None:
    families = [family for family in graph_and_families(commented, KNOWN, 0, 60)[1] if family.expect]
    assert [family.kind for family in families] == ["state_change"]
    author = CompiledTaskAuthor(commented, KNOWN, [(family, "walk") for family in families], 0)
    found = [one for one in author.proposals() if isinstance(one, Proposal)]
    assert len(found) >= 5 and not any(one.words for one in found)
    with Player(commented) as player:
        for one in found[:5]:
            played = player.play(one.candidate.program)
            assert all(r.passed for r in evaluate(commented, one.candidate.checks, played.changeset, played.answer))
            assert not all(r.passed for r in evaluate(commented, one.candidate.checks, b"", {}))
            assert one.candidate.kind == "graph" and "comment" in one.candidate.instruction


def blueprint_in(folder: Path, known: EnvironmentBlueprint) -> None:
    (folder / "blueprint.json").write_text(json.dumps(known.to_json()))


def test_the_command_writes_the_graph(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    blueprint_in(folder, DOMAIN)
    for form, start in (("svg", "<svg"), ("html", "<!doctype html>"), ("json", "{")):
        out = tmp_path / f"graph.{form}"
        graph_command.run(str(folder), form=form, out=out, seed=0, shared=SharedOptions(tmp_path))
        assert out.read_text().startswith(start)
    assert read_json(tmp_path / "graph.json")["statistics"]["tools"] == 8
    with pytest.raises(ConfigError, match="png"):
        graph_command.run(str(folder), form="png", out=None, seed=0, shared=SharedOptions(tmp_path))


def test_an_environment_without_blueprint_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"blueprint\.json"):
        graph_command.run(str(LIBRARY), form="svg", out=None, seed=0, shared=SharedOptions(tmp_path))
