"""An environment without an archetype: islands, the languages spoken there, and harbours; mined once per run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.factory.families import knowledge_of
from envforge.synth.landscape import Landscape, survey
from envforge.world.environment import Environment

SOURCE = Path(__file__).parents[3] / "fixtures" / "archipelago"


@pytest.fixture(scope="session")
def archipelago(
    once: Callable[[str, Callable[[Path], None]], Path],
    envforge: Callable[..., subprocess.CompletedProcess[str]],
    few_mutants: Callable[[Path], None],
) -> Environment:
    def make(folder: Path) -> None:
        few_mutants(folder)
        theme = ("--theme", "archipelago", "--new", "--source", f"file:{SOURCE}")
        done = envforge("mine", *theme, cwd=folder, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr

    return Environment.open(once("archipelago", make) / "environments" / "archipelago")


@pytest.fixture(scope="session")
def landscape(archipelago: Environment) -> Landscape:
    return survey(archipelago, knowledge_of(archipelago))
