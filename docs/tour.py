"""Writes docs/tour.md: runs the command line on two themes and keeps what it printed.

python docs/tour.py SNAPSHOT_FOLDER
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HEAD = """# A tour

Everything below is what the program printed, in a fresh workspace; `python docs/tour.py SNAPSHOT` writes this page
again. The sources come from a snapshot folder; without `--snapshot` they come from the package registries.
"""
STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "A workspace of documents and tasks, from a specification without rows",
        (
            "mine --theme notion --snapshot SNAPSHOT",
            "show notion",
            "show notion --tool move_page",
            "show notion --table users --rows 5",
            "call notion search query=heron page_size=3",
            "call notion query_data_source data_source_id={tasks} page_size=2 "
            '\'filter={"and": [{"property": "Status", "equals": "Blocked"}]}\'',
            "call notion create_comment parent_page_id={page} 'text=Is this still the plan?'",
            "call notion retrieve_page page_id=no-such-page",
            "synth-tasks --env notion --count 100",
            "tasks show notion {task:notion}",
        ),
    ),
    (
        "An airline's reservations, from rows without operations",
        (
            "mine --theme airline-booking --snapshot SNAPSHOT",
            "show airline-booking",
            "show airline-booking --tool check_in",
            "show airline-booking --table flights --rows 3",
            "show airline-booking --provenance airports EWR",
            "call airline-booking search_flights origin=EWR destination=MCO date=2013-01-17 page_size=2",
            "call airline-booking get_booking locator={booking}",
            "call airline-booking cancel_booking locator={booking}",
            "check airline-booking",
            "synth-tasks --env airline-booking --count 100",
            "tasks show airline-booking {task:airline-booking}",
        ),
    ),
)


def main(snapshot: str) -> None:
    """Run all steps and write the page."""
    with tempfile.TemporaryDirectory() as workspace:
        parts = [HEAD]
        for title, commands in STEPS:
            parts.append(f"## {title}\n")
            for command in commands:
                parts.append(_step(command, snapshot, workspace))
            parts += _instructions(Path(workspace) / "tasks" / commands[0].split()[2])
    Path(__file__).with_name("tour.md").write_text("\n".join(parts), encoding="utf-8")


def _step(command: str, snapshot: str, workspace: str) -> str:
    filled = re.sub(r"\{task:([\w-]+)\}", lambda match: _tasks(Path(workspace) / "tasks" / match[1])[0]["id"], command)
    for name, (table, where) in LOOKUPS.items():
        if f"{{{name}}}" in filled:
            filled = filled.replace(f"{{{name}}}", _key(workspace, table, where))
    arguments = [snapshot if part == "SNAPSHOT" else part for part in shlex.split(filled)]
    done = subprocess.run(
        [sys.executable, "-m", "envforge.cli.main", *arguments, "--workspace", workspace],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "118"},
    )
    lines = [line.rstrip() for line in (done.stdout + done.stderr).replace(workspace, "WORKSPACE").splitlines()]
    shown = "\n".join(lines if len(lines) <= MOST else [*lines[: MOST - 10], "  …", *lines[-9:]])
    return f"```console\n$ envforge {filled}\n{shown.strip()}\n```\n"


def _tasks(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "tasks.jsonl").read_text(encoding="utf-8").splitlines()]


def _instructions(folder: Path) -> list[str]:
    """The first ten tasks of each kind, as they are asked."""
    parts: list[str] = []
    for kind in ("program", "graph"):
        found = [task for task in _tasks(folder) if task["kind"] == kind][:TASKS]
        parts += [f"Tasks of kind {kind}:\n"] if found else []
        for task in found:
            level = task["difficulty"]["level"]
            parts.append(f"- *{task['intent']['family']}, level {level}*: {task['instruction']}")
        parts.append("")
    return parts


TASKS = 10
MOST = 90
LOOKUPS = {
    "tasks": ("notion/data/data_sources.csv", "Tasks"),
    "page": ("notion/data/pages.csv", "Holidays"),
    "booking": ("airline-booking/data/tickets.csv", "FLEX,booked"),
}


def _key(workspace: str, table: str, text: str) -> str:
    """The first UUID or locator of the first row that holds `text`."""
    path = Path(workspace) / "environments" / table
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    row = next(row for row in rows if text in row)
    place = header.split(",").index("locator") if "locator" in header else 0
    return row.split(",")[place]


if __name__ == "__main__":
    main(sys.argv[1])
