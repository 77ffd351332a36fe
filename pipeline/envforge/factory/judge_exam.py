"""`envforge judge`: episodes whose truth is known are made and played, and a model is asked about them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from envforge.agents.judge.calibrate import Question, examine
from envforge.agents.judge.judge import JudgeSettings
from envforge.core.contracts import Progress
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.judging import JudgeReport
from envforge.core.records.task import Check, RubricItem, Task
from envforge.core.records.trajectory import Trajectory
from envforge.core.seeds import stream
from envforge.factory.opened_tasks import OpenedTasks, open_tasks
from envforge.llm.connect import ModelSettings, connect
from envforge.llm.prices import PRICES_FILE, read_prices
from envforge.rollout.flaws.labelled import KINDS, Flawing
from envforge.rollout.score import Scorer
from envforge.store.files import write_json
from envforge.store.workspace import Workspace

REPORT = "report.json"
MOST_CHECKS = 2
"""Of one episode: a long list of rows would be all that is asked."""
_SHOWN = 160
_WHOLE = "The assistant did all that the task asks for, and its final answer, where one is wanted, is right."


@dataclass(frozen=True)
class ExamConfig:
    """What decides an examination; `settings.model` is who sits it."""

    environments: tuple[str, ...]
    model: ModelSettings
    tasks: int = 5
    """Of each environment; each is played by the gold solution, by nobody, and with a fault."""
    seed: int = 0
    judge: JudgeSettings = field(default_factory=JudgeSettings)


def examine_judge(workspace: Workspace, config: ExamConfig, progress: Progress) -> tuple[JudgeReport, Path]:
    """The report, and where it stands. An examination that was stopped goes on: no answer is asked for twice.

    Raises ConfigError, StoreError for what cannot be opened, ModelError, SandboxError.
    """
    opened = [open_tasks(workspace, name) for name in config.environments]
    questions = [one for held in opened for one in _questions(held, config, progress)]
    run = workspace.runs / f"judge-{_key(config, opened)}"
    report = asyncio.run(_asked(workspace, config, questions, run, opened, progress))
    path = run / REPORT
    write_json(path, report.to_json())
    return report, path


async def _asked(
    workspace: Workspace,
    config: ExamConfig,
    questions: Sequence[Question],
    run: Path,
    opened: Sequence[OpenedTasks],
    progress: Progress,
) -> JudgeReport:
    prices = read_prices(workspace.data_file(PRICES_FILE))
    connection = connect(config.model, run=run, cache=run / "cache", prices=prices, cache_unusable=True)
    try:
        return await examine(
            connection.model,
            questions,
            settings=config.judge,
            environments=tuple(held.environment.manifest.id for held in opened),
            seed=config.seed,
            progress=progress,
        )
    finally:
        await connection.model.close()


def _key(config: ExamConfig, opened: Sequence[OpenedTasks]) -> str:
    asked = [config.model.model, config.model.provider, config.model.base_url, config.tasks, config.seed]
    made_for = [held.environment.manifest.environment_hash for held in opened]
    return sha256_text(canonical_json([*asked, *made_for]))[:12]


def _questions(held: OpenedTasks, config: ExamConfig, progress: Progress) -> Iterator[Question]:
    """Of a few tasks: the gold solution's episode, one of doing nothing, and one with a known fault."""
    name = held.environment.manifest.id
    random = stream(config.seed, "judge-exam", name)
    tasks = sorted(held.tasks.tasks, key=lambda task: (len(task.gold), task.id))
    # Short episodes: a small model has to see all of a record to judge it.
    drawn = random.sample(tasks[: max(config.tasks, len(tasks) // 3)], min(config.tasks, len(tasks)))
    with held.environment.start() as session, Scorer(held.environment) as scorer:
        flawing = Flawing(held.environment, session, scorer, config.seed)
        for number, task in enumerate(drawn):
            progress(f"episodes of {name}", number, len(drawn))
            for trajectory in _episodes(held, task, flawing, config.seed):
                yield from questions_on(task, trajectory)


def _episodes(held: OpenedTasks, task: Task, flawing: Flawing, seed: int) -> Iterator[Trajectory]:
    yield held.replay(task, "gold", seed)
    yield held.replay(task, "noop-plausible", seed)
    for kind in stream(seed, "judge-fault", task.id).sample(KINDS, len(KINDS)):
        found = next(flawing.episodes([held.assignment(task)], kind, 1), None)
        if found is not None:
            yield found.trajectory
            return


def questions_on(task: Task, trajectory: Trajectory) -> Iterator[Question]:
    """The whole task, and a few checks that words can say; what is true of them, the score and the checks know."""
    verdict = trajectory.verdict
    if verdict is None or verdict.score is None:
        return
    yield Question(task, trajectory, RubricItem(id="whole", text=_WHOLE, weight=0.0), verdict.score == 1.0)
    results: Mapping[str, bool] = {one.id: one.passed for one in verdict.checks}
    said = [(check.id, words) for check in task.checks if check.id in results and (words := _statement(check))]
    for name, words in said[:MOST_CHECKS]:
        yield Question(task, trajectory, RubricItem(id=name, text=words, weight=0.0), results[name])


def _statement(check: Check) -> str:
    """A check in words; nothing where none would be plain."""
    if check.kind == "answer":
        return f"The final answer says that {check.path.replace('_', ' ')} is {_said(check.expect)}."
    if check.kind == "row" and check.inserted:
        return f"A call added to {check.table} something new with {_said(check.expect)}."
    if check.kind == "row":
        return f"In {check.table} the entry {_said(check.where)} was changed to have {_said(check.expect)}."
    if check.kind == "absent":
        return f"In {check.table} the entry {_said(check.where)} was removed."
    return ""


def _said(value: Any) -> str:
    if isinstance(value, dict):
        # Of a new row most columns are empty: nobody would say them.
        value = {name: held for name, held in cast("dict[str, Any]", value).items() if held is not None}
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
