"""Verifiers run beside the changeset, never beside the tools."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from envforge.core.errors import SandboxError, VerifierError
from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session
from envforge.world.verification import VerifierProcess, run_verifier

LOAN = {"member_id": "M-HHJ5", "book_id": 108}
COUNT = """
def verify(initial, final, diff, answer):
    sql = "SELECT count(*) AS n FROM loans"
    before, after = initial.query(sql)[0]["n"], final.query(sql)[0]["n"]
    inserted = len(diff["tables"]["loans"]["inserted"]) if diff["tables"] else 0
    return [
        {"id": "loans", "passed": after == before + 1 and inserted == 1, "detail": f"{before} -> {after}"},
        {"id": "answer", "passed": answer == {"n": after}, "detail": repr(answer)},
    ]
"""


def test_it_sees_rows_before_and_after(library: Environment) -> None:
    with library.start() as session:
        assert session.call("borrow_book", LOAN).ok
        changeset = session.changeset()
    loans = library.reader.query("SELECT count(*) FROM loans")[1][0][0]
    checks = run_verifier(library, COUNT, changeset, {"n": loans + 1})
    assert [check["passed"] for check in checks] == [True, True]
    nothing_done = run_verifier(library, COUNT, b"", {"n": loans + 1})
    assert [check["passed"] for check in nothing_done] == [False, False]


def test_one_process_judges_many_episodes(library: Environment) -> None:
    with library.start() as session:
        assert session.call("borrow_book", LOAN).ok
        changeset = session.changeset()
    loans = library.reader.query("SELECT count(*) FROM loans")[1][0][0]
    episodes = [(changeset, {"n": loans + 1}), (b"", {"n": loans}), (changeset, None), (changeset, {"n": loans + 1})]
    with VerifierProcess(library, COUNT) as process:
        many = [process.verdict(*episode) for episode in episodes]
    assert many == [run_verifier(library, COUNT, *episode) for episode in episodes]
    assert [all(check["passed"] for check in checks) for checks in many] == [True, False, False, True]


OUTSIDE = {
    "no verify": "x = 1",
    "syntax": "def verify(",
    "crash": "def verify(initial, final, diff, answer):\n    return 1 / 0",
    "empty": "def verify(initial, final, diff, answer):\n    return []",
    "a number": "def verify(initial, final, diff, answer):\n    return [{'id': 'a', 'passed': 1, 'detail': ''}]",
    "no detail": "def verify(initial, final, diff, answer):\n    return [{'id': 'a', 'passed': True}]",
    "same id": "def verify(initial, final, diff, answer):\n"
    "    return [{'id': 'a', 'passed': True, 'detail': ''}, {'id': 'a', 'passed': True, 'detail': ''}]",
    "not JSON": "def verify(initial, final, diff, answer):\n    return [{'id': 'a', 'passed': True, 'detail': {1, 2}}]",
    "writes": "def verify(initial, final, diff, answer):\n    final.query('DELETE FROM loans')\n",
    "imports": "import os\ndef verify(initial, final, diff, answer):\n    return []",
}


@pytest.mark.parametrize("source", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_a_broken_verifier_is_no_score(library: Environment, source: str) -> None:
    with pytest.raises(VerifierError):
        run_verifier(library, source, b"", None)


def test_an_endless_verifier_is_stopped(library: Environment) -> None:
    source = "def verify(initial, final, diff, answer):\n    while True:\n        pass"
    with pytest.raises(SandboxError, match="time"):
        run_verifier(library, source, b"", None, limits=Limits(call_seconds=0.5))


@pytest.mark.parametrize("changeset", [b"garbage", b"T\x02\x01\x00books\x00\x12\x00\x01"], ids=["garbage", "cut"])
def test_a_forged_changeset_is_no_score(library: Environment, changeset: bytes) -> None:
    with pytest.raises(SandboxError):
        run_verifier(library, COUNT, changeset, None)


PATCH = """
import statistics
sys = statistics.sys
sys.modules["envforge.world.sandbox.lockdown"]._armed[0] = False
for name in ("verdict", "worker", "tool_module"):
    module = sys.modules["envforge.world.sandbox." + name]
    held = module.__dict__
    for attribute in list(held):
        if callable(held[attribute]) and attribute in ("verdict_of", "load_module", "StateView"):
            setattr(module, attribute, lambda *a, **k: {"checks": [{"id": "a", "passed": True, "detail": ""}]})
sys.modules["json"].dumps = lambda *a, **k: '{"checks": [{"id": "a", "passed": true, "detail": ""}]}'
return {}
"""


def test_a_tool_cannot_reach_its_verifier(with_tool: Callable[[str], Session]) -> None:
    session = with_tool(PATCH)
    assert session.call("probe").ok
    checks = run_verifier(session.environment, COUNT, b"", None)
    assert [check["passed"] for check in checks] == [False, False]
