"""What each curriculum makes of the same number of episodes, on simulated learners.

    python benchmarks/curricula/compare.py [--seeds 10] [--episodes 7680]

Three sets of tasks: `even` (levels say how hard a task is), `hard` (the same, and the learner wins next to nothing at
first), `mislabelled` (levels say nothing). Episodes that a curriculum does not keep are counted. The learner is that of
`envforge.train.curricula.simulated`: nothing here says anything of language models.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import TypeAlias

from envforge.core.records.curriculum import CurriculumTask, GroupResult
from envforge.core.seeds import stream
from envforge.train.curricula.filling import MOST_ROUNDS, fill
from envforge.train.curricula.registry import CURRICULA, curriculum
from envforge.train.curricula.simulated import SimulatedLearner

Tasks: TypeAlias = Sequence[CurriculumTask]
Results: TypeAlias = list[GroupResult]
FAMILIES, LEVELS, EACH = 4, 5, 12
BATCH, GROUP, STEP = 16, 8, 0.06
SETS: Mapping[str, tuple[float, float, float]] = {
    "even": (-2.0, 1.5, 0.5),
    "hard": (2.5, 1.5, 0.5),
    "mislabelled": (1.0, 0.0, 2.2),
}
"""Difficulty of level 1, of each further level, and the spread around it."""


@dataclass(frozen=True)
class Outcome:
    """Of one run: success over all tasks at the end, and the share of groups that said nothing."""

    end: float
    silent: float


def tasks_of(name: str, seed: int) -> tuple[tuple[CurriculumTask, ...], dict[str, float]]:
    """The tasks of a set with their difficulties."""
    first, apart, spread = SETS[name]
    random = stream(seed, "tasks", name)
    tasks: list[CurriculumTask] = []
    hard: dict[str, float] = {}
    for family in range(FAMILIES):
        for level in range(1, LEVELS + 1):
            for number in range(EACH):
                task = CurriculumTask(
                    id=f"f{family}/{level}-{number}",
                    family=f"f{family}",
                    level=level,
                    lineage=f"f{family}/{number}",
                    generation=level,
                )
                tasks.append(task)
                hard[task.id] = first + apart * (level - 1) + random.gauss(0, spread)
    return tuple(tasks), hard


def run(name: str, which: str, seed: int, episodes: int) -> Outcome:
    """One curriculum on one learner."""
    tasks, hard = tasks_of(which, seed)
    known = {task.id: task for task in tasks}
    chooser = curriculum(name, tasks, seed=seed)
    learner = SimulatedLearner(hard, seed=seed, group=GROUP, step=STEP)
    played = silent = groups = 0
    while played < episodes:
        room = max(1, (episodes - played) // GROUP)
        # As many rounds as are paid for: none gets an episode more than another.
        filled = fill(chooser, min(BATCH, room), learner.play, most_rounds=min(MOST_ROUNDS, max(1, room // BATCH)))
        results: Sequence[GroupResult] = (*filled.kept, *filled.dropped)
        learner.learn([(known[result.task], result) for result in filled.kept])
        played += filled.episodes
        silent += sum(not result.varied for result in results)
        groups += len(results)
    return Outcome(learner.success(tasks), silent / groups)


def main() -> None:
    """Print a table for each set of tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--episodes", type=int, default=7680)
    given = parser.parse_args()
    for which in SETS:
        outcomes = {name: [run(name, which, seed, given.episodes) for seed in range(given.seeds)] for name in CURRICULA}
        base = outcomes["uniform"]
        start = fmean(SimulatedLearner(hard, seed=0).success(tasks) for tasks, hard in _sets(which, given.seeds))
        print(f"\n{which}: {start:.1%} at first, {given.episodes} episodes, {given.seeds} seeds\n")
        print("| curriculum | at the end | over uniform | groups that say nothing |")
        print("|---|---|---|---|")
        for name, runs in outcomes.items():
            gains = [one.end - other.end for one, other in zip(runs, base, strict=True)]
            error = stdev(gains) / sqrt(len(gains)) if len(gains) > 1 else 0.0
            over = "–" if name == "uniform" else f"{100 * fmean(gains):+.1f} ± {100 * error:.1f} points"
            end, silent = fmean(one.end for one in runs), fmean(one.silent for one in runs)
            print(f"| `{name}` | {end:.1%} | {over} | {silent:.0%} |")


def _sets(which: str, seeds: int) -> list[tuple[tuple[CurriculumTask, ...], dict[str, float]]]:
    return [tasks_of(which, seed) for seed in range(seeds)]


if __name__ == "__main__":
    main()
