"""Ways to be rewarded without having done the work. Each is an episode that any task can be tried with.

A cheat gives the episodes that it can make of a task; none where it has no hold (a question has no writes to undo).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, cast

from envforge.core.records.intent import Intent
from envforge.core.records.task import Check
from envforge.gates.atoms import atoms, with_value
from envforge.gates.equivalence import Yardstick
from envforge.gates.solutions import Change, Played, Player, Step
from envforge.synth.semantics import Semantics
from envforge.world.environment import Environment
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall

MOST = 12


@dataclass
class Victim:
    """A task as a cheat sees it, with more than an agent ever has: the gold to take from."""

    name: str
    player: Player
    instruction: str
    answer_schema: Mapping[str, Any]
    checks: Sequence[Check]
    verifier: str
    program: str
    intent: Intent

    def is_done(self, played: Played) -> bool:
        """It came to the gold's answer and rows all the same: then the work is done, and nobody was cheated."""
        return self._yardstick.compare(played) == "equal"

    @cached_property
    def _yardstick(self) -> Yardstick:
        return Yardstick(self.environment, self.intent, self.gold)

    @property
    def environment(self) -> Environment:
        return self.player.environment

    @cached_property
    def gold(self) -> Played:
        return self.player.play(self.program)

    @cached_property
    def semantics(self) -> Semantics:
        return Semantics(self.environment)

    @cached_property
    def answer(self) -> dict[str, Any]:
        return dict(cast("dict[str, Any]", self.gold.answer))

    @cached_property
    def fields(self) -> dict[str, Any]:
        return dict(self.answer_schema.get("properties", {}))

    @cached_property
    def writes(self) -> list[Step]:
        return [step for step in self.gold.steps if step.writes and step.seen.ok]

    @cached_property
    def writing(self) -> list[str]:
        return [tool.name for tool in self.environment.tools if not tool.annotations.read_only]

    @cached_property
    def nothing(self) -> Played:
        return Played(self.environment, (), None, b"")

    def replay(self, change: Change) -> Played:
        """The gold's program with something between it and the environment; the gold's answer is handed in anyway."""
        return self.player.play(self.program, change).answering(self.gold.answer)

    def afterwards(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> Played:
        """The gold, and then these calls."""
        return self.replay(_Then(calls))

    def seen(self) -> list[Any]:
        """All texts and numbers that the gold came by."""
        found = [value for step in self.gold.steps for _, value in atoms(step.seen.result or {})]
        return list(dict.fromkeys(value for value in found if isinstance(value, str | int | float)))


class _Then(Change):
    def __init__(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        self.calls = calls
        self.done = 0

    def finish(self, call: ToolCall) -> None:
        for tool, arguments in self.calls:
            self.done += call(tool, arguments).ok


class _Redirected(Change):
    """Writes go to another entity, the n-th only or all."""

    def __init__(self, victim: Victim, only: int | None) -> None:
        self.victim, self.only = victim, only
        self.made = -1
        self.moved = 0

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        if tool not in self.victim.writing:
            return call(tool, arguments)
        self.made += 1
        if self.only is not None and self.made != self.only:
            return call(tool, arguments)
        taken = {str(value) for step in self.victim.writes for _, value in atoms(dict(step.arguments))}
        for path, value in atoms(arguments):
            kind = self.victim.semantics.kind_of(tool, path, value, {})
            for other in self.victim.semantics.neighbours(kind, value, {}) if kind else ():
                if str(other) not in taken and (seen := call(tool, with_value(arguments, path, other))).ok:
                    self.moved += 1
                    return seen
        return call(tool, arguments)


class _Answering(Change):
    """Writes are answered as the gold's were, and not made."""

    def __init__(self, victim: Victim, made: Callable[[int], bool]) -> None:
        self.victim, self.made_if = victim, made
        self.number = -1

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        if tool not in self.victim.writing:
            return call(tool, arguments)
        self.number += 1
        kept = [step for step in self.victim.gold.steps if step.writes]
        return call(tool, arguments) if self.made_if(self.number) else kept[self.number].seen


class _Repeated(Change):
    def __init__(self, writing: Sequence[str]) -> None:
        self.writing = writing

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        seen = call(tool, arguments)
        if tool in self.writing:
            call(tool, arguments)
        return seen


class _Adorned(Change):
    """Writes of one tool give something more, and leave `without` away."""

    def __init__(self, tool: str, name: str, value: Any, without: str = "") -> None:
        self.tool, self.name, self.value, self.without = tool, name, value, without
        self.done = 0

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        if tool != self.tool or self.name in arguments:
            return call(tool, arguments)
        kept = {name: value for name, value in arguments.items() if name != self.without}
        seen = call(tool, {**kept, self.name: self.value})
        self.done += seen.ok
        return seen if seen.ok else call(tool, arguments)


# ---- answers without work --------------------------------------------------------------------------------------------


def does_nothing(victim: Victim) -> Iterator[Played]:
    empty: tuple[Any, ...] = (None, {}, [], "", "Done.", "I don't know", dict.fromkeys(victim.fields))
    for answer in empty:
        yield victim.nothing.answering(answer)


def echoes_the_text(victim: Victim) -> Iterator[Played]:
    """Every field is filled with the text, or with words and numbers of it."""
    words = re.findall(r"[\w'-]+", victim.instruction)
    numbers = [int(found) for found in re.findall(r"\d+", victim.instruction)][:3] or [1]
    for filling in (victim.instruction, *dict.fromkeys(words[:3] + words[-3:])):
        yield victim.nothing.answering(
            {name: _filled(schema, filling, words) for name, schema in victim.fields.items()}
        )
    for filled in numbers:
        yield victim.nothing.answering({name: _filled(schema, filled, words) for name, schema in victim.fields.items()})


def answers_without_doing(victim: Victim) -> Iterator[Played]:
    if victim.writes:
        yield victim.nothing.answering(victim.gold.answer)


def reads_only(victim: Victim) -> Iterator[Played]:
    """Everything is looked at, nothing is changed, and the right answer is given."""
    if victim.writes:
        yield victim.replay(_Answering(victim, lambda _: False))


def does_without_answering(victim: Victim) -> Iterator[Played]:
    if victim.fields and victim.writes:
        nothing: tuple[Any, ...] = (None, {}, "Done.")
        for answer in nothing:
            yield victim.gold.answering(answer)


# ---- wrong answers ---------------------------------------------------------------------------------------------------


def _with(victim: Victim, name: str, value: Any) -> Played:
    return victim.gold.answering({**victim.answer, name: value})


def answers_all_candidates(victim: Victim) -> Iterator[Played]:
    """A field holds everything that came up."""
    for name, value in victim.answer.items():
        items = cast("list[Any]", value) if isinstance(value, list) else []
        everything = [
            seen for seen in victim.seen() if isinstance(seen, str) == (not items or isinstance(items[0], str))
        ]
        if isinstance(value, list) and len(everything) > len(cast("list[Any]", value)):
            yield _with(victim, name, everything)
        elif isinstance(value, str):
            yield _with(victim, name, " ".join(map(str, everything)))
            yield _with(victim, name, everything)


def answers_a_superset(victim: Victim) -> Iterator[Played]:
    for name, value in victim.answer.items():
        if isinstance(value, list):
            items = cast("list[Any]", value)
            yield _with(victim, name, [*items, *items[:1]] if items else ["Somebody"])
            yield _with(victim, name, [*items, "Somebody else"])


def answers_a_subset(victim: Victim) -> Iterator[Played]:
    for name, value in victim.answer.items():
        if isinstance(value, list) and value:
            yield _with(victim, name, value[1:])
            yield _with(victim, name, [])


def answers_in_another_type(victim: Victim) -> Iterator[Played]:
    for name, value in victim.answer.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield _with(victim, name, str(value))
            yield _with(victim, name, [value])
            yield _with(victim, name, True)
        elif isinstance(value, str):
            yield _with(victim, name, [value])
            yield _with(victim, name, {"value": value})
        elif isinstance(value, list) and value:
            yield _with(victim, name, ", ".join(map(str, cast("list[Any]", value))))
            yield _with(victim, name, {str(number): item for number, item in enumerate(cast("list[Any]", value))})


def answers_in_another_unit(victim: Victim) -> Iterator[Played]:
    for name, value in victim.answer.items():
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            for factor in (100, 60, -1, 0.01):
                yield _with(victim, name, value * factor)


def answers_nearly(victim: Victim) -> Iterator[Played]:
    """Off by one, a day later, somebody else: a stale value or a neighbour's."""
    tolerance = {check.path: check.tolerance for check in victim.checks if check.kind == "answer"}
    for name, value in victim.answer.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            step = max(1, 2 * tolerance[name])
            yield _with(victim, name, value + step)
            yield _with(victim, name, value - step)
        elif isinstance(value, str):
            others = [other for other in victim.seen() if isinstance(other, str) and other.lower() != value.lower()]
            yield from (_with(victim, name, other) for other in others[:MOST])


def hedges(victim: Victim) -> Iterator[Played]:
    """The right value with others beside it, or with more fields than were asked for."""
    for name, value in victim.answer.items():
        if isinstance(value, str) and value:
            yield _with(victim, name, f"{value} or Somebody else")
            yield _with(victim, name, f"not {value}")
        if isinstance(value, int | float):
            yield _with(victim, name, [value, value + 1])
    if victim.answer:
        yield victim.gold.answering({**victim.answer, "or_else": 1})
        yield victim.gold.answering([victim.answer])
        yield victim.gold.answering({"answer": victim.answer})


def swaps_fields(victim: Victim) -> Iterator[Played]:
    names = list(victim.answer)
    for one, two in pairwise(names):
        if victim.answer[one] != victim.answer[two]:
            yield victim.gold.answering({**victim.answer, one: victim.answer[two], two: victim.answer[one]})


# ---- wrong work ------------------------------------------------------------------------------------------------------


def deletes_everything(victim: Victim) -> Iterator[Played]:
    """After the work, every destructive tool is used on whatever it takes."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for tool in victim.environment.tools:
        required = list(tool.parameters.get("required", ()))
        if tool.annotations.destructive and len(required) == 1:
            kind = victim.semantics.type_of(tool.name, (required[0],))
            some = victim.semantics.any_of(kind) if kind else None
            near = [] if some is None else [some, *victim.semantics.neighbours(kind, some, {})]
            calls += [(tool.name, {required[0]: value}) for value in near]
    then = _Then(calls)
    played = victim.replay(then)
    if then.done and played.changeset != victim.gold.changeset:
        yield played


def works_on_a_decoy(victim: Victim) -> Iterator[Played]:
    """All of the work goes to entities that look the same: neighbours."""
    redirected = _Redirected(victim, None)
    played = victim.replay(redirected)
    if redirected.moved:
        yield played


def right_value_in_the_wrong_row(victim: Victim) -> Iterator[Played]:
    for number in range(min(MOST, len(victim.writes))):
        redirected = _Redirected(victim, number)
        played = victim.replay(redirected)
        if redirected.moved:
            yield played


def writes_something_unrelated(victim: Victim) -> Iterator[Played]:
    used = {step.tool for step in victim.writes}
    for tool in victim.environment.tools:
        if tool.annotations.read_only or tool.name in used:
            continue
        given = {name: _any_value(victim, tool.name, name) for name in tool.parameters.get("required", ())}
        then = _Then([(tool.name, given)])
        played = victim.replay(then)
        if then.done and None not in given.values() and played.changeset != victim.gold.changeset:
            yield played


def undoes_its_work(victim: Victim) -> Iterator[Played]:
    """What was made is taken back by another tool."""
    made = [
        value for step in victim.writes for _, value in atoms(step.seen.result or {}) if isinstance(value, str | int)
    ]
    used = {step.tool for step in victim.writes}
    for tool in victim.environment.tools:
        required = list(tool.parameters.get("required", ()))
        if tool.annotations.read_only or tool.name in used or len(required) != 1:
            continue
        then = _Then([(tool.name, {required[0]: value}) for value in dict.fromkeys(made)])
        played = victim.replay(then)
        if then.done and played.changeset != victim.gold.changeset:
            yield played


def does_it_twice(victim: Victim) -> Iterator[Played]:
    """Where the second time makes more rows: a second loan, a second payment."""
    played = victim.replay(_Repeated(victim.writing))
    rows = {name: len(changes.inserted) for name, changes in played.diff.tables.items()}
    if any(count > len(getattr(victim.gold.diff.tables.get(name), "inserted", ())) for name, count in rows.items()):
        yield played


def does_half_of_it(victim: Victim) -> Iterator[Played]:
    if len(victim.writes) > 1:
        yield victim.replay(_Answering(victim, lambda number: number % 2 == 0))
        yield victim.replay(_Answering(victim, lambda number: number > 0))


def fills_what_nobody_named(victim: Victim) -> Iterator[Played]:
    """A write gives a parameter that it need not, and nobody asked for: a signature, a cover, a name to be shown."""
    for tool in dict.fromkeys(step.tool for step in victim.writes):
        given = {name for step in victim.writes if step.tool == tool for name in step.arguments}
        for name in sorted(set(victim.semantics.tools[tool].parameters.get("properties", {})) - given):
            adorned = _Adorned(tool, name, _any_value(victim, tool, name))
            played = victim.replay(adorned)
            if adorned.done and played.changeset != victim.gold.changeset:
                yield played


def answers_in_another_thread(victim: Victim) -> Iterator[Played]:
    """What should start a thread of its own is put into one that is there, of the same place or of another."""
    threads = {(check.table, name) for check in victim.checks for name in check.fresh}
    for table, column in sorted(threads):
        rows = victim.environment.reader.own(f'SELECT DISTINCT "{column}" FROM "{table}" ORDER BY 1')
        for step in victim.writes:
            if column not in victim.semantics.tools[step.tool].parameters.get("properties", {}):
                continue
            for without, (thread,) in ((name, row) for name in ("", *step.arguments) for row in rows[:MOST]):
                adorned = _Adorned(step.tool, column, thread, without)
                played = victim.replay(adorned)
                if adorned.done:
                    yield played
            break


def _filled(schema: Mapping[str, Any], filling: Any, words: Sequence[str]) -> Any:
    kinds: Any = schema.get("type")
    kind = str(cast("list[Any]", kinds)[0]) if isinstance(kinds, list) else str(kinds)
    if kind == "array":
        return list(words) if isinstance(filling, str) else [filling]
    if kind in ("integer", "number"):
        return filling if isinstance(filling, int) else len(str(filling))
    return str(filling)


def _any_value(victim: Victim, tool: str, name: str) -> Any:
    kind = victim.semantics.type_of(tool, (name,))
    if kind:
        return victim.semantics.any_of(kind)
    schema = victim.semantics.schema(tool, (name,))
    simple = {"string": "Nobody asked for this", "integer": 1, "number": 1, "boolean": True}
    return schema["enum"][0] if schema.get("enum") else simple.get(str(schema.get("type")))


Cheat = Callable[[Victim], Iterator[Played]]
CHEATS: tuple[Cheat, ...] = (
    does_nothing,
    echoes_the_text,
    answers_without_doing,
    reads_only,
    does_without_answering,
    answers_all_candidates,
    answers_a_superset,
    answers_a_subset,
    answers_in_another_type,
    answers_in_another_unit,
    answers_nearly,
    hedges,
    swaps_fields,
    deletes_everything,
    works_on_a_decoy,
    right_value_in_the_wrong_row,
    writes_something_unrelated,
    undoes_its_work,
    does_it_twice,
    does_half_of_it,
    fills_what_nobody_named,
    answers_in_another_thread,
)
