"""Episodes whose mistake is known: gold solutions of tasks with a fault each, played in real Worlds and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from envforge.core.records.environment import ToolSpec
from envforge.core.records.mistake import MistakeKind
from envforge.core.records.trajectory import Trajectory
from envforge.core.seeds import stream
from envforge.rollout.agents import Assignment, Call, agent_maker
from envforge.rollout.agents.gold import gold_agent
from envforge.rollout.agents.sampling import Sampler
from envforge.rollout.flaws.flawed import Flaw, FlawedAgent
from envforge.rollout.flaws.parts import Played
from envforge.rollout.flaws.plans import CONTEXT, PLANS, state_damage
from envforge.rollout.loop import run_episode
from envforge.rollout.score import Scorer
from envforge.world.environment import Environment
from envforge.world.session import Session

KINDS: tuple[MistakeKind, ...] = (*PLANS, "state_damage")
MORE_TURNS = 16
"""Than the gold solution has: what goes in circles needs an end."""
_HARM = 30
_TRIES = 400
_FAULTS = 3
"""Of one kind that are tried on a task before the next task."""


@dataclass(frozen=True)
class Labelled:
    """An episode, the mistake that was put into it and how, and the gold solution's episode on the same seed."""

    kind: MistakeKind
    way: str
    assignment: Assignment
    trajectory: Trajectory
    gold: Trajectory


class Flawing:
    """Makes labelled episodes of one environment's tasks, in one World."""

    def __init__(self, environment: Environment, session: Session, scorer: Scorer, seed: int = 0) -> None:
        self._environment, self._session, self._scorer, self._seed = environment, session, scorer, seed
        self._gold: dict[str, Trajectory] = {}
        self._harm: list[Call] | None = None

    def episodes(self, assignments: Sequence[Assignment], kind: MistakeKind, count: int) -> Iterator[Labelled]:
        """Up to `count` episodes that fail of this kind of mistake, of different tasks as long as there are some."""
        random = stream(self._seed, "flaws", self._environment.manifest.id, kind)
        left = count
        for assignment in random.sample(list(assignments), len(assignments)):
            if not left:
                return
            found = self._one(assignment, kind, random)
            if found is not None:
                left -= 1
                yield found

    def gold_of(self, assignment: Assignment) -> Trajectory:
        """The gold solution's own episode, played once."""
        task = assignment.task
        if task.id not in self._gold:
            agent = agent_maker("gold")(assignment, self._seed)
            self._gold[task.id] = run_episode(self._session, task, agent, seed=self._seed)
        return self._gold[task.id]

    def _one(self, assignment: Assignment, kind: MistakeKind, random: Random) -> Labelled | None:
        gold = self.gold_of(assignment)
        played = Played(self._environment, assignment, gold, random)
        for _ in range(_FAULTS):
            flaw = state_damage(played, self._harms()) if kind == "state_damage" else PLANS[kind](played)
            if flaw is None:
                return None
            trajectory = self._play(assignment, flaw, gold)
            failed = trajectory.verdict is not None and trajectory.verdict.score == 0
            # Who leaves out a step goes on; who then gives up has stopped too early.
            if failed and (kind != "missing_step" or trajectory.ending == "answered"):
                return Labelled(kind, flaw.way, assignment, trajectory, gold)
        return None

    def _play(self, assignment: Assignment, flaw: Flaw, gold: Trajectory) -> Trajectory:
        agent = FlawedAgent(gold_agent(assignment, self._seed), flaw)
        most = len(gold.turns) + MORE_TURNS
        trajectory = run_episode(self._session, assignment.task, agent, max_turns=most, seed=self._seed)
        if trajectory.failure == CONTEXT:
            trajectory = Trajectory.model_validate(
                {**trajectory.to_json(), "ending": "context_limit", "status": "truncated"}
            )
        verdict = self._scorer.score_episode(assignment.task, trajectory, assignment.verifier or None)
        return trajectory.model_copy(update={"verdict": verdict})

    def _harms(self) -> list[Call]:
        """Calls that change something in a fresh World, whatever it is."""
        if self._harm is None:
            random = stream(self._seed, "harm", self._environment.manifest.id)
            writers = [tool for tool in self._environment.tools if not tool.annotations.read_only]
            self._harm = []
            for _ in range(_TRIES):
                call = self._harm_by(random.choice(writers), random)
                self._session.reset(self._seed)
                if self._session.call(call.tool, call.arguments).ok and not self._session.diff().empty:
                    self._harm.append(call)
                if len(self._harm) == _HARM:
                    break
        return self._harm

    def _harm_by(self, tool: ToolSpec, random: Random) -> Call:
        sampler = Sampler(random.randrange(1 << 30), "harm")
        drawn: Mapping[str, Any] = sampler.value(tool.parameters) or {}
        return Call(tool.name, {name: self._record(tool, name, random) or value for name, value in drawn.items()})

    def _record(self, tool: ToolSpec, name: str, random: Random) -> Any:
        """The key of some row, for a parameter that names one."""
        entity, _, column = tool.consumes.get(name, "").partition(".")
        for table, info in self._environment.template.tables.items():
            if entity and info.primary_key == (column,) and table.startswith(entity[:-1]):
                rows = self._environment.reader.own(f'SELECT "{column}" FROM "{table}"', ())  # noqa: S608
                return random.choice([row[0] for row in rows])
        return None
