"""Settings of a run, read from a preset or a file of the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.train_config import TrainConfig
from envforge.store.files import read_text

_PRESETS = Path(__file__).parent / "presets"
_MOST_BYTES = 1 << 20


def preset_names() -> list[str]:
    """The presets that ship."""
    return sorted(path.stem for path in _PRESETS.glob("*.yaml"))


def read_preset(name: str) -> TrainConfig:
    """A preset. Raises ConfigError with those there are."""
    path = _PRESETS / f"{name}.yaml"
    if name not in preset_names():
        raise ConfigError(
            f"there is no preset {name!r}", where="--preset", remedy=f"one of {', '.join(preset_names())}"
        )
    return read_settings(path)


def read_settings(path: Path) -> TrainConfig:
    """A file of settings: YAML or JSON. Raises ConfigError naming file and field, StoreError."""
    text = read_text(path, _MOST_BYTES)
    try:
        value: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        told = " ".join(str(error).split())[:200]
        raise ConfigError(f"is no YAML: {told}", where=str(path), remedy="docs/training.md shows one") from error
    if not isinstance(value, dict):
        raise ConfigError("holds no settings", where=str(path), remedy="docs/training.md shows a file")
    try:
        return TrainConfig.model_validate(cast("dict[str, Any]", value))
    except ValidationError as error:
        raise ConfigError(_told(error), where=str(path), remedy="docs/training.md tells every field") from error


def _told(error: ValidationError) -> str:
    """The first thing that is wrong, with its field."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return f"{field}: {message}" if field else message
