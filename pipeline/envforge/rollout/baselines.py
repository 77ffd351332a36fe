"""What the agents that ship reach on tasks: repeated seeded episodes in shared workers, scored on the host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from queue import SimpleQueue
from types import TracebackType

from envforge.core.records.trajectory import Trajectory, Verdict
from envforge.core.seeds import derive_seed
from envforge.rollout.agents import Assignment, Maker, agent_maker
from envforge.rollout.loop import MOST_TURNS, run_episode
from envforge.rollout.passk import rates
from envforge.rollout.score import Scorer, refuse_stranger
from envforge.world.environment import Environment
from envforge.world.session import Session

KS = (1, 2, 4, 8)


@dataclass(frozen=True)
class Baseline:
    """What one agent reached on one task. `scored` episodes count; what could not be scored does not."""

    task_id: str
    agent: str
    episodes: int
    scored: int
    passed: int
    rates: dict[str, float]


@dataclass(frozen=True)
class Run:
    """One episode of one agent on one task, with its seed."""

    assignment: Assignment
    agent: str
    maker: Maker
    seed: int


def baselines(
    environment: Environment,
    assignments: Sequence[Assignment],
    agents: Sequence[str],
    *,
    episodes: int,
    seed: int = 0,
    workers: int = 1,
    max_turns: int = MOST_TURNS,
    ks: Sequence[int] = KS,
) -> list[Baseline]:
    """Each agent on each task, `episodes` times; in the order of tasks, then agents. The same seed, the same table.

    Raises StoreError for a task of another environment, ConfigError for an unknown agent, ToolFault when the tools
    keep state and cannot share a worker, VerifierError when a verifier crashes.
    """
    for assignment in assignments:
        refuse_stranger(environment, assignment.task)
    runs = list(planned(assignments, agents, episodes, seed))
    verdicts = _verdicts(environment, runs, workers, max_turns)
    pairs = zip(runs, verdicts, strict=True)
    return [
        _summed(task_id, agent, [verdict for _, verdict in group], ks)
        for (task_id, agent), group in groupby(pairs, key=lambda pair: (pair[0].assignment.task.id, pair[0].agent))
    ]


def planned(assignments: Sequence[Assignment], agents: Sequence[str], episodes: int, seed: int) -> Iterator[Run]:
    """Every episode to run; its seed depends on task, agent and number only."""
    makers = {agent: agent_maker(agent) for agent in agents}
    for assignment in assignments:
        for agent, maker in makers.items():
            for number in range(episodes):
                # Kept under 2**53: it stands in JSON files.
                drawn = derive_seed(seed, "episode", assignment.task.id, agent, number) >> 11
                yield Run(assignment, agent, maker, drawn)


class Stand:
    """Plays and scores here, one episode after the other, in a session that is kept from task to task."""

    def __init__(self, environment: Environment) -> None:
        """Raises SandboxError, ToolFault when no worker starts."""
        self._environment = environment
        self._session = environment.start()
        self._scorer = Scorer(environment)

    def measure(
        self,
        assignment: Assignment,
        agents: Sequence[str],
        *,
        episodes: int,
        seed: int = 0,
        max_turns: int = MOST_TURNS,
        ks: Sequence[int] = KS,
    ) -> list[Baseline]:
        """As `baselines` for one task, and the same figures. Raises as `baselines`."""
        refuse_stranger(self._environment, assignment.task)
        verdicts: dict[str, list[Verdict]] = {agent: [] for agent in agents}
        for run in planned([assignment], agents, episodes, seed):
            trajectory = _played(self._session, run, max_turns)
            verdict = self._scorer.score_episode(assignment.task, trajectory, assignment.verifier or None)
            verdicts[run.agent].append(verdict)
        return [_summed(assignment.task.id, agent, found, ks) for agent, found in verdicts.items()]

    def close(self) -> None:
        """End the processes."""
        self._scorer.close()
        self._session.close()

    def __enter__(self) -> Stand:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _played(session: Session, run: Run, max_turns: int) -> Trajectory:
    if not session.alive:
        session.restart()
    agent = run.maker(run.assignment, run.seed)
    return run_episode(session, run.assignment.task, agent, max_turns=max_turns, seed=run.seed)


def _verdicts(environment: Environment, runs: Sequence[Run], workers: int, max_turns: int) -> list[Verdict]:
    """Episodes in threads, a session each; scoring here, one after the other: the host's reader is one."""
    sessions: SimpleQueue[Session] = SimpleQueue()

    def play(run: Run) -> Trajectory:
        session = sessions.get()
        try:
            return _played(session, run, max_turns)
        finally:
            sessions.put(session)

    with Scorer(environment) as scorer, environment.share(workers) as group, ThreadPoolExecutor(workers) as pool:
        for _ in range(workers):
            sessions.put(group.start())
        trajectories = pool.map(play, runs)
        try:
            return [
                scorer.score_episode(run.assignment.task, trajectory, run.assignment.verifier or None)
                for run, trajectory in zip(runs, trajectories, strict=True)
            ]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # what has not begun need not run
            raise


def _summed(task_id: str, agent: str, verdicts: Sequence[Verdict], ks: Sequence[int]) -> Baseline:
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    passed = sum(score == 1 for score in scores)
    return Baseline(task_id, agent, len(verdicts), len(scores), passed, rates(len(scores), passed, ks))
