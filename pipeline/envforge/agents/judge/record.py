"""A trajectory as a judge reads it: the task, each call with what came of it, the answer; bounded, and data only."""

from __future__ import annotations

import json
from typing import Any

from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory, Turn

MOST_TURNS = 24
"""Of a longer episode the first and the last turns are shown."""
SHOWN = 400
"""Signs of an argument list or of an observation."""


def record_text(task: Task, trajectory: Trajectory) -> str:
    """The words that are shown."""
    return f"TASK\n{task.instruction}\n\nCALLS\n{_calls(trajectory)}\n\nFINAL ANSWER\n{_answer(trajectory)}"


def shows(quote: str, trajectory: Trajectory) -> bool:
    """Whether a quotation occurs in what was done. The words of the task say what was wanted, not that it came."""
    return any(stands_in(quote, text) for text in (_calls(trajectory), _answer(trajectory)))


def stands_in(quote: str, text: str) -> bool:
    """Whether a quotation occurs, spaces and case aside. Less than three signs show nothing."""
    wanted = _plain(quote)
    return len(wanted) > 2 and wanted in _plain(text)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _calls(trajectory: Trajectory) -> str:
    turns = list(enumerate(trajectory.turns, start=1))
    if not turns:
        return "(none)"
    if len(turns) <= MOST_TURNS:
        return "\n".join(_turn(number, turn) for number, turn in turns)
    half = MOST_TURNS // 2
    left_out = f"({len(turns) - 2 * half} calls are left out here)"
    shown = [_turn(number, turn) for number, turn in turns]
    return "\n".join([*shown[:half], left_out, *shown[-half:]])


def _turn(number: int, turn: Turn) -> str:
    came = "answered" if turn.ok else "REFUSED"
    return f"{number}. {turn.tool}({_short(turn.arguments)}) {came} {_short(turn.observation)}"


def _answer(trajectory: Trajectory) -> str:
    if trajectory.ending == "answered":
        return _short(trajectory.answer)
    return f"(none: {trajectory.ending.replace('_', ' ')})"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
