"""The library environment and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from envforge.core.records.blueprint import Blueprint
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.world.environment import Environment
from envforge.world.programs import ProgramRunner

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"


@pytest.fixture(scope="session")
def library() -> Environment:
    return Environment.open(LIBRARY)


@pytest.fixture(scope="session")
def knowledge() -> EnvironmentBlueprint:
    return EnvironmentBlueprint(blueprint=Blueprint(theme="library", title="Library", tables=(), operations=()))


@pytest.fixture(scope="session")
def runner() -> Iterator[ProgramRunner]:
    with ProgramRunner() as started:
        yield started
