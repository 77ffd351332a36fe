"""A shorter solution than the gold: best-first search over replacements of its reads, under a stated budget.

A state is the gold program with shortcuts around its calls; what costs the fewest calls is looked at first. A state is
sound if the program, played from the initial database, answers and leaves the same as the gold, and does so too when
what a shortcut does not know is told wrongly. What a longer program of other control-flow would do is not searched.
"""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from envforge.core.contracts import TaskCandidate
from envforge.core.ids import canonical_json
from envforge.gates.atoms import atoms, is_telling
from envforge.gates.equivalence import Yardstick
from envforge.gates.solutions import Played, Player, Step
from envforge.synth.dataflow import UNKNOWN
from envforge.synth.literals import literal
from envforge.synth.paging import paging_of
from envforge.synth.semantics import Semantics
from envforge.synth.shorter_moves import Moves, Rows
from envforge.synth.shorter_rules import CountOnly, KnownRows, Rule, program_with, shortcuts_in

MOST_STATES = 40
"""Programs that are tried for one task."""
MOST_CALLS = 400
"""Calls of all that is played for one task."""
_PAGES = 40
"""Of a list that is looked at."""


@dataclass(frozen=True)
class Shorter:
    """What the search found: the program, its episode, and what the search took."""

    program: str
    played: Played
    states: int
    calls: int

    def gold_of(self, candidate: TaskCandidate) -> TaskCandidate:
        """The candidate with it as its gold; the solution as written is an alternative now, the first."""
        return replace(candidate, program=self.program, alternatives=(candidate.program, *candidate.alternatives))


def shorter_solution(player: Player, semantics: Semantics, candidate: TaskCandidate, gold: Played) -> Shorter | None:
    """The shortest solution that was found, None when none is shorter than the gold.

    A program that has shortcuts was searched before, and is let be. Raises SandboxError when no worker starts.
    """
    if gold.failure or len(gold.steps) <= _fewest(gold, candidate.intent.said) or shortcuts_in(candidate.program):
        return None
    search = _Search(player, semantics, candidate, gold)
    rules, played = search.best()
    if not rules:
        return None
    return Shorter(program_with(candidate.program, rules), played, search.states, search.calls)


def _fewest(gold: Played, said: Any) -> int:
    """No solution has fewer calls: the writes, and a read if there is anything that was not said."""
    known = {canonical_json(value) for _, value in atoms(said)}
    sent = [dict(step.arguments) for step in gold.steps if step.writes and step.seen.ok]
    unsaid = any(is_telling(value) and canonical_json(value) not in known for _, value in atoms(sent))
    seen_after_all = not gold.writes and bool(gold.answer)
    return gold.writes + (unsaid or seen_after_all)


class _Search:
    """One task's search: what was spent, what lists showed."""

    def __init__(self, player: Player, semantics: Semantics, candidate: TaskCandidate, gold: Played) -> None:
        self._player, self._semantics, self._candidate, self._gold = player, semantics, candidate, gold
        self._yardstick = Yardstick(player.environment, candidate.intent, gold)
        said = [value for _, value in atoms(candidate.intent.said)]
        self._said = {canonical_json(value) for value in said}
        self._known = [*said, *_constants(candidate.program)]
        self._looked: dict[str, Rows | None] = {}
        self.states = self.calls = 0

    def best(self) -> tuple[tuple[Rule, ...], Played]:
        """The shortcuts of the best state, none for the gold's own."""
        best: tuple[tuple[Rule, ...], Played] = ((), self._gold)
        fewest = _fewest(self._gold, self._candidate.intent.said)
        waiting: list[tuple[int, int, int, tuple[Rule, ...], Played]] = [(len(self._gold.steps), 0, 0, *best)]
        tried: set[frozenset[Rule]] = set()
        while waiting and len(best[1].steps) > fewest:
            *_, rules, played = heapq.heappop(waiting)
            for move in Moves(self._semantics, played.steps, self._known, self._look).all():
                longer = (*rules, move.rule)
                if frozenset(longer) in tried or move.rule in rules:
                    continue
                if self.states >= MOST_STATES or self.calls >= MOST_CALLS:
                    return best
                tried.add(frozenset(longer))
                found = self._sound(longer, played)
                if found is not None:
                    heapq.heappush(waiting, (len(found.steps), len(longer), len(tried), longer, found))
                    best = (longer, found) if len(found.steps) < len(best[1].steps) else best
        return best

    def _sound(self, rules: tuple[Rule, ...], before: Played) -> Played | None:
        """The episode with one more shortcut; None when it is longer, or comes to something else."""
        self.states += 1
        played = self._play(program_with(self._candidate.program, rules), len(before.steps))
        if self._yardstick.compare(played) == "different":
            return None
        for fill in _wrong_values(rules[-1], before.steps, self._said):
            program = program_with(self._candidate.program, rules, {rules[-1]: fill})
            if self._yardstick.compare(self._play(program, len(before.steps))) == "different":
                return None
        return played

    def _play(self, program: str, most: int) -> Played:
        played = self._player.play(program, most_calls=max(1, min(most, MOST_CALLS - self.calls)))
        self.calls += len(played.steps)
        return played

    def _look(self, tool: str, given: Mapping[str, Any]) -> Rows | None:
        """All rows of a list, asked for once."""
        name = canonical_json([tool, dict(given)])
        if name not in self._looked:
            self._looked[name] = self._pages(tool, given)
        return self._looked[name]

    def _pages(self, tool: str, given: Mapping[str, Any]) -> Rows | None:
        paging = paging_of(self._semantics.tools[tool])
        size = {paging.size_parameter: paging.size} if paging.size_parameter else {}
        asked = f"    given = {literal({**given, **size}, 4, 12)}\n"
        program = _LOOK.format(tool=tool, cursor=paging.cursor, following=paging.following, asked=asked)
        played = self._play(program, min(_PAGES, MOST_CALLS))
        results = [step.seen.result for step in played.steps]
        if played.failure or not all(result is not None for result in results):
            return None
        pages = [cast("dict[str, Any]", result).get(paging.items) for result in results]
        rows = [row for page in pages if isinstance(page, list) for row in cast("list[Any]", page)]
        return [cast("dict[str, Any]", row) for row in rows if isinstance(row, dict)]


_LOOK = """def solve(call):
{asked}    while True:
        result = call({tool!r}, **given)
        if not {cursor!r} or not result.get({following!r}):
            return {{}}
        given[{cursor!r}] = result[{following!r}]
"""


def _constants(program: str) -> Iterator[Any]:
    """Literals of the program's own body."""
    for function in ast.parse(program).body:
        for node in ast.walk(function) if isinstance(function, ast.FunctionDef) and function.name == "solve" else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
                yield node.value


def _wrong_values(rule: Rule, steps: Sequence[Step], said: set[str]) -> Iterator[Mapping[str, Any]]:
    """Two ways to tell wrongly what a shortcut does not know of its rows: values seen in their places, or none such."""
    if not isinstance(rule, CountOnly | KnownRows):
        return
    place = rule.items if isinstance(rule, CountOnly) else rule.record
    known = {field for field, _ in rule.shows} if isinstance(rule, CountOnly) else set(rule.fields)
    values: dict[str, dict[str, Any]] = {}
    for step in steps:
        result: dict[str, Any] = dict(step.seen.result or {}) if step.tool == rule.tool else {}
        found: Any = result.get(place) if place else result
        for row in cast("list[Any]", found) if isinstance(found, list) else [found]:
            for name, value in cast("dict[str, Any]", row).items() if isinstance(row, dict) else ():
                if name not in known:
                    values.setdefault(name, {})[canonical_json(value)] = value
    if not values:
        return
    ordered = {
        name: [seen[key] for key in sorted(seen, key=lambda key: key not in said)] for name, seen in values.items()
    }
    for at in (0, -1):
        yield {name: seen[at] if len(seen) > 1 else UNKNOWN for name, seen in ordered.items()}
