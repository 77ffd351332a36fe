"""kill -9 at any moment: the run goes on to the same end, and no call of the model is paid twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def test_a_killed_run_comes_to_the_same_end_and_pays_nothing_twice(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    paths = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "tests.unit.agents.killed", str(tmp_path)]
    done = subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "told.json").read_text())
    whole = told["whole"]
    assert whole["run"]["ended"] == "finished" and whole["calls"] == 6 and whole["twice"] == 0
    assert len(told["killed"]) >= 10
    for one in told["killed"]:
        assert one["died"] and one["went_on"], one["moment"]
        assert {key: one[key] for key in whole} == whole, one["moment"]
