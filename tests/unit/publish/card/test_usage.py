"""What the card says of its use is run as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import cast

import click
import pytest
from typer.main import get_command

from envforge.cli.main import app
from envforge.publish.card.usage import usage
from envforge.publish.published import Published

ROOT = Path(__file__).parents[4]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """As after a pull: the environments and tasks of the set, nothing else."""
    for kind in ("environments", "tasks"):
        (tmp_path / kind).symlink_to(ROOT / kind)
    return tmp_path


def blocks(published: Published, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)\n```", usage(published), re.DOTALL)


@pytest.mark.parametrize(
    ("holds", "printed"), [("Environment.open", "'items'"), ("Stand(", "agent='gold', episodes=1")]
)
def test_python_runs_as_written(published: Published, place: Path, holds: str, printed: str) -> None:
    (code,) = (one for one in blocks(published, "python") if holds in one)
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_commands_are_commands_of_ours(published: Published) -> None:
    known = cast("click.Group", get_command(app)).commands
    lines = [line.split() for one in blocks(published, "console") for line in one.splitlines() if "envforge " in line]
    assert [line[1] for line in lines] == [*("pull", "check", "show", "serve", "serve", "eval", "prepare", "train")]
    for line in lines:
        options = {option for parameter in known[line[1]].params for option in parameter.opts}
        assert {word for word in line if word.startswith("--")} <= options, line
