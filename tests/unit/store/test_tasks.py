"""A folder of tasks: written whole, bound to its certificate, read with care; a task by id, beginning or place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError
from envforge.core.records.intent import Intent
from envforge.core.records.task import Difficulty, RejectedTask, Task, TaskCertificate, TaskSetCertificate
from envforge.store import tasks as module
from envforge.store.tasks import TaskSet, read_set_certificate, read_tasks, set_hashes, write_tasks
from envforge.store.workspace import Workspace


def task(name: str, **changes: Any) -> Task:
    intent = Intent(
        family="lend", kind="question", source="archetype", parameters={}, said={}, spoken={}, banks=(), candidates=1,
        chosen=1,
    )  # fmt: skip
    values: dict[str, Any] = {
        "id": name, "environment_id": "library", "environment_hash": "11" * 32, "kind": "program", "intent": intent,
        "now": "2025-03-03T09:00:00Z", "instruction": "Who has it?", "answer_schema": {"type": "object"}, "checks": (),
        "difficulty": Difficulty(level=1, minimal_calls=1, tools=1, depth=1), "certificate": TaskCertificate(gates=()),
    }  # fmt: skip
    return Task.model_validate({**values, **changes})


NAMES = ("task-1a2b", "task-1a3c", "task-9f00")
TASKS = TaskSet(
    (task(NAMES[0]), task(NAMES[1]), task(NAMES[2], kind="graph")),
    dict.fromkeys(NAMES[:2], "def solve(call):\n    return {}\n"),
    dict.fromkeys(NAMES[:2], "def verify(initial, final, diff, answer):\n    return []\n"),
)
CERTIFICATE = TaskSetCertificate(
    environment_id="library", environment_hash="11" * 32, seed=0, wanted=3, tried=4, rejected={"covered": 1}, gates=()
)
REJECTED = RejectedTask(family="lend", kind="question", parameters={}, gate="covered", reasons=("too short",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tasks(tmp_path / "tasks" / "library", TASKS, [REJECTED], CERTIFICATE)
    return tmp_path / "tasks" / "library"


def test_what_is_written_is_read_again(folder: Path) -> None:
    assert read_tasks(folder) == TASKS
    certificate = read_set_certificate(folder)
    assert certificate.files == set_hashes(folder) and certificate.tried == 4
    sources = {f"{kind}/{name}.py" for kind in ("programs", "verifiers") for name in NAMES[:2]}
    assert set(certificate.files) == {"tasks.jsonl", "rejected.jsonl"} | sources


def test_a_second_writing_leaves_nothing_of_the_first(folder: Path) -> None:
    write_tasks(folder, TaskSet((task(NAMES[2], kind="graph"),)), [], CERTIFICATE)
    assert sorted(path.name for path in folder.iterdir()) == ["certificate.json", "rejected.jsonl", "tasks.jsonl"]


@pytest.mark.parametrize(
    ("name", "found"),
    [("task-1a2b", 0), ("task-1a3", 1), ("9f", 2), ("2", 1), ("003", 2)],
    ids=["id", "beginning", "without task-", "place", "place with zeros"],
)
def test_a_task_by_name(name: str, found: int) -> None:
    assert TASKS.task(name).id == NAMES[found]


@pytest.mark.parametrize("name", ["", "task-1a", "0", "4", "zz"])
def test_a_name_that_means_none_or_several(name: str) -> None:
    with pytest.raises(StoreError, match="task") as caught:
        TASKS.task(name)
    assert NAMES[0] in caught.value.remedy


def test_two_tasks_with_one_id(folder: Path) -> None:
    path = folder / "tasks.jsonl"
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(StoreError, match="one id"):
        read_tasks(folder)


def test_no_folder_and_no_certificate(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(StoreError, match="holds no tasks"):
        read_tasks(tmp_path / "elsewhere")
    (folder / "certificate.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StoreError, match="not a valid task_set"):
        read_set_certificate(folder)


def test_tasks_lie_beside_the_environments_that_hold_theirs(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "here")
    assert workspace.tasks_of(tmp_path / "there" / "environments" / "x") == tmp_path / "there" / "tasks" / "x"
    assert workspace.tasks_of(tmp_path / "loose" / "x") == tmp_path / "here" / "tasks" / "x"


# ---- bounds: a folder of tasks may be a stranger's -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "most", "told"),
    [
        ("MOST_TASKS", 2, "more than 2 tasks"),
        ("MOST_LINE", 300, "line 1 is longer than 300"),
        ("MOST_BYTES", 400, "larger than 400"),
        ("MOST_SOURCES", 100, "more than 100 characters"),
    ],
)
def test_a_folder_that_holds_too_much_is_refused(
    bound: str, most: int, told: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, bound, most)
    with pytest.raises(StoreError, match=told) as caught:
        read_tasks(folder)
    assert str(folder) in caught.value.where


def test_what_fits_to_the_byte_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (folder / "tasks.jsonl").read_bytes().splitlines(keepends=True)
    sources = [*TASKS.programs.values(), *TASKS.verifiers.values()]
    monkeypatch.setattr(module, "MOST_TASKS", len(lines))
    monkeypatch.setattr(module, "MOST_LINE", max(map(len, lines)))
    monkeypatch.setattr(module, "MOST_BYTES", sum(map(len, lines)))
    monkeypatch.setattr(module, "MOST_SOURCES", sum(map(len, sources)))
    assert read_tasks(folder) == TASKS


def test_a_task_of_too_many_checks_is_refused(folder: Path) -> None:
    check = {"id": "a", "kind": "answer"}
    for number, fits in ((module.MOST_CHECKS, True), (module.MOST_CHECKS + 1, False)):
        one = task(NAMES[2], kind="graph", checks=[check] * number)
        write_tasks(folder, TaskSet((one,)), [], CERTIFICATE)
        if fits:
            assert read_tasks(folder).tasks == (one,)
        else:
            with pytest.raises(StoreError, match="line 1: checks: there are more than 5,000"):
                read_tasks(folder)


def test_no_giant_is_hashed_or_read_as_a_certificate(folder: Path) -> None:
    for name, read in (("programs/stray.py", set_hashes), ("certificate.json", read_set_certificate)):
        with (folder / name).open("wb") as giant:
            giant.truncate(module.MOST_BYTES + 1)
        with pytest.raises(StoreError, match="larger than"):
            read(folder)
