"""The folder of a training set: what is read is what was written, and nothing stands on two sides."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import sha256_bytes
from envforge.core.records.training import TrainingSet
from envforge.store.schemas import problems
from envforge.train.data.balance import Candidate, row_of
from envforge.train.data.conversation import ending, family_tools
from envforge.train.data.folder import read_training_set, refuse_foreign, rows_file, write_training_set
from envforge.train.data.records import SftExample, TrainingRow
from envforge.train.data.supply import Supply

FINAL = "final_answer"


def _example(row: TrainingRow) -> SftExample:
    named = row.model_dump(include={"environment_id", "environment_hash", "family", "database_seed", "task_id"})
    messages = (*row.prompt, *ending({"n": 1}, FINAL, 0))
    told: dict[str, Any] = {"level": row.level, "kind": row.kind, "source": "gold", "agent": "gold", "key": "k"}
    return SftExample(**named, **told, messages=messages)


@pytest.fixture
def written(supplies: list[Supply], tmp_path: Path) -> Path:
    """One row of each of two families, the second held out."""
    first, second = supplies[:2]
    trained = row_of(Candidate(first, first.tasks.tasks[0]), first.placed("train"), FINAL, 0)
    held_out = row_of(Candidate(second, second.tasks.tasks[0]), second.placed("heldout_family"), FINAL, 0)
    environments = (first.placed("train"), second.placed("heldout_family"))
    manifest = TrainingSet(data="workspace", seed=0, levels=(1,), environments=environments)
    tools = [family_tools(one.environment.manifest.family, one.environment.tools) for one in (first, second)]
    folder = tmp_path / "set"
    write_training_set(folder, manifest, tools, {"train": [trained], "heldout_family": [held_out]}, [_example(trained)])
    return folder


def _bind(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
    """What somebody does who edits the set and its hashes with it."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] = {name: sha256_bytes((folder / name).read_bytes()) for name in manifest["files"]}
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_what_is_read_is_what_was_written(written: Path, supplies: list[Supply]) -> None:
    opened = read_training_set(written)
    (row,) = opened.rows("train")
    assert row.task_id == supplies[0].tasks.tasks[0].id
    assert opened.rows("heldout_seed") == [] and len(opened.rows("heldout_family")) == 1
    assert opened.examples() == [_example(row)]
    assert opened.tools[row.family].final == FINAL
    for name, kind in (
        (rows_file("train"), "training_row"),
        ("sft.jsonl", "sft_example"),
        ("tools.jsonl", "family_tools"),
    ):
        for line in (written / name).read_text().splitlines():
            assert not problems(kind, json.loads(line))


def test_a_file_that_was_changed_is_refused(written: Path) -> None:
    path = written / rows_file("train")
    path.write_text(path.read_text().replace('"level":', '"level": '))
    with pytest.raises(StoreError, match=r"rows/train.jsonl is not as it was written.*make it again"):
        read_training_set(written)


def test_a_manifest_that_leaks_is_refused(written: Path) -> None:
    def leak(manifest: dict[str, Any]) -> None:
        manifest["environments"][1]["family"] = manifest["environments"][0]["family"]

    _bind(written, leak)
    with pytest.raises(StoreError, match="held out, and trained on"):
        read_training_set(written)


def test_a_row_on_the_other_side_is_refused(written: Path) -> None:
    held_out = (written / rows_file("heldout_family")).read_text()
    with (written / rows_file("train")).open("a") as rows:
        rows.write(held_out.replace('"split":"heldout_family"', '"split":"train"'))
    _bind(written)
    with pytest.raises(StoreError, match="which is heldout_family"):
        read_training_set(written).rows("train")


def test_an_example_of_what_is_held_out_is_refused(written: Path, supplies: list[Supply]) -> None:
    path = written / "sft.jsonl"
    example = json.loads(path.read_text())
    path.write_text(json.dumps({**example, "environment_id": supplies[1].environment.manifest.id}) + "\n")
    _bind(written)
    with pytest.raises(StoreError, match="which is held out"):
        read_training_set(written).examples()


def test_another_folder_is_neither_read_nor_replaced(written: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="envforge prepare"):
        read_training_set(tmp_path)
    with pytest.raises(ConfigError, match="holds something else"):
        refuse_foreign(tmp_path)
    refuse_foreign(written)
    refuse_foreign(tmp_path / "new")
