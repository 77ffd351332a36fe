"""Rewards side by side, and judges that may or may not score."""

from __future__ import annotations

from typing import Any

import pytest

from envforge.core.errors import ModelError
from envforge.core.records.rewarding import Calibration, Rewarding
from envforge.core.records.task import RubricItem, Task
from envforge.core.records.trajectory import Malformed, Trajectory, Turn, Verdict
from envforge.rollout.agents import Assignment, agent_maker
from envforge.rollout.failures import Failure, diagnose
from envforge.rollout.loop import run_episode
from envforge.rollout.rewards import rewarded, rewards_of
from envforge.rollout.score import Scorer
from envforge.world.environment import Environment
from envforge.world.session import Session

SHAPED = Rewarding(trains="shaped", shape="fraction", malformed=0.1, most_malformed=0.15, long=0.01, most_long=0.05)
TURN = Turn(tool="t", ok=True, observation={})
SLIP = Malformed(kind="call", detail="no JSON")


def episode(turns: int = 0, slips: int = 0, **more: Any) -> Trajectory:
    fields: dict[str, Any] = {"task_id": "t", "environment_hash": "", "agent": "a", "seed": 0, "ending": "answered",
                              "status": "completed",
                              "turns": (TURN,) * turns, "malformed": (SLIP,) * slips}  # fmt: skip
    return Trajectory(**{**fields, **more})


def scored(score: float | None, fraction: float | None = None) -> Verdict:
    return Verdict(status="unscored" if score is None else "scored", score=score, fraction=fraction)


@pytest.mark.parametrize(
    ("turns", "slips", "shaped"),
    [(8, 0, 0.5), (11, 0, 0.47), (99, 0, 0.45), (0, 1, 0.4), (0, 9, 0.35), (99, 9, 0.3)],
)
def test_penalties_are_bounded(graph: Assignment, turns: int, slips: int, shaped: float) -> None:
    """Minimal calls are 4, so 8 are free."""
    found = rewards_of(graph.task, episode(turns, slips), scored(0.0, 0.5), SHAPED)
    assert (found["outcome"], found["fraction"]) == (0.0, 0.5)
    assert found["shaped"] == pytest.approx(shaped)
    assert found["shaped"] == pytest.approx(0.5 + (found["malformed"] or 0) + (found["long"] or 0))


def test_the_one_that_trains_is_chosen_and_all_are_kept(graph: Assignment) -> None:
    for name, reward in (("outcome", 0.0), ("fraction", 0.5), ("shaped", 0.4)):
        rewarding = SHAPED.model_copy(update={"trains": name})
        found = rewarded(graph.task, episode(slips=1), scored(0.0, 0.5), rewarding)
        assert found.reward == pytest.approx(reward)
        assert set(found.rewards) == {"outcome", "fraction", "malformed", "long", "shaped"}


def test_without_a_score_there_is_no_reward(graph: Assignment) -> None:
    found = rewarded(graph.task, episode(99, 9), scored(None, 0.5), SHAPED)
    assert found.reward is None
    assert set(found.rewards.values()) == {None}


def test_who_never_ends_has_no_fraction(graph: Assignment) -> None:
    cut = episode(ending="turn_limit", status="truncated")
    assert rewards_of(graph.task, cut, scored(0.0, 0.8), SHAPED)["fraction"] == 0.0


class SomeJudge:
    """Says what it is told to."""

    def __init__(self, says: Any, calibration: Calibration | None) -> None:
        self._says = says
        self.calibration = calibration

    def is_met(self, item: RubricItem, task: Task, trajectory: Trajectory) -> bool | None:
        if isinstance(self._says, Exception):
            raise self._says
        return self._says


KNOWN = Calibration(judge="j", items=40, right_on_met=0.95, right_on_unmet=0.9)
YES_SAYER = Calibration(judge="j", items=40, right_on_met=1.0, right_on_unmet=0.0)
ITEM = RubricItem(id="tone", text="The answer is friendly.", judge="j")
CASES: dict[str, tuple[Any, Calibration | None, float | None, str]] = {
    "met": (True, KNOWN, 1.0, ""),
    "not met": (False, KNOWN, 0.0, ""),
    "nobody knows it": (True, None, None, "not calibrated"),
    "it says yes to everything": (True, YES_SAYER, None, "not calibrated"),
    "it cannot say": (None, KNOWN, None, "cannot say"),
    "rubbish": ("perhaps", KNOWN, None, "cannot say"),
    "it fails": (ModelError("timed out"), KNOWN, None, "failed on tone"),
    "calibrated for another": (True, KNOWN.model_copy(update={"judge": "k"}), None, "not calibrated for the judge k"),
}


@pytest.mark.parametrize(("says", "calibration", "score", "reason"), CASES.values(), ids=CASES.keys())
def test_only_a_calibrated_judge_scores(
    library: Environment,
    session: Session,
    graph: Assignment,
    says: Any,
    calibration: Calibration | None,
    score: float | None,
    reason: str,
) -> None:
    task = graph.task.model_copy(update={"rubric": (ITEM,)})
    trajectory = run_episode(session, task, agent_maker("gold")(graph, 0))
    with Scorer(library, judge=SomeJudge(says, calibration)) as scorer:
        found = scorer.score_episode(task, trajectory)
    assert found.score == score
    assert (reason in found.reasons[0]) if reason else not found.reasons
    kinds = [one.failure for one in diagnose(task, trajectory.model_copy(update={"verdict": found})).findings]
    assert kinds == {None: [Failure.UNSCORED], 0.0: [Failure.NOT_MET], 1.0: []}[score]
    assert ("judged-tone" in [check.id for check in found.checks]) == (score is not None)


def test_a_failed_check_is_no_matter_of_taste(library: Environment, session: Session, graph: Assignment) -> None:
    task = graph.task.model_copy(update={"rubric": (ITEM,)})
    trajectory = run_episode(session, task, agent_maker("noop")(graph, 0))
    with Scorer(library, judge=SomeJudge(True, KNOWN)) as scorer:
        assert scorer.score_episode(task, trajectory).score == 0
