"""Candidates are judged in processes beside this one; verdicts come back in the order of the candidates."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from envforge.core.contracts import TaskCandidate
from envforge.core.records.environment import GateResult
from envforge.core.records.task import Difficulty, GoldCall
from envforge.gates.solutions import Played, Player
from envforge.gates.task_case import TaskToolbox
from envforge.gates.tasks import admitted, judge_candidate
from envforge.synth.author import Proposal
from envforge.synth.difficulty import difficulty_of
from envforge.synth.toolbox import toolbox_of
from envforge.world.environment import Environment

AHEAD = 4
"""Candidates in the making per process."""


@dataclass(frozen=True)
class Judgement:
    """Verdicts of the gates; of an admitted candidate also its difficulty and its gold episode."""

    gates: tuple[GateResult, ...]
    difficulty: Difficulty | None = None
    gold: tuple[GoldCall, ...] = ()
    answer: Any = None

    @property
    def admitted(self) -> bool:
        """Every gate passed."""
        return self.difficulty is not None


@dataclass(frozen=True)
class JudgeSetup:
    """What a judging process needs to know: plain values, they travel."""

    folder: Path
    thresholds: dict[str, Any]
    seed: int


class _Desk:
    """One process's own player and tools, kept from candidate to candidate."""

    def __init__(self, setup: JudgeSetup) -> None:
        self.environment = Environment.open(setup.folder)
        self.player = Player(self.environment)
        self.setup = setup
        self.words: tuple[str, ...] = ()
        self.toolbox: TaskToolbox = toolbox_of(
            self.environment,
            setup.thresholds,
            coverage=lambda _: self.words,
            duplicates=lambda _: (),  # what is admitted is known to the host only, which looks before and after
            overlap=lambda _: (),
            seed=setup.seed,
        )

    def judge(self, proposal: Proposal) -> Judgement:
        """Run the gates, and measure what they let through."""
        self.words = proposal.words
        candidate = proposal.candidate
        results = judge_candidate(candidate, self.player, self.toolbox, self.setup.thresholds)
        if not admitted(results):
            return Judgement(results)
        played = self.player.play(candidate.program)
        measured = difficulty_of(self.player, candidate, played, self.setup.thresholds)
        return Judgement(results, measured, _trace(played), played.answer)


def _trace(played: Played) -> tuple[GoldCall, ...]:
    """The calls that a program made."""
    return tuple(GoldCall(tool=step.tool, arguments=dict(step.arguments), writes=step.writes) for step in played.steps)


_desks: list[_Desk] = []


def _sit_down(setup: JudgeSetup) -> None:
    _desks[:] = [_Desk(setup)]


def _judge(proposal: Proposal) -> Judgement:
    return _desks[0].judge(proposal)


class Bench:
    """Judges candidates on several processes. Use it as a context manager.

    `known` answers for candidates that were judged before (a resumed run); they are not judged again.
    """

    def __init__(self, setup: JudgeSetup, processes: int, known: Callable[[TaskCandidate], Judgement | None]) -> None:
        self._known = known
        self._ahead = AHEAD * processes
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(processes, context, _sit_down, (setup,))

    def verdicts(self, proposals: Iterator[Proposal]) -> Iterator[tuple[Proposal, Judgement]]:
        """Each proposal with its verdicts, in order; a few are judged ahead. Raises what judging raises."""
        waiting: deque[tuple[Proposal, Judgement | Future[Judgement]]] = deque()
        for proposal in proposals:
            waiting.append((proposal, self._known(proposal.candidate) or self._pool.submit(_judge, proposal)))
            if len(waiting) >= self._ahead:
                yield _settled(*waiting.popleft())
        while waiting:
            yield _settled(*waiting.popleft())

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _settled(proposal: Proposal, judgement: Judgement | Future[Judgement]) -> tuple[Proposal, Judgement]:
    return proposal, judgement.result() if isinstance(judgement, Future) else judgement
