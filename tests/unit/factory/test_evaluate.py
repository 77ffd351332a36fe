"""Runs of evaluation: whole, gone on with, compared, refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import canonical_json, sha256_text
from envforge.factory.eval_config import EvalConfig, drawn
from envforge.factory.eval_files import measured_of, read_measured, read_report
from envforge.factory.eval_subjects import Subject, named_subject
from envforge.factory.evaluate import Evaluated, evaluate
from envforge.publish.inspect_log import inspect_log
from envforge.rollout.named_player import NamedPlayer
from envforge.rollout.request import Clocked, Played, RolloutRequest
from envforge.store.tasks import read_tasks, set_hashes
from envforge.world.pool.pool import WorldPool

ROOT = Path(__file__).parents[3]
MIXED = "mixed"


class Mixed:
    """Solves every task at the first try, and none above level 2 at any other: whatever tasks ship and are drawn."""

    name, model = MIXED, ""

    def __init__(self, turns: int) -> None:
        self._gold, self._noop = (NamedPlayer(name, max_turns=turns) for name in ("gold", "noop"))
        self.settings = self._gold.settings

    async def play(self, request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> Played:
        solves = request.attempt == 0 or request.assignment.task.difficulty.level <= 2
        played = await (self._gold if solves else self._noop).play(request, pool, clocked)
        return replace(played, trajectory=played.trajectory.model_copy(update={"agent": MIXED}))


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def run(out: Path, agent: str = MIXED, workspace: Path = ROOT, turns: int = 200, **given: Any) -> Evaluated:
    asked: dict[str, Any] = {
        "environments": ("web-browsers",),
        "tasks": 4,
        "episodes": 2,
        "workers": 1,
        "concurrency": 2,
        **given,
    }
    config = EvalConfig(workspace=workspace, out=out, **asked)
    subject = Subject(Mixed(turns)) if agent == MIXED else named_subject(agent, turns)
    return evaluate(config, subject, None, silent)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    return run(tmp_path_factory.mktemp("eval") / "run", baselines=True)


def test_a_run_with_baselines(found: Evaluated) -> None:
    by_name = {one.agent.name: one for one in found.report.agents}
    assert list(by_name) == [MIXED, "gold", "noop", "random"]
    assert by_name["gold"].estimates["pass@1"].value == 1.0
    assert by_name["noop"].passed == by_name["random"].passed == 0
    subject = by_name[MIXED]
    assert (subject.episodes, subject.scored, subject.passed) == (8, 8, 6)
    figures = {name: figure.value for name, figure in subject.estimates.items()}
    assert figures == {"pass@1": 0.75, "pass@2": 1.0, "pass^2": 0.5}
    assert subject.estimates["pass@1"].note.startswith("one environment")
    assert sum(subject.mistakes.values()) == subject.scored - subject.passed == 2
    by_level = {group.name: group.passed for group in subject.groups if group.by == "level"}
    assert by_level == {"1": 2, "2": 2, "3": 1, "4": 1}
    assert read_report(found.folder) == found.report
    lines = (found.folder / "mistakes.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == sum(one.scored - one.passed for one in found.report.agents)
    assert f"Evaluation of {MIXED}" in (found.folder / "page.html").read_text(encoding="utf-8")


def test_what_is_there_is_not_played_again_and_the_same_seed_gives_the_same_bytes(
    found: Evaluated, tmp_path: Path
) -> None:
    names = ("report.json", "mistakes.jsonl", "page.html", "trajectories.jsonl")
    before = {name: (found.folder / name).read_bytes() for name in names}
    log = (found.folder / "trajectories.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "eval.json").write_bytes((found.folder / "eval.json").read_bytes())
    (folder / "trajectories.jsonl").write_text("".join(log[:12]), encoding="utf-8")
    again = run(folder, baselines=True)
    assert (again.resumed, len(log)) == (12, 24)
    assert {name: (folder / name).read_bytes() for name in names} == before


def test_two_agents_are_compared(found: Evaluated, tmp_path: Path) -> None:
    other = run(tmp_path / "gold", "gold", against=found.folder)
    assert other.report.against == f"{MIXED} (run)"
    first = other.report.comparisons[0]
    assert (first.figure, first.ours, first.theirs) == ("pass@1", 1.0, 0.75)
    assert first.gap.value == 0.25
    assert first.gap.low is not None and first.gap.low >= 0
    assert (first.better, first.worse) == (2, 0)
    assert (first.only_ours, first.only_theirs) == (0, 0), "the first tries are alike"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tasks": 3}, "other tasks were run there: web-browsers"),
        ({"turns": 100}, "max_turns is 200 there and 100 here"),
        ({"seed": 1}, "other tasks"),
    ],
)
def test_what_was_played_otherwise_is_not_compared(
    found: Evaluated, tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        run(tmp_path / "x", "gold", against=found.folder, **given)
    assert not (tmp_path / "x").exists()


def test_another_run_in_the_folder_is_refused(found: Evaluated) -> None:
    with pytest.raises(ConfigError, match=r"holds another run \(it differs in: agents"):
        run(found.folder, "gold", baselines=True)


@pytest.mark.parametrize(
    ("given", "where"), [({"episodes": 0}, "--k"), ({"concurrency": 0}, "--conc"), ({"tasks": 0}, "--tasks")]
)
def test_numbers_that_cannot_be(tmp_path: Path, given: dict[str, Any], where: str) -> None:
    with pytest.raises(ConfigError, match=where):
        run(tmp_path / "x", **given)


def test_no_run_to_compare_with(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no run of envforge eval"):
        run(tmp_path / "x", against=tmp_path)
    (tmp_path / "eval.json").write_text('{"sets": 1}', encoding="utf-8")
    with pytest.raises(StoreError, match="sets: Input should be"):
        run(tmp_path / "x", against=tmp_path)


def test_rates_flow_back_beside_the_tasks(tmp_path: Path) -> None:
    for folder in ("environments", "tasks"):
        shutil.copytree(ROOT / folder / "web-browsers", tmp_path / folder / "web-browsers")
    folder = tmp_path / "tasks" / "web-browsers"
    before = set_hashes(folder)
    run(tmp_path / "a", "gold", tmp_path, to_tasks=True, tasks=3)
    run(tmp_path / "b", "noop", tmp_path, to_tasks=True, tasks=3)
    measured = read_measured(folder)
    assert [(one.agent, one.passed, one.scored, one.rate) for one in measured] == [
        ("gold", 2, 2, 0.75), ("noop", 0, 2, 0.25)
    ] * 3  # fmt: skip
    tasks = {task.id: task for task in read_tasks(folder).tasks}
    assert all(one.task == sha256_text(canonical_json(tasks[one.task_id].to_json())) for one in measured)
    assert set_hashes(folder) == before, "the certificate answers for the same files as before"
    run(tmp_path / "a", "gold", tmp_path, to_tasks=True, tasks=3)
    assert read_measured(folder) == measured
    one = tasks[measured[0].task_id]
    assert [found.agent for found in measured_of(folder, one)] == ["gold", "noop"]
    assert measured_of(folder, one.model_copy(update={"instruction": "Something else."})) == []


def test_tasks_are_drawn_evenly_over_levels() -> None:
    tasks = read_tasks(ROOT / "tasks" / "web-browsers").tasks
    chosen = drawn(tasks, 8, 0)
    levels = [task.difficulty.level for task in chosen]
    assert sorted(levels) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert [task for task in tasks if task in chosen] == chosen
    assert drawn(tasks, 8, 0) == chosen != drawn(tasks, 8, 1)
    assert drawn(tasks, None, 0) == drawn(tasks, 1000, 0) == list(tasks)


def test_the_log_for_inspect_has_every_episode(found: Evaluated) -> None:
    log = inspect_log(found.report, found.tasks, found.episodes)
    assert len(log["samples"]) == 8
    assert {sample["epoch"] for sample in log["samples"]} == {1, 2}
    assert sum(sample["scores"]["outcome"]["value"] for sample in log["samples"]) == 6
    assert all(sample["input"] and sample["target"] == "" for sample in log["samples"])
    json.dumps(log, allow_nan=False)
