"""A run is refused before it begins where it cannot be what was asked for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from envforge.cli.commands.rollout_command import rewarding_of
from envforge.core.errors import ConfigError
from envforge.core.records.rewarding import Rewarding
from envforge.factory.rollout_config import RolloutConfig
from envforge.factory.rollouts import rollout
from envforge.llm.connect import ModelSettings
from envforge.rollout.trajectory_log import read_trajectories
from envforge.store.workspace import Workspace

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


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def test_another_reward_counts_and_a_folder_holds_one_kind(tmp_path: Path) -> None:
    shaped = Rewarding(trains="shaped", long=0.01, free_calls=1.0)

    def play(rewarding: Rewarding) -> int:
        config = RolloutConfig(
            ("web-browsers",), ("gold", "random:20"), tmp_path / "run", count=2, workers=1, rewarding=rewarding
        )
        report = asyncio.run(rollout(Workspace(Path(__file__).parents[3]), config, silent))
        assert (report.agents["gold"].passed, report.agents["random"].passed) == (2, 0)
        return report.played

    assert (play(shaped), play(shaped)) == (4, 0)
    for one in read_trajectories(tmp_path / "run"):
        assert one.reward == one.rewards["shaped"]
    with pytest.raises(ConfigError, match="rewarded otherwise"):
        play(Rewarding())


def test_the_options_of_a_reward() -> None:
    assert rewarding_of("shaped", '{"malformed": 0.1}') == Rewarding(trains="shaped", malformed=0.1)
    for wrong, said in (('{"malformed": -1}', "malformed"), ("[]", "no JSON object"), ('{"short": 1}', "short")):
        with pytest.raises(ConfigError, match=said) as caught:
            rewarding_of("outcome", wrong)
        assert caught.value.where == "--rewarding"
