"""Runs of bfcl: whole, gone on with, broken and refused; scored by bfcl-eval itself where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError, SandboxError
from envforge.core.model_errors import BudgetError, RefusedAnswerError
from envforge.core.records.benchmark import BenchmarkReport
from envforge.core.records.completion import CompletionRequest
from envforge.factory.bench_files import read_items
from envforge.factory.bfcl import BfclConfig, bfcl, wilson
from envforge.llm.loopback.answers import answer_of, call_of
from envforge.llm.providers.scripted import Answer, ScriptedModel
from envforge.rollout.bfcl.side import own_python
from envforge.rollout.model_player import ModelPlay

STAND_IN = Path(__file__).parents[2] / "fixtures" / "benches" / "stand_in.py"
ADD = answer_of(None, calls=[call_of("add", {"a": 1})])
Bench = Callable[..., BenchmarkReport]


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def answers(request: CompletionRequest) -> Answer:
    """Solves item 0: adds twice; of item 1 it says at once that it is done."""
    last = request.messages[-1].content
    if last in ("add 1", "added 0") and len(request.messages) > 4:
        return "done"
    return {"add 0": ADD, "added 0": ADD, "add 1": "done", "thanks": "bye"}[last]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """bench(model, **config) → the report of a run with the stand-in for bfcl-eval."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STAND_IN}"\n', encoding="utf-8")
    python.chmod(0o755)

    def run(model: ScriptedModel, **given: Any) -> BenchmarkReport:
        asked: dict[str, Any] = {
            "category": "multi_turn_base",
            "limit": None,
            "python": python,
            "out": tmp_path / "run",
            **given,
        }
        return bfcl(BfclConfig(**asked), model, "m", ModelPlay(), silent)

    return run


def test_a_run_is_scored_and_gone_on_with(bench: Bench, tmp_path: Path) -> None:
    report = bench(ScriptedModel(answers))
    (ours,) = report.scores
    assert (ours.right, ours.failures, ours.scored) == (("multi_turn_base_0",), {"multi_turn_base_1": "state"}, 2)
    assert (ours.rate, report.model_calls) == (0.5, 6)
    messages = read_items(tmp_path / "run")["multi_turn_base_0"].messages
    assert [message.content for message in messages if message.role == "tool"] == ["added 0", "added 0"]
    again = bench(ScriptedModel([]), own=True, own_base_url="http://127.0.0.1:1/v1", own_key_variable="NONE")
    assert again.scores[0] == ours, "no model was asked"
    own = again.scores[1]
    assert (own.scored, own.unscored) == (1, ("multi_turn_base_1",)), "a call that broke is no failure of the model"


def test_an_error_of_the_endpoint_is_no_failure_and_is_played_again(bench: Bench) -> None:
    def refuses(request: CompletionRequest) -> Answer:
        return RefusedAnswerError("no") if request.messages[0].content == "add 1" else answers(request)

    (ours,) = bench(ScriptedModel(refuses)).scores
    assert (ours.scored, ours.rate, ours.unscored) == (1, 1.0, ("multi_turn_base_1",))
    (after,) = bench(ScriptedModel(answers)).scores
    assert (after.scored, after.unscored) == (2, ())


def test_a_budget_ends_the_run_and_not_an_item(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(BudgetError):
        bench(ScriptedModel(lambda _: BudgetError("used up")))
    assert not read_items(tmp_path / "run")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"category": "memory_kv"}, ConfigError, "no category"),
        ({"limit": 0}, ConfigError, "is 0"),
        ({"python": Path("/nowhere/python")}, ConfigError, "cannot be started"),
        ({"limit": 3}, SandboxError, "no such file"),
        ({"limit": 4}, SandboxError, "out of memory"),
    ],
)
def test_what_cannot_be_run(
    bench: Bench, given: dict[str, Any], error: type[Exception], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(error, match=said):
        bench(ScriptedModel([]), **given)
    assert caplog.messages == [], "the error is all that is told"


def test_a_folder_holds_one_run(bench: Bench) -> None:
    bench(ScriptedModel(answers), limit=1)
    with pytest.raises(ConfigError, match=r"another run \(it differs in: items\)"):
        bench(ScriptedModel(answers))


def test_wilson() -> None:
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.490, abs=1e-3) and high == pytest.approx(0.943, abs=1e-3)
    assert wilson(0, 0) == (None, None)
    assert wilson(0, 5)[0] == 0.0


@pytest.mark.skipif(not own_python().is_file(), reason="bfcl-eval (docs/benchmarks.md) is not installed")
def test_bfcl_eval_scores_what_our_loop_did(tmp_path: Path) -> None:
    """Its own items, tools and checker: one right answer, one wrong."""

    def area(request: CompletionRequest) -> Answer:
        name = request.tools[0].name
        base = 10 if name == "calculate_triangle_area" else 6
        return answer_of(None, calls=[call_of(name, {"base": base, "height": 5})])

    config = BfclConfig("simple_python", 2, own_python(), tmp_path)
    (ours,) = bfcl(config, ScriptedModel(area), "m", ModelPlay(), silent).scores
    assert ours.right == ("simple_python_0",)
    assert list(ours.failures) == ["simple_python_1"]
