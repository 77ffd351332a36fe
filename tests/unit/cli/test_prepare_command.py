"""Options of `envforge prepare` in words."""

from __future__ import annotations

import pytest

from envforge.cli.commands.mine_command import seeds_of
from envforge.cli.commands.prepare_command import sources_of
from envforge.cli.commands.synth_command import levels_of
from envforge.core.errors import ConfigError


def test_sources_of_examples() -> None:
    assert sources_of("gold") == ("gold",)
    assert sources_of("rollouts, gold") == ("gold", "rollout")


@pytest.mark.parametrize("text", ["", "silver", "gold,gold", "rollout"])
def test_no_sources_of_examples(text: str) -> None:
    with pytest.raises(ConfigError, match=r"--sft.*gold, rollouts"):
        sources_of(text)


def test_errors_name_the_option_that_was_given() -> None:
    with pytest.raises(ConfigError, match="--levels"):
        levels_of("9", "--levels")
    with pytest.raises(ConfigError, match="--holdout-seeds"):
        seeds_of("first", "--holdout-seeds")
