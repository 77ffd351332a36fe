"""The model that is trained: made here, or opened with its tokenizer; whole, or with an adapter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import Adapter, TrainConfig, TrainedModel
from envforge.train.data.records import FamilyTools, SftExample
from envforge.train.installed import library
from envforge.train.own_model import own_tokenizer, own_weights
from envforge.train.tokens import Template, template_of

FINAL = "final"
"""Folder of what a stage left."""
_REMEDY = "give a folder that transformers can open, or an id on the Hub (it needs a network, or its cache)"


def open_model(
    config: TrainConfig, families: Sequence[FamilyTools], examples: Sequence[SftExample]
) -> tuple[Any, Template]:
    """The model before any training, and its template.

    Raises ConfigError for what cannot be opened, and for a model that cannot be trained with tools.
    """
    chosen = config.model
    if chosen.own is not None:
        tokenizer = own_tokenizer(chosen.own, families, examples)
        return own_weights(chosen.own, tokenizer, config.seed), template_of(tokenizer, where="model.own")
    template = open_template(chosen)
    transformers = library("transformers")
    kind = "bfloat16" if config.hardware.device == "gpu" and chosen.adapter is not None else "float32"
    model = _opened(transformers.AutoModelForCausalLM, chosen, dtype=kind)
    return model, template


def open_template(chosen: TrainedModel) -> Template:
    """The tokenizer of a model that is opened. Raises ConfigError."""
    tokenizer = _opened(library("transformers").AutoTokenizer, chosen)
    return template_of(tokenizer, thinking=chosen.thinking, where=f"model.base: {chosen.base}")


def open_saved(folder: Path, device: str) -> Any:
    """The weights that a stage left, whole or with their adapter. Raises ConfigError."""
    kind = "AutoPeftModelForCausalLM" if (folder / "adapter_config.json").is_file() else "AutoModelForCausalLM"
    room = library("peft" if kind.startswith("AutoPeft") else "transformers")
    more: dict[str, Any] = {"is_trainable": True} if kind.startswith("AutoPeft") else {}
    try:
        return getattr(room, kind).from_pretrained(
            str(folder), dtype="bfloat16" if device == "gpu" and more else "float32", **more
        )
    except (OSError, ValueError) as error:
        remedy = "remove the folder, and the stage is run again"
        raise ConfigError(f"cannot be opened: {_line(error)}", where=str(folder), remedy=remedy) from error


def adapter_config(adapter: Adapter | None) -> Any:
    """What peft is told; None: all weights are trained."""
    if adapter is None:
        return None
    named = [name.strip() for name in adapter.targets.split(",")]
    return library("peft").LoraConfig(
        r=adapter.rank,
        lora_alpha=adapter.alpha,
        lora_dropout=adapter.dropout,
        target_modules=named[0] if len(named) == 1 else named,
        task_type="CAUSAL_LM",
    )


def save_model(trainer: Any, template: Template, folder: Path) -> None:
    """Weights and tokenizer, with the model's own template and not the one that it was trained with.

    Every process calls it: they may hold a part of the weights each.
    """
    trained, template.tokenizer.chat_template = template.tokenizer.chat_template, template.own
    try:
        trainer.save_model(str(folder))
    finally:
        template.tokenizer.chat_template = trained


def is_saved(folder: Path) -> bool:
    """A stage left its weights there."""
    return (folder / "tokenizer_config.json").is_file() and any(folder.glob("*.safetensors"))


def _opened(kind: Any, chosen: TrainedModel, **more: Any) -> Any:
    where = f"model.base: {chosen.base}"
    try:
        return kind.from_pretrained(chosen.base, revision=chosen.revision or "main", **more)
    except ImportError as error:
        raise ConfigError(f"needs a package more: {_line(error)}", where=where, remedy="install it") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot be opened: {_line(error)}", where=where, remedy=_REMEDY) from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:240]
