"""`envforge prepare` as a program, on what ships: rows, examples of the gold and of a run, and refusals."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from envforge.train.data.folder import read_training_set

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]
HERE = ("--env", "web-browsers", "--workspace", str(ROOT))
SMALL = ("--levels", "1", "--count", "2", "--seed", "1", "--json")


def test_a_set_with_examples_of_the_gold_and_of_a_run(envforge: Run, tmp_path: Path) -> None:
    assert envforge("prepare", *HERE, *SMALL, "--out", "rows", cwd=tmp_path).returncode == 0
    rows = read_training_set(tmp_path / "rows").rows("train")
    names = [word for row in rows for word in ("--task", row.task_id)]
    played = envforge(
        "rollout", *HERE, *names, "--agent", "scripted:1", "--agent", "noop", "--out", "run", cwd=tmp_path
    )
    assert played.returncode == 0, played.stderr
    wish = ("--sft", "gold,rollouts", "--run", "run", *SMALL)
    done = envforge("prepare", *HERE, *wish, "--out", "one", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["rows"] == {"train": 2, "heldout_seed": 0, "heldout_family": 0} and told["examples"]["gold"] == 2
    # An agent that never slips does what the gold does; where no id is minted, word for word.
    left_out = told["left_out"]
    assert left_out.pop("failed") == 2
    assert told["examples"].get("rollout", 0) + left_out.get("repeated", 0) == 2
    opened = read_training_set(tmp_path / "one")
    assert opened.rows("train") == rows
    assert {example.task_id for example in opened.examples()} == {row.task_id for row in rows}


def test_what_is_wrong_is_said_in_a_line(envforge: Run, tmp_path: Path) -> None:
    for wish, word in ((("--holdout-family", "web-browser"), "web-browsers"), (("--sft", "silver"), "--sft")):
        done = envforge("prepare", *HERE, *wish, "--out", "set", cwd=tmp_path)
        assert done.returncode == 2 and word in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert not (tmp_path / "set").exists()
