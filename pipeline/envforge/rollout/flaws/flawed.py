"""The gold solution with one fault in it: what is skipped, changed, added, cut off or spoiled is said beforehand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envforge.core.errors import ProgramError
from envforge.core.records.mistake import MistakeKind
from envforge.rollout.agents.agent import Action, Agent, Answer, Call, GiveUp, Seen


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Flaw:
    """What differs from the gold solution, by number of its calls (from 0; the number of calls: before the answer)."""

    kind: MistakeKind
    way: str
    """How it was done, in a word or two."""
    skip: Mapping[int, Seen] = field(default_factory=dict[int, Seen])
    """Calls that are not made, and what the agent goes on with instead."""
    change: Callable[[int, Call], Call] = lambda _, call: call
    believe: Mapping[int, Seen] = field(default_factory=dict[int, Seen])
    """After these calls it goes on with this, whatever it saw."""
    before: Mapping[int, Sequence[Call]] = field(default_factory=dict[int, Sequence[Call]])
    """Calls that are made on top, before the one of this number."""
    stop: tuple[int, Action] | None = None
    """The call in whose place the episode ends, and how."""
    cycle: tuple[int, int] | None = None
    """After this many calls, the last so many are repeated for ever."""
    answer: Callable[[Any], Any] = _as_it_is


class FlawedAgent:
    """Plays the gold solution with its flaw. What the gold solution cannot digest makes it give up."""

    def __init__(self, gold: Agent, flaw: Flaw) -> None:
        self.name = f"flawed:{flaw.kind}"
        self._gold, self._flaw = gold, flaw
        self._number = 0
        self._made: list[Call] = []
        self._waiting: list[Call] = []
        self._held: Action | None = None

    def act(self, seen: Seen | None) -> Action:
        """The gold step, or what stands in its place."""
        try:
            return self._act(seen)
        except (ProgramError, LookupError, TypeError) as error:
            return GiveUp(f"lost: {error}")

    def close(self) -> None:
        """Free the gold solution."""
        self._gold.close()

    def _act(self, seen: Seen | None) -> Action:
        flaw = self._flaw
        if flaw.cycle is not None and len(self._made) >= flaw.cycle[0]:
            return self._made[flaw.cycle[0] - flaw.cycle[1] + (len(self._made) - flaw.cycle[0]) % flaw.cycle[1]]
        if self._held is None:
            self._held = self._next(self._told(seen))
            self._waiting = list(flaw.before.get(self._number, ()))
        if self._waiting:
            return self._record(self._waiting.pop(0))
        action, self._held = self._held, None
        if flaw.stop is not None and flaw.stop[0] == self._number:
            return flaw.stop[1]
        if isinstance(action, Call):
            changed = flaw.change(self._number, action)
            self._number += 1
            return self._record(changed)
        return Answer(flaw.answer(action.value)) if isinstance(action, Answer) else action

    def _told(self, seen: Seen | None) -> Seen | None:
        """What the gold solution is told that its last call answered."""
        return self._flaw.believe.get(self._number - 1, seen)

    def _next(self, seen: Seen | None) -> Action:
        """The next gold step that is not skipped."""
        action = self._gold.act(seen)
        while isinstance(action, Call) and self._number in self._flaw.skip:
            believed = self._flaw.skip[self._number]
            self._number += 1
            action = self._gold.act(believed)
        return action

    def _record(self, call: Call) -> Call:
        self._made.append(call)
        return call
