"""An environment that ships, with its tasks, as a copy that a test may spoil."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.publish.refusals.case import Case

ROOT = Path(__file__).parents[4]
NAME = "web-browsers"
Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """Both folders in a workspace of their own."""
    for kind in ("environments", "tasks"):
        shutil.copytree(ROOT / kind / NAME, tmp_path / kind / NAME)
    return Case(tmp_path / "environments" / NAME, tmp_path / "tasks" / NAME)


@pytest.fixture
def few(tmp_path: Path) -> Case:
    """The records of the environment and one of its tables: what takes long to look through is left out."""
    for name in ("environment.json", "blueprint.json", "sources.jsonl", "certificate.json", "data/curators.csv"):
        (tmp_path / "environments" / NAME / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "environments" / NAME / name, tmp_path / "environments" / NAME / name)
    return Case(tmp_path / "environments" / NAME, None)


@pytest.fixture
def change(case: Case) -> Callable[[str, Change], Case]:
    """change("environment.json", function) → a case whose JSON file the function has changed."""

    def changed(name: str, function: Change) -> Case:
        path = case.environment / name
        value = json.loads(path.read_text(encoding="utf-8"))
        function(value)
        path.write_text(json.dumps(value), encoding="utf-8")
        return Case(case.environment, case.tasks)

    return changed


@pytest.fixture
def append(case: Case) -> Callable[[str, str], Case]:
    """append("data/x.csv", text) → a case with this text at the end of a file, which is made where it is not."""

    def appended(name: str, text: str) -> Case:
        path = case.environment / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        path.write_text(before + text, encoding="utf-8")
        return Case(case.environment, case.tasks)

    return appended
