"""From the episodes of a run to its figures. It reads records only; nothing is played here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from envforge.core.records.completion import Usage
from envforge.core.records.environment import Grounding
from envforge.core.records.estimate import Estimate
from envforge.core.records.evaluation import (
    AgentReport,
    DiagnosedEpisode,
    EvaluatedAgent,
    Group,
    Grouping,
    Spending,
    TaskResult,
    ToolUse,
)
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.intervals import Tally, as_rate, clustered_mean, estimate

Price = Callable[[Trajectory], float | None]
"""Dollars of an episode; None: nobody knows."""


@dataclass(frozen=True)
class Asked:
    """A task of a run, with the class of its environment."""

    task: Task
    grounding: Grounding


def agent_report(
    agent: EvaluatedAgent,
    asked: Sequence[Asked],
    episodes: Sequence[Trajectory],
    diagnosed: Iterable[DiagnosedEpisode],
    *,
    price: Price,
    seed: int = 0,
) -> AgentReport:
    """What one agent reached: its `episodes` on the tasks `asked`."""
    tallies = tallied(asked, episodes)
    scored = [one for one in episodes if _score(one) is not None]
    kinds = Counter(one.diagnosed.kind for one in diagnosed)
    passed = sum(_score(one) == 1 for one in scored)
    return AgentReport(
        agent=agent,
        episodes=len(episodes),
        scored=len(scored),
        unscored=dict(sorted(Counter(_why_unscored(one) for one in episodes if _score(one) is None).items())),
        passed=passed,
        estimates=estimates(tallies, agent.episodes, seed),
        fraction=_fraction(asked, episodes, seed),
        if_unscored_failed=_bound(tallies, 0),
        if_unscored_passed=_bound(tallies, 1),
        groups=tuple(groups(asked, tallies, seed)),
        endings=dict(sorted(Counter(one.ending for one in episodes).items())),
        mistakes=dict(sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))),
        undiagnosed=len(scored) - passed - sum(kinds.values()),
        tools=tuple(_tools(episodes)),
        spending=_spending(episodes, price),
        results=tuple(_results(asked, episodes)),
    )


def tallied(asked: Sequence[Asked], episodes: Iterable[Trajectory]) -> list[Tally]:
    """Scored episodes of each task, by number; a task without an episode has none."""
    outcomes: defaultdict[str, dict[int, bool]] = defaultdict(dict)
    unscored: Counter[str] = Counter()
    for one in episodes:
        score = _score(one)
        if score is None:
            unscored[one.task_id] += 1
        else:
            outcomes[one.task_id][one.attempt] = score == 1
    return [
        Tally(item.task.id, item.task.environment_id, outcomes[item.task.id], unscored[item.task.id]) for item in asked
    ]


def estimates(tallies: Sequence[Tally], most: int, seed: int) -> dict[str, Estimate]:
    """pass@K and pass^K for powers of two up to the number of episodes, and that number itself; pass^1 is pass@1."""
    ks = [k for k in (1, 2, 4, 8, 16, 32, 64) if k < most] + [most]
    names = [f"pass@{k}" for k in ks] + [f"pass^{k}" for k in ks if k > 1]
    return {name: estimate(tallies, name, seed=seed) for name in names}


def groups(asked: Sequence[Asked], tallies: Sequence[Tally], seed: int) -> Iterator[Group]:
    """The same tasks in every grouping."""
    held: defaultdict[tuple[Grouping, str], list[Tally]] = defaultdict(list)
    for item, tally in zip(asked, tallies, strict=True):
        for by, name in _places(item):
            held[by, name].append(tally)
    for (by, name), found in sorted(held.items(), key=lambda entry: (_ORDER.index(entry[0][0]), entry[0][1])):
        yield Group(
            by=by,
            name=name,
            tasks=len(found),
            episodes=sum(tally.scored + tally.unscored for tally in found),
            scored=sum(tally.scored for tally in found),
            passed=sum(tally.passed for tally in found),
            estimate=estimate(found, "pass@1", seed=seed),
        )


_ORDER: tuple[Grouping, ...] = ("grounding", "environment", "level", "kind", "goal", "tool")


def _places(item: Asked) -> Iterator[tuple[Grouping, str]]:
    task = item.task
    yield "grounding", item.grounding
    yield "environment", task.environment_id
    yield "level", str(task.difficulty.level)
    yield "kind", task.kind
    yield "goal", task.intent.kind
    for tool in sorted({call.tool for call in task.gold}):
        yield "tool", tool


def _score(one: Trajectory) -> float | None:
    return one.verdict.score if one.verdict is not None else None


def _why_unscored(one: Trajectory) -> str:
    if one.status in ("error", "infrastructure"):
        return f"{one.status}: {one.failure_kind or one.ending}"
    reasons = one.verdict.reasons if one.verdict is not None else ()
    return reasons[0][:120] if reasons else "not scored"


def _fraction(asked: Sequence[Asked], episodes: Sequence[Trajectory], seed: int) -> Estimate:
    clusters = {item.task.id: item.task.environment_id for item in asked}
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for one in episodes:
        if one.verdict is not None and one.verdict.fraction is not None and _score(one) is not None:
            shares[one.task_id].append(one.verdict.fraction)
    values = [(clusters[task], task, sum(found) / len(found)) for task, found in sorted(shares.items())]
    return as_rate(clustered_mean(values, seed=seed))


def _bound(tallies: Sequence[Tally], value: int) -> float | None:
    """pass@1 over all tasks that were run, with every unscored episode counted as `value`."""
    rates = [
        (tally.passed + value * tally.unscored) / (tally.scored + tally.unscored)
        for tally in tallies
        if tally.scored + tally.unscored
    ]
    return sum(rates) / len(rates) if rates else None


def _tools(episodes: Iterable[Trajectory]) -> Iterator[ToolUse]:
    calls: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for one in episodes:
        calls.update(turn.tool for turn in one.turns)
        refused.update(turn.tool for turn in one.turns if not turn.ok)
    for tool, count in sorted(calls.items(), key=lambda entry: (-entry[1], entry[0])):
        yield ToolUse(tool=tool, calls=count, refused=refused[tool])


def _spending(episodes: Sequence[Trajectory], price: Price) -> Spending:
    turns = [turn for one in episodes for turn in one.model_turns]
    costs = [price(one) for one in episodes if one.model_turns]
    known = [cost for cost in costs if cost is not None]
    return Spending(
        model_calls=len(turns),
        prompt_tokens=sum(turn.prompt_tokens for turn in turns),
        completion_tokens=sum(turn.completion_tokens for turn in turns),
        estimated_calls=sum(turn.estimated for turn in turns),
        usd=round(sum(known), 6) if len(known) == len(costs) else None,
    )


def _results(asked: Sequence[Asked], episodes: Sequence[Trajectory]) -> Iterator[TaskResult]:
    by_task: defaultdict[str, list[Trajectory]] = defaultdict(list)
    for one in episodes:
        by_task[one.task_id].append(one)
    for item in asked:
        found = by_task[item.task.id]
        scores = [score for one in found if (score := _score(one)) is not None]
        shares = [one.verdict.fraction for one in found if one.verdict and one.verdict.fraction is not None]
        yield TaskResult(
            task=item.task.id,
            environment=item.task.environment_id,
            level=item.task.difficulty.level,
            minimal_calls=item.task.difficulty.minimal_calls,
            scored=len(scores),
            passed=sum(score == 1 for score in scores),
            unscored=len(found) - len(scores),
            fraction=sum(shares) / len(shares) if shares else None,
        )


def priced(price_of: Callable[[Usage], float] | None, cached: Mapping[str, int]) -> Price:
    """The price of an episode; `cached`: key of the episode -> tokens of prompts that the server had at hand."""

    def price(one: Trajectory) -> float | None:
        if price_of is None:
            return None
        prompt = sum(turn.prompt_tokens for turn in one.model_turns)
        completion = sum(turn.completion_tokens for turn in one.model_turns)
        again = min(prompt, cached.get(one.key, 0))
        return price_of(Usage(prompt_tokens=prompt, completion_tokens=completion, cached_prompt_tokens=again))

    return price
