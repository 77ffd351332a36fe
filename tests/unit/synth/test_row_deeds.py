"""Deeds on plain rows are learned where their whole effect is understood, and the goals that end in one hold."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import IntentFamily
from envforge.gates.solutions import Player
from envforge.rollout.checks import evaluate
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.chain_gold import BlindError
from envforge.synth.chain_row_deeds import TieGoals
from envforge.synth.chains import chains_of
from envforge.synth.deeds import Deed
from envforge.synth.entities import Entities
from envforge.synth.graph import tool_graph
from envforge.synth.landscape import Landscape, survey
from envforge.synth.walk_families import walked_families
from envforge.synth.walks import walks
from envforge.world.environment import Environment

from .conftest import LIBRARY
from .library_domain import BOOKS, DOMAIN, LOANS, MEMBERS, to_table

STATES = ("draft", "published")
LISTS = Table(
    name="lists",
    entity="list",
    label="list",
    primary_key=("id",),
    columns=(
        Column(name="id", type="text", role="id"),
        Column(name="name", type="text", role="title"),
        Column(name="state", type="text", role="state", enum=STATES),
        Column(name="published_at", type="timestamp"),
    ),
)
LISTED = Table(
    name="listed",
    entity="listed",
    label="item of a list",
    kind="link",
    primary_key=("list_id", "book_id"),
    columns=(
        Column(name="list_id", type="text", role="parent", references=to_table("lists")),
        Column(name="book_id", type="integer", references=to_table("books")),
    ),
)
FLAGS = Table(
    name="flags",
    entity="flag",
    label="flag",
    primary_key=("id",),
    columns=(
        Column(name="id", type="text", role="id"),
        Column(name="book_id", type="integer", role="parent", references=to_table("books")),
        Column(name="kind", type="text", enum=("lost", "torn")),
    ),
)
TABLES = (MEMBERS, BOOKS, LOANS, LISTS, LISTED, FLAGS)
KNOWN: EnvironmentBlueprint = DOMAIN.model_copy(
    update={"blueprint": DOMAIN.blueprint.model_copy(update={"tables": TABLES})}
)
SCHEMA = """CREATE TABLE lists (
  id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, published_at TEXT
) STRICT;
CREATE TABLE listed (
  list_id TEXT NOT NULL REFERENCES lists (id), book_id INTEGER NOT NULL REFERENCES books (id),
  PRIMARY KEY (list_id, book_id)
) STRICT;
CREATE TABLE flags (id TEXT NOT NULL PRIMARY KEY, book_id INTEGER NOT NULL, kind TEXT NOT NULL) STRICT;
"""
ROWS = {
    "lists": "id,name,state,published_at\nL-1,Summer,draft,\nL-2,Autumn,draft,\nL-3,Winter,published,\n",
    "listed": "list_id,book_id\nL-1,101\nL-1,102\nL-2,103\nL-3,104\n",
    "flags": "id,book_id,kind\nF-1,101,torn\n",
}
TOOLS = '''

def list_members(world: World) -> dict:
    """List the members."""
    return {"items": world.query("SELECT * FROM members ORDER BY id")}


def list_lists(world: World) -> dict:
    """List the lists."""
    return {"items": world.query("SELECT * FROM lists ORDER BY id")}


def update_member(world: World, member_id: str, email: str | None = None) -> dict:
    """Change the address of a member."""
    _one(world, "members", member_id)
    world.execute("UPDATE members SET email = ? WHERE id = ?", (email, member_id))
    return {"id": member_id}


def publish_list(world: World, list_id: str) -> dict:
    """Publish a draft."""
    if _one(world, "lists", list_id)["state"] != "draft":
        raise ToolError("not_allowed", "It is no draft.", "Take a draft.")
    world.execute("UPDATE lists SET state = 'published', published_at = ? WHERE id = ?", (world.now(), list_id))
    return {"id": list_id}


def add_to_list(world: World, list_id: str, book_id: int) -> dict:
    """Put a book on a list."""
    if _one(world, "lists", list_id)["state"] != "draft":
        raise ToolError("not_allowed", "It is no draft.", "Take a draft.")
    _one(world, "books", book_id)
    world.execute("INSERT INTO listed VALUES (?, ?)", (list_id, book_id))
    return {"id": list_id}


def remove_from_list(world: World, list_id: str, book_id: int) -> dict:
    """Take a book from a list."""
    if _one(world, "lists", list_id)["state"] != "draft":
        raise ToolError("not_allowed", "It is no draft.", "Take a draft.")
    world.execute("DELETE FROM listed WHERE list_id = ? AND book_id = ?", (list_id, book_id))
    return {"id": list_id}


def raise_flag(world: World, book_id: int, kind: str) -> dict:
    """Say that something is wrong with a book."""
    _one(world, "books", book_id)
    flag_id = world.new_id("flags")
    world.execute("INSERT INTO flags VALUES (?, ?, ?)", (flag_id, book_id, kind))
    return {"id": flag_id}
'''
ASIDE = '    world.execute("UPDATE books SET copies = copies + 1 WHERE id = 101")\n'
TEXT, NUMBER = {"type": "string", "minLength": 1}, {"type": "integer"}
KIND = {"type": "string", "enum": ["lost", "torn"]}
SPECS: dict[str, tuple[dict[str, Any], list[str], dict[str, str], list[str]]] = {
    "update_member": ({"member_id": TEXT, "email": TEXT}, ["member_id"], {"member_id": "member.id"}, ["members"]),
    "publish_list": ({"list_id": TEXT}, ["list_id"], {"list_id": "list.id"}, ["lists"]),
    "add_to_list": (
        {"list_id": TEXT, "book_id": NUMBER}, ["list_id", "book_id"],
        {"list_id": "list.id", "book_id": "book.id"}, ["listed"],
    ),
    "remove_from_list": (
        {"list_id": TEXT, "book_id": NUMBER}, ["list_id", "book_id"],
        {"list_id": "list.id", "book_id": "book.id"}, ["listed"],
    ),
    "raise_flag": ({"book_id": NUMBER, "kind": KIND}, ["book_id", "kind"], {"book_id": "book.id"}, ["flags"]),
}  # fmt: skip


def with_lists(folder: Path, more: str = "", tools: str = TOOLS) -> Environment:
    """The library with lists of books. `more`: what each of the new tools does besides."""
    shutil.copytree(LIBRARY, folder)
    (folder / "schema.sql").write_text((folder / "schema.sql").read_text() + SCHEMA)
    for name, text in ROWS.items():
        (folder / "data" / f"{name}.csv").write_text(text)
    source = tools.replace('    return {"id"', f'{more}    return {{"id"')
    (folder / "tools.py").write_text((folder / "tools.py").read_text() + source)
    known = json.loads((folder / "tools.json").read_text())
    (folder / "tools.json").write_text(json.dumps([*known, *_reading(known), *_writing(known, bool(more))]))
    manifest = json.loads((folder / "environment.json").read_text())
    manifest["ids"]["flags"] = manifest["ids"]["loans"]
    (folder / "environment.json").write_text(json.dumps(manifest))
    return Environment.open(folder)


def _reading(known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    get = next(tool for tool in known if tool["name"] == "get_book")
    nothing: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    items: dict[str, Any] = {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object"}}}}
    return [
        {
            **get, "name": f"list_{many}", "verb": "list", "entity": one, "parameters": nothing, "returns": items,
            "reads": [many], "consumes": {}, "produces": {"items[].id": f"{one}.id"},
        }
        for one, many in (("member", "members"), ("list", "lists"))
    ]  # fmt: skip


def _writing(known: list[dict[str, Any]], aside: bool) -> list[dict[str, Any]]:
    borrow = next(tool for tool in known if tool["name"] == "borrow_book")
    return [
        {
            **borrow, "name": name, "consumes": consumes, "reads": ["members", "books", "lists", "listed"],
            "writes": sorted({*writes, *(["books"] if aside else [])}), "produces": {},
            "parameters": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": False,
            },
        }
        for name, (properties, required, consumes, writes) in SPECS.items()
    ]  # fmt: skip


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return with_lists(tmp_path_factory.mktemp("lists") / "library")


@pytest.fixture(scope="module")
def landscape(lists: Environment) -> Landscape:
    return survey(lists, KNOWN)


@pytest.fixture(scope="module")
def families(landscape: Landscape) -> tuple[IntentFamily, ...]:
    return walked_families(landscape, 0, 60)[1]


def deeds_of(landscape: Landscape) -> Mapping[str, Deed]:
    return {deed.tool: deed for deed in landscape.deeds}


def test_each_kind_of_deed_is_learned(landscape: Landscape) -> None:
    found = deeds_of(landscape)
    assert {name: deed.what for name, deed in found.items()} == {
        "update_member": "field", "publish_list": "state", "add_to_list": "tie", "remove_from_list": "untie",
        "raise_flag": "mark",
    }  # fmt: skip
    assert (found["update_member"].column, found["update_member"].free) == ("email", ())
    step = found["publish_list"]
    assert (step.column, step.before, step.options, step.free) == (
        "state",
        ("draft",),
        ("published",),
        ("published_at",),
    )
    for name in ("add_to_list", "remove_from_list"):
        tie = found[name]
        assert (tie.table, tie.column, tie.parent, tie.other) == ("listed", "book_id", "list_id", "list.id")
        assert tie.before == ("draft",)
    assert (found["raise_flag"].parent, found["raise_flag"].column) == ("book_id", "kind")


def test_what_does_more_than_that_is_no_deed(tmp_path: Path) -> None:
    assert survey(with_lists(tmp_path / "library", ASIDE), KNOWN).deeds == ()


OTHER_EFFECTS = {
    "of another row": (
        "update_member",
        'SET email = ? WHERE id = ?"',
        'SET email = ? WHERE id = (SELECT min(id) FROM members WHERE id <> ?)"',
    ),
    "of one column more": ("update_member", "SET email = ? WHERE", "SET email = ?, level = 'junior' WHERE"),
    "of a name besides the state": ("publish_list", "published_at = ? WHERE", "name = 'x', published_at = ? WHERE"),
    "to a state that depends": (
        "publish_list",
        "SET state = 'published'",
        "SET state = CASE id WHEN 'L-1' THEN 'published' ELSE 'printed' END",
    ),
    "seen once": (
        "raise_flag",
        '    flag_id = world.new_id("flags")',
        '    flag_id = {101: world.new_id("flags")}[book_id]',
    ),
}


@pytest.mark.parametrize(("tool", "kept", "instead"), OTHER_EFFECTS.values(), ids=OTHER_EFFECTS.keys())
def test_a_change_of_another_kind_is_no_deed(tmp_path: Path, tool: str, kept: str, instead: str) -> None:
    assert TOOLS.count(kept) == 1
    changed = with_lists(tmp_path / "library", tools=TOOLS.replace(kept, instead))
    assert set(deeds_of(survey(changed, KNOWN))) == set(SPECS) - {tool}


def test_goals_end_in_each_deed(families: tuple[IntentFamily, ...]) -> None:
    told = {family.title: family.wording["change_whole/terse"][0] for family in families if family.expect}
    assert sorted(told.values()) == [
        "Add {target_name} to {other}.",
        "Change the e-mail address of {target_name} to {wanted}.",
        "Publish {target_name}.",
        'Raise a "{wanted}" flag on {target_name}.',
        "Remove {target_name} from {other}.",
    ]


def test_a_tie_that_no_record_shows_is_counted(landscape: Landscape, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(_: TieGoals) -> IntentFamily:
        raise BlindError("list_id is not shown")

    monkeypatch.setattr(TieGoals, "family", blind)
    assert walked_families(landscape, 0, 60).left_out["list_id is not shown"] == 2, "one to add, one to remove"


def test_goals_ask_for_what_is_still_to_be_done(lists: Environment, families: tuple[IntentFamily, ...]) -> None:
    sets = {
        family.wording["change_whole/terse"][0].split()[0]: lists.reader.own(family.parameter_sets)
        for family in families
        if family.expect
    }
    assert {start for (start,) in sets["Publish"]} == {"L-1", "L-2"}, "the third list is published"
    assert (101, "lost") in sets["Raise"] and (101, "torn") not in sets["Raise"], "the first book is known to be torn"
    assert all("@" in wanted for _, wanted in sets["Change"]), "one member has no address that could be another"


def test_gold_does_what_the_oracle_says(lists: Environment, families: tuple[IntentFamily, ...]) -> None:
    deeds = [family for family in families if family.expect]
    author = CompiledTaskAuthor(lists, KNOWN, [(family, "walk") for family in deeds], 0)
    found = [one for one in author.proposals() if isinstance(one, Proposal)]
    assert {one.candidate.family.id for one in found} == {family.id for family in deeds}
    with Player(lists) as player:
        for one in found:
            for program in (one.candidate.program, *one.candidate.alternatives):
                played = player.play(program)
                assert not played.failure, one.candidate.instruction
                checks = evaluate(lists, one.candidate.checks, played.changeset, played.answer)
                assert all(check.passed for check in checks), one.candidate.instruction


def test_who_has_a_name_is_not_called_by_a_code(landscape: Landscape) -> None:
    made = list(walks(landscape, tool_graph(landscape), 0, 60))
    chains = [one for one in chains_of(landscape, Entities(landscape), made) if one.start.id == "member"]
    assert any(one.hops for one in chains) and all(one.finders for one in chains)
    assert landscape.keys.is_code("member.id")
