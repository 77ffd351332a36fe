"""Measures envforge and its peers on the toy, one after the other, and prints one table with ratios.

    python benchmarks/peers/run.py [SUBJECT …] [--base SUBJECT] [--json FILE] [--quick]

A peer whose virtual environment is missing is skipped, and the table says so: benchmarks/peers/prepare.py makes them.
Exit code 1 when a step of a subject failed, 2 when nothing could be measured.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from benchmarks.peers.memory import descendants  # noqa: E402
from benchmarks.peers.prepare import WORK, NotPrepared, interpreter, make_toy  # noqa: E402
from benchmarks.peers.report import Figures, Results, failed, names, ratios, remarks, tables  # noqa: E402
from rich.console import Console  # noqa: E402

QUICK = {"starts": 1, "openings": 5, "resets": 5, "seconds": 2.0, "call_seconds": 1.0, "load_seconds": 1.0}
"""For a look whether all of it works."""
WIDTH = 170
"""Characters that the tables need."""


@dataclass(frozen=True)
class Subject:
    """What is measured: a module that has `peer`, in the interpreter of a peer or, without one, in ours."""

    module: str
    peer: str | None = None
    package: str = "envforge"


SUBJECTS: dict[str, Subject] = {
    "pool": Subject("ours:pool"),
    "shared": Subject("ours:shared"),
    "session": Subject("ours:session"),
    "serve": Subject("ours_served:mcp"),
    "serve-plain": Subject("ours_served:plain"),
    "awm": Subject("served.awm_peer", "awm", "fastapi-mcp"),
    "openenv": Subject("served.openenv_peer", "openenv", "openenv"),
    "mcp": Subject("served.mcp_peer", "mcp", "mcp"),
    "fastmcp": Subject("served.fastmcp_peer", "fastmcp", "fastmcp"),
    "verifiers": Subject("served.verifiers_peer", "verifiers", "verifiers"),
}
SERVED = "serve"
"""Ours that goes the way most peers go."""
OURS = tuple(name for name, subject in SUBJECTS.items() if subject.peer is None)


def measured(subject: Subject, work: Path, plan: dict[str, object], limit: float) -> Figures:
    """The figures of one subject, from a process of its own."""
    python = Path(sys.executable) if subject.peer is None else interpreter(subject.peer, work)
    if not python.exists():
        return {"skipped": f"{subject.peer} is not installed; run benchmarks/peers/prepare.py {subject.peer}"}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(python), "-m", "benchmarks.peers.drive", subject.module, str(work), str(report)]
        said, code = ran([*command, json.dumps(plan)], limit)
        figures: Figures = json.loads(report.read_text(encoding="utf-8")) if report.is_file() else {"failed": {}}
    if code != 0:
        ended = f"ran longer than {limit:.0f} s" if code is None else f"ended with {code}"
        figures["failed"]["drive"] = f"{ended}; the last it said: {said[-600:].strip()}"
    return {**figures, "version": _version(python, subject.package)}


def ran(command: list[str], limit: float) -> tuple[str, int | None]:
    """What a driver said and its exit code, None when it ran too long; it ends with all that it started."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "pipeline")])}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        _, said = process.communicate(timeout=limit)
        return said, process.returncode
    except subprocess.TimeoutExpired:
        # Servers have sessions of their own, so that they outlive a careless driver: each is ended by its id.
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        for pid in (process.pid, *started):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return process.communicate()[1], None


def _version(python: Path, package: str) -> str:
    ask = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    given = _parsed(arguments)
    console, work = Console(width=max(WIDTH, Console().width)), WORK
    try:
        make_toy(work)
    except NotPrepared as error:
        console.print(f"The toy could not be made: {error}", style="red", markup=False)
        return 2
    plan: dict[str, object] = dict(QUICK) if given.quick else {}
    results: Results = {}
    for name in given.subjects or SUBJECTS:
        begun = time.perf_counter()
        results[name] = measured(SUBJECTS[name], work, plan, given.limit)
        console.print(f"{name}: {time.perf_counter() - begun:.0f} s", style="dim")
    there = {name: figures for name, figures in results.items() if "over" in figures}
    bases = list(dict.fromkeys([given.base, SERVED]))
    for drawn in tables(there, bases) if there else ():
        console.print(drawn)
    for remark in remarks(results):
        console.print(remark, markup=False, highlight=False)
    if given.json is not None:
        compared = {base: ratios(there, base) for base in bases}
        document = {"machine": _machine(), "results": results, "ratios": compared}
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if not there:
        return 2
    return 1 if failed(results) else 0


def _machine() -> dict[str, object]:
    return {"cores": len(os.sched_getaffinity(0)), "python": platform.python_version(), "system": platform.system()}


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"of {names(SUBJECTS)} (default: all)")
    parser.add_argument("--base", default="pool", choices=OURS, help="whose figures are 1 (default: pool)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures and ratios there")
    parser.add_argument("--quick", action="store_true", help="few repetitions, to see that all of it works")
    parser.add_argument("--limit", type=float, default=240, help="seconds for one subject (default: 240)")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.subjects) - set(SUBJECTS))
    if unknown:
        parser.error(f"unknown subject {unknown[0]!r}: there are {names(SUBJECTS)}")
    return given


if __name__ == "__main__":
    sys.exit(main())
