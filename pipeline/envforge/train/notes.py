"""What is kept of an episode for the figures of a step: who it was of, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from envforge.core.records.trajectory import Trajectory

if TYPE_CHECKING:
    from envforge.train.live import LiveEpisode


@dataclass(frozen=True)
class EpisodeNote:
    """One episode."""

    environment_id: str
    task_id: str
    family: str
    kind: str
    level: int
    reward: float | None
    turns: int
    calls: int
    errors: int
    ending: str
    infrastructure: bool
    why: str = ""
    """Why it has no reward."""


def note_of(trajectory: Trajectory, live: LiveEpisode, family: str) -> EpisodeNote:
    """Of an episode that has been scored."""
    task = live.given.task
    reasons = trajectory.verdict.reasons if trajectory.verdict is not None else ()
    return EpisodeNote(
        environment_id=task.environment_id,
        task_id=task.id,
        family=family,
        kind=task.kind,
        level=task.difficulty.level,
        reward=trajectory.reward,
        turns=len(trajectory.turns),
        calls=live.calls,
        errors=live.errors,
        ending=trajectory.ending,
        infrastructure=trajectory.status == "infrastructure",
        why=(trajectory.failure or "; ".join(reasons)) if trajectory.reward is None else "",
    )


def figures(notes: Sequence[EpisodeNote]) -> dict[str, float]:
    """Name -> value: rewards by kind, family and level, turns, errors of tools, endings. Unscored ones apart.

    What has no episodes has no figure: a missing one is not a 0.
    """
    if not notes:
        return {}
    scored = [one for one in notes if one.reward is not None]
    found: dict[str, float] = {
        "episodes/turns": _mean([float(one.turns) for one in notes]),
        "episodes/infrastructure": _mean([float(one.infrastructure) for one in notes]),
        "episodes/unscored": 1 - len(scored) / len(notes),
        "episodes/answered": _mean([float(one.ending == "answered") for one in notes]),
        "episodes/turn_limit": _mean([float(one.ending == "turn_limit") for one in notes]),
    }
    calls = sum(one.calls for one in notes)
    if calls:
        found["episodes/tool_errors"] = sum(one.errors for one in notes) / calls
    groups = {
        **{f"reward/kind/{kind}": [one for one in scored if one.kind == kind] for kind in {n.kind for n in scored}},
        **{
            f"reward/family/{name}": [one for one in scored if one.family == name]
            for name in {n.family for n in scored}
        },
        **{
            f"reward/level/{level}": [one for one in scored if one.level == level]
            for level in {n.level for n in scored}
        },
    }
    for name, members in sorted(groups.items()):
        found[name] = _mean([one.reward for one in members if one.reward is not None])
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
