"""The order of rows: balanced over families, then levels, then goals, at every length.

Rows stand in rounds: one of each family, and within a family one of each level in turn. Whoever takes the first N gets
a balanced sample; a family or level that runs out leaves its place to the others, and no task is there twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from envforge.core.records.task import Task
from envforge.core.seeds import derive_seed, stream
from envforge.train.data.conversation import opening
from envforge.train.data.records import Split, TrainingEnvironment, TrainingRow
from envforge.train.data.supply import Supply

T = TypeVar("T")
_SEED_BITS = 11
"""Seeds stay under 2**53: they stand in JSON files."""


@dataclass(frozen=True)
class Candidate:
    """A task that may become a row."""

    supply: Supply
    task: Task

    @property
    def family(self) -> str:
        """Of its environment."""
        return self.supply.environment.manifest.family


def candidates(supply: Supply, levels: Sequence[int]) -> list[Candidate]:
    """The tasks of an environment that are of these levels."""
    return [Candidate(supply, task) for task in supply.tasks.tasks if task.difficulty.level in levels]


def balanced(given: Sequence[Candidate], seed: int) -> list[Candidate]:
    """All of them, in the balanced order that `seed` draws."""
    shuffled = sorted(given, key=lambda one: (one.family, one.task.environment_id, one.task.id))
    stream(seed, "rows").shuffle(shuffled)
    keys: tuple[Callable[[Candidate], Hashable], ...] = (
        lambda one: one.family,
        lambda one: one.task.difficulty.level,
        lambda one: one.task.intent.family,
        lambda one: one.task.environment_id,
    )
    return list(_rounds(shuffled, keys))


def _rounds(items: Sequence[T], keys: Sequence[Callable[[T], Hashable]]) -> Iterator[T]:
    """One item of each group in turn, groups by the first key; within a group the same by the other keys."""
    if not keys:
        yield from items
        return
    groups: dict[Hashable, list[T]] = {}
    for item in items:
        groups.setdefault(keys[0](item), []).append(item)
    waiting = deque(_rounds(group, keys[1:]) for group in groups.values())
    while waiting:
        group = waiting.popleft()
        for item in group:
            yield item
            waiting.append(group)
            break


def row_of(candidate: Candidate, placed: TrainingEnvironment, final: str, seed: int) -> TrainingRow:
    """The row of a task; its episode seed depends on the task only."""
    task = candidate.task
    split: Split = placed.split
    return TrainingRow(
        environment_id=placed.environment_id,
        environment_hash=placed.environment_hash,
        family=placed.family,
        database_seed=placed.database_seed,
        grounding=placed.grounding,
        task_id=task.id,
        level=task.difficulty.level,
        kind=task.kind,
        goal=task.intent.family,
        instruction=task.instruction,
        answer_schema=task.answer_schema,
        prompt=opening(task, final),
        episode_seed=derive_seed(seed, "episode", placed.environment_hash, task.id) >> _SEED_BITS,
        split=split,
    )
