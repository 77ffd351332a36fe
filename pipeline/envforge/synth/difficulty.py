"""How hard a task is: the fewest calls that solve it, and what else an agent has to keep in mind.

Minimal calls: of the gold and the other solutions, in the largest pages, without repeated reads and without each read
whose result could be told from what was seen before. The gold is the shortest that the search over replacements of its
reads found (synth/shorter.py); a program of another kind may do it in fewer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json
from envforge.core.records.task import Difficulty
from envforge.gates.atoms import atoms, shape
from envforge.gates.equivalence import Yardstick
from envforge.gates.solutions import Change, Played, Player, Step, Variant
from envforge.gates.task_solving import FILE
from envforge.synth.dataflow import Facts, Guess, Memory, Place, depth_of, needed_calls, sources, untrue
from envforge.synth.paging import paging_of
from envforge.synth.semantics import Semantics
from envforge.synth.shorter_rules import is_shortcut, shortcuts_in
from envforge.synth.wrong_guesses import wrong_ways
from envforge.world.observation import Observation
from envforge.world.programs import ToolCall

MOST_RUNS = 24
"""Runs of a solution with reads left out; what is not tried counts as needed."""
LEVELS = 5
CALLS = "minimal_calls"
"""The measure that always counts."""


def difficulty_of(player: Player, candidate: TaskCandidate, gold: Played, thresholds: Mapping[str, Any]) -> Difficulty:
    """Measured on the initial database. The first alternative of a gold with shortcuts is the solution as written.

    Raises ConfigError for a table of levels that lacks a part.
    """
    shortest, left_out = _shortest(player, candidate, gold)
    steps = [step for number, step in enumerate(shortest.steps) if number not in left_out]
    needs = sources(steps, candidate.intent.said, shortest.answer)
    measured = {
        CALLS: len(steps),
        "tools": len({step.tool for step in steps}),
        "depth": depth_of(needs),
        "branches": _branches(candidate.program),
        "writes": sum(step.writes and step.seen.ok for step in steps),
        "entities": candidate.intent.candidates,
        "pages": _pages(player, steps),
        "distractors": candidate.intent.candidates - candidate.intent.chosen,
    }
    shortcuts = shortcuts_in(candidate.program)
    saved = len(player.play(candidate.alternatives[0]).steps) - len(gold.steps) if shortcuts else 0
    level = level_of(measured, thresholds)
    return Difficulty(level=level, shortcuts=shortcuts, saved_calls=saved, **measured)


def level_of(measured: Mapping[str, int], thresholds: Mapping[str, Any]) -> int:
    """1 to 5 by the table "difficulty": per measure four steps and a weight; the weighted mean of steps reached.

    The `aside` lowest beside the minimal calls do not count: a goal of eighty look-ups is not easier for having no
    pages, nor a batch that takes all its candidates for having no distractors.
    """
    found: Any = thresholds.get("difficulty")
    table = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    steps = {name: _steps(table, name, value) for name, value in measured.items()}
    lowest = sorted((name for name in steps if name != CALLS), key=lambda name: (steps[name][0], -steps[name][1]))
    kept = [steps[name] for name in steps if name not in lowest[: _number(table, "aside")]]
    mean = sum(step * weight for step, weight in kept) / sum(weight for _, weight in kept)
    return 1 + min(LEVELS - 1, int(mean + 0.5))


def _steps(table: Mapping[str, Any], name: str, value: int) -> tuple[int, float]:
    """How many steps a measure reaches, and its weight."""
    row: Any = table.get(name)
    if not isinstance(row, dict) or len(cast("dict[str, Any]", row).get("steps", ())) != LEVELS - 1:
        message = f"field difficulty.{name} must be {{steps: four numbers, weight}}"
        raise ConfigError(message, where=FILE, remedy="restore the shipped file")
    entry = cast("dict[str, Any]", row)
    return sum(value >= step for step in entry["steps"]), float(entry["weight"])


def _number(table: Mapping[str, Any], name: str) -> int:
    if not isinstance(table.get(name), int):
        raise ConfigError(f"field difficulty.{name} must be a number", where=FILE, remedy="restore the shipped file")
    return int(table[name])


class LargestPages(Change):
    """Tools with pages give their largest."""

    def __init__(self, sizes: Mapping[str, tuple[str, int]]) -> None:
        self.sizes = sizes

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The size is put in or put up."""
        name, size = self.sizes.get(tool, ("", 0))
        return call(tool, {**arguments, name: size}) if name else call(tool, arguments)


class LeftOut(LargestPages):
    """Some reads are not made: the program is told what could be known without them."""

    def __init__(
        self,
        sizes: Mapping[str, tuple[str, int]],
        steps: Sequence[Step],
        left_out: set[int],
        guess: Mapping[str, Guess],
        facts: Facts,
    ) -> None:
        super().__init__(sizes)
        self.steps, self.left_out, self.guess = steps, left_out, guess
        self.made = -1
        self.memory = Memory(facts)

    def call(self, call: ToolCall, tool: str, arguments: dict[str, Any]) -> Observation:
        """The program is the same up to the first call that is left out, and should be after it."""
        self.made += 1
        if self.made in self.left_out and self.made < len(self.steps) and self.steps[self.made].tool == tool:
            step = self.steps[self.made]
            told = self.memory.tell(step.seen.result, self.guess.get(tool, untrue))
            return Observation(True, told, spec=step.seen.spec)
        seen = super().call(call, tool, arguments)
        self.memory.add(seen.result)
        return seen


def _shortest(player: Player, candidate: TaskCandidate, gold: Played) -> tuple[Played, set[int]]:
    """The solution with the fewest calls, and which of its calls can be left out."""
    yardstick = Yardstick(player.environment, candidate.intent, gold)
    sizes = _sizes(player)
    found: list[tuple[str, Played]] = [(candidate.program, gold)]
    for program in (candidate.program, *candidate.alternatives):
        played = player.vary(program, gold, Variant("", "", "", lambda: LargestPages(sizes)))
        if yardstick.compare(played) != "different":
            found.append((program, played))
    ranked = sorted(found, key=lambda entry: len(entry[1].steps) - len(_repeated(entry[1].steps)))
    program, best = ranked[0]
    used = sizes if best is not gold else {}
    return best, _left_out(player, program, candidate, best, used, yardstick)


def _sizes(player: Player) -> dict[str, tuple[str, int]]:
    paging = {tool.name: paging_of(tool) for tool in player.environment.tools}
    return {name: (found.size_parameter, found.size) for name, found in paging.items() if found.size_parameter}


def _repeated(steps: Sequence[Step]) -> set[int]:
    """Reads that were made before in the same state."""
    seen: set[str] = set()
    repeated: set[int] = set()
    for number, step in enumerate(steps):
        if step.writes:
            seen.clear()
            continue
        name = canonical_json([step.tool, dict(step.arguments)])
        repeated |= {number} if name in seen else set()
        seen.add(name)
    return repeated


def _left_out(
    player: Player,
    program: str,
    candidate: TaskCandidate,
    played: Played,
    sizes: Mapping[str, tuple[str, int]],
    yardstick: Yardstick,
) -> set[int]:
    """Repeated reads, and reads that the solution does without: halves of what may go are tried, then their halves."""
    repeated = _repeated(played.steps)
    flow = needed_calls(sources(played.steps, candidate.intent.said, played.answer))
    open_reads = [n for n, step in enumerate(played.steps) if not step.writes and n not in repeated and n not in flow]
    semantics = Semantics(player.environment)
    ways = wrong_ways(semantics, played.steps, candidate.intent.said)
    facts = Facts(_ids(semantics, played.steps))

    def does_without(left_out: set[int], guess: Mapping[str, Guess]) -> bool:
        variant = Variant("", "", "", lambda: LeftOut(sizes, played.steps, left_out, guess, facts))
        return yardstick.compare(player.vary(program, played, variant)) != "different"

    gone: set[int] = set()
    runs = 0
    waiting = [open_reads] if open_reads else []
    while waiting and runs < MOST_RUNS:
        group = waiting.pop()
        runs += 1
        tried = gone | set(group)
        if all(does_without(tried, guess) for guess in ways):
            gone = tried
        elif len(group) > 1:
            waiting += [group[: len(group) // 2], group[len(group) // 2 :]]
    return gone | repeated


def _ids(semantics: Semantics, steps: Sequence[Step]) -> set[Place]:
    """Keys that stood in results, with the names of their fields."""
    found: set[Place] = set()
    for step in steps:
        produces = semantics.tools[step.tool].produces if step.tool in semantics.tools else {}
        typed = ((path, value) for path, value in atoms(step.seen.result or {}) if shape(path) in produces)
        found |= {(str(path[-1]), canonical_json(value)) for path, value in typed if value is not None}
    return found


def _pages(player: Player, steps: Sequence[Step]) -> int:
    """Calls that went on to a further page."""
    cursors = {tool.name: paging_of(tool).cursor for tool in player.environment.tools}
    return sum(bool(step.arguments.get(cursors.get(step.tool) or "")) for step in steps)


def _branches(program: str) -> int:
    """Conditions of the solution; those of paging, which every program has, and of shortcuts do not count."""
    return sum(1 for node in _own(ast.parse(program)) for _ in _conditions(node))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.FunctionDef) and (child.name == "pages" or is_shortcut(child.name))):
            yield from _own(child)


def _conditions(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.ExceptHandler):
        yield node
    elif isinstance(node, ast.comprehension):
        yield from node.ifs
