"""Answers that luck would find: what changes nothing must ask for more than a truth value or a small number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from envforge.core.records.environment import GateResult
from envforge.core.records.task import Check
from envforge.gates.gate import number, verdict
from envforge.gates.task_case import TaskCase
from envforge.world.environment import Environment

FILE = "validators/gates/tasks.json"
COIN = 0.5
"""Of a truth value, and of null where something could be."""
PLACES = 10
"""What a number that is not whole could be beside."""
COMPOSED = 100
"""What a text that stands in no column could be: a time that was cut, a name that was put together."""


class NotGuessed:
    """A task without changes is turned down when who never looks has a fair chance of its answer."""

    name = "not_guessed"

    def check(self, case: TaskCase) -> GateResult:
        """The chance of all fields of the answer together; what has to change is not guessed."""
        most = number(case.thresholds, self.name, "most_chance", FILE)
        checks = case.candidate.checks
        if any(check.kind not in ("answer", "unchanged") for check in checks):
            return verdict(self.name, (), measured={"chance": 0.0}, threshold={"most_chance": most})
        luck = _Luck(case.environment, most).answers(check for check in checks if check.kind == "answer")
        chance = min(1.0, luck)
        reasons = [f"a blind answer is right with a chance of {chance:.3f}"] if chance > most else []
        return verdict(self.name, reasons, measured={"chance": round(chance, 4)}, threshold={"most_chance": most})


class _Luck:
    """Chances of values. What is below `enough` is not followed further."""

    def __init__(self, environment: Environment, enough: float) -> None:
        self._environment, self._enough = environment, enough

    def answers(self, checks: Iterable[Check]) -> float:
        """Of all fields together; 1 where nothing is asked."""
        ordered = sorted(checks, key=lambda check: isinstance(check.expect, str | list))  # numbers cost no query
        return self._all(check.expect for check in ordered)

    def _all(self, values: Iterable[Any], chance: float = 1.0) -> float:
        for value in values:
            if chance <= self._enough:
                break
            chance *= self._of(value)
        return chance

    def _of(self, value: Any) -> float:
        if value is None or isinstance(value, bool):
            return COIN
        if isinstance(value, int | float):
            whole = float(value).is_integer()
            return _counted(abs(int(value))) / (1 if whole else PLACES)
        if isinstance(value, str):
            return 1 / (self._choices(value) or COMPOSED)
        if isinstance(value, Mapping):
            return self._all(cast("Mapping[str, Any]", value).values())
        items = cast("Sequence[Any]", value)
        return self._all(items, _counted(len(items)) * (math.factorial(len(items)) if len(items) < PLACES else 1))

    def _choices(self, text: str) -> int:
        """Of the columns that hold the text, the fewest values of one; 0 where none does."""
        found: list[int] = []
        for table in self._environment.template.tables.values():
            for column in (name for name, kind in zip(table.columns, table.types, strict=True) if kind == "TEXT"):
                held = f'SELECT 1 FROM "{table.name}" WHERE "{column}" = ? LIMIT 1'  # noqa: S608
                if self._environment.reader.own(held, (text,)):
                    distinct = f'SELECT count(DISTINCT "{column}") FROM "{table.name}"'  # noqa: S608
                    found.append(int(cast("int", self._environment.reader.own(distinct)[0][0])))
        return min(found, default=0)


def _counted(count: int) -> float:
    """The chance of a count, small ones first: 1/2, 1/6, 1/12, ...; those of all counts add up to 1."""
    return 1 / ((count + 1) * (count + 2))
