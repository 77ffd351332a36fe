"""Every set of tasks that ships, and one that is made for the test: files, hashes, gold, doing nothing, cheats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.factory.verify_tasks import check_tasks, verify_tasks
from envforge.gates.solutions import Judge, Player
from envforge.store.files import read_json, read_jsonl
from envforge.store.schemas import problems
from envforge.store.tasks import read_set_certificate
from envforge.store.workspace import Workspace

from .verifiers.cheats import CHEATS
from .verifiers.shipped import SHIPPED, sampled, victims_of

ROOT = Path(__file__).parents[2]
FIXTURE = "(made for the test)"
"""None may ship yet: then this is all there is."""


@pytest.fixture(scope="module", params=[FIXTURE, *SHIPPED])
def opened(request: pytest.FixtureRequest, ferry_tasks: Path) -> OpenedTasks:
    if request.param == FIXTURE:
        return open_tasks(Workspace(ferry_tasks), "ferry")
    return open_tasks(Workspace(ROOT), request.param)


@pytest.fixture(scope="module")
def player(opened: OpenedTasks) -> Iterator[Player]:
    with Player(opened.environment) as started:
        yield started


def test_every_environment_that_ships_has_tasks() -> None:
    environments = {path.parent.name for path in (ROOT / "environments").glob("*/environment.json")}
    assert {path.name for path in (ROOT / "tasks").glob("*") if path.is_dir()} == environments == set(SHIPPED)


def test_files_are_as_their_schemas_say(opened: OpenedTasks) -> None:
    wrong: list[str] = []
    for name, form in (("tasks.jsonl", "task"), ("rejected.jsonl", "rejected_task")):
        lines = read_jsonl(opened.folder / name)
        wrong += [f"{name} {number}: {found}" for number, line in enumerate(lines) for found in problems(form, line)]
    wrong += problems("task_set", read_json(opened.folder / "certificate.json"))
    assert wrong == []


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def test_they_hold(opened: OpenedTasks) -> None:
    """Hashes fit, gold passes, doing nothing does not, checks and verifiers agree."""
    workspace = Workspace(opened.environment.folder.parents[1])
    report = check_tasks(workspace, opened.environment.manifest.id, silent)
    assert report is not None and report.problems == ()


SAMPLE = 2


@pytest.mark.slow
def test_a_sample_passes_every_gate_again(opened: OpenedTasks) -> None:
    """`make verify` does it with all of them."""
    workspace, name = Workspace(opened.environment.folder.parents[1]), opened.environment.manifest.id
    for task in sampled(opened.tasks.tasks, SAMPLE):
        assert verify_tasks(workspace, name, silent, task=task.id).problems == ()


def test_they_passed_every_gate(opened: OpenedTasks) -> None:
    certificate = read_set_certificate(opened.folder)
    assert all(gate.passed for gate in certificate.gates) and {g.gate for g in certificate.gates} == {
        "balance",
        "variety",
    }
    for task in opened.tasks.tasks:
        assert all(gate.passed for gate in task.certificate.gates), task.id
        assert task.certificate.baselines["gold"]["pass@1"] == 1 and task.certificate.baselines["noop"]["pass@1"] == 0


def test_they_differ(opened: OpenedTasks) -> None:
    assert len({task.instruction for task in opened.tasks.tasks}) == len(opened.tasks.tasks)
    families = Counter(task.intent.family for task in opened.tasks.tasks)
    assert max(families.values()) <= max(1, 0.15 * len(opened.tasks.tasks))


@pytest.mark.slow
def test_cheats_score_nothing(opened: OpenedTasks, player: Player, request: pytest.FixtureRequest) -> None:
    """On the set that is made here; contracts/verifiers tries them on what ships."""
    if FIXTURE not in request.node.name:
        return
    held: Counter[str] = Counter()
    for victim in victims_of(player, opened.folder):
        player.forget()
        with Judge(opened.environment, victim.checks, victim.verifier) as judge:
            assert judge.verdict(victim.gold).passed, victim.name
            for cheat in CHEATS:
                for number, played in enumerate(cheat(victim)):
                    if victim.is_done(played):
                        continue
                    judged = judge.verdict(played)
                    assert not judged.checks and not judged.verifier, f"{victim.name}: {cheat.__name__} {number}"
                    held[cheat.__name__] += 1
    assert len(held) >= 12, f"only {sorted(held)} found a hold"
