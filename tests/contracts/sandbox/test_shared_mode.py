"""What shared mode contains by process, and what only the audit of episodes shows.

In one worker live many instances of one environment, and Python is no wall between them: a tool that breaks out of
its rules can change its fellows' rows. Contained: every other worker, the host, the verifier. Shown afterwards, not
prevented: the fellows in its own worker, by replay in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from envforge.core.errors import SandboxError
from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session
from envforge.world.shared import SharedWorkers
from envforge.world.verification import run_verifier

from .attacks.attack import Attack
from .attacks.environment import write_environment

GET = {"book_id": 101}
OVERWRITE = Attack(
    "overwrite_fellows",
    "fellows = [one for one in k.worker().worlds.values() if one is not world]\n"
    "for one in fellows:\n"
    "    one.run(lambda w: w.execute('DELETE FROM loans') and {}, {})\n"
    "return {'got': len(fellows)}",
    "host",
    ("contained",),
    escaped=True,
)
FORGE_ALL = Attack(
    "forge_all",
    "kind = type(k.worker())\n"
    "names = k.sys.modules[kind.__module__].__dict__\n"
    "kind.on_changeset = lambda self, *_: names['frames'].pack_json({'now': 'x'}, b'')\n"
    "kind.on_verify = lambda self, *_: names['frames'].pack_json({'checks': [\n"
    "    {'id': 'loans', 'passed': True, 'detail': ''}]})\n"
    "names['verdict_of'] = kind.on_verify\n"
    "return {}",
    "host",
    ("contained",),
    escaped=True,
)
LOOP = Attack("loop", "while True:\n    pass", "host", ("killed",))
JUDGE = """
def verify(initial, final, diff, answer):
    rows = final.query("SELECT count(*) AS n FROM loans")[0]["n"]
    return [{"id": "loans", "passed": rows == answer, "detail": str(rows)}]
"""


def nothing_found(source: str) -> list[str]:
    """A lint that was fooled."""
    return []


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SharedWorkers]:
    """Two workers with hostile tools, which the lint for module state would not admit."""
    monkeypatch.setattr("envforge.world.admission.findings", nothing_found)
    environment = Environment.open(write_environment(tmp_path / "library", (OVERWRITE, FORGE_ALL, LOOP)))
    with environment.share(workers=2, limits=Limits(call_seconds=1.0, memory_mb=320)) as shared:
        yield shared


def loans(session: Session) -> int:
    """Rows of the table that is attacked, as the host reads them from the changeset."""
    return int(session.query("SELECT count(*) AS n FROM loans")[0]["n"])


def attack(session: Session, tool: str) -> None:
    assert session.call(tool, {"host": {}}).ok


def test_another_worker_is_out_of_reach(group: SharedWorkers) -> None:
    sessions = [group.start() for _ in range(6)]
    hostile = sessions[0]
    before = loans(hostile)
    attack(hostile, "overwrite_fellows")
    for session in sessions[1:]:
        reached = session.worker_pid == hostile.worker_pid
        assert loans(session) == (0 if reached else before)
    assert {session.worker_pid for session in sessions} != {hostile.worker_pid}


def test_the_damage_ends_with_the_worker(group: SharedWorkers) -> None:
    hostile, _, fellow = (group.start() for _ in range(3))
    before = loans(fellow)
    attack(hostile, "overwrite_fellows")
    assert fellow.worker_pid == hostile.worker_pid and loans(fellow) == 0
    with pytest.raises(SandboxError):
        hostile.call("loop", {"host": {}})
    fellow.restart()
    assert loans(fellow) == before and fellow.call("get_book", GET).ok


def test_a_verdict_is_out_of_reach(group: SharedWorkers) -> None:
    """A tool may lie about its own rows, never about what follows from the rows that it told."""
    session = group.start()
    before = loans(session)
    attack(session, "forge_all")
    changeset = session.changeset()
    assert changeset == b""
    checks = run_verifier(session.environment, JUDGE, changeset, before + 1)
    assert checks == [{"id": "loans", "passed": False, "detail": str(before)}]
    assert run_verifier(session.environment, JUDGE, changeset, before)[0]["passed"]


def test_a_forged_changeset_is_shown_by_the_same_calls_elsewhere(group: SharedWorkers) -> None:
    session = group.start()
    attack(session, "forge_all")
    calls = [("borrow_book", {"member_id": "M-HHJ5", "book_id": 108})]
    told = [session.call(tool, arguments).to_json() for tool, arguments in calls]
    with session.environment.start() as genuine:
        assert [genuine.call(tool, arguments).to_json() for tool, arguments in calls] == told
        assert genuine.digest() != session.digest()


def test_fellows_of_a_killed_worker_end_unscored(group: SharedWorkers) -> None:
    first, second, third = (group.start() for _ in range(3))
    with pytest.raises(SandboxError):
        first.call("loop", {"host": {}})
    with pytest.raises(SandboxError):
        third.call("get_book", GET)
    assert second.call("get_book", GET).ok and second.diff().empty
    assert group.start().call("get_book", GET).ok
