"""How a row came into the state that it is in: a way through the lifecycle that its own times allow."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from envforge.core.contracts import Row
from envforge.core.records.archetype import Lifecycle
from envforge.core.records.derived import AFTER, BEFORE, ENTRY, WHEN, WHO, Elsewhere, History
from envforge.core.times import moment, timestamp

_LONGEST = timedelta(days=10)
"""Within which a row goes on from a state of which no time is known."""


@dataclass(frozen=True)
class Change:
    """One entry of a history: the state from then on."""

    state: str
    at: str


class Lives:
    """The ways of the rows of one table. The same row and stream give the same way."""

    def __init__(self, history: History, life: Lifecycle, clock: str, rows: Mapping[str, Sequence[Row]]) -> None:
        self._history, self._life, self._clock = history, life, clock
        places = {state: place for state, place in history.milestones.items() if isinstance(place, Elsewhere)}
        self._elsewhere = {state: _times_of(place, rows.get(place.table, ())) for state, place in places.items()}

    def changes(self, row: Row, draws: random.Random) -> list[Change]:
        """All changes of a row, in order: creation first, the present state last, none after the clock."""
        if row[self._history.state] is None:
            return []
        known = self._milestones(row)
        found = [Change(known[0][0], known[0][1])]
        for (state, since), (target, at) in pairwise(known):
            way = [*self._detour(state, draws), *self._way(state, target)]
            end = at or self._end(row, since)
            between = self._times(found[-1].at, end, len(way) - 1, draws)
            last = at or self._times(between[-1] if between else found[-1].at, end, 1, draws)[0]
            found += [Change(one, when) for one, when in zip(way, [*between, last], strict=True)]
        found += self._afterwards(row, found[-1], draws)
        return found

    def _milestones(self, row: Row) -> list[tuple[str, str]]:
        """(state, when the row came into it), in order; an empty time for the present state if that is not known."""
        created, present = str(row[self._history.created]), str(row[self._history.state])
        stamps = self._stamps(row)
        # A state that was left the moment it was reached was none.
        passed = sorted((at, state) for state, at in stamps.items() if state != present and at != stamps.get(present))
        known = [(self._life.initial, created)]
        known += [(state, max(at, created)) for at, state in passed if state != self._life.initial]
        if present != known[-1][0]:
            at = stamps.get(present)
            known.append((present, max(at, known[-1][1]) if at is not None else ""))
        return known

    def _stamps(self, row: Row) -> dict[str, str]:
        """State -> when the row came into it, as far as that is known."""
        found: dict[str, str] = {}
        for state, place in self._history.milestones.items():
            at = row[place] if isinstance(place, str) else self._elsewhere[state].get(row[self._history.key])
            if at is not None:
                found[state] = str(at)
        return found

    def _way(self, state: str, target: str) -> list[str]:
        """The shortest way of transitions between two states, without the first; at once where there is none."""
        before: dict[str, str] = {state: ""}
        waiting = deque([state])
        while waiting:
            here = waiting.popleft()
            if here == target:
                return _traced(before, target)
            for step in self._life.transitions:
                if here in step.source and step.target not in before:
                    before[step.target] = here
                    waiting.append(step.target)
        return [target]

    def _detour(self, state: str, draws: random.Random) -> list[str]:
        """Now and then a row leaves a state and comes back before it goes on."""
        for one in self._history.detours:
            if one.state == state and draws.random() < one.share:
                return [*one.through, state]
        return []

    def _afterwards(self, row: Row, last: Change, draws: random.Random) -> Iterator[Change]:
        """A row may have left the state that it is in, and come back."""
        way = self._detour(last.state, draws)
        times = self._times(last.at, self._end(row, last.at), len(way), draws)
        return (Change(state, at) for state, at in zip(way, times, strict=True))

    def _end(self, row: Row, since: str) -> str:
        """Before when a change lies that no column dates: the latest time stated, else some days on, never later."""
        stated = row[self._history.latest] if self._history.latest else None
        if stated is not None and since < str(stated) <= self._clock:
            return str(stated)
        return min(timestamp(moment(since) + _LONGEST), self._clock)

    @staticmethod
    def _times(since: str, end: str, count: int, draws: random.Random) -> list[str]:
        """So many moments after `since` and not after `end`, in order."""
        span = max(timedelta(), moment(end) - moment(since))
        shares = sorted(0.05 + 0.95 * draws.random() for _ in range(count))
        return [timestamp(moment(since) + span * share) for share in shares]


def _times_of(place: Elsewhere, rows: Sequence[Row]) -> dict[Any, str]:
    """Key of a row -> the first or last time that the rows elsewhere hold."""
    found: dict[Any, str] = {}
    for row in rows:
        at, key = row[place.column], row[place.by]
        if at is not None:
            choose = max if place.pick == "last" else min
            found[key] = choose(found.get(key, str(at)), str(at))
    return found


def _traced(before: dict[str, str], target: str) -> list[str]:
    way = [target]
    while before[way[0]]:
        way.insert(0, before[way[0]])
    return way[1:]


def in_order(changes: Sequence[Change]) -> bool:
    """True if no change lies before the one before, and none changes nothing."""
    return all(one.at <= two.at and one.state != two.state for one, two in pairwise(changes))


def entries_of(history: History, changes: Sequence[Change], row: Row, *, by: Any) -> Iterator[dict[str, Any]]:
    """The rows of the history for one row's changes; whoever acts now has done all but the first."""
    for number, one in enumerate(changes, start=1):
        entry: dict[str, Any] = {
            history.owner: row[history.key],
            ENTRY: number,
            BEFORE: changes[number - 2].state if number > 1 else None,
            AFTER: one.state,
            WHEN: one.at,
        }
        yield entry | ({WHO: by if number > 1 else None} if history.actor else {})
