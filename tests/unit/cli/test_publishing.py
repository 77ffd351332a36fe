"""What the commands about sets refuse before they do anything."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from envforge.cli.main import app
from envforge.core.errors import ConfigError


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("publish", "a", "--repo", "no-owner"), "OWNER/NAME"),
        (("publish", "a", "--repo", "someone/set", "--revision", "latest", "--dry-run"), "no environment 'a'"),
        (("pull", "someone"), "OWNER/NAME"),
        (("pull", "someone/set@"), "names no revision"),
        (("check", "--replay", "--tasks", "a"), "--tasks does not go with --replay"),
        (("check", "--replay", "--write", "a"), "--write does not go with --replay"),
        (("check", "--replay", "--sample", "2", "a"), "--sample goes with --forked"),
    ],
)
def test_what_makes_no_sense_is_told(arguments: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, ConfigError)
    assert told in str(result.exception)
