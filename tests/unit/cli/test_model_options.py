"""The options of a model, and the settings that come of them, which are the same for every command that has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envforge.cli.model_options import ModelOptions, with_model
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.llm.connect import ModelSettings
from envforge.llm.retry import RetryPolicy


def test_what_was_not_said_is_left_to_the_settings() -> None:
    assert ModelOptions(model="m").settings() == ModelSettings("m")


def test_all_that_was_said_arrives() -> None:
    said = ModelOptions(
        model="m", base_url="http://127.0.0.1:1/v1", key_variable="KEY", timeout=7.0, budget_tokens=5, budget_usd=0.0,
        chat_template=Path("t"), extra='{"cache_prompt": false}',
    )  # fmt: skip
    assert said.settings(tries=2, at_once=3) == ModelSettings(
        "m", base_url="http://127.0.0.1:1/v1", key_variable="KEY", timeout_seconds=7.0, budget_tokens=5, budget_usd=0.0,
        chat_template=Path("t"), extra={"cache_prompt": False}, retry=RetryPolicy(tries=2), at_once=3,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"model": "m", "provider": "local", "base_url": "http://127.0.0.1:1/v1"}, "go with an endpoint"),
        ({"model": "m", "provider": "local", "extra": "{}"}, "go with an endpoint"),
        ({"model": "m", "extra": "["}, "is no JSON"),
        ({"model": "m", "extra": "[]"}, "is no JSON object"),
        ({}, "needs a model"),
    ],
)
def test_what_does_not_go_together_is_refused(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        ModelOptions(**said).settings()


def test_only_an_author_with_a_model_has_one() -> None:
    assert ModelOptions().author("compiled") is None
    assert ModelOptions(model="m").author("mixed") == ModelSettings("m")
    for said, author in ((ModelOptions(model="m"), "compiled"), (ModelOptions(), "agent")):
        with pytest.raises(ConfigError):
            said.author(author)


def test_a_command_gets_what_was_said_beside_its_own_options() -> None:
    got: list[tuple[Any, ...]] = []

    @with_model(required=True)
    def command(shared: SharedOptions, llm: ModelOptions, own: int = 1) -> None:
        got.append((shared, llm, own))

    given: dict[str, Any] = {name: getattr(ModelOptions, name) for name in ModelOptions.__dataclass_fields__}
    command(SharedOptions(), own=2, **given | {"model": "m", "timeout": 9.0})
    assert got == [(SharedOptions(), ModelOptions(model="m", timeout=9.0), 2)]
