"""What the task gates are worth: of tasks that they admit, held-out mutants die and held-out solutions pass.

The library's tasks always; ENVFORGE_HELDOUT (folders of environments, divided by colons) measures others as well,
ENVFORGE_HELDOUT_TASKS candidates of each; ENVFORGE_HELDOUT_REPORT is a file that gets a line per environment.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import pytest

from envforge.core.contracts import TaskCandidate
from envforge.core.seeds import stream
from envforge.factory.families import goals_of, knowledge_of
from envforge.gates.equivalence import Yardstick
from envforge.gates.solutions import Judge, Played, Player, Variant
from envforge.gates.tasks import admitted, judge_candidate, task_thresholds
from envforge.synth.author import CompiledTaskAuthor, Proposal
from envforge.synth.toolbox import toolbox_of
from envforge.world.environment import Environment

from .other_solutions import WAYS, other_answers
from .program_mutants import program_mutants

ROOT = Path(__file__).parents[3]
THRESHOLDS = task_thresholds(ROOT / "validators/gates/tasks.json")
FOLDERS = [folder for folder in os.environ.get("ENVFORGE_HELDOUT", "").split(":") if folder]
REPORT = os.environ.get("ENVFORGE_HELDOUT_REPORT", "")
MOST_MUTANTS = 40
SEED = 7
MOST_TASKS = int(os.environ.get("ENVFORGE_HELDOUT_TASKS", "20"))


@dataclass
class Found:
    """Outcomes: killed, crashed, equivalent, free, survived; accepted, refused, none."""

    counts: Counter[str] = field(default_factory=lambda: Counter[str]())
    cases: list[str] = field(default_factory=lambda: list[str]())

    def share(self, good: str, bad: str) -> float:
        return self.counts[good] / max(1, self.counts[good] + self.counts[bad])


def nothing(_: TaskCandidate) -> list[str]:
    return []


def _admitted(player: Player, candidates: Iterator[TaskCandidate]) -> Iterator[TaskCandidate]:
    toolbox = toolbox_of(player.environment, THRESHOLDS, coverage=nothing, duplicates=nothing, overlap=nothing)
    for candidate in candidates:
        if admitted(judge_candidate(candidate, player, toolbox, THRESHOLDS)):
            yield candidate


def _of_folder(environment: Environment) -> Iterator[TaskCandidate]:
    """Candidates of every source: declared goals, walks, the grammar."""
    goals = goals_of(environment, SEED)
    author = CompiledTaskAuthor(environment, knowledge_of(environment), goals.families, SEED)
    proposals = (found for found in author.proposals() if isinstance(found, Proposal))
    for found in islice(proposals, MOST_TASKS):
        yield found.candidate


def measure_mutants(player: Player, candidate: TaskCandidate, found: Found) -> None:
    gold = player.play(candidate.program, keep_every=4)
    yardstick = Yardstick(player.environment, candidate.intent, gold)
    mutants = list(program_mutants(candidate.program))
    stream(0, "heldout", candidate.id).shuffle(mutants)
    with Judge(player.environment, candidate.checks, candidate.verifier) as judge:
        for mutant in mutants[:MOST_MUTANTS]:
            played = player.vary(candidate.program, gold, Variant("", "", "", program=mutant.source))
            outcome = _outcome(yardstick, judge, played)
            found.counts[outcome] += 1
            if outcome == "survived":
                found.cases.append(f"{candidate.family.id} line {mutant.line}: {mutant.operator}")


def _outcome(yardstick: Yardstick, judge: Judge, played: Played) -> str:
    if played.failure:
        return "crashed"
    same = yardstick.compare(played)
    if same == "equal":
        return "equivalent"
    return "killed" if not judge.verdict(played).passed else "free" if same == "free" else "survived"


def measure_solutions(player: Player, candidate: TaskCandidate, found: Found) -> None:
    gold = player.play(candidate.program, keep_every=4)
    yardstick = Yardstick(player.environment, candidate.intent, gold)
    matches = {check.path: check.match for check in candidate.checks if check.kind == "answer"}
    tried: dict[str, Played] = {name: player.play(candidate.program, way(player, gold)) for name, way in WAYS.items()}
    sound = {name: played for name, played in tried.items() if yardstick.compare(played) == "equal"}
    found.counts["none"] += len(tried) - len(sound)
    sound |= {name: gold.answering(answer) for name, answer in other_answers(gold.answer, matches)}
    with Judge(player.environment, candidate.checks, candidate.verifier) as judge:
        for name, played in sound.items():
            judged = judge.verdict(played)
            found.counts["accepted" if judged.passed else "refused"] += 1
            if not judged.passed:
                found.cases.append(f"{candidate.family.id}, {name}: {', '.join(judged.failed)}{judged.broken}")


@pytest.mark.parametrize("folder", ["", *FOLDERS], ids=["library", *(Path(folder).name for folder in FOLDERS)])
def test_of_what_the_gates_admit(
    folder: str, library: Environment, library_candidates: Mapping[str, TaskCandidate]
) -> None:
    environment = Environment.open(folder) if folder else library
    mutants, solutions = Found(), Found()
    tasks = 0
    with Player(environment) as player:
        source = _of_folder(environment) if folder else iter(library_candidates.values())
        for candidate in _admitted(player, source):
            tasks += 1
            measure_mutants(player, candidate, mutants)
            measure_solutions(player, candidate, solutions)
    told = f"{tasks} tasks; {dict(mutants.counts)} {mutants.cases}; {dict(solutions.counts)} {solutions.cases}"
    if REPORT:
        with Path(REPORT).open("a", encoding="utf-8") as report:
            report.write(f"{environment.manifest.id}: {told}\n")
    assert tasks >= 4 and mutants.counts["killed"] >= 3 * tasks and solutions.counts["accepted"] >= 3 * tasks, told
    assert mutants.share("killed", "survived") >= 0.97, told
    assert solutions.share("accepted", "refused") >= 0.99, told
