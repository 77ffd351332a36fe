"""Where a run on a benchmark of others lies, and what it has no use for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from envforge.cli.commands.bench_command import folder_name
from envforge.cli.main import app
from envforge.core.errors import ConfigError
from envforge.llm.connect import ModelSettings

SETTINGS = ModelSettings("small", base_url="http://127.0.0.1:9/v1")
ASKED: dict[str, Any] = {"category": None, "limit": 2, "play": {"protocol": "native", "prompt": None}}
MODEL = ("eval", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")


def test_a_run_goes_on_with_a_larger_budget_and_more_time() -> None:
    found = folder_name("bfcl", SETTINGS, ASKED, 0)
    assert found == folder_name("bfcl", replace(SETTINGS, budget_tokens=9, timeout_seconds=1.0, at_once=1), ASKED, 0)
    others = [
        folder_name("inspect:x", SETTINGS, ASKED, 0),
        folder_name("bfcl", replace(SETTINGS, model="large"), ASKED, 0),
        folder_name("bfcl", replace(SETTINGS, extra={"top_p": 0.5}), ASKED, 0),
        folder_name("bfcl", SETTINGS, {**ASKED, "limit": 3}, 0),
        folder_name("bfcl", SETTINGS, {**ASKED, "play": {"protocol": "hermes", "prompt": None}}, 0),
        folder_name("bfcl", SETTINGS, ASKED, 1),
    ]
    assert len({found, *others}) == 7


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((*MODEL, "--bench", "bfcl", "--inspect", "log.json"), "does not go with --inspect"),
        ((*MODEL, "--bench", "bfcl", "--max-turns", "5"), "does not go with --max-turns"),
        ((*MODEL, "--bench", "inspect:a", "--category", "multiple", "--own-loop"), "--category, --own-loop"),
        ((*MODEL, "--bench", "inspect:"), "no benchmark 'inspect:'"),
        ((*MODEL, "--bench-python", "python3"), "--bench-python: goes with --bench only"),
    ],
)
def test_what_would_be_left_unheard_is_refused(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, ConfigError)
    assert told in str(result.exception)
