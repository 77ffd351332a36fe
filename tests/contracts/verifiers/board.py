"""A board of topics, written by the tests: a new post may answer in a thread and may be signed, and need not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from envforge.core.contracts import TaskCandidate
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import IntentFamily
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.world.environment import Environment

SCHEMA = """\
CREATE TABLE topics (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL) STRICT;
CREATE TABLE posts (
  id TEXT NOT NULL PRIMARY KEY,
  topic_id TEXT NOT NULL REFERENCES topics (id),
  thread TEXT NOT NULL,
  text TEXT NOT NULL,
  signature TEXT,
  written_at TEXT NOT NULL
) STRICT;
"""
DATA = {
    "topics": "id,title\nT-1,Garden\nT-2,Roof\nT-3,Cellar\n",
    "posts": "id,topic_id,thread,text,signature,written_at\n"
    "P-1,T-1,P-1,Who waters the beans?,,2024-02-01T09:00:00Z\n"
    "P-2,T-1,P-1,I do on Mondays.,Ada,2024-02-02T09:00:00Z\n"
    "P-3,T-2,P-3,A tile is loose.,,2024-02-03T09:00:00Z\n",
}
TOOLS = '''\
"""Tools of the board."""

from __future__ import annotations

from envforge.world.api import ToolError, World


def list_topics(world: World) -> dict:
    """List the topics."""
    return {"topics": world.query("SELECT id, title FROM topics ORDER BY id")}


def list_posts(world: World, topic_id: str) -> dict:
    """List the posts of a topic.

    Args:
        topic_id: the topic's id.
    """
    return {"posts": world.query("SELECT * FROM posts WHERE topic_id = ? ORDER BY id", (topic_id,))}


def add_post(
    world: World, text: str, topic_id: str | None = None, thread: str | None = None, signature: str | None = None
) -> dict:
    """Write to a topic, or answer in a thread.

    Args:
        text: what it says.
        topic_id: the topic's id.
        thread: the thread that it answers in.
        signature: who signs it.
    """
    if (topic_id is None) is (thread is None):
        raise ToolError("invalid_argument", "Give exactly one of topic_id and thread.", "list_posts shows both.")
    place = world.query("SELECT topic_id AS id FROM posts WHERE thread = ? LIMIT 1", (thread,))
    place = place or world.query("SELECT id FROM topics WHERE id = ?", (topic_id,))
    if not place:
        raise ToolError("not_found", "There is no such topic or thread.", "list_topics shows the topics.")
    key, now = world.new_id("posts"), world.now()
    values = (key, place[0]["id"], thread or key, text, signature, now)
    world.execute("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?)", values)
    return {"id": key, "thread": thread or key}
'''
FAMILY = IntentFamily.model_validate(
    {
        "id": "write-to-a-topic",
        "kind": "state_change",
        "title": "Write to a topic",
        "parameter_sets": "SELECT id AS topic FROM topics WHERE id = 'T-1'",
        "mentions": {"topic": {"sql": "SELECT title FROM topics WHERE id = :topic", "say": "quoted"}},
        "constants": {"note": "The beans are ripe."},
        "target": "SELECT :topic AS id",
        "expect": [
            {
                "table": "posts",
                "change": "insert",
                "rows": "SELECT :topic AS topic_id, 'The beans are ripe.' AS text",
            }
        ],
        "gold": "key = next(t['id'] for t in call('list_topics')['topics'] if t['title'] == topic)\n"
        "call('add_post', topic_id=key, text=note)\n"
        "return {}",
        "wording": {
            "text": ["{change}{target?}"],
            "change": ["Write this under {topic}, please: The beans are ripe."],
            "target": [""],
        },
    }
)


def _tool(name: str, verb: str, given: dict[str, bool], *, writes: bool = False) -> dict[str, Any]:
    return {
        "name": name,
        "verb": verb,
        "entity": "post" if "post" in name else "topic",
        "description": f"{name.replace('_', ' ').capitalize()}.",
        "parameters": {
            "type": "object",
            "properties": {parameter: {"type": "string"} for parameter in given},
            "required": [parameter for parameter, required in given.items() if required],
            "additionalProperties": False,
        },
        "returns": {"type": "object"},
        "reads": ["topics", "posts"],
        "writes": ["posts"] if writes else [],
        "annotations": {"readOnlyHint": not writes, "destructiveHint": False, "idempotentHint": not writes},
    }


def board(folder: Path) -> Environment:
    """The environment, written to `folder` and opened."""
    (folder / "data").mkdir(parents=True)
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    (folder / "tools.py").write_text(TOOLS, encoding="utf-8")
    for name, text in DATA.items():
        (folder / "data" / f"{name}.csv").write_text(text, encoding="utf-8")
    optional = {"text": True, "topic_id": False, "thread": False, "signature": False}
    tools = [
        _tool("list_topics", "list", {}),
        _tool("list_posts", "list", {"topic_id": True}),
        _tool("add_post", "create", optional, writes=True),
    ]
    manifest: dict[str, Any] = {
        "id": "board",
        "theme": "board",
        "family": "board-000000000000",
        "database_seed": 0,
        "title": "A board",
        "licence": "CC0-1.0",
        "sources": [],
        "clock": {"epoch": "2024-03-01T09:00:00Z", "step_seconds": 60},
        "ids": {"posts": {"kind": "code", "prefix": "P-", "length": 4}},
        "authors": {},
        "grounding": "spec",
    }
    for name, value in {"tools.json": tools, "environment.json": manifest}.items():
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return Environment.open(folder)


def knowledge() -> EnvironmentBlueprint:
    """What the board's one writing tool inserts, as a blueprint says it."""
    names = ("id", "topic_id", "thread", "text", "signature", "written_at")
    columns = tuple(Column(name=name, type="text", nullable=name == "signature") for name in names)
    table = Table(name="posts", entity="post", label="post", columns=columns, primary_key=("id",))
    insert = {
        "do": "insert",
        "name": "post",
        "table": "posts",
        "values": {
            "id": "new_id('posts')",
            "topic_id": "place.id",
            "thread": "thread if thread is not None else new_id('posts')",
            "text": "text",
            "signature": "signature",
            "written_at": "now()",
        },
    }
    parameters = [
        {"name": name, "json_schema": {"type": "string"}, "required": name == "text", "description": "x"}
        for name in ("text", "topic_id", "thread", "signature")
    ]
    place = {"do": "sql", "name": "place", "query": "SELECT 1", "parameters": {"a": "topic_id", "b": "thread"}}
    operation = {
        "name": "add_post",
        "verb": "create",
        "entity": "post",
        "summary": "Write.",
        "returns": {"type": "object"},
        "parameters": parameters,
        "steps": [place, insert],
    }
    blueprint = Blueprint.model_validate(
        {"theme": "board", "title": "A board", "tables": [table.to_json()], "operations": [operation]}
    )
    return EnvironmentBlueprint(blueprint=blueprint)


def candidate(environment: Environment) -> TaskCandidate:
    """The board's one task."""
    proposal = next(CompiledTaskAuthor(environment, knowledge(), [(FAMILY, "archetype")], seed=1).proposals())
    assert isinstance(proposal, Proposal), proposal
    return proposal.candidate
