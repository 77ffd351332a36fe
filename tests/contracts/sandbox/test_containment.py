"""Every attack is held by every backend that promises to hold it; nobody else notices."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from envforge.core.errors import SandboxError
from envforge.world.environment import Environment
from envforge.world.sandbox.backends import available_backends
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session

from .arena import Arena, children_of, running
from .attacks.attack import KERNEL_LAYERS, Attack
from .attacks.registry import ATTACKS
from .neighbours import Neighbours

BACKENDS = available_backends()
LIFE = {"stop_itself", "ignore_signals_and_loop", "close_everything", "exit_at_once", "crash"}
"""How a worker ends, or does not want to: another thing where signals are not refused."""


def to_try(backend: str, attack: Attack) -> bool:
    """What no kernel takes part in is the same code in every backend: once is enough."""
    once = attack.layer not in KERNEL_LAYERS | {"limits"} and attack.name not in LIFE
    return attack.held_by(backend) and (backend == BACKENDS[0] or not once)


CASES = [(backend, attack) for backend in BACKENDS for attack in ATTACKS if to_try(backend, attack)]
LARGEST = 20_000


def limits_for(attack: Attack) -> Limits:
    """Short for those that never end by themselves, long for all others."""
    seconds = 1.0 if attack.lasting or attack.ends == ("killed",) else 20.0
    return Limits(call_seconds=seconds, sql_seconds=0.3, memory_mb=320, output_bytes=LARGEST)


@pytest.mark.parametrize(("backend", "attack"), CASES, ids=[f"{backend}-{attack.name}" for backend, attack in CASES])
def test_contained(backend: str, attack: Attack, hostile: Environment, arena: Arena, neighbours: Neighbours) -> None:
    facts = arena.facts(neighbours.of(backend).worker_pid)
    with hostile.start(limits=limits_for(attack), backend=backend) as session:
        pid = session.worker_pid
        ending, told = attempt(session, attack, facts)
        assert ending in attack.ends, told
        assert attack.says in str(told)
        assert arena.secret not in str(told)
        assert not children_of(pid)
        if attack.lasting:
            go_on(session)
        elif ending != "killed":
            assert session.diff().empty
            assert healthy(session)
        session.restart()
        assert not running(pid)
        assert healthy(session) and session.diff().empty
    assert not arena.traces()
    assert not neighbours.changes(backend)


def attempt(session: Session, attack: Attack, facts: dict[str, Any]) -> tuple[str, Any]:
    """How the attack ended, and what was told about it. Fails for what an escaped attack achieved."""
    try:
        answer = session.call(attack.name, {"host": facts})
    except SandboxError as error:
        assert not session.alive
        with pytest.raises(SandboxError, match="gone"):
            session.call("get_book", {"book_id": 101})
        return "killed", error.message
    if answer.error is not None:
        assert len(str(answer.error.to_json())) < 3 * LARGEST
        return "refused", answer.error.to_json()
    assert answer.result is not None
    assert not answer.result.get("got"), answer.result
    if attack.escaped:
        assert answer.result["escaped"] is True
        assert answer.result["refused"] or attack.lasting
    return "contained", answer.result


def go_on(session: Session) -> None:
    """What was left behind may end this session, but nothing else than SandboxError may come of it."""
    steps = (lambda: healthy(session), session.diff, session.snapshot, session.reset, session.digest, session.now)
    for step in steps:
        with contextlib.suppress(SandboxError):
            step()


def healthy(session: Session) -> bool:
    """It answers as if nothing had happened."""
    return session.call("get_book", {"book_id": 101}).ok
