"""The library environment with a hash, and two tasks made by hand: one of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envforge.core.records.intent import Intent
from envforge.core.records.task import Check, Difficulty, FreeChange, GoldCall, RubricItem, Task, TaskCertificate
from envforge.rollout.agents import Assignment
from envforge.world.environment import Environment
from envforge.world.session import Session

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"
HASH = "11" * 32
LATE = "1b0a7f5e-2f0e-4a35-9a0c-3d1c2f7c1002"
"""Chidi's loan of Night Trains, due on 2024-02-22: eight days late on 2024-03-01."""

CHECKS = (
    Check(
        id="loan", kind="row", table="loans", where={"id": LATE}, expect={"fine": 1.6}, free_columns=("returned_at",)
    ),
    Check(
        id="new-loan",
        kind="row",
        table="loans",
        inserted=True,
        expect={"member_id": "M-HHJ5", "book_id": 105, "due_on": "2024-03-22", "returned_at": None},
    ),
    Check(id="fine", kind="answer", path="fine", expect=1.6, match="number", tolerance=0.005),
    Check(id="due", kind="answer", path="due_on", expect="2024-03-22"),
    Check(
        id="else",
        kind="unchanged",
        weight=0,
        free=(FreeChange(table="members", changes=("update",), column="id", values=("M-7TQ2",), columns=("email",)),),
    ),
)
GOLD = (
    GoldCall(tool="search_books", arguments={"query": "Night Trains"}),
    GoldCall(tool="list_loans", arguments={"member_id": "M-7TQ2"}),
    GoldCall(tool="return_book", arguments={"loan_id": "$2.loans[1].id"}, writes=True),
    GoldCall(tool="borrow_book", arguments={"member_id": "M-HHJ5", "book_id": "$1.books[0].id"}, writes=True),
)
PROGRAM = """
def solve(call):
    book = call("search_books", query="Night Trains")["books"][0]["id"]
    loans = call("list_loans", member_id="M-7TQ2")["loans"]
    late = [loan for loan in loans if loan["book_id"] == book and loan["open"]][0]
    back = call("return_book", loan_id=late["id"])
    loan = call("borrow_book", member_id="M-HHJ5", book_id=book)
    return {"fine": back["fine"], "due_on": loan["due_on"]}
"""
VERIFIER = f"""
def verify(initial, final, diff, answer):
    changes = diff["tables"].get("loans", {{"inserted": [], "updated": [], "deleted": []}})
    loan = final.query("SELECT fine FROM loans WHERE id = '{LATE}'")[0]
    new = [r for r in changes["inserted"] if (r["member_id"], r["book_id"]) == ("M-HHJ5", 105)]
    fields = isinstance(answer, dict) and set(answer) == {{"fine", "due_on"}}
    others = [pair for pair in changes["updated"] if pair["after"]["id"] != "{LATE}"]
    stray = others or changes["deleted"] or len(new) < len(changes["inserted"]) or set(diff["tables"]) - {{"loans"}}
    said = answer["fine"] if fields else None
    return [
        {{"id": "loan", "passed": loan["fine"] == 1.6, "detail": ""}},
        {{"id": "new-loan", "passed": len(new) == 1, "detail": ""}},
        {{"id": "fine", "passed": isinstance(said, float) and abs(said - 1.6) <= 0.005, "detail": ""}},
        {{"id": "due", "passed": fields and answer["due_on"] == "2024-03-22", "detail": ""}},
        {{"id": "else", "passed": not stray and not diff["documents"], "detail": ""}},
    ]
"""
SCHEMA = {
    "type": "object",
    "properties": {"fine": {"type": "number"}, "due_on": {"type": "string", "format": "date"}},
    "required": ["fine", "due_on"],
    "additionalProperties": False,
}


def make_task(**changes: Any) -> Task:
    """The graph task: take Night Trains back from Chidi, lend it to Ruth, and say fine and due date."""
    fields: dict[str, Any] = {
        "id": "library-0001",
        "environment_id": "library",
        "environment_hash": HASH,
        "kind": "graph",
        "intent": Intent(
            family="pass-on",
            kind="state_change",
            source="archetype",
            parameters={},
            said={},
            spoken={},
            banks=(),
            candidates=2,
            chosen=1,
        ),
        "instruction": "Chidi brought Night Trains back. Lend it to Ruth now. What is his fine, and when is it due?",
        "now": "2024-03-01T09:00:00Z",
        "answer_schema": SCHEMA,
        "checks": CHECKS,
        "rubric": (RubricItem(id="back", text="The book is back.", checks=("loan",)),),
        "gold": GOLD,
        "gold_answer": {"fine": "$3.fine", "due_on": "$4.due_on"},
        "difficulty": Difficulty(level=2, minimal_calls=4, tools=4, depth=2),
        "certificate": TaskCertificate(gates=()),
    }
    return Task(**{**fields, **changes})


@pytest.fixture(scope="session")
def library() -> Environment:
    opened = Environment.open(LIBRARY)
    return replace(opened, manifest=opened.manifest.model_copy(update={"environment_hash": HASH}))


@pytest.fixture
def session(library: Environment) -> Iterator[Session]:
    with library.start() as started:
        yield started


@pytest.fixture(scope="session")
def graph(library: Environment) -> Assignment:
    return Assignment(make_task(), library.tools)


@pytest.fixture(scope="session")
def program(library: Environment) -> Assignment:
    task = make_task(id="library-0002", kind="program", gold_answer={"fine": 1.6, "due_on": "2024-03-22"})
    return Assignment(task, library.tools, PROGRAM, VERIFIER)
