"""The commands of authors with a model refuse what cannot be asked for: exit code 2, one line, no traceback."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "words without a model": (("synth-tasks", "--author", "mixed"), "--author mixed: needs a model"),
    "a model without words": (("synth-tasks", "--model", "m"), "goes with --author mixed or agent"),
    "tools for nobody": (("extend", "--env", "nowhere", "--model", "m"), "no environment 'nowhere'"),
    "tools under no name": (("extend", "--env", "e", "--model", "m", "--as", "A b"), "'A b' is no id"),
    "hosts of no agent": (
        (
            "mine",
            "--theme",
            "coast",
            "--new",
            "--source",
            "https://coast.example/a.csv",
            "--allow-host",
            "coast.example",
        ),
        "--allow-host: goes with --author agent or mixed",
    ),
    "a judge of nothing": (("judge", "--env", "nowhere", "--model", "m"), "no environment 'nowhere'"),
    "an address of a file": (
        ("judge", "--env", "e", "--model", "m.gguf", "--provider", "local", "--base-url", "http://127.0.0.1:9/v1"),
        "--provider local: --base-url and --extra go with an endpoint",
    ),
}


@pytest.mark.parametrize(("command", "told"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_asked_for(envforge: Run, tmp_path: Path, command: tuple[str, ...], told: str) -> None:
    done = envforge(*command, cwd=tmp_path)
    assert done.returncode == 2 and told in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and "Traceback" not in done.stderr
    assert not any(tmp_path.iterdir())
