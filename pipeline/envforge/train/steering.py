"""What is mixed into TRL's GRPOTrainer: full tool schemas, figures of episodes, and which rollouts are learnt from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from envforge.core.errors import ConfigError, SandboxError
from envforge.train.data.records import FamilyTools
from envforge.train.host import EpisodeHost
from envforge.train.installed import library
from envforge.train.notes import EpisodeNote, figures

Draw = Callable[[int], list[dict[str, Any]]]
"""So many rows for the next batch."""
Learn = Callable[[list[EpisodeNote]], None]
"""What came of them."""
_PRIVATE = ("_env_tools", "_generate_and_score_completions", "_calculate_rewards", "_metrics")


@dataclass
class Steer:
    """How a trainer is steered. What it finds is written here."""

    host: EpisodeHost
    families: Mapping[str, FamilyTools]
    drop_equal: bool = True
    patience: int = 0
    """Batches in which every group had one reward, after which the run is given up; 0: never."""
    draw: Draw | None = None
    learn: Learn | None = None
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Of the batch at hand, one for each rollout."""
    equal_batches: int = 0
    batches: int = 0
    scored: int = 0
    unscored: int = 0
    why_unscored: str = ""
    """Of the last episode without a reward."""


class SteeredTrainer:
    """Stands before TRL's trainer in the order of classes; `steer` is set before the first step."""

    steer: Steer

    def steered_by(self, steer: Steer) -> None:
        """Begin. Raises ConfigError where TRL's private parts are not what they were."""
        trainer: Any = self
        missing = [name for name in _PRIVATE if not hasattr(trainer, name) and name != "_env_tools"]
        if missing or (trainer.rollout_func is None and set(trainer._env_tools) != set(steer.families)):
            raise ConfigError("its trainer is not the one that this was written for", where="trl", remedy="trl==1.16.*")
        self.steer = steer
        if trainer.rollout_func is None:
            # The full JSON Schemas: TRL itself would make them from type hints.
            trainer._env_tools = {name: steer.families[name].chat() for name in trainer._env_tools}

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        trainer: Any = self
        steer, base = self.steer, cast("Any", super())
        if trainer.model.training and steer.draw is not None:
            inputs = self._drawn(inputs)
        steer.rows = inputs
        steer.host.notes()  # of episodes that were not this batch's
        output: dict[str, Any] = base._generate_and_score_completions(inputs)
        notes: list[EpisodeNote] = library("accelerate.utils").gather_object(steer.host.notes())
        mode = "train" if trainer.model.training else "eval"
        for name, value in figures(notes).items():
            trainer._metrics[mode][name].append(value)
        steer.why_unscored = next((one.why for one in reversed(notes) if one.reward is None), steer.why_unscored)
        if mode == "train":
            if steer.learn is not None:
                steer.learn(notes)
            self._keep_learnable(output)
        return output

    def _calculate_rewards(self, *given: Any, **named: Any) -> Any:
        found: Any = cast("Any", super())._calculate_rewards(*given, **named)
        self._rewards: Any = found
        return found

    def _drawn(self, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows of the curriculum in place of the sampler's: the same on every process, each takes its share."""
        trainer: Any = self
        assert self.steer.draw is not None
        processes, mine = trainer.accelerator.num_processes, trainer.accelerator.process_index
        wanted = len(inputs) * processes // trainer.num_generations
        whole = [row for row in self.steer.draw(wanted) for _ in range(trainer.num_generations)]
        return [dict(row) for row in whole[mine * len(inputs) : (mine + 1) * len(inputs)]]

    def _keep_learnable(self, output: dict[str, Any]) -> None:
        """Take out of the batch what teaches nothing: unscored rollouts, and groups in which all got the same."""
        torch: Any = library("torch")
        trainer, steer = cast("Any", self), self.steer
        rewards = self._rewards.nansum(dim=1)
        unscored = torch.isnan(self._rewards).all(dim=1)
        rewards[unscored] = torch.nan
        equal = _equal_groups(rewards.view(-1, trainer.num_generations)).repeat_interleave(trainer.num_generations)
        steer.batches += 1
        steer.unscored += int(unscored.sum())
        steer.scored += int((~unscored).sum())
        steer.equal_batches = steer.equal_batches + 1 if bool(equal.all()) else 0
        if steer.patience and steer.equal_batches >= steer.patience:
            if not steer.scored:
                raise SandboxError(
                    _UNSCORED.format(steer.batches, steer.why_unscored), where="grpo", remedy=_UNSCORED_REMEDY
                )
            raise ConfigError(_EQUAL.format(steer.equal_batches), where="grpo", remedy=_EQUAL_REMEDY)
        # Where all groups are equal nothing pulls anyway, and the figures of the step keep their tokens.
        left_out = unscored | equal if steer.drop_equal and not bool(equal.all()) else unscored
        if not bool(left_out.any()):
            return
        size = len(output["advantages"])
        mine = left_out[trainer.accelerator.process_index * size : (trainer.accelerator.process_index + 1) * size]
        mask = output.get("tool_mask", torch.ones_like(output["completion_mask"]))
        output["tool_mask"] = mask * (~mine).unsqueeze(1).to(mask.dtype)
        trained = (output["tool_mask"] * output["completion_mask"]).sum()
        # Averages are over what is trained on; of nothing there is no average, and no gradient either.
        output["num_items_in_batch"] = trainer.accelerator.gather(trained).sum().clamp(min=1)


_UNSCORED = "in {} batches no episode could be scored; of the last it is said: {}"
_UNSCORED_REMEDY = "envforge check and envforge rollout --agent gold say whether the environments work here"
_EQUAL = "in {} batches one after the other every rollout of a task got the same reward: nothing can be learnt"
_EQUAL_REMEDY = (
    "if all are 0: a longer `sft` stage, easier `levels`, more `rollouts`, or rewarding.trains: fraction; if all are "
    "1: harder `levels`; grpo.patience: 0 goes on all the same"
)


def _equal_groups(rewards: Any) -> Any:
    """Of each group: True when those that were scored all got the same."""
    torch: Any = library("torch")
    low = torch.where(torch.isnan(rewards), torch.inf, rewards).min(dim=1).values
    high = torch.where(torch.isnan(rewards), -torch.inf, rewards).max(dim=1).values
    return high - low <= 1e-6


def steered_trainer(base: Any) -> Any:
    """TRL's trainer with the steering before it."""
    return type("SteeredGRPOTrainer", (SteeredTrainer, base), {})
