"""Successful episodes of earlier runs: which of them become examples (rejection sampling, without repetition)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.trajectory import Trajectory
from envforge.train.data.demonstrations import Demonstration
from envforge.train.data.records import TrainingRow

Reason: TypeAlias = Literal["not_trained_on", "other_environment", "failed", "unscored", "user", "gold", "repeated"]
TaskName: TypeAlias = tuple[str, str]
"""Environment and task."""


def harvested(
    trajectories: Iterable[Trajectory],
    rows: Mapping[TaskName, TrainingRow],
    finals: Mapping[str, str],
    *,
    most: int,
    left_out: Counter[str],
) -> list[Demonstration]:
    """At most `most` different episodes of each row, the plainest first, in the order of the rows.

    Plain: few refused calls, then few calls. `finals`: family → name of the final answer. Why an episode is not taken
    is counted in `left_out`.
    """
    found: dict[TaskName, dict[str, Trajectory]] = {}
    for trajectory in trajectories:
        name = (trajectory.environment_id, trajectory.task_id)
        reason = _unfit(trajectory, rows.get(name))
        kept = found.setdefault(name, {})
        deed = _deed(trajectory)
        if reason is None and deed in kept:
            reason = "repeated"
            kept[deed] = min(kept[deed], trajectory, key=_plainness)
        if reason is not None:
            left_out[reason] += 1
        else:
            kept[deed] = trajectory
    chosen: list[Demonstration] = []
    for name, row in rows.items():
        episodes = sorted(found.get(name, {}).values(), key=_plainness)
        left_out["more_than_enough"] += max(0, len(episodes) - most)
        chosen += [Demonstration(row, finals[row.family], one) for one in episodes[:most]]
    return chosen


def _unfit(trajectory: Trajectory, row: TrainingRow | None) -> Reason | None:
    if row is None:
        return "not_trained_on"
    if trajectory.environment_hash != row.environment_hash:
        return "other_environment"
    if trajectory.verdict is None or trajectory.verdict.score is None:
        return "unscored"
    if trajectory.verdict.score != 1.0 or trajectory.status != "completed":
        return "failed"
    if trajectory.settings is not None and trajectory.settings.user:
        return "user"  # the instruction was not said in whole
    return "gold" if trajectory.agent == "gold" else None


def _deed(trajectory: Trajectory) -> str:
    """What was done, whoever did it."""
    calls = [[turn.tool, turn.arguments] for turn in trajectory.turns]
    return sha256_text(canonical_json([calls, trajectory.answer]))


def _plainness(trajectory: Trajectory) -> tuple[int, int, str, str]:
    refused = sum(not turn.ok for turn in trajectory.turns)
    return refused, len(trajectory.turns), _deed(trajectory), trajectory.key
