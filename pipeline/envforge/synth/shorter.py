"""A shorter solution than the gold: best-first search over replacements of its reads, under a stated budget.

A state is the gold program with shortcuts around its calls; what costs the fewest calls is looked at first. A state is
sound if the program, played from the initial database, answers and leaves the same as the gold, and not by luck
(synth/shorter_luck.py). What a program of other control-flow would do is not searched.
"""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from envforge.core.contracts import TaskCandidate
from envforge.core.ids import canonical_json
from envforge.gates.atoms import atoms, is_telling
from envforge.gates.equivalence import Yardstick
from envforge.gates.solutions import Change, Played, Player
from envforge.synth.literals import literal
from envforge.synth.paging import paging_of
from envforge.synth.semantics import Semantics
from envforge.synth.shorter_luck import disguised, rows_at, wrong_values
from envforge.synth.shorter_moves import Moves
from envforge.synth.shorter_reads import Rows
from envforge.synth.shorter_rules import ListFilter, Rule, program_with, shortcuts_in

MOST_STATES = 40
"""Programs that are tried for one task."""
MOST_CALLS = 400
"""Calls of all that is played for one task."""


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
        self._looked: dict[str, Rows] = {}
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
        for fill in wrong_values(rules[-1], before.steps, self._said):
            program = program_with(self._candidate.program, rules, {rules[-1]: fill})
            if self._yardstick.compare(self._play(program, len(before.steps))) == "different":
                return None
        return played if self._by_its_filter(rules, before, played) else None

    def _by_its_filter(self, rules: tuple[Rule, ...], before: Played, played: Played) -> bool:
        """True unless the rows that a new filter leaves out were of no use for another reason than it goes by."""
        rule = rules[-1]
        if not isinstance(rule, ListFilter):
            return True
        change = disguised(self._semantics, rule, before.steps, played.steps)
        if change is None:
            return False
        again = self._play(program_with(self._candidate.program, rules[:-1]), len(before.steps), change)
        return self._yardstick.compare(again) != "different"

    def _play(self, program: str, most: int, change: Change | None = None) -> Played:
        played = self._player.play(program, change, most_calls=max(1, min(most, MOST_CALLS - self.calls)))
        self.calls += len(played.steps)
        return played

    def _look(self, tool: str, given: Mapping[str, Any], pages: int) -> Rows:
        """Rows on the first pages of a list, asked for once; none when all calls are spent."""
        name = canonical_json([tool, dict(given), pages])
        if name not in self._looked and self.calls >= MOST_CALLS:
            return []
        if name not in self._looked:
            paging = paging_of(self._semantics.tools[tool])
            size = {paging.size_parameter: paging.size} if paging.size_parameter else {}
            program = _LOOK.format(
                given=literal({**given, **size}, 4, 12),
                pages=pages,
                tool=literal(tool),
                cursor=literal(paging.cursor),
                following=literal(paging.following),
            )
            played = self._play(program, pages)
            self._looked[name] = [row for step in played.steps for row in rows_at(step.seen.result, paging.items)]
        return self._looked[name]


_LOOK = """def solve(call):
    given = {given}
    for page in range({pages}):
        result = call({tool}, **given)
        if not {cursor} or not result.get({following}):
            break
        given[{cursor}] = result[{following}]
    return {{}}
"""


def _constants(program: str) -> Iterator[Any]:
    """Literals of the program's own body."""
    for function in ast.parse(program).body:
        for node in ast.walk(function) if isinstance(function, ast.FunctionDef) and function.name == "solve" else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
                yield node.value
