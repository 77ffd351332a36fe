"""Tasks of a small certified environment: the same bytes however they come about, and honest ends of every kind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from envforge.core.errors import ConfigError, SandboxError, StoreError
from envforge.core.records.intent import IntentFamily
from envforge.factory import synth_tasks as module
from envforge.factory.families import Goals, goals_of
from envforge.factory.synth_tasks import KEPT_REJECTED, synth_tasks
from envforge.factory.task_config import SynthConfig, SynthReport
from envforge.store.files import read_jsonl
from envforge.store.tasks import read_set_certificate, read_tasks, set_hashes
from envforge.synth.candidates import Source
from envforge.world.environment import Environment

ROOT = Path(__file__).parents[3]
QUICK = ("book-a-lapsed-trip-again", "cancel-what-pays-back", "new-contact-details", "pay-a-hold-and-add-bags")
"""Families whose gates take little time."""
Tree = Callable[[Path], dict[str, bytes]]
Choose = Callable[..., None]


@pytest.fixture
def workspace(ferry: Path, tmp_path: Path) -> Path:
    """`ferry` with thresholds that a handful of tasks can meet."""
    shutil.copytree(ferry / "environments" / "ferry", tmp_path / "environments" / "ferry")
    loosen(tmp_path)
    return tmp_path


def loosen(workspace: Path, **changes: dict[str, float]) -> None:
    value = json.loads((ROOT / "validators/gates/tasks.json").read_text(encoding="utf-8"))
    for gate, limits in {"balance": {"families": 2, "family_share": 0.5}, **changes}.items():
        value[gate] |= limits
    target = workspace / "validators" / "gates" / "tasks.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Choose:
    """choose(names, change={…}) → only these families, each with `change`."""

    def only(names: Sequence[str], **change: Any) -> None:
        def chosen(environment: Environment, seed: int, **_: Any) -> Goals:
            kept: list[tuple[IntentFamily, Source]] = []
            for family, source in goals_of(environment, seed, walk=False).families:
                if family.id in names:
                    kept.append((family.model_copy(update=change), source))
            assert len(kept) == len(names)
            return Goals(tuple(kept))

        monkeypatch.setattr(module, "goals_of", chosen)

    return only


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def make(workspace: Path, count: int, progress: Callable[..., None] = silent, **wish: Any) -> SynthReport:
    wish.setdefault("processes", 1)
    (report,) = synth_tasks(SynthConfig(workspace, ("ferry",), count, **wish), progress)
    return report


def test_what_is_written_is_what_was_reported(workspace: Path, choose: Choose) -> None:
    choose(QUICK)
    report = make(workspace, 4)
    assert report.shipped and report.folder == workspace / "tasks" / "ferry"
    tasks = read_tasks(report.folder)
    assert list(tasks.tasks) == report.tasks and len(report.tasks) == 4
    assert all(task.certificate.gates[-1].gate == "baselines" for task in tasks.tasks)
    assert all(gate.passed for task in tasks.tasks for gate in task.certificate.gates)
    assert set(tasks.programs) == set(tasks.verifiers) == {task.id for task in tasks.tasks}
    certificate = read_set_certificate(report.folder)
    assert certificate.files == set_hashes(report.folder)
    assert certificate.tried == report.tried and certificate.figures["tasks"] == 4
    assert certificate.environment_hash == tasks.tasks[0].environment_hash


def test_neither_processes_nor_interruptions_change_a_byte(workspace: Path, choose: Choose, tree: Tree) -> None:
    choose(QUICK)
    make(workspace, 4, processes=3)
    undisturbed = tree(workspace / "tasks")
    shutil.rmtree(workspace / "tasks")
    (log,) = workspace.glob("runs/*/judgements.jsonl")
    log.unlink()

    def stop(label: str, done: int, total: int | None) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(workspace, 4, stop)
    assert not (workspace / "tasks").exists()
    before = log.read_text(encoding="utf-8")
    assert before.count("\n") >= 2
    log.write_text(before + before[:99], encoding="utf-8")  # as if it had been killed while it wrote
    make(workspace, 4)
    assert tree(workspace / "tasks") == undisturbed
    after = log.read_text(encoding="utf-8")
    keys = [json.loads(line)["key"] for line in after.splitlines()]
    assert after.startswith(before) and len(set(keys)) == len(keys), "something was judged twice"
    make(workspace, 4, processes=2)
    assert tree(workspace / "tasks") == undisturbed and log.read_text(encoding="utf-8") == after


def test_another_seed_gives_other_tasks(workspace: Path, choose: Choose) -> None:
    choose(QUICK[:2])
    ours, others = ({task.instruction for task in make(workspace, 2, seed=seed).tasks} for seed in (0, 1))
    assert len(ours) == len(others) == 2 and not ours & others


def test_candidates_run_out(workspace: Path, choose: Choose) -> None:
    """More are wanted than there is room for: two families with one template each, which may have half of the set."""
    choose(QUICK[:2])
    report = make(workspace, 3)
    assert 0 < len(report.tasks) < 3
    assert report.shipped and report.wanted == 3


def test_no_candidate_at_all(workspace: Path, choose: Choose) -> None:
    choose(["check-in-members"], sizes=(9990, 9999))
    report = make(workspace, 3)
    assert not report.tasks and not report.shipped
    assert set(report.rejected) == {"candidate: sizes"} and report.rejected["candidate: sizes"] > KEPT_REJECTED
    assert not (workspace / "tasks").exists()
    kept = read_jsonl(report.folder / "rejected.jsonl")
    assert len(kept) == KEPT_REJECTED and all("rows" in line["reasons"][0] for line in kept)
    assert report.folder.is_relative_to(workspace / "runs")


def test_a_set_that_fails_its_gate_does_not_ship(workspace: Path, choose: Choose, tree: Tree) -> None:
    choose(QUICK[:2])
    make(workspace, 2)
    shipped = tree(workspace / "tasks")
    loosen(workspace, variety={"distinct_2": 1.5})
    report = make(workspace, 2)
    assert [gate.passed for gate in report.gates] == [True, False] and not report.shipped
    assert report.folder.is_relative_to(workspace / "runs")
    assert not all(gate.passed for gate in read_set_certificate(report.folder).gates)
    assert tree(workspace / "tasks") == shipped, "what shipped before has to stay"


def test_levels_and_kinds_that_were_not_asked_for(workspace: Path, choose: Choose) -> None:
    choose(QUICK[:1])
    report = make(workspace, 1, levels=(5,))
    assert not report.tasks and set(report.rejected) == {"level"}
    report = make(workspace, 1, mix={"graph": 1.0})
    assert not report.tasks and not report.tried


def test_a_judging_process_that_dies(workspace: Path, choose: Choose) -> None:
    choose(QUICK)

    def kill(label: str, done: int, total: int | None) -> None:
        if done:
            for child in psutil.Process().children():
                if "spawn_main" in " ".join(child.cmdline()):
                    child.kill()

    with pytest.raises(SandboxError, match="judging process died") as caught:
        make(workspace, 4, kill)
    assert "--processes" in caught.value.remedy and not (workspace / "tasks").exists()
    assert len(make(workspace, 4).tasks) == 4


def _is_tracker(process: psutil.Process) -> bool:
    """The standard library's own helper, which ends with this process; one that has ended is no concern either."""
    try:
        return "resource_tracker" in " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return True


def test_nobody_is_left_behind(workspace: Path, choose: Choose) -> None:
    choose(QUICK)
    before = {child.pid for child in psutil.Process().children(recursive=True)}

    def stop(label: str, done: int, total: int | None) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(workspace, 4, stop, processes=2)
    late = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    late = [child for child in late if not _is_tracker(child)]
    _, alive = psutil.wait_procs(late, timeout=10)
    assert not alive


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"count": 0}, "at least 1"),
        ({"levels": (0, 6)}, "levels"),
        ({"mix": {"graph": 0.0}}, "no mix"),
        ({"mix": {"walk": 1.0}}, "no mix"),
    ],
    ids=["count", "levels", "an empty mix", "an unknown kind"],
)
def test_what_cannot_be_asked_for(workspace: Path, wish: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        synth_tasks(SynthConfig(workspace, ("ferry",), **wish), silent)


def test_only_certified_environments(workspace: Path) -> None:
    (workspace / "environments" / "ferry" / "certificate.json").unlink()
    with pytest.raises(ConfigError, match="has no certificate"):
        make(workspace, 1)
    with pytest.raises(ConfigError, match="no certified environment"):
        synth_tasks(SynthConfig(workspace), silent)
    with pytest.raises(ConfigError, match="no environment 'fairy'"):
        synth_tasks(SynthConfig(workspace, ("fairy",)), silent)


def test_an_environment_that_changed_since_its_certificate(workspace: Path) -> None:
    path = workspace / "environments" / "ferry" / "certificate.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(value | {"environment_hash": "00" * 32}), encoding="utf-8")
    with pytest.raises(ConfigError, match="is not certified as it is now"):
        make(workspace, 1)
    path.write_text(json.dumps(value | {"certified": "maybe so"}), encoding="utf-8")
    with pytest.raises(StoreError, match="not a valid certificate"):
        make(workspace, 1)
