"""`envforge check --replay`: golds pass on these files, or it says why not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import write_few_tasks

from envforge.factory.certify import replay_golds
from envforge.store.workspace import Workspace

NAME = "web-browsers"


@pytest.fixture
def workspace(small_set: Path, tmp_path: Path) -> Workspace:
    shutil.copytree(small_set / "environments", tmp_path / "environments")
    write_few_tasks(small_set / "tasks" / NAME, tmp_path / "tasks" / NAME, 2)
    return Workspace(tmp_path)


def _silent(label: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def test_golds_that_pass_hold(workspace: Workspace) -> None:
    report = replay_golds(workspace, NAME, _silent)
    assert (report.holds, report.tasks, report.problems) == (True, 2, ())


def test_a_gold_that_does_not_pass_is_found(workspace: Workspace) -> None:
    path = workspace.tasks / NAME / "tasks.jsonl"
    first, *others = path.read_text(encoding="utf-8").splitlines()
    task: dict[str, Any] = json.loads(first)
    for check in task["checks"]:
        check["expect"] = {"no": "such value"}
    path.write_text("\n".join([json.dumps(task), *others, ""]), encoding="utf-8")
    problems = replay_golds(workspace, NAME, _silent).problems
    assert "tasks.jsonl is not as in certificate.json" in problems
    assert any(problem.startswith(task["id"]) for problem in problems)


def test_files_that_are_not_the_certified_ones_are_found(workspace: Workspace) -> None:
    schema = workspace.environments / NAME / "schema.sql"
    schema.write_text(schema.read_text(encoding="utf-8") + "-- mine\n", encoding="utf-8")
    assert "environment: schema.sql was changed, added or removed" in replay_golds(workspace, NAME, _silent).problems


def test_nothing_to_replay_does_not_hold(workspace: Workspace) -> None:
    shutil.rmtree(workspace.tasks)
    report = replay_golds(workspace, NAME, _silent)
    assert (report.holds, report.problems) == (False, ("there are no tasks to replay",))


def test_a_certificate_that_does_not_certify_is_found(workspace: Workspace) -> None:
    path = workspace.environments / NAME / "certificate.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**value, "certified": False}), encoding="utf-8")
    assert "environment: certificate.json does not certify it" in replay_golds(workspace, NAME, _silent).problems
