"""The probes of a sandbox: they say what was done, and no silence counts as held."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from envforge.core.errors import SandboxError
from envforge.world.sandbox import probes
from envforge.world.sandbox.backends import BACKENDS, UNSAFE_VARIABLE, available_backends
from envforge.world.sandbox.probes import PROBES, Finding, Probe, run_probes

SAFE = [name for name in available_backends() if BACKENDS[name].safe]


def named(findings: tuple[Finding, ...]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


@pytest.mark.parametrize("backend", SAFE)
def test_a_safe_backend_holds_every_probe(backend: str) -> None:
    findings = run_probes(backend)
    assert [finding.held for finding in findings] == [True] * (len(PROBES) + 1)


def test_without_kernel_layers_the_probes_succeed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UNSAFE_VARIABLE, "1")
    found = named(run_probes("unsafe"))
    assert found["files"].held is False and "/etc/passwd" in found["files"].told
    assert found["network"].held is False and found["machine code"].held is False
    assert found["python"].held and found["limits"].held


def test_the_unsafe_backend_is_refused_like_anywhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(UNSAFE_VARIABLE, raising=False)
    with pytest.raises(SandboxError, match="--unsafe"):
        run_probes("unsafe")


@pytest.mark.skipif(not SAFE, reason="this machine's kernel has no sandbox")
@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("1 // 0", "ZeroDivisionError"),
        ("pass", "none of 0"),
        ("out.os._exit(3)", "ended"),
        ("out.ct.string_at(1)", "SIGSEGV"),
    ],
    ids=["breaks", "tries nothing", "ends", "crashes"],
)
def test_what_could_not_be_tried_is_not_held(body: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "PROBES", (Probe("odd", "something odd", body),))
    found = named(run_probes(SAFE[0]))["odd"]
    assert found.held is None and says in found.told


@pytest.mark.skipif(not SAFE, reason="this machine's kernel has no sandbox")
def test_an_environment_that_leaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that the worker does have is reported, so that its silence means something."""
    monkeypatch.setenv("PYTHONUTF8", os.environ.get("PYTHONUTF8", "1"))
    monkeypatch.setattr(probes, "_GIVEN_BY_US", frozenset[str]())
    found = named(run_probes(SAFE[0]))["environment"]
    assert found == replace(found, held=False, told="did: os.environ")
