"""`envforge models check` as a program, against the loopback server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from envforge.llm.loopback.faults import by_name
from envforge.llm.loopback.server import LoopbackServer
from envforge.llm.loopback.simulated import simulated

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
KEY = "k-abc-very-secret-def"


@pytest.fixture(scope="module")
def server() -> Generator[LoopbackServer]:
    with LoopbackServer(by_name(simulated())) as running:
        yield running


def check(envforge: Run, server: LoopbackServer, folder: Path, model: str, *more: str) -> Done:
    wish = ("--model", model, "--base-url", server.base_url, *more)
    return envforge("models", "check", *wish, cwd=folder, env={"OPENAI_API_KEY": KEY})


def test_a_good_endpoint(envforge: Run, server: LoopbackServer, tmp_path: Path) -> None:
    done = check(envforge, server, tmp_path, "simulated", "--run", "run", "--extra", '{"top_k": 3}')
    assert server.seen[-2].body["top_k"] == 3
    assert done.returncode == 0, done.stderr
    assert "parallel tools" in done.stdout and "2048 tokens" in done.stdout and "price unknown" in done.stdout
    assert server.seen[-1].headers["authorization"] == f"Bearer {KEY}"
    kept = "".join(path.read_text() for path in (tmp_path / "run").iterdir())
    assert KEY not in kept + done.stdout + done.stderr and kept.count("\n") > 30


def test_json(envforge: Run, server: LoopbackServer, tmp_path: Path) -> None:
    done = check(envforge, server, tmp_path, "fault:empty", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1 and told["usable"] is False
    assert told["findings"][0]["detail"].startswith("EmptyAnswerError")


@pytest.mark.parametrize(
    ("model", "more", "told"),
    [
        ("fault:status-401", (), "--api-key-env"),
        ("fault:status-404", (), "--model"),
        ("simulated", ("--budget-tokens", "50"), "budget is used up"),
        ("simulated", ("--budget-usd", "1"), "no price is known"),
        ("simulated", ("--base-url", "nonsense"), "http"),
        ("simulated", ("--extra", "{"), "--extra"),
        ("small.gguf", ("--provider", "local"), "go with an endpoint"),
        ("simulated", ("--extra", "[1]"), "no JSON object"),
        ("simulated", ("--base-url", "https://models.example/v1"), "refused"),
    ],
)
def test_what_cannot_be_is_one_line(
    envforge: Run, server: LoopbackServer, tmp_path: Path, model: str, more: tuple[str, ...], told: str
) -> None:
    done = check(envforge, server, tmp_path, model, *more)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and told in done.stderr
    assert done.stdout == "" and KEY not in done.stderr
