"""Rewards of an episode, from its verdict and its record; without a score there is none of them."""

from __future__ import annotations

from envforge.core.records.rewarding import Rewarding
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory, Verdict

OUTCOME_ONLY = Rewarding()


def rewards_of(task: Task, trajectory: Trajectory, verdict: Verdict, rewarding: Rewarding) -> dict[str, float | None]:
    """Every reward by name, and each penalty as what it takes away. All None where the episode has no score."""
    if verdict.score is None:
        return dict.fromkeys(("outcome", "fraction", "malformed", "long", "shaped"))
    fraction = verdict.score if verdict.fraction is None else verdict.fraction
    if trajectory.status != "completed":
        fraction = min(fraction, verdict.score)  # an answer is part of what was asked for
    malformed = min(rewarding.most_malformed, rewarding.malformed * len(trajectory.malformed))
    beyond = max(0.0, len(trajectory.turns) - rewarding.free_calls * max(1, task.difficulty.minimal_calls))
    long = min(rewarding.most_long, rewarding.long * beyond)
    shape = verdict.score if rewarding.shape == "outcome" else fraction
    shaped = max(rewarding.floor, shape - malformed - long)
    return {"outcome": verdict.score, "fraction": fraction, "malformed": -malformed, "long": -long, "shaped": shaped}


def rewarded(task: Task, trajectory: Trajectory, verdict: Verdict, rewarding: Rewarding) -> Trajectory:
    """The trajectory with its verdict, all its rewards, and the one that trains."""
    found = rewards_of(task, trajectory, verdict, rewarding)
    return trajectory.model_copy(update={"verdict": verdict, "reward": found[rewarding.trains], "rewards": found})
