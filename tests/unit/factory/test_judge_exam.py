"""A model is examined on episodes that were really played: one that looks is let score, one that nods is not."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.judging import JudgeReport
from envforge.factory.judge_exam import ExamConfig, examine_judge
from envforge.llm.connect import ModelSettings
from envforge.llm.loopback.answers import answer_of
from envforge.llm.loopback.server import Exchange, LoopbackServer
from envforge.store.schemas import problems
from envforge.store.workspace import Workspace

ROOT = Path(__file__).parents[3]
Opinion = Callable[[str], bool]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("exam")
    for kind in ("environments", "tasks"):
        shutil.copytree(ROOT / kind / "web-browsers", folder / kind / "web-browsers")
    return Workspace(folder)


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def answering(opinion: Opinion) -> Callable[[Exchange], Any]:
    """An endpoint that says of each record what `opinion` makes of it, and quotes the answer."""

    async def answer(exchange: Exchange) -> None:
        asked = exchange.body["messages"][1]["content"]
        if "response_format" in exchange.body:
            await exchange.answer(
                answer_of(json.dumps({"quote": asked.partition("FINAL ANSWER\n")[2].splitlines()[0][:60]}))
            )
            return
        chance = 0.9 if opinion(asked) else 0.1
        words = [{"token": "yes", "logprob": math.log(chance)}, {"token": "no", "logprob": math.log(1 - chance)}]
        words.sort(key=lambda word: -float(str(word["logprob"])))
        said = {**words[0], "top_logprobs": words}
        await exchange.answer(answer_of(str(words[0]["token"]), logprobs={"content": [said]}))

    return answer


def examined(workspace: Workspace, opinion: Opinion) -> tuple[JudgeReport, Path, int]:
    with LoopbackServer(answering(opinion)) as server:
        config = ExamConfig(("web-browsers",), ModelSettings("m", base_url=server.base_url), tasks=4)
        report, path = examine_judge(workspace, config, silent)
        return report, path, len(server.seen)


def test_a_nodding_judge_is_refused(workspace: Workspace) -> None:
    report, path, calls = examined(workspace, lambda _: True)
    assert not report.calibration.holds and report.calibration.right_on_unmet < 0.9
    agents = {one.agent.partition(":")[0] for one in report.examined}
    assert {"gold", "noop-plausible", "flawed"} <= agents
    assert all(one.met for one in report.examined if one.agent == "gold")
    whole = [one for one in report.examined if one.ruling.item == "whole"]
    assert all(one.met == (one.agent == "gold") for one in whole) and len(whole) == 12
    assert calls > 2 * len(report.examined), "two readings each, and quotations of what is met"
    assert problems("judge_report", json.loads(path.read_text(encoding="utf-8"))) == []


def test_a_judge_that_knows_the_gold_may_score(workspace: Workspace) -> None:
    """It is told which records are of gold by what only a played exam can show: a first one says yes to nothing."""
    truth: dict[str, bool] = {}
    asked: list[str] = []

    def notes(text: str) -> bool:
        asked.append(text.partition("\n\nIs the statement")[0])
        return False

    blind, _, _ = examined(workspace, notes)
    readings = list(dict.fromkeys(asked))
    assert not blind.calibration.holds and len(readings) == len(blind.examined)
    truth.update({reading: one.met for reading, one in zip(readings, blind.examined, strict=True)})
    report, _, _ = examined(workspace, lambda text: truth[text.partition("\n\nIs the statement")[0]])
    assert report.calibration.holds and report.auc == 1.0
    assert report.calibration.passed_mutants == 0 and report.agreement == 1.0


def test_an_exam_without_tasks(workspace: Workspace) -> None:
    config = ExamConfig(("nowhere",), ModelSettings("m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(ConfigError, match="no environment"):
        examine_judge(workspace, config, silent)
