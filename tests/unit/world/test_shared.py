"""Many instances in few workers: apart from each other, replaced when one dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from envforge.core.errors import SandboxError, ToolFault
from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session
from envforge.world.shared import SharedWorkers

LOAN = {"member_id": "M-HHJ5", "book_id": 108}
GET = {"book_id": 101}


@pytest.fixture
def group(library: Environment) -> Iterator[SharedWorkers]:
    with library.share(workers=2) as shared:
        yield shared


def test_instances_are_spread_and_apart(group: SharedWorkers) -> None:
    sessions = [group.start(seed) for seed in range(6)]
    assert len({session.worker_pid for session in sessions}) == 2
    assert sessions[0].call("borrow_book", LOAN).ok
    assert not sessions[0].diff().empty
    assert all(session.diff().empty for session in sessions[1:])
    assert group.live == 6
    for session in sessions:
        session.close()
    assert group.live == 0


def test_a_dead_worker_costs_its_own_episodes_only(group: SharedWorkers) -> None:
    first, second = group.start(), group.start()
    assert second.call("borrow_book", LOAN).ok
    os.kill(first.worker_pid, signal.SIGKILL)
    with pytest.raises(SandboxError):
        first.call("get_book", GET)
    with pytest.raises(SandboxError):
        first.call("get_book", GET)
    assert second.call("get_book", GET).ok and not second.diff().empty
    third = group.start()
    assert group.replaced == 1 and third.diff().empty and third.call("get_book", GET).ok
    first.restart()
    assert first.call("get_book", GET).ok and first.worker_pid != second.worker_pid


def test_a_closed_instance_is_freed(group: SharedWorkers) -> None:
    for _ in range(50):
        with group.start() as session:
            assert session.call("get_book", GET).ok
    assert group.live == 0 and group.replaced == 0


def test_an_endless_call_costs_one_worker(copy: Path, with_tool: Callable[[str], Session]) -> None:
    environment = with_tool("while True:\n    pass").environment
    with environment.share(workers=2, limits=Limits(call_seconds=0.5)) as group:
        first, second = group.start(), group.start()
        with pytest.raises(SandboxError, match="time"):
            first.call("probe")
        assert second.call("get_book", GET).ok
        assert group.start().call("get_book", GET).ok


def test_a_closed_group_gives_no_session(library: Environment) -> None:
    group = library.share()
    session = group.start()
    group.close()
    with pytest.raises(SandboxError):
        session.call("get_book", GET)
    with pytest.raises(ValueError, match="closed"):
        group.start()


def test_tools_with_state_of_their_own_are_not_shared(copy: Path) -> None:
    source = copy / "tools.py"
    text = source.read_text(encoding="utf-8")
    counted = text.replace("def get_book(world: World,", "_SEEN = []\n\n\ndef get_book(world: World,", 1)
    counted = counted.replace("def get_book", "def _note():\n    _SEEN.append(1)\n\n\ndef get_book", 1)
    source.write_text(counted, encoding="utf-8")
    with pytest.raises(ToolFault, match="line"):
        Environment.open(copy).share()
