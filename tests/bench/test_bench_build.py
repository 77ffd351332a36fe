"""Seconds, peak memory and size of a build: notion and airline-booking from the snapshot. Figures, no limits.

Printed as a table by `make bench`. At each change one small build shows that the measuring works.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = [pytest.mark.snapshot, pytest.mark.slow]

LIGHTHOUSES = Path(__file__).parents[1] / "fixtures" / "lighthouses"

# The command line in a process of its own, which says on its last line how much memory it and its workers took.
MEASURED = """
import json, resource, sys
from envforge.cli.main import main
code = 0
try:
    main()
except SystemExit as stop:
    code = stop.code or 0
own, workers = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"own_kib": own, "workers_kib": workers}), file=sys.stderr)
sys.exit(code)
"""


@dataclass(frozen=True)
class Build:
    """What one build took and made."""

    theme: str
    until: str
    seconds: float
    megabytes: float
    environment: dict[str, Any]

    def line(self) -> str:
        """One line of the table."""
        kinds = cast("dict[str, int]", self.environment["kinds"])
        total = sum(kinds.values())
        shares = "  ".join(f"{kinds.get(kind, 0) / total:>8.1%}" for kind in ("mined", "derived", "synthetic"))
        return (
            f"{self.theme:<16} {self.until:<10} {self.seconds:>8.1f} {self.megabytes:>9.0f} {total:>8,} "
            f"{len(self.environment['tools']):>6}  {shares}"
        )


HEADER = (
    f"{'theme':<16} {'until':<10} {'seconds':>8} {'peak MiB':>9} {'rows':>8} {'tools':>6}  "
    f"{'mined':>8}  {'derived':>8}  {'synth.':>8}"
)


@pytest.fixture(scope="module")
def table() -> Iterator[list[Build]]:
    """Collects the builds and prints them at the end."""
    builds: list[Build] = []
    yield builds
    if builds:
        sys.stdout.write("\n\n" + "\n".join([HEADER, *(build.line() for build in builds)]) + "\n")


def _build(theme: str, until: str, snapshot: Path, workspace: Path) -> Build:
    source = ["--new", "--source", f"file:{LIGHTHOUSES}"] if theme == LIGHTHOUSES.name else []
    command = ["mine", "--theme", theme, *source, "--snapshot", str(snapshot), "--until", until, "--json"]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command],
        cwd=workspace,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    assert done.stdout, done.stderr
    memory = json.loads(done.stderr.strip().splitlines()[-1])
    peak = max(memory["own_kib"], memory["workers_kib"]) / 1024
    return Build(theme, until, seconds, peak, json.loads(done.stdout)["environments"][0])


@pytest.mark.parametrize(
    ("theme", "until"),
    [
        (LIGHTHOUSES.name, "tools"),
        *(
            pytest.param(theme, until, marks=pytest.mark.whole)
            for theme in ("notion", "airline-booking")
            for until in ("tools", "certified")
        ),
    ],
)
def test_build(
    benchmark: BenchmarkFixture, theme: str, until: str, snapshot: Path, tmp_path: Path, table: list[Build]
) -> None:
    pedantic = cast("Any", benchmark.pedantic)  # it has no types
    build = cast("Build", pedantic(_build, args=(theme, until, snapshot, tmp_path), rounds=1, iterations=1))
    table.append(build)
    assert sum(build.environment["rows"].values()) == sum(build.environment["kinds"].values())
    assert build.environment["tools"]
