"""Long runs of words that a benchmark has too are found, whatever stands around them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import StoreError
from envforge.gates.overlap import BenchmarkIndex, texts_of, write_index
from envforge.store.files import write_json

KNOWN = " ".join(f"item {number} of a long list that was published some years ago" for number in range(6))


@pytest.fixture
def task(library_candidates: Mapping[str, TaskCandidate]) -> TaskCandidate:
    return library_candidates["take-back"]


def test_a_copied_passage_is_found(task: TaskCandidate) -> None:
    index = BenchmarkIndex.of([KNOWN])
    copied = dataclasses.replace(task, instruction=f"Hello. {KNOWN.upper()}! Thanks.")
    assert index.problems(copied)
    assert index.problems(task) == []
    short = dataclasses.replace(task, instruction=" ".join(KNOWN.split()[:7]))
    assert index.problems(short) == []


def test_the_index_is_read_as_it_was_written(tmp_path: Path, task: TaskCandidate) -> None:
    path = tmp_path / "ngrams.json"
    write_index(path, ["pyyaml"])
    assert BenchmarkIndex.read(path).known == BenchmarkIndex.of(texts_of("pyyaml")).known
    write_json(path, {"hashes": BenchmarkIndex.of([KNOWN]).encoded})
    assert BenchmarkIndex.read(path).problems(dataclasses.replace(task, instruction=KNOWN))


@pytest.mark.parametrize("value", [{}, {"hashes": 3}, {"hashes": "no base64!"}], ids=["nothing", "number", "text"])
def test_what_is_no_index_is_named(tmp_path: Path, value: dict[str, object]) -> None:
    write_json(tmp_path / "ngrams.json", value)
    with pytest.raises(StoreError, match="hashes"):
        BenchmarkIndex.read(tmp_path / "ngrams.json")
