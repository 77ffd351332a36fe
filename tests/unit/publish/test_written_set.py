"""The folder of a set as strangers read it: tables through `datasets`, croissant.json through mlcroissant."""

from __future__ import annotations

import importlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from envforge.core.records.published import ChangelogEntry, PublishedSet
from envforge.core.records.trajectory import Trajectory
from envforge.publish.layout import content_paths, write_set
from envforge.publish.published import Published
from envforge.publish.reading import read_environment
from envforge.publish.tables.configs import TABLES, configs
from envforge.publish.tables.rows import COLUMNS
from envforge.store.files import write_text

Build = Callable[[str, Callable[[Path], None]], Path]
AIRLINE = Path(__file__).parents[3] / "environments" / "airline-booking"


def _card(folder: Path, published: Published) -> None:
    """Only the head, by which `datasets` finds the tables."""
    write_text(folder / "README.md", f"---\n{yaml.safe_dump({'configs': configs(folder)})}---\n# {published.repo}\n")


def _published(small_set: Path) -> Published:
    """Two environments on two sides, and episodes whose values are of every JSON type."""
    tasks = small_set / "tasks" / "web-browsers"
    played = small_set / "environments" / "web-browsers"
    known = read_environment(played, tasks, "train")
    assert known.tasks is not None
    answers: list[Any] = [{"count": 3}, "3", None, [1.5, True], 2**53 + 1, "words"]
    episodes = [
        Trajectory(
            task_id=task.id, environment_hash=task.environment_hash, agent="tester", seed=number, turns=(),
            answer=answer, ending="answered", status="completed",
        )
        for number, (task, answer) in enumerate(zip(known.tasks.tasks, answers, strict=True))
    ]  # fmt: skip
    log = (ChangelogEntry(version="1.0.0", changes=("First version.",)),)
    return Published(
        "someone/little-set",
        "1.0.0",
        log,
        (read_environment(AIRLINE, None, "heldout_family"), read_environment(played, tasks, "train", episodes)),
    )


@pytest.fixture(scope="session")
def written(once: Build, small_set: Path) -> Path:
    return once("written_set", lambda folder: _write(folder, small_set))


def _write(folder: Path, small_set: Path) -> None:
    write_set(folder, _published(small_set), _card)


@pytest.fixture
def load(written: Path, tmp_path: Path) -> Callable[..., Any]:
    datasets: Any = importlib.import_module("datasets")
    datasets.disable_progress_bars()
    return lambda *names: datasets.load_dataset(str(written), *names, cache_dir=str(tmp_path))


def test_every_table_loads_with_the_types_that_are_declared(load: Callable[..., Any], small_set: Path) -> None:
    kinds = {"json": "Json(decode=True)"}
    rows = {
        "tasks": {"train": 6},
        "environments": {"train": 1, "heldout_family": 1},
        "tools": {"train": len(read_environment(small_set / "environments" / "web-browsers", None, "train").tools)},
        "trajectories": {"train": 6},
        "sources": {"heldout_family": 5},
    }
    for table in TABLES:
        found = load(table)
        for split, data in found.items():
            assert {n: str(f) for n, f in data.features.items()} == {
                name: kinds.get(kind, f"Value('{kind}')") for name, kind in COLUMNS[table].items()
            }, (table, split)
        counts = {split: len(data) for split, data in found.items()}
        assert counts | rows[table] == counts, table


def test_the_tasks_are_what_loads_without_a_name(load: Callable[..., Any], small_set: Path) -> None:
    lines = (small_set / "tasks" / "web-browsers" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    tasks = [json.loads(line) for line in lines]
    for row, task in zip(load()["train"], tasks, strict=True):
        assert (row["task_id"], row["instruction"]) == (task["id"], task["instruction"])
        assert row["answer_schema"] == task["answer_schema"]
        assert [check["expect"] for check in row["checks"]] == [check.get("expect") for check in task["checks"]]
        assert row["gold_answer"] == task.get("gold_answer", {})


def test_json_values_keep_their_types(load: Callable[..., Any], small_set: Path) -> None:
    """A text that spells a number stays a text, whatever stands in the other rows."""
    found = {row["task_id"]: row["answer"] for row in load("trajectories")["train"]}
    told = {one.task_id: one.answer for one in _published(small_set).environments[1].trajectories}
    assert [(type(found[name]), found[name]) for name in told] == [(type(one), one) for one in told.values()]


def test_the_same_set_has_the_same_bytes(
    written: Path, small_set: Path, tmp_path: Path, tree: Callable[[Path], dict[str, bytes]]
) -> None:
    _write(tmp_path, small_set)
    assert tree(tmp_path) == tree(written)


def test_the_manifest_knows_every_file(written: Path, tree: Callable[[Path], dict[str, bytes]]) -> None:
    published = PublishedSet.model_validate(json.loads((written / "published.json").read_text(encoding="utf-8")))
    assert set(published.files) == set(tree(written)) - {"published.json"}
    assert {one.id: (one.split, one.tasks) for one in published.members} == {
        "airline-booking": ("heldout_family", 0), "web-browsers": ("train", 6)
    }  # fmt: skip


def test_what_is_beside_the_format_stays_at_home(small_set: Path, tmp_path: Path) -> None:
    folder = tmp_path / "web-browsers"
    shutil.copytree(small_set / "environments" / "web-browsers", folder)
    before = [path for path, _ in content_paths(read_environment(folder, None, "train"))]
    for stray in ("notes.txt", "tests/__pycache__/test_tools.cpython-311.pyc", ".DS_Store"):
        write_text(folder / stray, "mine")
    assert [path for path, _ in content_paths(read_environment(folder, None, "train"))] == before
    assert "environments/web-browsers/tools.py" in before


# What mlcroissant reads JSON-LD with uses something of its own that is to go.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_croissant_is_valid_and_reads_the_rows(written: Path) -> None:
    croissant: Any = importlib.import_module("mlcroissant")
    dataset = croissant.Dataset(jsonld=str(written / "croissant.json"))
    assert not dataset.metadata.issues.errors
    names = {record.name for record in dataset.metadata.record_sets}
    assert {"tasks-train", "environments-heldout_family"} <= names
    row = next(iter(dataset.records(record_set="tasks-train")))
    assert row["tasks-train/environment_id"] == b"web-browsers"
    assert isinstance(json.loads(row["tasks-train/answer_schema"]), dict)
