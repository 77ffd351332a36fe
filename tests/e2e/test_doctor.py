"""`envforge doctor`: what was tried on this machine, for people and for programs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.world.sandbox.backends import BACKENDS, CHOICE_VARIABLE, UNSAFE_VARIABLE, available_backends
from envforge.world.sandbox.probes import PROBES

Run = Callable[..., "subprocess.CompletedProcess[str]"]
NAMES = ["python", *(probe.name for probe in PROBES)]
SAFE = [name for name in available_backends() if BACKENDS[name].safe]
pytestmark = pytest.mark.skipif(not SAFE, reason="this machine's kernel has no sandbox")


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert not done.stderr
    return json.loads(done.stdout)


def test_the_report_for_people(envforge: Run, tmp_path: Path) -> None:
    done = envforge("doctor", cwd=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[-1] == f"untrusted code can be run here: sandbox '{SAFE[0]}'"
    held = [line.split()[0] for line in lines if "│ held" in line]
    assert [name.split()[0] for name in NAMES] == held
    assert "NOT HELD" not in done.stdout and "not tried" not in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("backend", SAFE)
def test_the_report_for_programs(envforge: Run, tmp_path: Path, backend: str) -> None:
    report = told(envforge("doctor", "--json", cwd=tmp_path, env={CHOICE_VARIABLE: backend}))
    assert report["safe"] is True and report["backend"] == backend and report["problem"] == ""
    assert [finding["name"] for finding in report["probes"]] == NAMES
    assert all(finding["held"] is True for finding in report["probes"])
    assert report["layers"]["seccomp"]["holds"] is True
    assert report["layers"]["net namespace"]["holds"] is (True if backend == "namespaces" else None)
    assert [state["name"] for state in report["backends"]] == list(BACKENDS)
    assert str(tmp_path) in report["machine"]["workspace"]


def test_without_a_kernel_layer_it_says_what_was_done(envforge: Run, tmp_path: Path) -> None:
    """The probes are real: where nothing holds, most of them succeed."""
    done = envforge("doctor", "--json", cwd=tmp_path, env={CHOICE_VARIABLE: "unsafe", UNSAFE_VARIABLE: "1"})
    report = told(done)
    assert done.returncode == 1 and report["safe"] is False and "unsafe" in report["problem"]
    broken = {finding["name"]: finding["told"] for finding in report["probes"] if finding["held"] is False}
    assert {"files", "writing", "network", "programs", "signals", "machine code", "kernel surface"} <= set(broken)
    assert "/etc/passwd" in broken["files"] and "connect to 127.0.0.1" in broken["network"]
    assert {finding["name"] for finding in report["probes"] if finding["held"]} >= {"python", "environment", "limits"}
    assert CHOICE_VARIABLE in report["remedy"]


def test_a_sandbox_that_may_not_be_used(envforge: Run, tmp_path: Path) -> None:
    done = envforge("doctor", cwd=tmp_path, env={CHOICE_VARIABLE: "unsafe", UNSAFE_VARIABLE: ""})
    assert done.returncode == 1
    assert "can NOT be run here" in done.stdout and f"remedy: {CHOICE_VARIABLE}=unsafe" in done.stdout


def test_an_unknown_sandbox(envforge: Run, tmp_path: Path) -> None:
    report = told(envforge("doctor", "--json", cwd=tmp_path, env={CHOICE_VARIABLE: "docker"}))
    assert report["backend"] == "" and "docker" in report["problem"] and report["probes"] == []


def test_quiet_tells_by_its_exit_code(envforge: Run, tmp_path: Path) -> None:
    assert (done := envforge("doctor", "--quiet", cwd=tmp_path)).returncode == 0 and not done.stdout
    worse = envforge("doctor", "--quiet", cwd=tmp_path, env={CHOICE_VARIABLE: "docker"})
    assert worse.returncode == 1 and not worse.stdout
