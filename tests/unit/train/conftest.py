"""What ships, as a supply of training data: three families with sixty tasks each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.train.things import FAMILY, OWN, example

from envforge.factory.training_data import supplies_of
from envforge.store.workspace import Workspace
from envforge.train.data.supply import Supply

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def supplies() -> list[Supply]:
    return supplies_of(Workspace(ROOT), ())


@pytest.fixture(scope="session")
def browsers(supplies: list[Supply]) -> Supply:
    return next(one for one in supplies if one.environment.manifest.id == "web-browsers")


@pytest.fixture(scope="session")
def template() -> Any:
    """That of a tokenizer which is made for `things`."""
    pytest.importorskip("trl", reason="the extra `train` is not installed")
    from envforge.train.own_model import own_tokenizer
    from envforge.train.tokens import template_of

    return template_of(own_tokenizer(OWN, [FAMILY], [example()]))
