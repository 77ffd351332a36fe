"""What a run would take, told before it begins: memory, tokens of a step, commands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from envforge.core.records.train_config import OwnModel, TrainConfig

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([bBmM])(?![a-zA-Z])")
_WHOLE_BYTES = 16
"""Of a trained weight: itself and its gradient in 32 bits, and the two means of AdamW."""
_FROZEN_BYTES = 2
_ADAPTER_SHARE = 0.0003
"""Of a model's weights, for each rank of an adapter on all its linear layers: measured on Qwen shapes, ± a third."""
_SHARD_PARTS = {"none": 0.0, "ddp": 0.0, "zero2": 0.75, "zero3": 1.0, "fsdp2": 1.0}
"""Share of the bytes of trained weights that is spread over the GPUs."""
_GB = 2**30


@dataclass(frozen=True)
class Plan:
    """A run before it begins. Gigabytes are of one GPU (or of the machine), and estimates."""

    parameters: float
    trained: float
    weights_gb: float
    activations_gb: float
    serving_gb: float
    tokens_per_step: int
    rollouts_per_step: int
    passes_per_step: int
    commands: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def total_gb(self) -> float:
        """Of everything."""
        return self.weights_gb + self.activations_gb + self.serving_gb

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        numbers = {name: round(value, 3) for name, value in vars(self).items() if isinstance(value, int | float)}
        return {
            **numbers,
            "total_gb": round(self.total_gb, 3),
            "commands": list(self.commands),
            "notes": list(self.notes),
        }


def plan_of(config: TrainConfig, commands: tuple[str, ...]) -> Plan:
    """The plan of a run: nothing is opened for it."""
    parameters = size_of(config)
    adapter = config.model.adapter
    trained = parameters if adapter is None else parameters * _ADAPTER_SHARE * adapter.rank
    gpus = max(1, config.hardware.gpus)
    spread = _SHARD_PARTS[config.hardware.sharding]
    held = trained * _WHOLE_BYTES * ((1 - spread) + spread / gpus)
    frozen = 0.0 if adapter is None else parameters * _FROZEN_BYTES / (gpus if spread == 1.0 else 1)
    stage, serving = config.grpo, config.serving
    rollouts = stage.tasks * stage.rollouts if stage else 0
    return Plan(
        parameters=parameters,
        trained=trained,
        weights_gb=(held + frozen) / _GB,
        activations_gb=_activations(config, parameters) / _GB,
        serving_gb=serving.memory * config.hardware.gigabytes if serving.engine == "vllm-colocate" else 0.0,
        tokens_per_step=rollouts * stage.trajectory_tokens if stage else 0,
        rollouts_per_step=rollouts,
        passes_per_step=rollouts // (stage.batch * gpus) * stage.passes if stage else 0,
        commands=commands,
        notes=tuple(_notes(config, parameters)),
    )


def size_of(config: TrainConfig) -> float:
    """Parameters: as the settings say, by the model's name, or of the model that is made. 0: nobody knows."""
    if config.model.own is not None:
        return float(own_size(config.model.own))
    if config.model.billions is not None:
        return config.model.billions * 1e9
    found = _SIZE.findall(config.model.base.rsplit("/", 1)[-1])
    if not found:
        return 0.0
    number, unit = found[-1]
    return float(number) * (1e9 if unit in "bB" else 1e6)


def own_size(own: OwnModel) -> int:
    """Parameters of a model that is made here, without the tokens of whole texts."""
    attention = own.hidden * own.head_size * (2 * own.heads + 2 * own.key_value_heads) + 2 * own.head_size
    layer = attention + 3 * own.hidden * own.between + 2 * own.hidden
    return own.vocabulary * own.hidden + own.layers * layer + own.hidden


def _activations(config: TrainConfig, parameters: float) -> float:
    """Of one pass: checkpoints of layers, one layer at work, and the scores of the vocabulary in blocks.

    Width and depth follow from the size as in the Qwen3 family: 12 × layers × width² weights, 128 of width a layer.
    """
    stage = config.grpo
    own = config.model.own
    if own is not None:
        width, layers, vocabulary = own.hidden, own.layers, own.vocabulary
    else:
        width = max(256.0, (parameters * 128 / 12) ** (1 / 3))
        layers, vocabulary = width / 128, 152_000
    tokens = 0
    if stage is not None:
        tokens = stage.batch * stage.trajectory_tokens
    if config.sft is not None:
        tokens = max(tokens, config.sft.batch * config.sft.longest)
    checkpoints = tokens * width * layers * 2
    at_work = tokens * width * 34 * 2
    scores = min(tokens, 4096) * vocabulary * 4 * 2
    return checkpoints + at_work + scores


def _notes(config: TrainConfig, parameters: float) -> list[str]:
    notes = [config.note] if config.note else []
    if not parameters:
        notes.append("the name of the model does not tell its size: set model.billions, or the plan counts it as none")
    notes.append("memory is an estimate, ± a third; tokens of a step are the most that its trajectories may have")
    if config.hardware.device == "gpu" and config.serving.engine == "transformers":
        notes.append("without vLLM most of the time goes into generation")
    return notes
