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


def test_golds_files_and_certificates_that_do_not_hold_are_found(workspace: Workspace) -> None:
    """That all holds where nothing was touched is shown in e2e/test_publish.py."""
    schema = workspace.environments / NAME / "schema.sql"
    schema.write_text(schema.read_text(encoding="utf-8") + "-- mine\n", encoding="utf-8")
    certificate = workspace.environments / NAME / "certificate.json"
    value = json.loads(certificate.read_text(encoding="utf-8"))
    certificate.write_text(json.dumps({**value, "certified": False}), encoding="utf-8")
    path = workspace.tasks / NAME / "tasks.jsonl"
    first, *others = path.read_text(encoding="utf-8").splitlines()
    task: dict[str, Any] = json.loads(first)
    for check in task["checks"]:
        check["expect"] = {"no": "such value"}
    path.write_text("\n".join([json.dumps(task), *others, ""]), encoding="utf-8")
    report = replay_golds(workspace, NAME, _silent)
    problems = report.problems
    assert not report.holds
    assert "environment: schema.sql was changed, added or removed" in problems
    assert "environment: certificate.json does not certify it" in problems
    assert "tasks.jsonl is not as in certificate.json" in problems
    assert any(problem.startswith(task["id"]) for problem in problems)


def test_nothing_to_replay_does_not_hold(workspace: Workspace) -> None:
    shutil.rmtree(workspace.tasks)
    report = replay_golds(workspace, NAME, _silent)
    assert (report.holds, report.problems) == (False, ("there are no tasks to replay",))
