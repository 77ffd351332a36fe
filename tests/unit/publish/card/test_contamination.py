from __future__ import annotations

from pathlib import Path

import pytest

from envforge.core.errors import StoreError
from envforge.gates.overlap import BenchmarkIndex, runs_of
from envforge.publish.card.contamination import contamination
from envforge.publish.published import Published
from envforge.store.files import write_json


def index(path: Path, texts: list[str]) -> Path:
    sources = [{"package": "piers", "version": "2.1", "texts": len(texts)}]
    about = {"sources": sources, "not_covered": "all the others"}
    write_json(path, {**about, "hashes": BenchmarkIndex.of(texts).encoded})
    return path


def test_a_task_that_a_benchmark_has_is_named(published: Published, tmp_path: Path) -> None:
    first = published.environments[0]
    assert first.tasks is not None
    copied = max(first.tasks.tasks, key=lambda task: len(task.instruction))
    told = contamination(published, index(tmp_path / "ngrams.json", [copied.instruction]))
    assert f"`{copied.id}`" in told and "**0 of 60" not in told
    assert "| `piers` | 2.1 | 1 |" in told and "Not compared: all the others." in told


def test_how_much_was_compared_is_told(published: Published, tmp_path: Path) -> None:
    first = published.environments[0]
    assert first.tasks is not None
    runs = sum(len(list(runs_of(task.instruction))) for task in first.tasks.tasks)
    told = contamination(published, index(tmp_path / "ngrams.json", ["a text of nobody that nobody ever wrote down"]))
    assert (
        f"({runs:,} runs of 60 tasks" in told and "**0 of 60 tasks share one** (threshold for admission: none)." in told
    )
    assert "copied passage of 40 words is found with a chance of 98.8%" in told


def test_without_an_index_nothing_is_claimed(published: Published, tmp_path: Path) -> None:
    write_json(tmp_path / "none.json", {})
    with pytest.raises(StoreError, match="hashes"):
        contamination(published, tmp_path / "none.json")
