"""`envforge search` in this process: hits for people and for programs, nothing found, refusals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envforge.cli.main import app
from envforge.core.contracts import Fetched
from envforge.core.errors import ConfigError
from envforge.core.records.source import Anchor
from envforge.web.recording import RecordingFetcher
from envforge.web.sources import make_fetched


class Held:
    def accepts(self, spec: str) -> bool:
        return True

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        body = b"<title>Piers</title><p>The north pier has \x1b[31m four metres of water.</p>"
        when = "2026-02-03T04:05:06Z"
        url = "https://a.example/piers"
        return [make_fetched(body, url=url, url_status="fetched", retrieved_at=when, mime="text/html", path="piers")]


@pytest.fixture
def snapshot(tmp_path: Path) -> list[str]:
    RecordingFetcher(Held(), tmp_path / "web").fetch(Anchor(spec="https://a.example/"))
    return ["--snapshot", str(tmp_path / "web"), "--workspace", str(tmp_path)]


def test_hits_for_people_and_for_programs(snapshot: list[str], tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["search", "north pier", *snapshot])
    assert shown.exit_code == 0 and "1. Piers" in shown.output and "\x1b[31m" not in shown.output
    told = json.loads(CliRunner().invoke(app, ["search", "north pier", *snapshot, "--json"]).output)
    assert [(hit["rank"], hit["url"], hit["provider"]) for hit in told] == [(1, "https://a.example/piers", "snapshot")]
    assert len(list((tmp_path / "runs" / "cache" / "search").iterdir())) == 1


def test_nothing_found_is_said(snapshot: list[str]) -> None:
    shown = CliRunner().invoke(app, ["search", "zeppelins", *snapshot])
    assert (shown.exit_code, shown.output.strip()) == (0, "nothing found")


@pytest.mark.parametrize("wish", [["x", "--provider", "searxng"], ["x", "--provider", "pages"], ["?"], ["x"]])
def test_what_is_missing_is_told(wish: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["search", *wish, "--workspace", str(tmp_path)])
    assert isinstance(done.exception, ConfigError)
