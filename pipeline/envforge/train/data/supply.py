"""What a training set is drawn from: environments with their tasks, and on which side of the split each stands."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envforge.core.errors import ConfigError
from envforge.core.records.task import Task
from envforge.rollout.agents import Assignment
from envforge.store.tasks import TaskSet
from envforge.train.data.records import SPLITS, Split, TrainingEnvironment, leaks
from envforge.world.environment import Environment


@dataclass(frozen=True)
class Supply:
    """An environment, its tasks, and the SHA-256 of the file that they stand in."""

    environment: Environment
    tasks: TaskSet
    tasks_sha256: str

    def assignment(self, task: Task) -> Assignment:
        """A task with what stands beside it."""
        program, verifier = (sources.get(task.id, "") for sources in (self.tasks.programs, self.tasks.verifiers))
        return Assignment(task, self.environment.tools, program, verifier)

    def placed(self, split: Split) -> TrainingEnvironment:
        """What the manifest says of it."""
        ours = self.environment.manifest
        return TrainingEnvironment(
            environment_id=ours.id,
            environment_hash=ours.environment_hash,
            theme=ours.theme,
            family=ours.family,
            database_seed=ours.database_seed,
            grounding=ours.grounding,
            split=split,
            tasks=self.tasks_sha256,
        )


def split_environments(
    supplies: Sequence[Supply],
    holdout_families: Sequence[str],
    holdout_seeds: Sequence[int],
    published: Mapping[str, Split] | None = None,
) -> tuple[TrainingEnvironment, ...]:
    """Every environment with its side of the split, in the order given.

    A family is held out by its name or by that of its theme; what a published set holds out (environment → side) is
    held out here too. Raises ConfigError for names that nothing has, for a
    leak, and where nothing is left to train on.
    """
    wanted = _known(supplies, holdout_families)
    placed: list[TrainingEnvironment] = []
    for supply in supplies:
        ours = supply.environment.manifest
        split: Split = "train"
        there = (published or {}).get(ours.id, "train")
        if ours.theme in wanted or ours.family in wanted or there == "heldout_family":
            split = "heldout_family"
        elif ours.database_seed in holdout_seeds or there == "heldout_seed":
            split = "heldout_seed"
        placed.append(supply.placed(split))
    _refuse_leaks(placed)
    _refuse_nothing(placed, holdout_seeds)
    return tuple(placed)


def by_split(environments: Sequence[TrainingEnvironment]) -> Mapping[Split, tuple[TrainingEnvironment, ...]]:
    """Environments of each split, in their order."""
    return {split: tuple(one for one in environments if one.split == split) for split in SPLITS}


def _known(supplies: Sequence[Supply], names: Sequence[str]) -> set[str]:
    manifests = [supply.environment.manifest for supply in supplies]
    there = {name for one in manifests for name in (one.theme, one.family)}
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=3, cutoff=0.5) or sorted(one.theme for one in manifests)
            raise ConfigError(
                f"there is no family or theme {name!r} among the environments",
                where="--holdout-family",
                remedy=f"there are: {', '.join(dict.fromkeys(near))}",
            )
    return set(names)


def _refuse_leaks(placed: Sequence[TrainingEnvironment]) -> None:
    found = leaks(placed)
    if found:
        remedy = "hold out the whole theme by its name, or leave one of the two out with --env"
        raise ConfigError(found[0], where="--holdout-family", remedy=remedy)


def _refuse_nothing(placed: Sequence[TrainingEnvironment], holdout_seeds: Sequence[int]) -> None:
    trained = {one.family for one in placed if one.split == "train"}
    for one in placed:
        if one.split == "heldout_seed" and one.family not in trained:
            raise ConfigError(
                f"no database of {one.family} is left to train on",
                where=f"--holdout-seeds {','.join(map(str, holdout_seeds))}" if holdout_seeds else one.environment_id,
                remedy=f"make more (envforge mine --theme {one.theme} --database-seeds 0-3), "
                f"or hold the family out: --holdout-family {one.theme}",
            )
    if not trained:
        raise ConfigError(
            "every environment is held out: there is nothing to train on",
            where="--holdout-family",
            remedy="leave at least one family in, or give more environments",
        )
