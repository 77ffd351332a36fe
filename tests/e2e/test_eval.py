"""`envforge eval` and `analyze` as programs: agents that ship, a model behind a loopback endpoint, the page."""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.loopback.faults import well
from envforge.llm.loopback.server import Exchange, LoopbackServer

ROOT = Path(__file__).parents[2]
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
ENVIRONMENT = ("--env", "web-browsers", "--tasks", "4", "--concurrency", "2")
BLANKS: dict[str, Any] = {"integer": 0, "number": 0, "string": "", "boolean": False, "array": [], "object": {}}


async def lazy(exchange: Exchange) -> None:
    """Calls the first tool without arguments once, then answers with nothing in every field."""
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in exchange.body.get("tools", [])}
    if exchange.body["messages"][-1]["role"] != "tool":
        call = call_of(next(iter(tools)), {})
    else:
        fields = tools["final_answer"]["properties"]
        call = call_of("final_answer", {name: BLANKS[held["type"]] for name, held in fields.items()})
    await well(answer_of(None, calls=[call]))(exchange)


@pytest.fixture(scope="module")
def server() -> Generator[LoopbackServer]:
    with LoopbackServer(lazy) as running:
        yield running


@pytest.fixture(scope="module")
def scripted(envforge: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """A run of an agent that ships, with baselines and a log for Inspect."""
    folder = tmp_path_factory.mktemp("scripted") / "run"
    more = ("--baselines", "--k", "2", "--out", str(folder), "--inspect", str(folder / "inspect.json"))
    return folder, envforge("eval", *ENVIRONMENT, "--agent", "scripted:0.9", *more, cwd=ROOT)


def test_an_agent_that_ships(scripted: tuple[Path, Done]) -> None:
    folder, done = scripted
    assert done.returncode == 0, done.stderr
    for told in ("pass@1", "pass^2", "gold: 4 of 4 episodes scored, 4 passed", "First mistake of", "one environment"):
        assert told in done.stdout
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert 0 < report["agents"][0]["passed"] < report["agents"][0]["scored"] == 8, "it says nothing of mistakes else"
    assert [one["agent"]["name"] for one in report["agents"]] == ["scripted:0.9", "gold", "noop", "random"]


@pytest.mark.skipif(importlib.util.find_spec("inspect_ai") is None, reason="Inspect (extra: inspect) is not installed")
def test_inspect_reads_its_log(scripted: tuple[Path, Done]) -> None:
    reader: Any = importlib.import_module("inspect_ai.log")
    log: Any = reader.read_eval_log(str(scripted[0] / "inspect.json"))
    assert log.status == "success"
    assert len(log.samples) == 8
    assert log.results.scores[0].metrics["pass@1"].value == pytest.approx(
        sum(sample.scores["outcome"].value for sample in log.samples) / 8
    )


@pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed")
def test_the_page_opens(scripted: tuple[Path, Done], tmp_path: Path) -> None:
    """Its own policy lets its style in, every chart is drawn, and nothing is complained of or asked for."""
    page = scripted[0] / "page.html"
    wish = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
            f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=2000", "--dump-dom")  # fmt: skip
    done = subprocess.run(["chromium", *wish, page.as_uri()], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.count("<svg") >= 7
    assert "Evaluation of scripted:0.9" in done.stdout
    assert "Content Security Policy" not in done.stderr
    assert ":CONSOLE" not in done.stderr


def model_run(envforge: Run, server: LoopbackServer, folder: Path, *more: str) -> Done:
    wish = ("--model", "lazy", "--base-url", server.base_url, "--k", "2", "--out", str(folder))
    return envforge("eval", *ENVIRONMENT, *wish, *more, "--json", cwd=ROOT, env={"OPENAI_API_KEY": "k"})


def test_a_model_is_measured_and_nothing_is_asked_twice(envforge: Run, server: LoopbackServer, tmp_path: Path) -> None:
    done = model_run(envforge, server, tmp_path / "run")
    assert done.returncode == 0, done.stderr
    subject = json.loads(done.stdout)["agents"][0]
    assert (subject["agent"]["model"], subject["scored"], subject["passed"]) == ("lazy", 8, 0)
    assert subject["spending"]["model_calls"] == 16
    assert subject["spending"]["prompt_tokens"] == 320
    assert subject["spending"]["usd"] is None, "nobody knows what it costs"
    assert sum(subject["mistakes"].values()) == 8
    asked = len(server.seen)
    again = model_run(envforge, server, tmp_path / "run")
    assert again.stdout == done.stdout
    assert len(server.seen) == asked


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ((), "name one agent"),
        (("--agent", "gold", "--env", "nowhere"), "no environment 'nowhere'"),
        (("--model", "m", "--bench", "bfcl"), "does not go with --env, --tasks"),
        (("--agent", "gold", "--vs", "x", "--bench", "nothing"), "does not go with --env, --tasks, --vs"),
        (("--agent", "gold", "--limit", "2", "--own-loop"), "--limit, --own-loop: goes with --bench only"),
    ],
)
def test_bad_input(envforge: Run, tmp_path: Path, wish: tuple[str, ...], said: str) -> None:
    done = envforge("eval", *ENVIRONMENT, "--out", str(tmp_path / "run"), *wish, cwd=ROOT)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (tmp_path / "run").exists()


def test_errors_are_analyzed(envforge: Run) -> None:
    done = envforge("analyze", "errors", "--env", "web-browsers", "--count", "1", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "of 11 right" in done.stdout
