"""The tests' own warm start (tests/warm.py): what it runs is as good as a process that was started cold."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Environment = Callable[..., dict[str, str]]
LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"
COMMANDS = [["themes", "show", "notion", "--json"], ["show", "nothing"], ["mine", "--thema"], ["--version"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_it_says_what_a_cold_start_says(
    envforge: Run, child_environment: Environment, tmp_path: Path, command: list[str]
) -> None:
    cold = subprocess.run(
        [sys.executable, "-m", "envforge.cli.main", *command],
        cwd=tmp_path,
        env=child_environment({}),
        capture_output=True,
        text=True,
        check=False,
    )
    warm = envforge(*command, cwd=tmp_path)
    said = [text.replace("python -m envforge.cli.main", "envforge") for text in (cold.stdout, cold.stderr)]
    assert (warm.returncode, warm.stdout, warm.stderr) == (cold.returncode, *said)


def test_folder_and_variables_are_its_own(envforge: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    folder = second / "themes" / "catalogue"
    folder.mkdir(parents=True)
    first.mkdir()
    text = "slug: piers\ntitle: Piers\nkind: domain\nanchors:\n  - spec: 'pypi:pierdata'\n"
    (folder / "piers.yaml").write_text(text, encoding="utf-8")
    assert envforge("themes", "show", "piers", cwd=second).returncode == 0
    assert envforge("themes", "show", "piers", cwd=first).returncode == 2
    elsewhere = {"ENVFORGE_SANDBOX": "paper"}
    codes = [envforge("doctor", "--quiet", cwd=first, env=env).returncode for env in ({}, elsewhere, {})]
    assert codes == [0, 1, 0]


def test_a_command_that_takes_too_long_is_ended(envforge: Run, tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        envforge("serve", str(LIBRARY), "--uncertified", "--port", "0", cwd=tmp_path, timeout=0.001)
    assert envforge("--version", cwd=tmp_path).returncode == 0
