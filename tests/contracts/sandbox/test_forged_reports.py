"""Unit tests run beside the tools they test: hostile tools may forge the report, but never break who reads it.

What such a report says is evidence of honest mistakes only. Nothing that must stand against hostile tools is decided
in a process that has run them (see test_shared_mode.py: verdicts).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import EnvforgeError
from envforge.world.sandbox.limits import Limits
from envforge.world.test_runner import Mutant, run_mutants, run_tests

from .attacks.environment import write_environment

LIMITS = Limits(call_seconds=1.0, test_seconds=1.0, memory_mb=512)
REPORT: dict[str, Any] = {
    "error": "",
    "unknown": [],
    "passed": ["test_a"],
    "failed": [],
    "seconds": 0.1,
    "all": ["test_a"],
}
REPORTS: dict[str, dict[str, Any]] = {
    "empty": {},
    "error_number": {**REPORT, "error": 5},
    "error_list": {**REPORT, "error": [1]},
    "unknown_number": {**REPORT, "unknown": 7},
    "unknown_objects": {**REPORT, "unknown": [{}], "all": [1, None]},
    "unknown_without_all": {**REPORT, "unknown": ["x"], "all": None},
    "passed_number": {**REPORT, "passed": 3},
    "passed_objects": {**REPORT, "passed": [{}, 4]},
    "failed_number": {**REPORT, "failed": 3},
    "failed_short": {**REPORT, "failed": [["a"], "b"]},
    "seconds_text": {**REPORT, "seconds": "long"},
    "seconds_null": {**REPORT, "seconds": None},
    "seconds_infinite": {**REPORT, "seconds": 10**400},
}
VERDICTS: dict[str, dict[str, Any]] = {
    "empty": {},
    "unusable_number": {"unusable": 5},
    "id_missing": {"by": "x", "error": ""},
    "by_list": {"id": "m", "by": ["x"], "error": ""},
    "other_id": {"id": "somebody else's", "by": "test_a", "error": ""},
    "done_at_once": {"done": True},
}
FORGE = """

def _forge():
    kit = _escape()
    kind = type(kit.worker())
    frames = kit.sys.modules[kind.__module__].frames

    def answer(worker, request, blob):
        return frames.pack(kit.load("json").dumps(FORGED))

    kind.on_tests = kind.on_mutants = answer


_forge()
"""


def forging(tmp_path: Path, value: object) -> Path:
    """An environment whose tools answer for the test runner."""
    return write_environment(tmp_path / "library", (), more=FORGE.replace("FORGED", repr(value)))


@pytest.mark.parametrize("name", REPORTS)
def test_a_forged_report(name: str, tmp_path: Path) -> None:
    try:
        report = run_tests(forging(tmp_path, REPORTS[name]), limits=LIMITS)
    except EnvforgeError:
        return
    assert all(isinstance(test, str) for test in report.passed)
    assert all(isinstance(part, str) for failed in report.failed for part in failed)
    json.dumps(report.seconds, allow_nan=False)


@pytest.mark.parametrize("name", VERDICTS)
def test_forged_verdicts_of_mutants(name: str, tmp_path: Path) -> None:
    mutants = [Mutant("m", "", ("test_a",), "x = 1"), Mutant("n", "", ("test_a",), "x = 2")]
    try:
        verdicts = run_mutants(forging(tmp_path, VERDICTS[name]), mutants, limits=LIMITS)
    except EnvforgeError:
        return
    assert [verdict.id for verdict in verdicts] == ["m", "n"]
