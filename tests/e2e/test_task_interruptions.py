"""synth-tasks that is cut short: Ctrl-C, a kill that nobody can catch, a disk that is full."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Tree = Callable[[Path], dict[str, bytes]]
COMMAND = ("synth-tasks", "--env", "ferry", "--count", "12", "--processes", "2")


@pytest.fixture
def workspace(ferry_tasks: Path, tmp_path: Path) -> Path:
    """The inputs of `ferry_tasks`, and what its walks found."""
    for name in ("environments", "validators", "runs"):
        shutil.copytree(ferry_tasks / name, tmp_path / name)
    for log in tmp_path.glob("runs/*/judgements.jsonl"):
        log.unlink()
    return tmp_path


@pytest.fixture
def started(
    workspace: Path, child_environment: Callable[[Mapping[str, str]], dict[str, str]]
) -> Iterator[subprocess.Popen[str]]:
    """The command at work, when its first verdicts are written."""
    process = subprocess.Popen(
        [sys.executable, "-m", "envforge.cli.main", *COMMAND],
        cwd=workspace,
        env=child_environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 240
    while not any(log.stat().st_size for log in workspace.glob("runs/*/judgements.jsonl")):
        assert process.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < end, "no verdict ever came"
        time.sleep(0.05)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill"])
def test_a_run_that_is_stopped(
    number: signal.Signals,
    started: subprocess.Popen[str],
    workspace: Path,
    ferry_tasks: Path,
    envforge: Run,
    tree: Tree,
) -> None:
    children = psutil.Process(started.pid).children(recursive=True)
    if number == signal.SIGINT:
        os.killpg(started.pid, number)  # a terminal signals all of a group
    else:
        started.kill()
    _, err = started.communicate(timeout=60)
    if number == signal.SIGINT:
        assert started.returncode == 130 and "interrupted" in err and "Traceback" not in err, err
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive, "a process was left behind"
    assert not (workspace / "tasks").exists()
    done = envforge(*COMMAND, "--quiet", cwd=workspace, timeout=600)
    assert done.returncode == 0, done.stderr
    assert tree(workspace / "tasks") == tree(ferry_tasks / "tasks")


def _limit(size: int) -> Callable[[], None]:
    def apply() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return apply


@pytest.mark.parametrize("size", [2_000, 100_000], ids=["no room for verdicts", "no room for tasks"])
def test_a_full_disk(envforge: Run, ferry_tasks: Path, workspace: Path, tree: Tree, size: int) -> None:
    if size > 2_000:  # all is judged: what is left is to write
        for log in ferry_tasks.glob("runs/*/judgements.jsonl"):
            shutil.copy(log, workspace / log.relative_to(ferry_tasks))
    done = envforge(*COMMAND, cwd=workspace, preexec_fn=_limit(size), timeout=600)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("error (") and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "free disk space" in done.stderr
    assert not list((workspace / "tasks").glob("*")), "something was left half-written"
