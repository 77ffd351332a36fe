"""Publish, pull into another workspace, replay: the command line against a hub on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Run
from tests.sites.hub import LoopbackHub

REPO = "someone/little-set"
Tree = Callable[[Path], dict[str, bytes]]


def test_what_is_published_is_pulled_to_the_byte_and_every_gold_passes(
    envforge: Run, loopback_hub: LoopbackHub, small_set: Path, tmp_path: Path, tree: Tree
) -> None:
    hub = {**loopback_hub.environment(), "HF_HOME": str(tmp_path / "home")}
    source = str(small_set / "environments" / "web-browsers")
    done = envforge("publish", source, "--repo", REPO, "--private", cwd=tmp_path, env=hub)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{REPO} 1.0.0: uploaded" in done.stdout
    assert "# " in loopback_hub.main(REPO)["README.md"].decode()
    there = tmp_path / "there"
    there.mkdir()
    done = envforge("pull", f"{REPO}@1.0.0", "--json", cwd=there, env=hub)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["placed"] == ["web-browsers"]
    for kind in ("environments", "tasks"):
        assert tree(there / kind) == tree(small_set / kind)
    done = envforge("check", "--replay", "web-browsers", cwd=there)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "web-browsers: 6 tasks hold" in done.stdout
