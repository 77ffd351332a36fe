"""`envforge rollout` and `envforge replay` as programs, on shipped tasks, against the loopback server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.loopback.server import Exchange, LoopbackServer
from envforge.rollout.trajectory_log import TRAJECTORIES, read_trajectories

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
ROOT = Path(__file__).parents[2]
HERE = ("--env", str(ROOT / "environments" / "web-browsers"), "--workspace", str(ROOT), "--count", "2")


def rollout(envforge: Run, folder: Path, *more: str, **how: Any) -> Done:
    return envforge("rollout", *HERE, "--out", str(folder / "run"), *more, cwd=folder, **how)


async def endpoint(exchange: Exchange) -> None:
    """Calls a tool that is there, then one that is not, then answers something."""
    said = sum(message["role"] == "assistant" for message in exchange.body["messages"])
    tool = exchange.body["tools"][0]["function"]["name"]
    calls = (
        call_of(tool, {}),
        call_of("no_such_tool", {}),
        call_of("final_answer", {"x": 1}),
        call_of("final_answer", {}),
    )
    await exchange.answer(answer_of(None, calls=[calls[said]]))


def test_agents_that_ship(envforge: Run, tmp_path: Path) -> None:
    done = rollout(envforge, tmp_path, "--agent", "gold", "--agent", "noop", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["agents"]["gold"] == {"episodes": 2, "scored": 2, "passed": 2, "statuses": {"completed": 2}}
    assert told["agents"]["noop"]["passed"] == 0 and (told["played"], told["found"]) == (4, 0)
    before = (tmp_path / "run" / TRAJECTORIES).read_bytes()
    again = rollout(envforge, tmp_path, "--agent", "gold", "--agent", "noop", "--json")
    assert json.loads(again.stdout)["played"] == 0
    assert (tmp_path / "run" / TRAJECTORIES).read_bytes() == before
    page = envforge("replay", "run", "--index", "1", "--html", "page.html", "--workspace", str(ROOT), cwd=tmp_path)
    assert page.returncode == 0 and "What it changed" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_model(envforge: Run, tmp_path: Path) -> None:
    with LoopbackServer(endpoint) as server:
        wish = ("--agent", "model", "--model", "m", "--base-url", server.base_url, "--count", "1", "--json")
        done = rollout(envforge, tmp_path, *wish)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert told["agents"]["model:m"]["statuses"] == {"completed": 1} and told["spent"]["calls"] == len(server.seen)
        asked = len(server.seen)
        (tmp_path / "run" / TRAJECTORIES).unlink()
        assert rollout(envforge, tmp_path, *wish).returncode == 0
        # The answers were kept, also those that could not be read.
        assert len(server.seen) == asked
    (found,) = read_trajectories(tmp_path / "run")
    assert [one.kind for one in found.malformed] == ["unknown_tool", "answer", "answer"][: len(found.malformed)]
    assert found.malformed and found.turns and not (tmp_path / "run" / "transcript.jsonl").exists()


def test_an_endpoint_that_is_not_there(envforge: Run, tmp_path: Path) -> None:
    wish = ("--agent", "model", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--count", "1")
    done = rollout(envforge, tmp_path, *wish, "--tries", "1")
    assert done.returncode == 1 and "could not be scored" in done.stdout
    (found,) = read_trajectories(tmp_path / "run")
    assert (found.status, found.reward, found.failure_kind) == ("infrastructure", None, "ConnectionLostError")


def test_bad_input(envforge: Run, tmp_path: Path) -> None:
    done = rollout(envforge, tmp_path, "--agent", "model")
    assert done.returncode == 2 and "needs --model" in done.stderr and "Traceback" not in done.stderr
