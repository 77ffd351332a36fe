"""Programs of others: told a URL and a task, they call, post an answer, and end with their episode."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.trajectory import Trajectory
from envforge.rollout import command_player
from envforge.rollout.agents import Assignment
from envforge.rollout.command_player import CommandPlayer
from envforge.rollout.request import RolloutRequest
from envforge.rollout.runner import run_rollouts
from envforge.rollout.trajectory_log import TrajectoryLog, read_trajectories
from envforge.world.environment import Environment
from envforge.world.pool.pool import WorldPool

from .conftest import LATE, make_task

HEAD = """
import json, os, sys, time, urllib.error, urllib.request
told = json.load(sys.stdin)
def post(url, body):
    asked = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(asked))
def call(tool, **arguments):
    return post(told["call_url"], {"tool": tool, "arguments": arguments})
"""
SOLVES = f"""
back = call("return_book", loan_id="{LATE}")["result"]
lent = call("borrow_book", member_id="M-HHJ5", book_id=105)["result"]
assert told["instruction"].startswith("Chidi") and told["now"] == "2024-03-01T09:00:00Z"
assert set(told["answer_schema"]["required"]) == {{"fine", "due_on"}}
assert not {{"gold", "checks", "rubric"}} & set(told)
post(told["answer_url"], {{"answer": {{"fine": back["fine"], "due_on": lent["due_on"]}}}})
"""
Play = Callable[..., list[Trajectory]]


async def episodes(
    player: CommandPlayer, library: Environment, given: Assignment, folder: Path, times: int = 1
) -> None:
    pool = WorldPool([library], isolation="forked", max_live=2)
    async with player, pool:
        with TrajectoryLog(folder) as out:
            requests = [RolloutRequest(given, player, number) for number in range(times)]
            await run_rollouts(requests, pool=pool, out=out, concurrency=2)


@pytest.fixture
def play(library: Environment, graph: Assignment, tmp_path: Path) -> Play:
    def played(body: str, *, seconds: float = 30.0, given: Assignment = graph, times: int = 1) -> list[Trajectory]:
        program = tmp_path / "agent.py"
        program.write_text(HEAD + body, encoding="utf-8")

        command = shlex.join([sys.executable, str(program)])
        player = CommandPlayer(command, [library], seconds=seconds)
        asyncio.run(episodes(player, library, given, tmp_path / "log", times))
        return list(read_trajectories(tmp_path / "log"))

    return played


def test_it_solves_a_task(play: Play) -> None:
    for found in play(SOLVES, times=3):
        assert (found.ending, found.reward, found.agent) == ("answered", 1.0, "command")
        assert [turn.tool for turn in found.turns] == ["return_book", "borrow_book"]
        assert found.state_diff and found.model.startswith("command ")


CASES = {
    "breaks": ("call('list_loans', member_id='M-7TQ2'); sys.exit('no idea')", "agent_failure", "exit code 1: no idea"),
    "says nothing": ("call('list_loans', member_id='M-7TQ2')", "gave_up", "without an answer"),
    "never ends": ("call('list_loans', member_id='M-7TQ2'); time.sleep(600)", "agent_failure", "within 2 seconds"),
}


@pytest.mark.parametrize("case", CASES)
def test_it_does_not(play: Play, case: str) -> None:
    body, ending, told = CASES[case]
    (found,) = play(body, seconds=2.0)
    assert found.ending == ending and told in found.failure and len(found.turns) == 1
    assert found.reward == (0.0 if ending == "gave_up" else None)


@pytest.mark.parametrize("apart", [False, True])
def test_what_it_leaves_behind_is_not_waited_for(play: Play, apart: bool) -> None:
    """Its standard error is open as long as that lives; with `apart` it is out of reach, too."""
    body = f"""
import subprocess
left = subprocess.Popen(["sleep", "60"], start_new_session={apart})
sys.exit(str(left.pid))
"""
    (found,) = play(body, seconds=20.0)
    told, _, pid = found.failure.rpartition(" ")
    assert told == "the command ended with exit code 1:"
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(pid), signal.SIGKILL)


def test_an_answer_counts_whatever_the_program_does_then(play: Play) -> None:
    (found,) = play("post(told['answer_url'], {'answer': 1}); sys.exit(3)")
    assert (found.ending, found.answer, found.reward) == ("answered", 1, 0.0)


def test_it_reaches_its_episode_only(play: Play) -> None:
    body = """
base = told["call_url"].rpartition("/e/")[0]
tried = []
for path in ("/episodes", "/metrics", "/tasks"):
    try:
        urllib.request.urlopen(base + path)
    except urllib.error.HTTPError as error:
        tried.append(error.code)
post(told["answer_url"], {"answer": tried})
"""
    (found,) = play(body)
    assert found.answer == [404, 401, 401]


def test_an_environment_that_is_not_there_is_infrastructure(play: Play, graph: Assignment) -> None:
    (found,) = play(SOLVES, given=Assignment(make_task(environment_hash="22" * 32), graph.tools))
    assert (found.status, found.failure_kind, found.reward) == ("infrastructure", "StoreError", None)


def test_a_program_that_cannot_be_started_ends_the_run(library: Environment, graph: Assignment, tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_text("there is no line that names an interpreter", encoding="utf-8")
    script.chmod(0o755)
    with pytest.raises(ConfigError, match=r"--agent-command: .*agent cannot be started: Exec format error"):
        asyncio.run(episodes(CommandPlayer(str(script), [library], seconds=5.0), library, graph, tmp_path))


def test_without_a_server_no_episode_waits(
    library: Environment, graph: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(host: str, port: int) -> None:
        raise RuntimeError(f"{host} is out of order")

    monkeypatch.setattr(command_player, "listen", refuse)
    player = CommandPlayer(sys.executable, [library], seconds=5.0)
    with pytest.raises(RuntimeError, match="out of order"):
        asyncio.run(asyncio.wait_for(episodes(player, library, graph, tmp_path), 60))


@pytest.mark.parametrize("command", ["", "no-such-program-here --x", "python3 'x"])
def test_a_command_that_is_none(library: Environment, command: str) -> None:
    with pytest.raises(ConfigError, match="--agent-command"):
        CommandPlayer(command, [library], seconds=1.0)
