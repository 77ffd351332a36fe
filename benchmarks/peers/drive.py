"""Measures one peer, in that peer's interpreter: `python -m benchmarks.peers.drive SUBJECT WORK REPORT [PLAN]`."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
from pathlib import Path

from benchmarks.peers.measure import Figures, Plan, measure
from benchmarks.peers.script import Rows

ROOT = Path(__file__).resolve().parents[2]


def main(subject: str, work: str, report: str, plan: str = "{}") -> None:
    """Write the figures of a subject (`served.mcp_peer`, `ours:shared`) as JSON."""
    # Servers are started in other folders too, and are modules of this package.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    name, _, variant = subject.partition(":")
    module = importlib.import_module(f"benchmarks.peers.{name}")
    folder = Path(work)
    (folder / "logs").mkdir(exist_ok=True)
    rows = Rows()
    made = (folder, variant) if variant else (folder,)

    def tell(step: str, figures: Figures) -> None:
        """Say how far it is, and keep what there is: a driver that is ended has not measured for nothing."""
        sys.stderr.write(f"{step}\n")
        sys.stderr.flush()
        _write(Path(report), figures)

    _write(Path(report), asyncio.run(measure(lambda: module.peer(*made), _plan(plan), rows, tell=tell)))


def _write(path: Path, figures: Figures) -> None:
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _plan(text: str) -> Plan:
    given = json.loads(text)
    if "clients" in given:
        given["clients"] = tuple(given["clients"])
    return Plan(**given)


if __name__ == "__main__":
    main(*sys.argv[1:])
