"""What a judge is worth: it is asked what is known, of episodes that were right, idle and wrong on purpose."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from envforge.agents.judge.judge import JUDGE, QUOTE, JudgeSettings, ModelJudge
from envforge.agents.yes_no import Margin
from envforge.core.contracts import Model, Progress
from envforge.core.errors import ConfigError
from envforge.core.records.judging import Examined, JudgeReport
from envforge.core.records.rewarding import Calibration
from envforge.core.records.task import RubricItem, Task
from envforge.core.records.trajectory import Trajectory

LEAST = 0.9
_FEWEST = 8
"""Items: of fewer nothing can be learned."""


@dataclass(frozen=True)
class Question:
    """An item whose truth is known, since checks decide it too."""

    task: Task
    trajectory: Trajectory
    item: RubricItem
    met: bool


async def examine(
    model: Model,
    questions: Sequence[Question],
    *,
    settings: JudgeSettings,
    environments: tuple[str, ...],
    seed: int,
    progress: Progress,
    least: float = LEAST,
) -> JudgeReport:
    """Read everything once; find the cut on one half of each sort, and count on the other.

    Raises ModelError, ConfigError for too few questions or of one sort only.
    """
    sorts = {question.met for question in questions}
    if len(questions) < _FEWEST or len(sorts) < 2:
        message = f"{len(questions)} items of {len(sorts)} sorts calibrate nobody: {_FEWEST} of both are needed"
        raise ConfigError(message, where="judge", remedy="give more tasks or episodes")
    reader = ModelJudge(model, settings)
    readings: list[tuple[Margin, ...]] = []
    for number, one in enumerate(questions):
        progress("items read", number, len(questions))
        readings.append(await reader.read(one.item, one.task, one.trajectory))
    fitting, held_out = halves([question.met for question in questions])
    cut = cut_of([(mean_margin(readings[at]), questions[at].met) for at in fitting])
    judge = ModelJudge(model, replace(settings, cut=cut))
    ruled: list[Examined] = []
    for number, (one, read) in enumerate(zip(questions, readings, strict=True)):
        progress("items ruled", number, len(questions))
        ruling = await judge.rule(one.item, one.task, one.trajectory, read)
        ruled.append(Examined(agent=one.trajectory.agent, met=one.met, ruling=ruling))
    return JudgeReport(
        environments=environments,
        seed=seed,
        prompts={words.name: words.sha256 for words in (JUDGE, QUOTE)},
        cut=cut,
        calibration=calibration_of(judge.identity, [ruled[at] for at in held_out], least, _passed(questions, ruled)),
        agreement=sum(one.ruling.agree for one in ruled) / len(ruled),
        auc=auc_of([(mean_margin(read), one.met) for read, one in zip(readings, questions, strict=True)]),
        abstained=sum(one.ruling.said == "abstains" for one in ruled),
        examined=tuple(ruled),
    )


def halves(sorts: Sequence[bool]) -> tuple[list[int], list[int]]:
    """Places of every other item of each sort, and those of the rest."""
    places = {sort: [at for at, one in enumerate(sorts) if one is sort] for sort in (True, False)}
    fitting = sorted(at for found in places.values() for at in found[::2])
    return fitting, sorted(set(range(len(sorts))) - set(fitting))


def calibration_of(identity: str, held_out: Sequence[Examined], least: float, passed_mutants: int) -> Calibration:
    """Shares on items that had no part in finding the cut; passed mutants among all episodes."""
    met, unmet = ([one for one in held_out if one.met is sort] for sort in (True, False))
    return Calibration(
        judge=identity,
        items=max(1, len(held_out)),
        right_on_met=_share(met),
        right_on_unmet=_share(unmet),
        least=least,
        passed_mutants=passed_mutants,
    )


def _share(asked: Sequence[Examined]) -> float:
    return sum(one.right for one in asked) / len(asked) if asked else 0.0


def _passed(questions: Sequence[Question], ruled: Sequence[Examined]) -> int:
    """Episodes with an unmet item of which the judge calls every item met."""
    episodes: dict[tuple[str, str, str], list[Examined]] = {}
    for asked, one in zip(questions, ruled, strict=True):
        # Tasks of two environments may have one id.
        played = asked.trajectory
        episodes.setdefault((played.environment_hash, played.task_id, played.agent), []).append(one)
    failed = [items for items in episodes.values() if not all(item.met for item in items)]
    return sum(all(item.ruling.said == "met" for item in items) for items in failed)


def mean_margin(readings: Sequence[Margin]) -> float | None:
    """None where a reading said neither."""
    values = [one.value for one in readings if one.value is not None]
    return statistics.fmean(values) if len(values) == len(readings) else None


def cut_of(read: Sequence[tuple[float | None, bool]]) -> float:
    """The middle between two margins that parts met from unmet best; 0 where one sort is missing."""
    known = [(margin, met) for margin, met in read if margin is not None]
    if len({met for _, met in known}) < 2:
        return 0.0
    values = sorted({margin for margin, _ in known})
    middles = [(low + high) / 2 for low, high in pairwise(values)] or [0.0]

    def worth(cut: float) -> float:
        return min(_right_of(known, cut, met=True), _right_of(known, cut, met=False))

    return round(max(middles, key=lambda cut: (worth(cut), -abs(cut))), 6)


def _right_of(known: Sequence[tuple[float, bool]], cut: float, *, met: bool) -> float:
    sort = [margin for margin, truth in known if truth is met]
    return sum((margin > cut) is met for margin in sort) / len(sort)


def auc_of(read: Sequence[tuple[float | None, bool]]) -> float | None:
    """How often a met item has the higher margin of a pair; ties count half."""
    margins = {sort: [margin for margin, met in read if met is sort and margin is not None] for sort in (True, False)}
    pairs = list(product(margins[True], margins[False]))
    return round(sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs), 4) if pairs else None
