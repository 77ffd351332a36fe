"""The commands about tasks, as processes: make, list, show, replay, verify, check; and files that were touched."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OTHER_ORDER

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Tree = Callable[[Path], dict[str, bytes]]
Touch = Callable[[Path], None]
COUNT = 12


@pytest.fixture(scope="module")
def report(ferry_tasks: Path) -> dict[str, Any]:
    assert (ferry_tasks / "exit").read_text(encoding="utf-8") == "0\n", "synth-tasks did not end well"
    (one,) = json.loads((ferry_tasks / "report.json").read_text(encoding="utf-8"))
    return one


@pytest.fixture(scope="module")
def tasks(ferry_tasks: Path, report: dict[str, Any]) -> list[dict[str, Any]]:
    lines = (ferry_tasks / "tasks" / "ferry" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == report["admitted"] == COUNT
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def shortest(tasks: list[dict[str, Any]]) -> dict[str, Any]:
    return min(tasks, key=lambda task: len(task["gold"]))


@pytest.fixture
def copy(ferry_tasks: Path, report: dict[str, Any], tmp_path: Path) -> Path:
    """A workspace of one's own."""
    for name in ("environments", "tasks", "validators"):
        shutil.copytree(ferry_tasks / name, tmp_path / name)
    return tmp_path


def test_what_synth_tasks_tells(report: dict[str, Any]) -> None:
    assert report["shipped"] and report["wanted"] == COUNT
    assert report["tried"] == report["admitted"] + sum(report["rejected"].values())
    assert {gate["gate"]: gate["passed"] for gate in report["gates"]} == {"balance": True, "variety": True}
    figures = report["figures"]
    assert sum(figures["levels"].values()) == COUNT and len(figures["families"]) == COUNT
    assert figures["baselines"]["gold"] == 1 and figures["baselines"]["noop"] == 0


def test_a_second_run_is_quick_and_gives_the_same(
    envforge: Run, ferry_tasks: Path, report: dict[str, Any], tmp_path: Path, tree: Tree
) -> None:
    for name in ("environments", "validators", "runs"):
        shutil.copytree(ferry_tasks / name, tmp_path / name)
    wish = ("--count", str(COUNT), "--processes", "1")
    done = envforge("synth-tasks", *wish, cwd=tmp_path, env=OTHER_ORDER)
    assert done.returncode == 0, done.stderr
    for words in ("12 admitted of", "levels", "families", "balance", "variety", "written: tasks/ferry"):
        assert words in done.stdout.replace(str(tmp_path) + "/", ""), done.stdout
    assert tree(tmp_path / "tasks") == tree(ferry_tasks / "tasks")


def test_list(envforge: Run, ferry_tasks: Path, tasks: list[dict[str, Any]]) -> None:
    done = envforge("tasks", "list", "ferry", cwd=ferry_tasks)
    assert done.returncode == 0, done.stderr
    assert all(task["id"] in done.stdout for task in tasks) and "12 tasks" in done.stdout
    listed = json.loads(envforge("tasks", "list", "ferry", "--json", cwd=ferry_tasks).stdout)
    assert [one["id"] for one in listed] == [task["id"] for task in tasks]


def test_show_reads_like_a_page(envforge: Run, ferry_tasks: Path, shortest: dict[str, Any]) -> None:
    done = envforge("tasks", "show", "ferry", shortest["id"].removeprefix("task-")[:8], cwd=ferry_tasks)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert " ".join(shortest["instruction"].split()) in said
    assert f"It is {shortest['now'][:10]}" in said
    for words in ("What is checked", "nothing else changes", "The gold solution", "Difficulty: level", "mutants_fail"):
        assert words in said
    assert all(call["tool"] in said for call in shortest["gold"])
    asked = envforge("tasks", "show", "ferry", shortest["id"], "--json", cwd=ferry_tasks)
    assert json.loads(asked.stdout)["id"] == shortest["id"]
    whole = envforge("tasks", "show", "ferry", cwd=ferry_tasks)
    assert "Families" in whole.stdout and "balance" in whole.stdout


def test_show_sources(envforge: Run, ferry_tasks: Path, shortest: dict[str, Any]) -> None:
    for option, folder in (("--program", "programs"), ("--verifier", "verifiers")):
        done = envforge("tasks", "show", "ferry", shortest["id"], option, cwd=ferry_tasks)
        source = (ferry_tasks / "tasks" / "ferry" / folder / f"{shortest['id']}.py").read_text(encoding="utf-8")
        assert done.returncode == 0 and done.stdout.strip() == source.strip()


@pytest.mark.parametrize(
    ("agent", "score"), [("gold", 1.0), ("noop", 0.0), ("random", 0.0)], ids=["gold", "noop", "random"]
)
def test_replay(envforge: Run, ferry_tasks: Path, shortest: dict[str, Any], agent: str, score: float) -> None:
    done = envforge("tasks", "replay", "ferry", shortest["id"], "--agent", agent, "--json", cwd=ferry_tasks)
    assert done.returncode == 0, done.stderr
    trajectory = json.loads(done.stdout)
    assert trajectory["verdict"]["score"] == (agent == "gold")
    if agent == "gold":
        told = envforge("tasks", "replay", "ferry", shortest["id"], cwd=ferry_tasks)
        assert "score 1" in told.stdout and shortest["gold"][0]["tool"] in told.stdout


@pytest.mark.slow
def test_verify_runs_every_gate_again(envforge: Run, ferry_tasks: Path, report: dict[str, Any]) -> None:
    done = envforge("tasks", "verify", "ferry", "--processes", "2", cwd=ferry_tasks)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 tasks hold (every gate)" in done.stdout


@pytest.mark.slow
def test_check_covers_tasks(envforge: Run, copy: Path, shortest: dict[str, Any]) -> None:
    done = envforge("check", "ferry", cwd=copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 tasks hold" in done.stdout
    _edit_task(
        copy, shortest["id"], lambda task: task.update(checks=[c for c in task["checks"] if c.get("weight") == 0])
    )
    done = envforge("check", "ferry", "--json", cwd=copy)
    assert done.returncode == 1, done.stderr
    (checked,) = json.loads(done.stdout)
    told = "\n".join(checked["tasks"]["problems"])
    assert not checked["mismatches"] and "tasks.jsonl is not as in certificate.json" in told
    assert shortest["id"] in told, "checks and verifier say different things"


def test_check_notices_a_task_of_another_day(envforge: Run, copy: Path, shortest: dict[str, Any]) -> None:
    _edit_task(copy, shortest["id"], lambda task: task.update(now="2020-01-01T00:00:00Z"))
    done = envforge("check", "ferry", "--json", cwd=copy)
    assert done.returncode == 1, done.stderr
    (checked,) = json.loads(done.stdout)
    assert f"{shortest['id']}: it tells another time than the World's" in checked["tasks"]["problems"]


def _edit_task(workspace: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    path = workspace / "tasks" / "ferry" / "tasks.jsonl"
    tasks = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for task in tasks:
        if task["id"] == name:
            change(task)
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a hint in the text": (lambda task: task.update(instruction=task["instruction"] + " Hurry."), "instruction"),
    "a check less": (lambda task: task.update(checks=task["checks"][1:]), "checks"),
    "another level": (lambda task: task["difficulty"].update(level=5, minimal_calls=99), "difficulty"),
    "another day": (lambda task: task.update(now="2020-01-01T00:00:00Z"), "now"),
    "a forged verdict": (lambda task: task["certificate"]["gates"].pop(), "baselines"),
}


@pytest.mark.parametrize(("change", "words"), CHANGES.values(), ids=CHANGES.keys())
def test_verify_notices(
    envforge: Run, copy: Path, shortest: dict[str, Any], change: Callable[[dict[str, Any]], object], words: str
) -> None:
    _edit_task(copy, shortest["id"], change)
    done = envforge("tasks", "verify", "ferry", shortest["id"], "--processes", "1", "--json", cwd=copy)
    assert done.returncode == 1, done.stdout + done.stderr
    problems = json.loads(done.stdout)["problems"]
    assert any(words in problem for problem in problems if shortest["id"] in problem), problems


def test_verify_notices_a_verifier_that_forgives(envforge: Run, copy: Path, shortest: dict[str, Any]) -> None:
    path = copy / "tasks" / "ferry" / "verifiers" / f"{shortest['id']}.py"
    names = [check["id"] for check in shortest["checks"]]
    kind = "def verify(initial, final, diff, answer):\n"
    kind += f"    return [{{'id': name, 'passed': True, 'detail': ''}} for name in {names!r}]\n"
    path.write_text(kind, encoding="utf-8")
    done = envforge("tasks", "verify", "ferry", shortest["id"], "--json", cwd=copy)
    assert done.returncode == 1, done.stdout + done.stderr
    told = "\n".join(json.loads(done.stdout)["problems"])
    assert f"verifiers/{shortest['id']}.py is not as in certificate.json" in told
    assert "mutants_fail rejects it" in told or "noop_fails rejects it" in told, told


def _truncate(workspace: Path) -> None:
    path = workspace / "tasks" / "ferry" / "tasks.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[2][:200] + "\n", *lines[3:]]), encoding="utf-8")


def _wrong_field(workspace: Path) -> None:
    path = workspace / "tasks" / "ferry" / "tasks.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    value = json.loads(lines[1])
    value["difficulty"]["level"] = 9
    path.write_text("\n".join([lines[0], json.dumps(value), *lines[2:]]) + "\n", encoding="utf-8")


def _no_verifier(workspace: Path) -> None:
    next((workspace / "tasks" / "ferry" / "verifiers").glob("*.py")).unlink()


def _no_certificate(workspace: Path) -> None:
    (workspace / "tasks" / "ferry" / "certificate.json").unlink()


def _a_way_out(workspace: Path) -> None:
    path = workspace / "tasks" / "ferry" / "tasks.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    value = json.loads(lines[0])
    value["id"] = "../../../etc/passwd"
    path.write_text("\n".join([json.dumps(value), *lines[1:]]) + "\n", encoding="utf-8")


def _a_link(workspace: Path) -> None:
    path = next((workspace / "tasks" / "ferry" / "programs").glob("*.py"))
    path.unlink()
    path.symlink_to("/etc/hostname")


def _another_hash(workspace: Path) -> None:
    path = workspace / "environments" / "ferry" / "environment.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(value | {"environment_hash": "ab" * 32}), encoding="utf-8")


BROKEN: dict[str, tuple[Touch, list[str]]] = {
    "a line cut short": (_truncate, ["tasks.jsonl", "line 3"]),
    "a field out of range": (_wrong_field, ["tasks.jsonl", "line 2", "difficulty.level"]),
    "no verifier": (_no_verifier, ["verifiers/", "no such file", "synth-tasks"]),
    "no certificate": (_no_certificate, ["certificate.json", "synth-tasks"]),
    "an id that is a path": (_a_way_out, ["tasks.jsonl", "line 1", "id"]),
    "a link": (_a_link, ["programs/", "symbolic link"]),
    "another environment hash": (_another_hash, ["made for ferry", "abababab"]),
}


@pytest.mark.parametrize(("touch", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_files_that_cannot_be_used(envforge: Run, copy: Path, touch: Touch, words: list[str]) -> None:
    touch(copy)
    done = envforge("tasks", "verify", "ferry", cwd=copy)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == "" and "Traceback" not in done.stderr
    assert done.stderr.startswith("error (") and len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


def test_tasks_of_another_hash_are_not_replayed(envforge: Run, copy: Path, shortest: dict[str, Any]) -> None:
    _another_hash(copy)
    done = envforge("tasks", "replay", "ferry", shortest["id"], cwd=copy)
    assert done.returncode == 2 and "made for ferry" in done.stderr


BAD: dict[str, tuple[list[str], list[str]]] = {
    "an unknown environment": (["synth-tasks", "--env", "fairy"], ["no environment 'fairy'", "ferry"]),
    "no such level": (["synth-tasks", "--difficulty", "0-9"], ["--difficulty", "3-5"]),
    "no such mix": (["synth-tasks", "--mix", "graph:1"], ["--mix", "graph=0.6"]),
    "all and one": (["synth-tasks", "--env", "all", "--env", "ferry"], ["--env"]),
    "no such tasks": (["tasks", "list", "fairy"], ["no environment 'fairy'"]),
    "no such task": (["tasks", "show", "ferry", "zzz"], ["no task 'zzz'", "task-"]),
    "an id of many": (["tasks", "replay", "ferry", "task-"], ["12 tasks 'task-'"]),
    "sources of a set": (["tasks", "show", "ferry", "--program"], ["--program"]),
}


@pytest.mark.parametrize(("arguments", "words"), BAD.values(), ids=BAD.keys())
def test_bad_input(
    envforge: Run, ferry_tasks: Path, report: dict[str, Any], arguments: list[str], words: list[str]
) -> None:
    done = envforge(*arguments, cwd=ferry_tasks)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("error (") and len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


def test_an_unknown_agent(envforge: Run, ferry_tasks: Path, shortest: dict[str, Any]) -> None:
    done = envforge("tasks", "replay", "ferry", shortest["id"], "--agent", "wizard", cwd=ferry_tasks)
    assert done.returncode == 2 and "'wizard'" in done.stderr and "scripted" in done.stderr


def test_an_environment_without_tasks(envforge: Run, ferry: Path) -> None:
    done = envforge("tasks", "list", "ferry--s1", cwd=ferry)
    assert done.returncode == 2 and "no tasks yet" in done.stderr and "synth-tasks --env ferry--s1" in done.stderr


def test_an_environment_without_an_archetype(envforge: Run, lighthouses: Path, tmp_path: Path) -> None:
    """Nobody declared goals for it: walks over its tools and the grammar find some."""
    shutil.copytree(lighthouses / "environments", tmp_path / "environments")
    done = envforge("synth-tasks", "--env", "all", "--count", "3", "--processes", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 admitted of" in done.stdout
    lines = (tmp_path / "tasks" / "lighthouses" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["intent"]["source"] for line in lines} == {"grammar", "walk"}
    nothing = envforge("synth-tasks", "--difficulty", "5", "--count", "3", "--processes", "1", cwd=tmp_path)
    assert nothing.returncode == 1, nothing.stdout + nothing.stderr
    assert "no tasks: no candidate passed every gate" in nothing.stdout and "level" in nothing.stdout
    assert len((tmp_path / "tasks" / "lighthouses" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()) == 3
