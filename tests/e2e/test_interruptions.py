"""A run that is cut short: Ctrl-C at any stage, a disk that is full. The next run ends as if nothing had happened."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Tree = Callable[[Path], dict[str, bytes]]
FIXTURES = Path(__file__).parents[1] / "fixtures"
MINE = ("mine", "--theme", "lighthouses", "--new", "--source", "file:lighthouses")


@pytest.fixture
def workspace(tmp_path: Path, few_mutants: Callable[[Path], None]) -> Path:
    shutil.copytree(FIXTURES / "lighthouses", tmp_path / "lighthouses")
    few_mutants(tmp_path)
    return tmp_path


def _files(folder: Path, tree: Tree) -> dict[str, bytes]:
    return {path: re.sub(rb'"retrieved_at":"[^"]+"', b"", body) for path, body in tree(folder).items()}


def _stages(workspace: Path) -> list[str]:
    path = next(iter(workspace.glob("runs/*/journal.jsonl")), None)
    if path is None:
        return []
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line)["stage"] for line in lines]


def _wait(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < end, "the stage never came"
        time.sleep(0.01)


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "when the run has begun": lambda w: bool(list(w.glob("runs/*"))),
    "after fetching": lambda w: "fetch" in _stages(w),
    "after inference": lambda w: "infer" in _stages(w),
    "while tools are written": lambda w: bool(list(w.glob("runs/*/scratch/lighthouses/tools.py"))),
    "while gates run": lambda w: bool(list(w.glob("runs/*/scratch/lighthouses/blueprint.json"))),
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS.keys())
def test_ctrl_c(
    moment: Callable[[Path], bool],
    workspace: Path,
    coast: Path,
    envforge: Run,
    tree: Tree,
    child_environment: Callable[[Mapping[str, str]], dict[str, str]],
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "envforge.cli.main", *MINE],
        cwd=workspace,
        env=child_environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of its own: the terminal signals all of a group
    )
    _wait(lambda: moment(workspace), process)
    children = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert "interrupted" in err and "Traceback" not in err
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive, "a worker was left behind"
    assert not list((workspace / "environments").glob("*")) and not list((workspace / "environments").glob(".*"))

    again = envforge(*MINE, "--quiet", cwd=workspace)
    assert again.returncode == 0, again.stderr
    assert _files(workspace / "environments", tree) == _files(coast / "environments", tree)


def _limit(size: int) -> Callable[[], None]:
    def apply() -> None:
        # Writes beyond the size fail, as on a full disk; Python turns the signal into an OSError.
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return apply


@pytest.mark.parametrize("size", [0, 600, 20_000, 22_000, 34_000])
def test_a_full_disk(envforge: Run, workspace: Path, size: int) -> None:
    done = envforge(*MINE, cwd=workspace, env={"TMPDIR": str(workspace)}, preexec_fn=_limit(size))
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and done.stderr.startswith("error (")
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert str(workspace) in done.stderr or "runs" in done.stderr, "the message names no place"
    assert not list((workspace / "environments").glob("*"))


def test_a_full_disk_while_large_files_are_read(
    envforge: Run, tmp_path: Path, few_mutants: Callable[[Path], None]
) -> None:
    few_mutants(tmp_path)
    source = f"file:{FIXTURES / 'ferry'}"
    done = envforge("mine", "--theme", "ferry", "--new", "--source", source, cwd=tmp_path, preexec_fn=_limit(60_000))
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and done.stderr.startswith("error (")
    assert not list((tmp_path / "environments").glob("*"))


@pytest.mark.slow
def test_after_a_full_disk_the_same_command_ends_well(envforge: Run, workspace: Path, coast: Path, tree: Tree) -> None:
    for size in (4_000, 22_000):
        assert envforge(*MINE, "--quiet", cwd=workspace, preexec_fn=_limit(size)).returncode == 2
    done = envforge(*MINE, "--quiet", cwd=workspace)
    assert done.returncode == 0, done.stderr
    assert _files(workspace / "environments", tree) == _files(coast / "environments", tree)


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_environment_whole(envforge: Run, workspace: Path, coast: Path, tree: Tree) -> None:
    shutil.copytree(coast / "environments", workspace / "environments")
    before = tree(workspace / "environments")
    done = envforge(*MINE, "--quiet", "--rounds", "1", cwd=workspace, preexec_fn=_limit(22_000))
    assert done.returncode == 2
    assert tree(workspace / "environments") == before
