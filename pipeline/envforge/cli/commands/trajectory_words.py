"""Episodes in words for the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from envforge.cli import render
from envforge.core.records.trajectory import Trajectory, Turn

_SHOWN_TEXT = 160


def show_trajectory(trajectory: Trajectory) -> None:
    """What was said and called, how it ended, and what it was worth."""
    say(f"{trajectory.agent} on {trajectory.task_id}, seed {trajectory.seed}\n", bold=True)
    for place, message in enumerate(trajectory.messages):
        if message.role in ("user", "assistant") and message.content and not _told(trajectory, place):
            say(f"{message.role}: {message.content}")
        _turns(trajectory, place)
    if not trajectory.messages:
        _turns(trajectory, None)
    for one in trajectory.malformed:
        say(f"not readable ({one.kind.replace('_', ' ')}): {cut(one.detail)}")
    ending = trajectory.ending.replace("_", " ")
    say(f"\n{ending}{': ' + trajectory.failure if trajectory.failure else ''}")
    say(f"answer {json.dumps(trajectory.answer, ensure_ascii=False)}\n")
    verdict = trajectory.verdict
    if verdict is None:
        say("not scored")
        return
    rows = [(one.id, "passed" if one.passed else "FAILED", one.detail) for one in verdict.checks]
    if rows:
        render.table("Checks", ("check", "verdict", "why"), rows)
    for reason in verdict.reasons:
        say(f"  {reason}")
    score = "none: it could not be scored" if verdict.score is None else f"{verdict.score:g}"
    share = "" if verdict.fraction is None else f" ({verdict.fraction:.0%} of what was asked for)"
    say(f"score {score}{share}")


def _told(trajectory: Trajectory, place: int) -> bool:
    """Results of calls, which stand beside the calls."""
    return trajectory.messages[place].role == "user" and any(turn.message == place - 1 for turn in trajectory.turns)


def _turns(trajectory: Trajectory, place: int | None) -> None:
    for number, turn in enumerate(trajectory.turns, start=1):
        if turn.message == place:
            _turn(number, turn)


def _turn(number: int, turn: Turn) -> None:
    say(f"{number:4} {call_words(turn.tool, turn.arguments)}")
    seen = turn.observation.get("result", turn.observation.get("error"))
    say(f"     {'→' if turn.ok else '✗'} {cut(json.dumps(seen, ensure_ascii=False))}")
    for line in changed_words(turn.changed or {}):
        say(f"       {line}")


def changed_words(changed: Mapping[str, Any]) -> Iterator[str]:
    """What a call changed, a line for each table and document."""
    for name, found in changed.get("tables", {}).items():
        counts = [f"{len(found[kind])} {kind}" for kind in ("inserted", "updated", "deleted") if found.get(kind)]
        yield f"* {name}: {', '.join(counts)}"
    for document in changed.get("documents", ()):
        state = "new" if document["before"] is None else "gone" if document["after"] is None else "changed"
        yield f"* {document['path']}: {state}"


def call_words(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as it is written."""
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return cut(f"{tool}({', '.join(given)})")


def cut(text: str) -> str:
    """One line of it, or nearly."""
    return text if len(text) <= _SHOWN_TEXT else f"{text[: _SHOWN_TEXT - 1]}…"


def say(text: str, *, bold: bool = False) -> None:
    """A line that may hold text of strangers."""
    render.out.print(render.plain(text), markup=False, soft_wrap=True, style="bold" if bold else None)
