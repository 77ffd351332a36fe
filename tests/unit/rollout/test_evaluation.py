"""From episodes to figures: who is counted, how groups are made, what is unscored and what it costs."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.core.records.estimate import Estimate
from envforge.core.records.evaluation import AgentReport, DiagnosedEpisode, EvaluatedAgent
from envforge.core.records.mistake import Diagnosed, Mistake
from envforge.core.records.task import Difficulty
from envforge.core.records.trajectory import CheckResult, EpisodeSettings, ModelTurn, Trajectory, Turn, Verdict
from envforge.llm.prices import Price
from envforge.rollout.agents import Assignment
from envforge.rollout.evaluation import Asked, agent_report, priced

AGENT = EvaluatedAgent(name="a", model="m", episodes=2, settings=EpisodeSettings(max_turns=9, shown_bytes=999))


def episode(task: str, attempt: int, score: float | None, **more: Any) -> Trajectory:
    checks = (CheckResult(id="c", passed=score == 1, detail="no"),)
    status = "unscored" if score is None else "scored"
    verdict = Verdict(status=status, score=score, fraction=score and 1.0, checks=checks, reasons=("why",))
    fields: dict[str, Any] = {
        "task_id": task, "environment_hash": "", "agent": "a", "seed": 1, "attempt": attempt, "ending": "answered",
        "status": "completed", "key": f"{task}-{attempt}", "verdict": verdict,
        "turns": (Turn(tool="t", ok=True, observation={}), Turn(tool="t", ok=False, observation={})),
        "model_turns": (ModelTurn(prompt_tokens=1000, completion_tokens=100),),
    }  # fmt: skip
    return Trajectory(**{**fields, **more})


@pytest.fixture
def asked(graph: Assignment) -> list[Asked]:
    def task(name: str, level: int, environment: str) -> Asked:
        difficulty = Difficulty(level=level, minimal_calls=level, tools=1, depth=1)
        change = {"id": name, "difficulty": difficulty, "environment_id": environment}
        return Asked(graph.task.model_copy(update=change), "mined")

    return [task("one", 1, "x"), task("two", 1, "y"), task("three", 4, "y")]


@pytest.fixture
def report(asked: list[Asked]) -> AgentReport:
    broken: dict[str, Any] = {"ending": "infrastructure_failure", "status": "infrastructure", "failure_kind": "Lost"}
    episodes = [
        episode("one", 0, 1.0),
        episode("one", 1, 1.0),
        episode("two", 0, 1.0),
        episode("two", 1, 0.0),
        episode("three", 0, None),
        episode("three", 1, None, **broken),
    ]
    first = Mistake(kind="loop", turn=0, detail="d")
    found = DiagnosedEpisode(
        key="two-1", task_id="two", agent="a", seed=1, diagnosed=Diagnosed(kind="loop", first=first)
    )
    price = priced(Price(input=1.0, output=10.0, cached_input=0.5).cost, {"one-0": 400})
    return agent_report(AGENT, asked, episodes, [found], price=price)


def test_unscored_episodes_are_shown_and_not_counted(report: AgentReport) -> None:
    assert (report.episodes, report.scored, report.passed) == (6, 4, 3)
    assert report.unscored == {"infrastructure: Lost": 1, "why": 1}
    assert report.estimates["pass@1"].value == pytest.approx((1 + 0.5) / 2)
    assert report.estimates["pass@1"].left_out == 1
    assert report.estimates["pass^2"].value == pytest.approx((1 + 0) / 2)
    assert report.if_unscored_failed == pytest.approx((1 + 0.5 + 0) / 3)
    assert report.if_unscored_passed == pytest.approx((1 + 0.5 + 1) / 3)
    assert report.fraction.value == pytest.approx(0.75)


def test_groups(report: AgentReport) -> None:
    found = {(group.by, group.name): (group.tasks, group.passed, group.scored) for group in report.groups}
    assert found["level", "1"] == (2, 3, 4)
    assert found["level", "4"] == (1, 0, 0)
    assert found["environment", "y"] == (2, 1, 2)
    assert found["grounding", "mined"] == (3, 3, 4)
    assert found["tool", "borrow_book"] == (3, 3, 4)
    nothing = next(group.estimate for group in report.groups if group.name == "4")
    assert (nothing.value, nothing.note) == (None, "no task has enough scored episodes")


def test_mistakes_tools_and_money(report: AgentReport) -> None:
    assert (report.mistakes, report.undiagnosed) == ({"loop": 1}, 0)
    assert [(use.tool, use.calls, use.refused) for use in report.tools] == [("t", 12, 6)]
    spent = report.spending
    assert (spent.model_calls, spent.prompt_tokens, spent.completion_tokens) == (6, 6000, 600)
    assert spent.usd == pytest.approx((5600 * 1 + 400 * 0.5 + 600 * 10) / 1e6)


def test_without_a_price_there_is_no_sum(asked: list[Asked]) -> None:
    found = agent_report(AGENT, asked, [episode("one", 0, 1.0)], [], price=priced(None, {}))
    assert found.spending.usd is None
    free = agent_report(AGENT, asked, [episode("one", 0, 1.0, model_turns=())], [], price=priced(None, {}))
    assert free.spending.usd == 0


def test_a_run_without_episodes_has_no_figures(asked: list[Asked]) -> None:
    found = agent_report(AGENT, asked, [], [], price=priced(None, {}))
    assert found.estimates["pass@1"] == Estimate(left_out=3, note="no task has enough scored episodes")
    assert found.if_unscored_failed is None
