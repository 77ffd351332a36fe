"""The moments of a row: when it came to be, what happened to it since, and what lies ahead."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from envforge.core.records.domain import Column
from envforge.core.records.shape import RowShape, ValueRule
from envforge.core.times import moment, timestamp
from envforge.mine.scenario.functions import Draws
from envforge.mine.shapes.reading import ColumnPlan

PAST = (0, 1, 2, 3, 4)
DUE, BEGINS, ENDS, UPDATED, AHEAD = 5, 6, 7, 8, 9
_FINAL, _FAILED, _GONE, _YOUNG = "done", "failed", "gone", frozenset({"draft", "moving"})


class Life:
    """Draws the moments of the rows of one table, in order within each row and none of the past after the clock."""

    def __init__(self, shape: RowShape, clock: str, stream: random.Random) -> None:
        self._shape, self._clock, self._stream = shape, clock, stream
        self._draws = Draws(stream)
        self._turns: dict[float, float] = {}

    def born(self, after: str | None, *, early: bool) -> str:
        """When a row came to be: after all it refers to. What others refer to is older than what does not."""
        start = after or timestamp(moment(self._clock) - timedelta(days=self._shape.days))
        span = (moment(self._clock) - moment(start)).total_seconds() - 3600
        if span <= 0:
            return start
        u = self._stream.random()
        share = u**1.6 * 0.75 if early else u**0.7
        first = timestamp(moment(start) + timedelta(seconds=span * share))
        last = min(timestamp(moment(first) + timedelta(days=4)), timestamp(moment(self._clock) - timedelta(hours=1)))
        return self._draws.work_time(first, max(first, last))

    def moments(self, plans: Sequence[ColumnPlan], born: str, phase: str) -> dict[str, Any]:
        """The moment of every column in `plans`, for a row born then that is now in `phase` ("": no state)."""
        found: dict[str, str | None] = {}
        reached = born
        steps = [plan for plan in plans if _rule(plan).place in PAST]
        for plan in sorted(steps, key=lambda plan: _rule(plan).place):
            value = self._step(plan, born, reached, phase)
            found[plan.name] = value
            reached = max(reached, value) if value else reached
        due = self._due(born, phase)
        dues = [plan for plan in plans if _rule(plan).place == DUE]
        for plan in plans:
            place = _rule(plan).place
            if place == UPDATED:
                found[plan.name] = self._since(reached)
            elif place == BEGINS:
                found[plan.name] = self._draws.between(born, max(born, due)) if dues else self._ahead(born, -30, 60)
            elif place in {DUE, AHEAD}:
                drawn = due if place == DUE else self._ahead(born, -45, 240)
                empty = plan.column.nullable and self._even(0.7548776662) > _rule(plan).share
                found[plan.name] = None if empty else drawn
        begun = next((found[plan.name] for plan in plans if _rule(plan).place == BEGINS), None)
        for plan in plans:
            if _rule(plan).place == ENDS:
                found[plan.name] = self._end(begun or self._ahead(born, -30, 60), plan.column)
        return {plan.name: stored_moment(found[plan.name], plan.column, self._shape) for plan in plans}

    def _step(self, plan: ColumnPlan, born: str, reached: str, phase: str) -> str | None:
        rule, column = _rule(plan), plan.column
        if rule.place == 0:
            return born
        if column.nullable and not self._happened(rule, phase):
            return None
        return self._since(reached, fast=rule.place == 1)

    def _happened(self, rule: ValueRule, phase: str) -> bool:
        draw = self._stream.random()
        if rule.place == 4:
            return phase in {_FAILED, _GONE} if phase else draw < rule.share
        if rule.place == 3:
            return phase in {_FINAL, _GONE} if phase else draw < 0.5
        return phase not in _YOUNG if phase else draw < rule.share * 0.8

    def _since(self, reached: str, *, fast: bool = False) -> str:
        """A later moment, mostly soon, never after the clock."""
        left = (moment(self._clock) - moment(reached)).total_seconds()
        if left <= 60:
            return reached
        longest = min(left, 3600 if fast else 120 * 86400)
        return timestamp(moment(reached) + timedelta(seconds=int(longest * self._stream.random() ** 2)))

    def _ahead(self, born: str, first: int, last: int) -> str:
        """A day from `first` to `last` days after the clock; taken together the rows cover the span evenly."""
        day = first + int((last - first) * self._even(0.6180339887))
        found = moment(self._clock) + timedelta(days=day, minutes=15 * self._stream.randint(0, 40))
        return timestamp(max(found, moment(born)))

    def _even(self, step: float) -> float:
        """The next number of an even sequence in [0, 1): shares by it differ little from seed to seed."""
        self._turns[step] = (self._turns.get(step, self._stream.random()) + step) % 1
        return self._turns[step]

    def _due(self, born: str, phase: str) -> str:
        """What is over was due some weeks after it began; what is open is due about now, and a few are late."""
        open_now = phase in {"active", "draft", "moving", "paused"} and self._stream.random() < 0.7
        if open_now:
            return self._ahead(born, -20, 75)
        days = self._stream.choice((7, 14, 14, 30, 30, 45, 60))
        return timestamp(moment(born) + timedelta(days=days))

    def _end(self, begun: str, column: Column) -> str:
        if column.type == "date":
            return timestamp(moment(begun) + timedelta(days=self._stream.choice((1, 2, 5, 14, 30, 90))))
        return timestamp(moment(begun) + timedelta(minutes=self._stream.choice((30, 45, 60, 60, 90, 120, 480))))


def stored_moment(value: str | None, column: Column, shape: RowShape) -> Any:
    """A moment as the column holds it: timestamp, date, or seconds (thousandths) since 1970."""
    if value is None:
        return None
    if column.type == "integer":
        seconds = int(moment(value).timestamp())
        said = column.description.lower()
        return seconds * 1000 if any(piece in said for piece in shape.signs.milli_said) else seconds
    return value[:10] if column.type == "date" else value


def ordered_columns(plans: Sequence[ColumnPlan]) -> tuple[str, ...]:
    """The timestamps of a life in the order that every row keeps: creation, steps, the last change."""
    steps = [plan for plan in plans if plan.column.type == "timestamp" and _rule(plan).place in (*PAST, UPDATED)]
    seen: dict[int, str] = {}
    for plan in sorted(steps, key=lambda plan: _rule(plan).place):
        seen.setdefault(_rule(plan).place, plan.name)
    return tuple(seen.values())


def _rule(plan: ColumnPlan) -> ValueRule:
    assert plan.rule is not None
    return plan.rule
