"""The report on a machine: when it is safe, and what its facts say."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from envforge.factory import doctor
from envforge.factory.doctor import examine, layers_of, machine_facts, problem_of, processors
from envforge.world.sandbox import backends
from envforge.world.sandbox.features import Features
from envforge.world.sandbox.probes import Finding

HELD = Finding("files", "read", True, "none of 6 attempts succeeded")
BROKEN = Finding("network", "connect", False, "did: connect")
UNTRIED = Finding("signals", "kill", None, "could not be tried")
KERNEL = Features("kernel", (), "the host's", "uid 65534", 7, True, True, ("memory",), True)


def test_safe_is_what_held_when_it_was_tried() -> None:
    assert problem_of("namespaces", (HELD, HELD)) == ""
    assert "network" in problem_of("namespaces", (HELD, BROKEN, UNTRIED))
    assert "could not be tried: signals" in problem_of("namespaces", (HELD, UNTRIED))
    assert "unsafe" in problem_of("unsafe", (HELD,))


def test_layers_left_out_on_purpose_are_not_missing() -> None:
    kernel = {layer.name: layer.holds for layer in layers_of(KERNEL)}
    assert kernel["net namespace"] is None and kernel["root file system"] is None and kernel["seccomp"] is True
    nothing = Features("unsafe", (), "the host's", "uid 65534", 0, False, True, ("memory",), True)
    unsafe = {layer.name: layer.holds for layer in layers_of(nothing)}
    assert unsafe["net namespace"] is False and unsafe["Landlock"] is False and unsafe["seccomp"] is False


def test_a_layer_that_should_be_there_is_missing() -> None:
    poor = Features("namespaces", ("mount", "pid"), "the host's", "uid 0", 0, True, True, (), True)
    layers = {layer.name: layer.holds for layer in layers_of(poor)}
    assert layers["net namespace"] is False and layers["root file system"] is False
    assert layers["Landlock"] is False and layers["user"] is False and layers["limits"] is False
    assert layers["user namespace"] is None


def test_a_machine_without_sandbox_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(backends.UNSAFE_VARIABLE, raising=False)
    monkeypatch.delenv(backends.CHOICE_VARIABLE, raising=False)

    def why_not(name: str) -> str:
        return "" if name == "unsafe" else f"no {name} here"

    monkeypatch.setattr(backends, "why_not", why_not)
    report = examine(tmp_path)
    assert not report.safe and report.backend == "" and report.probes == ()
    assert "no kernel here" in report.problem and "--unsafe" in report.remedy


def test_programs_that_are_there_missing_or_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    programs = {
        "nvidia-smi": "#!/bin/sh\necho 'NVIDIA H200, 143771 MiB'\n",
        "node": "#!/bin/sh\necho broken >&2; exit 3\n",
        "chromium": "#!/bin/sh\n",
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    facts = machine_facts(tmp_path)
    assert facts["GPU"] == "NVIDIA H200, 143771 MiB" and facts["Chromium"] == str(tmp_path / "chromium")
    assert facts["node"] == "broken: broken" and facts["npm"] == "none"


def test_a_workspace_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert machine_facts(tmp_path / "new" / "place")["workspace"].endswith(": writable")
    assert "NOT writable" in machine_facts(Path("/proc/self"))["workspace"]


def test_an_engine_that_is_not_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ENVFORGE_ENGINE", "oracle")
    assert "oracle" in machine_facts(tmp_path)["engine"]
    assert int(machine_facts(tmp_path)["cores"]) == len(os.sched_getaffinity(0))
    assert doctor.machine_facts(tmp_path)["memory"].endswith("GiB")


def test_another_system_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    backends.why_not.cache_clear()
    report = examine(tmp_path)
    backends.why_not.cache_clear()
    assert not report.safe and not report.backend and "WSL 2" in report.remedy
    assert {state.why_not for state in report.backends} == {"it needs Linux, this is darwin"}


def test_processors_are_counted_where_the_system_does_not_tell_whose(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processors() >= 1
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert processors() == 1
