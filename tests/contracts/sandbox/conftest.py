"""One hostile environment, the outside it attacks, and a neighbour that must notice nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from envforge.world.environment import Environment
from envforge.world.sandbox.backends import UNSAFE_VARIABLE

from .arena import Arena
from .attacks.environment import write_environment
from .attacks.forged import FORGE, WRITE
from .attacks.registry import ATTACKS
from .neighbours import Neighbours


@pytest.fixture(scope="session", autouse=True)
def unsafe_may_be_tried() -> Iterator[None]:
    """The weakest backend is asked for by name only; without this it is refused."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(UNSAFE_VARIABLE, "1")
        yield


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("arena")
    built = Arena(folder)
    yield built
    built.close()


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("hostile")
    os.chmod(folder, 0o755)  # noqa: PTH101
    return Environment.open(write_environment(folder / "library", (*ATTACKS, FORGE, WRITE)))


@pytest.fixture(scope="session")
def neighbours(hostile: Environment) -> Iterator[Neighbours]:
    with Neighbours(hostile) as held:
        yield held
