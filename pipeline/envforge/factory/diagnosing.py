"""Why episodes of a run failed: each beside the gold solution's own episode on the same seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from envforge.core.contracts import Progress
from envforge.core.errors import EnvforgeError
from envforge.core.records.evaluation import DiagnosedEpisode
from envforge.core.records.trajectory import Trajectory
from envforge.factory.opened_tasks import OpenedTasks
from envforge.rollout.agents import agent_maker
from envforge.rollout.diagnosis.case import Case
from envforge.rollout.diagnosis.entities import Entities
from envforge.rollout.diagnosis.registry import diagnosable, diagnose_mistakes
from envforge.rollout.loop import run_episode
from envforge.world.session import Session


def diagnosed(
    opened: Mapping[str, OpenedTasks], episodes: Iterable[Trajectory], progress: Progress
) -> Iterator[DiagnosedEpisode]:
    """The mistakes of all failed episodes, environment by environment. What no gold episode is to be had for is left
    out, and the report counts it.
    """
    failed = [one for one in episodes if diagnosable(one)]
    done = 0
    for name, held in opened.items():
        ours = [one for one in failed if one.environment_id == name]
        if not ours:
            continue
        tasks = {task.id: task for task in held.tasks.tasks}
        tools = {tool.name: tool for tool in held.environment.tools}
        entities = Entities(held.environment)
        with held.environment.start() as session:
            golds = _Golds(held, session)
            for one in ours:
                done += 1
                progress("looking for mistakes", done, len(failed))
                gold = golds.of(one)
                if gold is None:
                    continue
                found = diagnose_mistakes(Case(tasks[one.task_id], one, gold, tools, entities))
                yield DiagnosedEpisode(
                    key=one.key, task_id=one.task_id, agent=one.agent, seed=one.seed, diagnosed=found
                )


class _Golds:
    """Episodes of gold solutions; one per task is kept: other seeds mint other ids, which no rule looks at."""

    def __init__(self, opened: OpenedTasks, session: Session) -> None:
        self._opened, self._session = opened, session
        self._held: dict[str, Trajectory | None] = {}

    def of(self, one: Trajectory) -> Trajectory | None:
        if one.task_id not in self._held:
            self._held[one.task_id] = self._played(one)
        return self._held[one.task_id]

    def _played(self, one: Trajectory) -> Trajectory | None:
        task = self._opened.tasks.task(one.task_id)
        try:
            if not self._session.alive:
                self._session.restart()
            agent = agent_maker("gold")(self._opened.assignment(task), one.seed)
            gold = run_episode(self._session, task, agent, seed=one.seed)
        except EnvforgeError:
            return None
        return gold if gold.ending == "answered" else None
