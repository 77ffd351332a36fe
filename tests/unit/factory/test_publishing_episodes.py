"""Recorded episodes are looked through before a set is published with them."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.sites.hub import LoopbackHub

from envforge.factory.publishing import PublishConfig, publish
from envforge.store.workspace import Workspace


def _silent(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def test_what_an_agent_said_of_somebody_is_not_published(
    loopback_hub: LoopbackHub, small_set: Path, tmp_path: Path
) -> None:
    workspace = Workspace(tmp_path / "here")
    for kind in ("environments", "tasks"):
        shutil.copytree(small_set / kind, workspace.root / kind)
    run = tmp_path / "run"
    run.mkdir()
    (run / "trajectories.jsonl").write_text('{"id": "e1", "said": "ring +44 20 7946 1234"}\n', encoding="utf-8")
    config = PublishConfig(("web-browsers",), "harbour/set", trajectories=(run,))
    report = publish(workspace, config, loopback_hub.client("harbour/set"), _silent)
    assert [(one.rule, one.file, one.row) for one in report.refusals] == [
        ("person", "trajectories.jsonl", "line 1 (e1)")
    ]
    assert not report.uploaded and report.folder is None
    assert not loopback_hub.sent
