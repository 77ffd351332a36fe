"""Every exporter: it writes below its own folder, says what, and writes the same bytes again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core.records.published import ChangelogEntry
from envforge.publish.adapters.exporter import Exporter
from envforge.publish.adapters.registry import EXPORTERS
from envforge.publish.published import Published
from envforge.publish.reading import read_environment

AIRLINE = Path(__file__).parents[2] / "environments" / "airline-booking"


@pytest.fixture(scope="module")
def published(small_set: Path) -> Published:
    played, tasks = (small_set / kind / "web-browsers" for kind in ("environments", "tasks"))
    return Published(
        "someone/little-set",
        "1.0.0",
        (ChangelogEntry(version="1.0.0", changes=()),),
        (
            read_environment(AIRLINE, None, "heldout_family"),
            read_environment(played, tasks, "train"),
        ),
    )


def test_their_names_differ() -> None:
    assert len({one.name for one in EXPORTERS}) == len(EXPORTERS)


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda one: one.name)
def test_what_it_says_is_what_it_wrote(
    exporter: Exporter, published: Published, tmp_path: Path, tree: Callable[[Path], dict[str, bytes]]
) -> None:
    told = exporter.write(published, tmp_path / "a")
    assert told
    assert sorted(path.relative_to(tmp_path / "a").as_posix() for path in told) == list(tree(tmp_path / "a"))
    assert {path.relative_to(tmp_path / "a").parts[0] for path in told} == {exporter.name}
    exporter.write(published, tmp_path / "b")
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda one: one.name)
def test_a_set_without_tasks_is_none_for_training(exporter: Exporter, published: Published, tmp_path: Path) -> None:
    bare = Published(published.repo, published.version, published.changelog, published.environments[:1])
    assert not exporter.write(bare, tmp_path)


def test_nemo_rows_ask_with_the_tools_and_tell_no_solution(published: Published, tmp_path: Path) -> None:
    nemo = next(one for one in EXPORTERS if one.name == "nemo")
    (path,) = nemo.write(published, tmp_path)
    tasks = published.environments[1].tasks
    assert tasks is not None
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row, task in zip(rows, tasks.tasks, strict=True):
        asked = row["responses_create_params"]
        assert [message["role"] for message in asked["input"]] == ["system", "user"]
        assert asked["input"][1]["content"] == task.instruction
        assert task.now[:10] in asked["input"][0]["content"]
        assert [tool["name"] for tool in asked["tools"][:-1]] == [tool.name for tool in published.environments[1].tools]
        assert asked["tools"][-1]["parameters"] == task.answer_schema
        assert not {"gold", "gold_answer", "checks"} & set(row)
