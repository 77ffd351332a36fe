"""`envforge eval`: tasks → episodes → figures, a page and what can be compared later."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from envforge.core.contracts import Progress
from envforge.core.records.evaluation import AgentReport, DiagnosedEpisode, EvalReport, Evaluation, MeasuredDifficulty
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory
from envforge.factory.diagnosing import diagnosed
from envforge.factory.eval_config import FAILED, EvalConfig
from envforge.factory.eval_files import MISTAKES, PAGE, REPORT, begin, task_digest, write_measured
from envforge.factory.eval_plan import EvalRun, comparable, folder_name, prepared
from envforge.factory.eval_subjects import Subject
from envforge.llm.prices import Prices
from envforge.rollout.comparison import compare
from envforge.rollout.evaluation import agent_report, priced, tallied
from envforge.rollout.passk import beta_mean
from envforge.rollout.runner import run_rollouts
from envforge.rollout.trajectory_log import TrajectoryLog, read_timings, read_trajectories
from envforge.store.files import write_json, write_jsonl, write_text
from envforge.store.workspace import Workspace
from envforge.studio.eval_page import eval_page
from envforge.world.pool.pool import WorldPool


@dataclass(frozen=True)
class Evaluated:
    """What came of a run, and where it lies."""

    report: EvalReport
    folder: Path
    resumed: int
    """Episodes that were there already."""
    tasks: Mapping[str, Task]
    episodes: Sequence[Trajectory]
    """Of the agent that the run is about."""


def evaluate(config: EvalConfig, subject: Subject, prices: Prices | None, progress: Progress) -> Evaluated:
    """Play what is missing of a run and write report.json, mistakes.jsonl and page.html into its folder.

    Raises ConfigError for what cannot be asked for, for a folder that holds another run, and for a run to compare with
    that was played otherwise; StoreError; BudgetError when a budget is used up (run it again to go on).
    """
    config.refuse()
    run = prepared(config, subject)
    other = None if config.against is None else comparable(run, config.against)
    folder = config.out or Workspace(config.workspace).runs / f"eval-{folder_name(run.evaluation)}"
    begin(folder, run.evaluation)
    resumed = _play(run, subject, folder, progress)
    wanted = {request.key for _, request in run.requests}
    episodes = {one.key: one for one in read_trajectories(folder) if one.key in wanted}
    mistakes = list(diagnosed(run.opened, episodes.values(), progress))
    write_jsonl(folder / MISTAKES, [one.to_json() for one in mistakes])
    reports = list(_reports(run, episodes, mistakes, prices, folder))
    ours = _of(run, 0, episodes)
    report = _reported(run, reports, ours, other)
    write_json(folder / REPORT, report.to_json())
    write_text(folder / PAGE, eval_page(report))
    if config.to_tasks:
        for name, held in run.opened.items():
            write_measured(held.folder, _measured(run, reports[0], name))
    return Evaluated(report, folder, resumed, {item.task.id: item.task for item in run.asked}, ours)


def _play(run: EvalRun, subject: Subject, folder: Path, progress: Progress) -> int:
    """Play what is not in the log; how many were there."""
    config = run.config
    requests = [request for _, request in run.requests]
    environments = [held.environment for held in run.opened.values()]
    with TrajectoryLog(folder, again=FAILED if config.retry else ()) as log:
        found = sum(request.key in log for request in requests)
        done = found

        def told(*_: object) -> None:
            nonlocal done
            done += 1
            progress("playing episodes", done, len(requests))

        async def play() -> None:
            live = config.concurrency
            try:
                async with WorldPool(environments, max_live=live, workers=config.workers, isolation="auto") as pool:
                    await run_rollouts(requests, pool=pool, out=log, concurrency=live, on_done=told)
            finally:
                await subject.close()

        asyncio.run(play())
    return found


def _of(run: EvalRun, place: int, episodes: Mapping[str, Trajectory]) -> list[Trajectory]:
    """The episodes of one of the run's agents, in their order."""
    agent = run.evaluation.agents[place]
    return [episodes[request.key] for who, request in run.requests if who is agent and request.key in episodes]


def _reports(
    run: EvalRun,
    episodes: Mapping[str, Trajectory],
    mistakes: Sequence[DiagnosedEpisode],
    prices: Prices | None,
    folder: Path,
) -> Iterable[AgentReport]:
    cached = {key: timing.cached_prompt_tokens for key, timing in read_timings(folder).items()}
    for place, agent in enumerate(run.evaluation.agents):
        ours = _of(run, place, episodes)
        keys = {one.key for one in ours}
        found = [one for one in mistakes if one.key in keys]
        known = prices.of(agent.model) if prices is not None and agent.model else None
        price = priced(None if known is None else known.cost, cached)
        yield agent_report(agent, run.asked, ours, found, price=price, seed=run.config.seed)


def _reported(
    run: EvalRun, reports: Sequence[AgentReport], ours: Sequence[Trajectory], other: tuple[Evaluation, Path] | None
) -> EvalReport:
    classes = sorted({one.grounding for one in run.evaluation.sets})
    notes = (f"environments of {len(classes)} classes ({', '.join(classes)}): read the figures of each class",)
    report = EvalReport(evaluation=run.evaluation, agents=tuple(reports), notes=notes if len(classes) > 1 else ())
    if other is None:
        return report
    evaluation, folder = other
    here, there = tallied(run.asked, ours), tallied(run.asked, _episodes_of(folder, evaluation))
    most = min(run.config.episodes, evaluation.agents[0].episodes)
    names = ("pass@1",) if most == 1 else ("pass@1", f"pass@{most}", f"pass^{most}")
    comparisons = tuple(compare(here, there, name, seed=run.config.seed) for name in names)
    first = evaluation.agents[0]
    against = f"{first.model or first.name} ({folder.name})"
    return report.model_copy(update={"against": against, "comparisons": comparisons})


def _episodes_of(folder: Path, evaluation: Evaluation) -> list[Trajectory]:
    """The episodes of the agent that a run is about."""
    first = evaluation.agents[0]
    return [
        one
        for one in read_trajectories(folder)
        if (one.model, one.settings) == (first.identity, first.settings) and (first.identity or one.agent == first.name)
    ]


def _measured(run: EvalRun, report: AgentReport, environment: str) -> list[MeasuredDifficulty]:
    tasks = {item.task.id: item.task for item in run.asked if item.task.environment_id == environment}
    return [
        MeasuredDifficulty(
            task_id=one.task,
            task=task_digest(tasks[one.task]),
            environment_hash=tasks[one.task].environment_hash,
            agent=report.agent.name,
            identity=report.agent.identity,
            scored=one.scored,
            passed=one.passed,
            rate=beta_mean(one.scored, one.passed),
        )
        for one in report.results
        if one.task in tasks and one.scored
    ]
