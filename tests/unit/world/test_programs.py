"""Solution programs reach tools through the host, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from envforge.core.errors import ProgramError, SandboxError
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.programs import ProgramRunner

BORROW = """
def solve(call):
    loan = call("borrow_book", member_id="M-HHJ5", book_id=108)
    return {"seen": sorted(loan)}
"""
HANDLED = """
def solve(call):
    try:
        call("get_book", book_id=999999)
    except ToolError as error:
        return {"code": error.code}
"""


@pytest.fixture
def runner() -> Iterator[ProgramRunner]:
    with ProgramRunner() as started:
        yield started


def test_calls_are_answered_by_the_host(library: Environment, runner: ProgramRunner) -> None:
    made: list[tuple[str, dict[str, Any]]] = []
    with library.start() as session:

        def call(tool: str, arguments: dict[str, Any]) -> Observation:
            made.append((tool, arguments))
            return session.call(tool, arguments)

        answer = runner.run(BORROW, call)
        assert made == [("borrow_book", {"member_id": "M-HHJ5", "book_id": 108})]
        assert not session.diff().empty and answer["seen"]
        again = "from envforge.world.api import ToolError\n" + HANDLED
        assert runner.run(again, call) == {"code": "not_found"}


BROKEN = {
    "syntax": "def solve(call",
    "no solve": "x = 1",
    "crash": "def solve(call):\n    return 1 / 0",
    "tool error": "def solve(call):\n    call('get_book', book_id=999999)",
    "not JSON": "def solve(call):\n    return {1, 2}",
    "import": "import os\ndef solve(call):\n    return os.getcwd()",
    "too many calls": "def solve(call):\n    while True:\n        call('get_book', book_id=101)",
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_program_is_told_apart(library: Environment, runner: ProgramRunner, source: str) -> None:
    with library.start() as session:
        with pytest.raises(ProgramError):
            runner.run(source, session.call, most_calls=50)
        assert runner.run(BORROW, session.call)["seen"]


def test_an_endless_program_is_stopped(library: Environment, runner: ProgramRunner) -> None:
    with library.start() as session:
        with pytest.raises(SandboxError, match="time"):
            runner.run("def solve(call):\n    while True:\n        pass", session.call, seconds=0.5)
        assert runner.run(BORROW, session.call)["seen"]


def test_what_the_host_raises_comes_through(runner: ProgramRunner) -> None:
    def call(tool: str, arguments: dict[str, Any]) -> Observation:
        raise SandboxError("the session is gone")

    with pytest.raises(SandboxError, match="gone"):
        runner.run(BORROW, call)


GREEDY = {
    "a long name": "call('x' * 2_000_000)",
    "long arguments": "call('list_loans', member_id='x' * 2_000_000)",
    "deep arguments": "call('list_loans', member_id=deep())",
    "much in all": "[call('list_loans', member_id='x' * 900_000) for _ in range(5)]",
}


@pytest.mark.parametrize("body", GREEDY.values(), ids=GREEDY.keys())
def test_a_program_may_not_fill_its_host(runner: ProgramRunner, body: str) -> None:
    """Whoever plays a program keeps its calls: a name of 15 MB two hundred times was 3 GB."""
    helper = "def deep():\n    value = []\n    for _ in range(400):\n        value = [value]\n    return value\n"
    asked: list[str] = []

    def call(tool: str, arguments: dict[str, Any]) -> Observation:
        asked.append(tool + str(arguments))
        return Observation(True, {})

    with pytest.raises(ProgramError, match="asked for"):
        runner.run(f"{helper}def solve(call):\n    return {body}\n", call)
    assert sum(map(len, asked)) < 5_000_000
