"""`envforge analyze errors`: gold solutions with one known mistake each, named by the rules, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from envforge.core.contracts import Progress
from envforge.core.records.confusion import Confusion, Miss
from envforge.core.records.mistake import MistakeKind
from envforge.factory.opened_tasks import OpenedTasks
from envforge.rollout.diagnosis.case import Case
from envforge.rollout.diagnosis.entities import Entities
from envforge.rollout.diagnosis.registry import diagnose_mistakes
from envforge.rollout.flaws.labelled import KINDS, Flawing
from envforge.rollout.score import Scorer


def confusion(opened: Sequence[OpenedTasks], count: int, seed: int, progress: Progress) -> Confusion:
    """`count` episodes of each kind of mistake, shared evenly by the environments, as far as tasks have a place for it.

    Raises SandboxError, ToolFault when no World starts, VerifierError when a verifier crashes.
    """
    matrix: dict[MistakeKind, Counter[MistakeKind]] = {kind: Counter() for kind in KINDS}
    misses: list[Miss] = []
    for place, held in enumerate(opened):
        entities = Entities(held.environment)
        tools = {tool.name: tool for tool in held.environment.tools}
        assignments = [held.assignment(task) for task in held.tasks.tasks]
        with held.environment.start() as session, Scorer(held.environment) as scorer:
            flawing = Flawing(held.environment, session, scorer, seed)
            for kind in KINDS:
                progress(f"{held.environment.manifest.id}: {kind}", 0, None)
                missing = count - matrix[kind].total()
                wanted = -(-missing // (len(opened) - place))  # what earlier ones had no place for, later ones make up
                for one in flawing.episodes(assignments, kind, wanted):
                    case = Case(one.assignment.task, one.trajectory, one.gold, tools, entities)
                    found = diagnose_mistakes(case)
                    matrix[kind][found.kind] += 1
                    if found.kind != kind:
                        task, detail = one.assignment.task.id, found.first.detail
                        misses.append(Miss(task=task, made=kind, way=one.way, named=found.kind, detail=detail))
    return Confusion(
        seed=seed,
        environments=tuple(held.environment.manifest.id for held in opened),
        matrix={kind: dict(sorted(row.items())) for kind, row in matrix.items()},
        misses=tuple(misses),
    )
