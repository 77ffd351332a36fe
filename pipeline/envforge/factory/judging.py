"""What one candidate is worth: the gates, a shorter gold where there is one, how hard it is, what agents reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import VerifierError
from envforge.core.records.environment import GateResult
from envforge.core.records.task import Difficulty, GoldCall, Task, TaskCertificate
from envforge.factory.doctor import processors
from envforge.gates.overlap import BenchmarkIndex
from envforge.gates.solutions import Played, Player
from envforge.gates.task_case import TaskToolbox
from envforge.gates.tasks import admitted, judge_candidate
from envforge.rollout.agents import Assignment
from envforge.rollout.baselines import Baseline, Stand
from envforge.synth.author import Proposal
from envforge.synth.difficulty import difficulty_of
from envforge.synth.semantics import Semantics
from envforge.synth.shorter import shorter_solution
from envforge.synth.toolbox import toolbox_of
from envforge.synth.trace import gold_answer, gold_calls
from envforge.world.environment import Environment

STEADY = ("gold", "noop")
"""Baseline agents that draw nothing: one episode says all."""
DRAWING = ("noop-plausible", "random", "scripted:0.8")
EPISODES = 4
LEVELS = (1, 2, 3, 4, 5)
BASELINES = "baselines"
PROCESSES = processors()
"""One per processor that this process may use."""

Rates: TypeAlias = dict[str, dict[str, float]]
"""Agent -> pass@k and pass^k."""


def _no_rates() -> Rates:
    return {}


@dataclass(frozen=True)
class Judgement:
    """Verdicts of the gates; of an admitted candidate also its difficulty, its gold episode, what agents reach."""

    gates: tuple[GateResult, ...]
    difficulty: Difficulty | None = None
    gold: tuple[GoldCall, ...] = ()
    answer: Any = None
    baselines: Rates = field(default_factory=_no_rates)
    program: str = ""
    """The gold, where the search found a shorter one than was proposed."""

    @property
    def failed(self) -> GateResult | None:
        """The gate that stopped it."""
        return next((gate for gate in self.gates if not gate.passed), None)


@dataclass(frozen=True)
class JudgeSetup:
    """What a judging process needs to know: plain values, they travel."""

    folder: Path
    thresholds: dict[str, Any]
    benchmarks: Path
    seed: int
    levels: tuple[int, ...] = LEVELS


class Desk:
    """One process's own player, tools and stand, kept from candidate to candidate."""

    def __init__(self, setup: JudgeSetup) -> None:
        self.environment = Environment.open(setup.folder)
        self.player = Player(self.environment)
        self.setup = setup
        self.words: tuple[str, ...] = ()
        self.stand: Stand | None = None
        self.semantics = Semantics(self.environment)
        self.toolbox: TaskToolbox = toolbox_of(
            self.environment,
            setup.thresholds,
            coverage=lambda _: self.words,
            duplicates=lambda _: (),  # what is admitted is known to the host only, which looks before and after
            overlap=BenchmarkIndex.read(setup.benchmarks).problems,
            seed=setup.seed,
        )

    def judge(self, proposal: Proposal) -> Judgement:
        """Run the gates, and measure what they let through."""
        self.words = proposal.words
        candidate = proposal.candidate
        if set(self.setup.levels) != set(LEVELS):
            off = self._off_level(candidate)
            if off is not None:
                return off
        results = judge_candidate(candidate, self.player, self.toolbox, self.setup.thresholds)
        if not admitted(results):
            return Judgement(results)
        judgement = self._shortened(candidate)
        if judgement is None:
            judgement = self._measured(candidate, results, self.player.play(candidate.program))
        level = judgement.difficulty.level if judgement.difficulty else None
        return judgement if level is None or level in self.setup.levels else _refused_level(level)

    def _shortened(self, candidate: TaskCandidate) -> Judgement | None:
        """The verdict on a candidate whose gold is shorter, None where no such gold passes the same gates."""
        shorter = shorter_solution(self.player, self.semantics, candidate, self.player.play(candidate.program))
        if shorter is None:
            return None
        changed = shorter.gold_of(candidate)
        results = judge_candidate(changed, self.player, self.toolbox, self.setup.thresholds)
        if not admitted(results):
            return None
        judgement = self._measured(changed, results, self.player.play(changed.program))
        return None if judgement.failed else replace(judgement, program=changed.program)

    def _measured(self, candidate: TaskCandidate, results: tuple[GateResult, ...], played: Played) -> Judgement:
        """Of a candidate that the gates let through: how hard it is, its calls, what agents reach."""
        measured = difficulty_of(self.player, candidate, played, self.setup.thresholds)
        if candidate.kind == "program":
            return self._with_baselines(candidate, Judgement(results, measured, _trace(played), played.answer))
        tools, said = self.environment.tools, candidate.intent.said
        answer = gold_answer(tools, played.steps, said, played.answer)
        if answer is None:
            reason = "a value of the answer stands in no result: such a task needs a program"
            return Judgement((*results, GateResult(gate="references", passed=False, reasons=(reason,))))
        judgement = Judgement(results, measured, gold_calls(tools, played.steps, said), answer)
        return self._with_baselines(candidate, judgement)

    def close(self) -> None:
        """End its processes."""
        self.player.close()
        if self.stand is not None:
            self.stand.close()

    def _off_level(self, candidate: TaskCandidate) -> Judgement | None:
        """The verdict on a candidate whose level was not asked for, before the gates that cost more."""
        self.player.forget()
        played = self.player.play(candidate.program)
        if played.failure:
            return None  # the gates say more of it
        shorter = shorter_solution(self.player, self.semantics, candidate, played)
        gold, played = (shorter.gold_of(candidate), shorter.played) if shorter else (candidate, played)
        measured = difficulty_of(self.player, gold, played, self.setup.thresholds)
        return None if measured.level in self.setup.levels else _refused_level(measured.level)

    def _with_baselines(self, candidate: TaskCandidate, judgement: Judgement) -> Judgement:
        """With what simple agents reach: who sees what an agent is shown must be able to do it, and has to do it."""
        if self.stand is None:
            self.stand = Stand(self.environment)
        task = task_of(self.environment, candidate, judgement)
        program = candidate.kind == "program"
        given = Assignment(
            task, self.environment.tools, candidate.program if program else "", candidate.verifier if program else ""
        )
        seed = self.setup.seed
        try:
            found = self.stand.measure(given, STEADY, episodes=1, seed=seed)
            found += self.stand.measure(given, DRAWING, episodes=EPISODES, seed=seed)
        except VerifierError as error:
            gate = GateResult(gate=BASELINES, passed=False, reasons=(f"the verifier crashes: {error}",))
            return Judgement((*judgement.gates, gate))
        gate = baselines_gate(found)
        if not gate.passed:
            return Judgement((*judgement.gates, gate))
        rates = {one.agent: one.rates for one in found}
        return replace(judgement, gates=(*judgement.gates, gate), baselines=rates)


def _refused_level(level: int) -> Judgement:
    reason = f"level {level} was not asked for"
    return Judgement((GateResult(gate="level", passed=False, reasons=(reason,)),))


def baselines_gate(found: Sequence[Baseline]) -> GateResult:
    """Gold passes on what an agent is shown, doing nothing and luck do not, and every episode gets a score."""
    passed = {one.agent: one.passed for one in found}
    reasons = [] if passed["gold"] else ["the gold solution fails on what an agent is shown"]
    reasons += [f"{name} passes" for name in ("noop", "noop-plausible", "random") if passed[name]]
    unscored = ((one.agent, one.episodes - one.scored) for one in found)
    reasons += [f"{count} episodes of {agent} got no score" for agent, count in unscored if count]
    measured = {one.agent: round(one.passed / one.episodes, 3) for one in found}
    return GateResult(gate=BASELINES, passed=not reasons, reasons=tuple(reasons), measured=measured)


def task_of(environment: Environment, candidate: TaskCandidate, judgement: Judgement, words_by: str = "") -> Task:
    """The record of an admitted candidate."""
    assert judgement.difficulty is not None
    manifest = environment.manifest
    return Task(
        id=candidate.id,
        environment_id=manifest.id,
        environment_hash=manifest.environment_hash,
        kind=candidate.kind,
        intent=candidate.intent,
        register_of_speech=candidate.register,
        instruction=candidate.instruction,
        words_by=words_by,
        now=manifest.clock.epoch,
        answer_schema=dict(candidate.answer_schema),
        checks=candidate.checks,
        rubric=candidate.rubric,
        gold=judgement.gold,
        gold_answer=judgement.answer or {},
        difficulty=judgement.difficulty,
        certificate=TaskCertificate(gates=judgement.gates, baselines=judgement.baselines),
    )


def _trace(played: Played) -> tuple[GoldCall, ...]:
    """The calls that a program made."""
    return tuple(GoldCall(tool=step.tool, arguments=dict(step.arguments), writes=step.writes) for step in played.steps)
