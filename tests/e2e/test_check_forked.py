"""check --forked as a command: exit codes, the table, JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
LIBRARY = Path(__file__).parents[1] / "fixtures" / "environments" / "library"
CALLS = '[{"tool": "get_book", "arguments": {"book_id": 101}}]'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with two environments: the library, and one that counts its calls."""
    shutil.copytree(LIBRARY, tmp_path / "environments" / "library")
    counting = tmp_path / "environments" / "counting"
    shutil.copytree(LIBRARY, counting)
    manifest = (counting / "environment.json").read_text(encoding="utf-8")
    (counting / "environment.json").write_text(manifest.replace('"library"', '"counting"', 1), encoding="utf-8")
    text = (counting / "tools.py").read_text(encoding="utf-8")
    text = text.replace('return {"books": rows}', 'return {"books": rows, "calls": _count()}')
    text += "\n\ndef _count(seen=[]):\n    seen.append(1)\n    return len(seen)\n"
    (counting / "tools.py").write_text(text, encoding="utf-8")
    return tmp_path


def test_equal_modes_exit_0(envforge: Run, workspace: Path) -> None:
    done = envforge("check", "library", "--forked", cwd=workspace)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "library: both modes agree" in done.stdout and "unit tests" in done.stdout


def test_different_modes_exit_1_and_name_the_call(envforge: Run, workspace: Path) -> None:
    done = envforge("check", "library", "counting", "--forked", cwd=workspace)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "library: both modes agree" in done.stdout and "counting: the modes do NOT agree" in done.stdout
    assert "(search_books): the answers differ" in done.stdout
    assert "the default of _count's seen is changed by .append()" in done.stdout
    assert envforge("check", "counting", "--forked", "--quiet", cwd=workspace).stdout == ""


def test_as_json(envforge: Run, workspace: Path) -> None:
    done = envforge("check", "counting", "--forked", "--json", cwd=workspace)
    assert done.returncode == 1
    (report,) = json.loads(done.stdout)
    assert report["id"] == "counting" and report["agrees"] is False
    assert report["episodes"]["left_behind"] == ["_count"]
    assert {one["tool"] for one in report["episodes"]["disagreements"]} == {"search_books"}
    assert report["tests"]["shared"]["passed"] == report["tests"]["forked"]["passed"] > 0


def test_recorded_episodes(envforge: Run, workspace: Path) -> None:
    path = workspace / "episodes.jsonl"
    empty = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    path.write_text(f'{{"environment_hash": "", "calls": {CALLS}}}\n', encoding="utf-8")
    options = ("check", "library", "--forked", "--episodes", "episodes.jsonl")
    assert envforge(*options, cwd=workspace).returncode == 0
    path.write_text(f'{{"environment_hash": "", "calls": {CALLS}, "digest": "{empty}"}}\n', encoding="utf-8")
    done = envforge(*options, cwd=workspace)
    assert done.returncode == 1 and "episode 0: recorded changes 44136fa3" in done.stdout


BAD_INPUT = {
    "unknown file": (["library", "--forked", "--episodes", "none.jsonl"], "no such file"),
    "malformed line": (["library", "--forked", "--episodes", "bad.jsonl"], "bad.jsonl: not JSON"),
    "wrong field": (["library", "--forked", "--episodes", "field.jsonl"], "line 1: seed"),
    "another environment": (
        ["library", "--forked", "--episodes", "other.jsonl"],
        "episode 0 is of the environment bbbb",
    ),
    "two environments": (["library", "counting", "--forked", "--episodes", "other.jsonl"], "of one environment"),
    "unknown environment": (["libary", "--forked"], "there are: counting, library"),
    "sample without forked": (["library", "--sample", "3"], "--sample goes with --forked"),
    "episodes without forked": (["library", "--episodes", "other.jsonl"], "--episodes goes with --forked"),
    "write": (["library", "--forked", "--write"], "--write"),
    "no sample": (["library", "--forked", "--sample", "0"], "--sample"),
}


@pytest.mark.parametrize(("options", "word"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_bad_input_exits_2(envforge: Run, workspace: Path, options: list[str], word: str) -> None:
    (workspace / "bad.jsonl").write_text("{\n", encoding="utf-8")
    (workspace / "field.jsonl").write_text(f'{{"environment_hash": "", "seed": "x", "calls": {CALLS}}}\n', "utf-8")
    (workspace / "other.jsonl").write_text(f'{{"environment_hash": "{"b" * 64}", "calls": {CALLS}}}\n', "utf-8")
    done = envforge("check", *options, cwd=workspace)
    assert done.returncode == 2, done.stdout + done.stderr
    assert word in done.stderr and "Traceback" not in done.stderr
