"""Wishes that no agent can keep are refused before anything is asked or fetched."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from tests.sites.server import Site

from envforge.agents.researcher.pages import Fetch
from envforge.core.errors import ConfigError, DeniedError
from envforge.core.records.source import Theme
from envforge.factory.config import MineConfig
from envforge.factory.fetching import FetchPlan
from envforge.factory.researching import ResearchConfig, door_for
from envforge.llm.connect import ModelSettings
from envforge.web.guard import Guard
from envforge.web.live.client import GuardedClient
from envforge.web.live.pace import Pace
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


def test_a_permitted_host_that_redirects_to_another_one_opens_nothing_there(site: Site, tmp_path: Path) -> None:
    client = GuardedClient(guard=Guard(resolve=site.resolve), dial=site.dial, pace=Pace(lambda: 0.0, lambda _: None))
    theme = Theme(slug="boats", title="Boats", kind="domain")

    def door(*hosts: str) -> Fetch:
        config = dataclasses.replace(RESEARCH, hosts=hosts)
        return door_for(config, theme, tmp_path / "-".join(hosts), FetchPlan(tmp_path, live=client))

    narrow = door("shop.test")
    assert narrow("http://shop.test/boats.html").body
    with pytest.raises(DeniedError, match=r"other\.test is not permitted"):
        narrow("http://shop.test/to-other")
    assert {host for host, _ in site.asked} == {"shop.test"}
    assert door("shop.test", "other.test")("http://shop.test/to-other").source.url == "http://other.test/hello.html"


def test_the_author_is_named_without_a_place_on_this_machine() -> None:
    assert RESEARCH.author.startswith("agent:sage.gguf researcher-1@") and "/models" not in RESEARCH.author
