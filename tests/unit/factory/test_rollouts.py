"""A run is refused before it begins where it cannot be what was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.factory.rollout_config import RolloutConfig
from envforge.llm.connect import ModelSettings

MODEL = ModelSettings("m")
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no agent": ({"agents": ()}, "nothing to play"),
    "no environment": ({"environments": ()}, "nothing to play"),
    "a model without its name": ({"agents": ("model",)}, "needs --model"),
    "a name without a model": ({"model": MODEL}, "goes with --agent model"),
    "a program without its command": ({"agents": ("command",)}, "needs --agent-command"),
    "a command without its agent": ({"command": "x"}, "goes with --agent command"),
    "a user for nobody": ({"user": "scripted"}, "the others ask nobody"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_played_is_refused(case: str) -> None:
    given, told = BAD[case]
    with pytest.raises(ConfigError, match=told):
        fields: dict[str, Any] = {"environments": ("a",), "agents": ("gold",), "out": Path("x")}
        RolloutConfig(**{**fields, **given})
