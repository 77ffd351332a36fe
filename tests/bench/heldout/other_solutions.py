"""Held-out solutions: sound ways of solving that the gates' alternatives do not use."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from envforge.gates.atoms import lists, with_value
from envforge.gates.solutions import Change, Played, Player
from envforge.synth.paging import paging_of
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall


class Shuffled(Change):
    """Items of reads come in a drawn order."""

    def __init__(self, player: Player, _: Played) -> None:
        self.rng = random.Random(5)
        self.read_only = {tool.name for tool in player.environment.tools if tool.annotations.read_only}

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        seen = call(tool, arguments)
        if seen.result is None or tool not in self.read_only:
            return seen
        result: Any = seen.result
        for path, items in [found for found in lists(result) if len(found[0]) == 1]:
            result = with_value(result, path, self.rng.sample(items, len(items)))
        return dataclasses.replace(seen, result=result)


class OneByOne(Change):
    """Pages of three."""

    def __init__(self, player: Player, _: Played) -> None:
        self.paging = {tool.name: paging_of(tool) for tool in player.environment.tools}

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        paging = self.paging.get(tool)
        if paging is None or not (paging.cursor and paging.size_parameter):
            return call(tool, arguments)
        return call(tool, {**arguments, paging.size_parameter: 3})


class Stumbles(Change):
    """Before each call the same call is made without one of its arguments, and is refused or of no use."""

    def __init__(self, player: Player, _: Played) -> None:
        self.required = {tool.name: list(tool.parameters.get("required", ())) for tool in player.environment.tools}

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        for name in self.required.get(tool, ())[:1]:
            call(tool, {other: value for other, value in arguments.items() if other != name})
        call("no_such_tool", {})
        return call(tool, arguments)


class DrawnOrder(Change):
    """Writes are made when all is read, in a drawn order."""

    def __init__(self, player: Player, gold: Played) -> None:
        self.writes = [step for step in gold.steps if step.writes]
        self.kept: list[tuple[str, dict[str, Any]]] = []

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        number = len(self.kept)
        if number < len(self.writes) and self.writes[number].tool == tool:
            self.kept.append((tool, arguments))
            return self.writes[number].seen
        return call(tool, arguments)

    def finish(self, call: ToolCall) -> None:
        for tool, arguments in random.Random(3).sample(self.kept, len(self.kept)):
            call(tool, arguments)


class LooksAfterwards(Change):
    """After each write everything is looked at again."""

    def __init__(self, player: Player, _: Played) -> None:
        self.read_only = {tool.name for tool in player.environment.tools if tool.annotations.read_only}
        self.reads: list[tuple[str, dict[str, Any]]] = []

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        seen = call(tool, arguments)
        if tool in self.read_only:
            self.reads.append((tool, arguments))
        else:
            for name, given in self.reads[-5:]:
                call(name, given)
        return seen


WAYS: Mapping[str, Callable[[Player, Played], Change]] = {
    "shuffled": Shuffled,
    "pages of three": OneByOne,
    "stumbles": Stumbles,
    "drawn order": DrawnOrder,
    "looks afterwards": LooksAfterwards,
}


def other_answers(answer: Any, matches: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """The same answer written otherwise: other order of fields and sets, whole numbers as reals, words in capitals."""
    if not isinstance(answer, dict) or not answer:
        return
    fields = cast("dict[str, Any]", answer)
    yield "fields in another order", dict(reversed(fields.items()))
    for name, value in fields.items():
        if isinstance(value, int) and not isinstance(value, bool):
            yield f"{name} as a real", {**fields, name: float(value)}
        if isinstance(value, list) and matches[name] == "set":
            yield f"{name} turned", {**fields, name: list(reversed(cast("list[Any]", value)))}
        if isinstance(value, str) and matches[name] == "normalised_text":
            yield f"{name} in capitals", {**fields, name: f" {value.upper()} "}
