"""`rollout_func` for TRL's trainer: our own loop in place of its, for what it does one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envforge.core.records.train_config import GrpoStage
from envforge.train.environment_factory import FamilyEnvironment
from envforge.train.loop import LoopLimits, Seat, play_batch
from envforge.train.steering import Steer
from envforge.train.tokens import Chat, Template

REWARD = "episode_reward"
RolloutFunction = Callable[[list[list[Chat]], Any], dict[str, Any]]


def rollout_function(
    steer: Steer, classes: Mapping[str, type[FamilyEnvironment]], template: Template, stage: GrpoStage
) -> RolloutFunction:
    """What the trainer calls with the prompts of a batch, one for each rollout. Its rows stand in `steer`."""
    spare: dict[str, list[FamilyEnvironment]] = {name: [] for name in classes}

    def rollouts(prompts: list[list[Chat]], trainer: Any) -> dict[str, Any]:
        seats = [_seat(prompt, row, steer, classes, spare) for prompt, row in zip(prompts, steer.rows, strict=True)]

        def generate(ids: list[list[int]]) -> tuple[list[list[int]], list[list[float]] | None]:
            # One answer for each prompt: those of a group differ from the second turn on.
            return trainer._generate_single_turn(ids, None, {}, 1)

        limits = LoopLimits(
            trajectory_tokens=stage.trajectory_tokens,
            context=int(trainer.model.config.max_position_embeddings),
            rounds=stage.turns,
        )
        play_batch(
            seats,
            host=steer.host,
            template=template,
            generate=generate,
            suffix=trainer._get_tool_suffix_ids,
            limits=limits,
        )
        rewards = [seat.environment.get_reward() for seat in seats]
        for seat in seats:
            spare[seat.family.family].append(seat.environment)
        return _output(seats, rewards)

    return rollouts


def episode_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
    """The reward function that goes with it: what the environments said."""
    del prompts, completions
    return list(columns[REWARD])


def _seat(
    prompt: list[Chat],
    row: Mapping[str, Any],
    steer: Steer,
    classes: Mapping[str, type[FamilyEnvironment]],
    spare: dict[str, list[FamilyEnvironment]],
) -> Seat:
    name = row["environment"]
    environment = spare[name].pop() if spare[name] else classes[name]()
    environment.reset(**{key: value for key, value in row.items() if key != "environment"})
    return Seat(environment, steer.families[name], prompt)


def _output(seats: Sequence[Seat], rewards: list[float | None]) -> dict[str, Any]:
    logprobs = [seat.logprobs for seat in seats]
    return {
        "prompt_ids": [seat.prompt_ids for seat in seats],
        "completion_ids": [seat.completion_ids for seat in seats],
        "logprobs": None if any(one is None for one in logprobs) else logprobs,
        "env_mask": [seat.mask for seat in seats],
        REWARD: rewards,
    }
