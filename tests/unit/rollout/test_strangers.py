"""Folders of tasks that a stranger has written: what cannot be used is named with file and field, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError
from envforge.store.tasks import read_tasks

from .conftest import PROGRAM, VERIFIER, make_task

GRAPH: dict[str, Any] = make_task().to_json()
ODD = {
    "a schema that is none": ({"answer_schema": {"properties": [1, 2]}}, "line 1: answer_schema: "),
    "a bound that is no number": (
        {"answer_schema": {"properties": {"a": {"type": "integer", "minimum": "x"}}}},
        "line 1: answer_schema: ",
    ),
    "a tolerance without end": ({"checks": [{"id": "a", "kind": "answer", "tolerance": float("inf")}]}, "Infinity"),
    "a weight that is no number": ({"checks": [{"id": "a", "kind": "answer", "weight": float("nan")}]}, "NaN"),
    "a weight below zero": ({"checks": [{"id": "a", "kind": "answer", "weight": -1}]}, r"checks\.0\.weight"),
    "an id that is a path": ({"id": "../../x"}, "line 1: id: "),
}


@pytest.mark.parametrize(("fields", "told"), ODD.values(), ids=ODD.keys())
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, fields: dict[str, Any], told: str) -> None:
    (tmp_path / "tasks.jsonl").write_text(json.dumps({**GRAPH, **fields}) + "\n")
    with pytest.raises(StoreError, match=told) as caught:
        read_tasks(tmp_path)
    assert caught.value.where.endswith("tasks.jsonl")


def test_a_source_is_of_bounded_length(tmp_path: Path) -> None:
    task = make_task(id="library-0002", kind="program")
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task.to_json()) + "\n")
    for folder, source in (("programs", PROGRAM), ("verifiers", VERIFIER)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "library-0002.py").write_text(source)
    assert read_tasks(tmp_path).programs["library-0002"] == PROGRAM
    (tmp_path / "verifiers" / "library-0002.py").write_text("#" * 1_000_001)
    with pytest.raises(StoreError, match="longer than 1000000"):
        read_tasks(tmp_path)


@pytest.mark.parametrize("name", ["certificate.json", "graph.json", "rejected.jsonl", "tasks.jsonl"])
def test_no_file_lies_elsewhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").write_text(json.dumps(GRAPH) + "\n")
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "tasks.jsonl").write_text(json.dumps(GRAPH) + "\n")
    (tmp_path / "tasks" / name).unlink(missing_ok=True)
    (tmp_path / "tasks" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="symbolic link"):
        read_tasks(tmp_path / "tasks")
