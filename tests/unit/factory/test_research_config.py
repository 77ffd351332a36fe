"""Wishes that no agent can keep are refused before anything is asked or fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.factory.config import MineConfig
from envforge.factory.researching import ResearchConfig
from envforge.llm.connect import ModelSettings
from envforge.web.search.registry import SearchSettings

RESEARCH = ResearchConfig(ModelSettings("/models/sage.gguf", provider="local"), SearchSettings(provider="packages"))


@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        ({"author": "agent"}, "needs a model"),
        ({"research": RESEARCH}, "needs a model"),
        ({"author": "agent", "research": RESEARCH, "sources": ("file:a.csv",)}, "web addresses only"),
        ({"author": "mixed", "research": RESEARCH, "refresh": True}, "--refresh"),
        ({"author": "agent", "research": RESEARCH, "link": "parcels"}, "--link"),
        ({"author": "agent", "research": RESEARCH, "replay": "run"}, "--replay"),
    ],
)
def test_wishes_that_cannot_be_kept_are_refused(wishes: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        MineConfig("coast", Path(), new=True, **wishes)


def test_the_author_is_named_without_a_place_on_this_machine() -> None:
    assert RESEARCH.author.startswith("agent:sage.gguf researcher-1@") and "/models" not in RESEARCH.author
