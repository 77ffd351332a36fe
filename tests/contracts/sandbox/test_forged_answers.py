"""Whatever a worker writes, its host answers with a result or with SandboxError, in time; a new worker is genuine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envforge.core.errors import SandboxError
from envforge.core.ids import sha256_bytes
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session, Snapshot, diff_of
from envforge.world.verification import run_verifier

from .attacks.forged import FINE, RAW, forged_frames, spoilt
from .neighbours import BORROWED, Neighbours

LIMITS = Limits(call_seconds=0.7, memory_mb=320)
FRAMES = forged_frames()
PASSED = "def verify(initial, final, diff, answer):\n    return [{'id': 'a', 'passed': False, 'detail': ''}]"


def _again(session: Session) -> Observation:
    return session.call("get_book", {"book_id": 101})


REQUESTS: dict[str, Callable[[Session, Snapshot], Any]] = {
    "call": lambda session, _: _again(session),
    "reset": lambda session, _: session.reset(),
    "now": lambda session, _: session.now(),
    "diff": lambda session, _: session.diff(),
    "snapshot": lambda session, _: session.snapshot().changeset(),
    "restore": lambda session, snapshot: session.restore(snapshot),
    "fork": lambda session, _: _again(session.fork()),
    "query": lambda session, _: session.query("SELECT count(*) AS n FROM loans"),
    "save_state": lambda session, _: session.save_state(),
    "load_state": lambda session, _: session.load_state(session.save_state()),
    "module_state": lambda session, _: session.module_state(),
}


def genuine(session: Session) -> bool:
    """After a restart: the initial state, told by the real worker."""
    session.restart()
    return _again(session).ok and session.diff().empty


@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_forged_answer_is_a_typed_failure(request_name: str, hostile: Environment, neighbours: Neighbours) -> None:
    neighbours.of("")
    with hostile.start(limits=LIMITS) as session:
        snapshot = session.snapshot()
        for name, frame in FRAMES.items():
            told = session.call("forge_answers", {"host": {"frames": [FINE.hex(), frame.hex()]}})
            assert told.ok
            try:
                REQUESTS[request_name](session, snapshot)
            except SandboxError:
                pass
            except Exception as error:
                pytest.fail(f"{name}: {type(error).__name__}: {error}")
            session.restart()
        assert genuine(session)
    assert not neighbours.changes("")


@pytest.mark.parametrize("name", FRAMES)
def test_a_forged_answer_to_its_own_call(name: str, hostile: Environment) -> None:
    with hostile.start(limits=LIMITS) as session:
        try:
            told = session.call("forge_answers", {"host": {"frames": [FRAMES[name].hex()]}})
            assert isinstance(told.result, dict) if told.ok else told.error is not None
        except SandboxError as error:
            assert "garbage" in error.message
        assert genuine(session)


@pytest.mark.parametrize("name", RAW)
def test_bytes_past_any_frame(name: str, hostile: Environment, neighbours: Neighbours) -> None:
    neighbours.of("")
    data, again, marked = RAW[name]
    with hostile.start(limits=LIMITS) as session:
        try:
            session.call("write_bytes", {"host": {"data": data.hex(), "again": again, "marked": marked}})
            session.diff()
        except SandboxError as error:
            assert not session.alive and error.message
        else:
            pytest.fail("the second answer was taken from the first request")
        assert genuine(session)
    assert not neighbours.changes("")


def test_a_spoilt_changeset_is_a_typed_failure(hostile: Environment) -> None:
    with hostile.start() as session:
        assert session.call("borrow_book", BORROWED).ok
        changeset = session.changeset()
    mirror = hostile.fresh_engine(read_only=True)
    template = sha256_bytes(bytes(hostile.template.data))
    read = 0
    for data in spoilt(changeset, 2000, seed=5):
        try:
            diff_of(hostile, data).to_json()
            read += 1
        except SandboxError:
            pass
    mirror.close()
    assert 0 < read < 2000
    assert sha256_bytes(bytes(hostile.template.data)) == template


def test_a_spoilt_changeset_reaches_no_verdict_unnoticed(hostile: Environment) -> None:
    """It is applied in a process of its own; what does not fit is no score."""
    with hostile.start() as session:
        assert session.call("borrow_book", BORROWED).ok
        changeset = session.changeset()
    refused = 0
    for data in spoilt(changeset, 40, seed=6):
        try:
            assert run_verifier(hostile, PASSED, data, None) == [{"id": "a", "passed": False, "detail": ""}]
        except SandboxError:
            refused += 1
    assert 0 < refused < 40
