"""Faults that stand between a program and its environment: a call is not made, made twice, sent or seen wrongly."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from envforge.gates.atoms import Path, atoms, with_value
from envforge.gates.solutions import Change, Step
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall


class Swapped(Change):
    """Two calls send each other's values."""

    def __init__(self, first: int, second: int, one: Step, two: Step, names: Sequence[str]) -> None:
        self.given = {first: {n: two.arguments[n] for n in names}, second: {n: one.arguments[n] for n in names}}
        self.made = -1

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """By number of the call."""
        self.made += 1
        return call(tool, {**arguments, **self.given.get(self.made, {})})


class AtCall(Change):
    """Changes one call, the `number`-th (from 0): what it sends, whether it is made, what is seen of it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.made = -1

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """Only the one call is changed."""
        self.made += 1
        return self.at(call, tool, arguments) if self.made == self.number else call(tool, arguments)

    def at(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The changed call."""
        raise NotImplementedError


class Skipped(AtCall):
    """Writes from the `number`-th call on are not made, `most` of them; the program sees what it would have seen."""

    def __init__(self, number: int, steps: Sequence[Step], writes: Sequence[int]) -> None:
        super().__init__(number)
        self.steps, self.writes = steps, set(writes)

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """A remembered answer for a write that is skipped."""
        self.made += 1
        if self.made in self.writes and self.made < len(self.steps) and self.steps[self.made].tool == tool:
            return self.steps[self.made].seen
        return call(tool, arguments)


class Twice(AtCall):
    """The call is made twice."""

    def at(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The first answer is seen."""
        seen = call(tool, arguments)
        call(tool, arguments)
        return seen


class Extra(AtCall):
    """Before the `number`-th call another one is made: the first of `calls` that succeeds."""

    def __init__(self, number: int, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        super().__init__(number)
        self.calls = calls

    def at(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The program does not see its answer."""
        for other, given in self.calls:
            if call(other, given).ok:
                break
        return call(tool, arguments)


class Undone(Change):
    """When all is done, one more call is made: the first of `calls` that succeeds."""

    def __init__(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        self.calls = calls

    def finish(self, call: ToolCall) -> None:
        """The program does not see it."""
        for tool, arguments in self.calls:
            if call(tool, arguments).ok:
                return


class Sent(AtCall):
    """The call sends another value at one place: the first of `others` that is not refused."""

    def __init__(self, number: int, path: Path, others: Sequence[Any]) -> None:
        super().__init__(number)
        self.path, self.others = path, others

    def at(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """What is refused leaves no trace; the last refusal is seen if all are."""
        seen: Observation | None = None
        for other in self.others:
            seen = call(tool, with_value(arguments, self.path, other))
            if seen.ok:
                break
        return seen or call(tool, arguments)


class Misread(AtCall):
    """The program sees something else than the call answered."""

    def __init__(self, number: int, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        super().__init__(number)
        self.changed = changed

    def at(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """Errors are seen as they are."""
        seen = call(tool, arguments)
        return seen if seen.result is None else dataclasses.replace(seen, result=self.changed(seen.result))


class Replaced(Change):
    """Wherever calls send one value, another one is sent: the first of `others` that the first call does not refuse."""

    def __init__(self, value: Any, others: Sequence[Any]) -> None:
        self.value, self.others = value, list(others)
        self.chosen: Any = None

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The whole episode works on the other entity."""
        if self.chosen is not None:
            return call(tool, _replaced(arguments, self.value, self.chosen))
        seen: Observation | None = None
        for other in self.others:
            changed = _replaced(arguments, self.value, other)
            if changed == arguments:
                return call(tool, arguments)
            self.chosen = other
            seen = call(tool, changed)
            if seen.ok:
                break
        return seen or call(tool, arguments)


def _replaced(value: Any, old: Any, new: Any) -> Any:
    for path, found in list(atoms(value)):
        if type(found) is type(old) and found == old:
            value = with_value(value, path, new)
    return value
