"""The suite holds for an unprivileged user too: its core is run again as one. Needs root to start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import envforge

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PROGRAM = HERE / "attacks" / "as_nobody.py"
UID = 64999
SLOW = "endless or memory_ or left_behind or patch_ or wait_ or stop_itself or ignore_ or crash or giant or own_guard"
CORE = f"(test_contained and (namespaces- or kernel-) and not ({SLOW})) or test_from_outside or test_layers"
EXPECTED = ("only root sees", "this machine has no")
"""Why a test of the core may be left out there."""


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of that user; the test runner's own ones are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        os.chown(name, UID, UID)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_core_holds_for_an_unprivileged_user(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needed = dict.fromkeys([sys.base_prefix, sys.prefix, str(ROOT), str(Path(envforge.__file__).parents[2])])
    pytest_command = [sys.executable, "-m", "pytest", "-q", "-rs", "-n", "0", "--basetemp", str(home / "t")]
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(UID), ":".join(needed), *pytest_command, str(HERE), "-k", CORE],
        cwd=ROOT,
        env={**kept(), "HOME": str(home), "TMPDIR": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]
    counts = {what: int(number) for number, what in re.findall(r"(\d+) (passed|skipped|failed)", done.stdout)}
    left_out = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    with capsys.disabled():
        sys.stdout.write("\n  ".join([f"\nas uid {UID}: {counts}", *left_out, ""]))
    assert counts["passed"] > 150
    assert all(any(reason in line for reason in EXPECTED) for line in left_out)


def kept() -> dict[str, str]:
    """The environment without what belongs to the test run around this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "XDG_", "ENVFORGE_"))}
