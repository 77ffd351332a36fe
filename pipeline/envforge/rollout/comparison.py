"""Two agents on the same tasks: the gap with a paired interval, and exact tests beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.records.estimate import PairedComparison
from envforge.rollout.distributions import sign_test
from envforge.rollout.intervals import DRAWS, Tally, clustered_mean, clustered_p, figure_of


def compare(
    ours: Sequence[Tally], theirs: Sequence[Tally], name: str, *, seed: int = 0, draws: int = DRAWS
) -> PairedComparison:
    """The gap in pass@K or pass^K. Tasks that either has too few scored episodes of are left out of it, and counted.

    Raises ValueError for tallies of different tasks: only the same tasks can be paired.
    """
    other = {tally.task: tally for tally in theirs}
    if {tally.task for tally in ours} != set(other) or len(other) != len(ours):
        raise ValueError("two agents are compared on the same tasks only")
    figure = figure_of(name)
    pairs = [(tally, other[tally.task]) for tally in ours]
    known = [
        (one, mine, yours)
        for one, two in pairs
        if (mine := figure(one)) is not None and (yours := figure(two)) is not None
    ]
    gaps = [(one.cluster, one.task, mine - yours) for one, mine, yours in known]
    gap = clustered_mean(gaps, seed=seed, draws=draws).model_copy(update={"left_out": len(pairs) - len(known)})
    only_ours, only_theirs = _first_episodes(pairs)
    better = sum(_rate(one) > _rate(two) for one, two in pairs if one.scored and two.scored)
    worse = sum(_rate(one) < _rate(two) for one, two in pairs if one.scored and two.scored)
    return PairedComparison(
        figure=name,
        ours=_mean([mine for _, mine, _ in known]),
        theirs=_mean([yours for _, _, yours in known]),
        gap=gap,
        p_clustered=clustered_p(gaps),
        only_ours=only_ours,
        only_theirs=only_theirs,
        p_mcnemar=sign_test(only_ours, only_theirs) if known else None,
        better=better,
        worse=worse,
        p_sign=sign_test(better, worse) if known else None,
    )


def _first_episodes(pairs: Sequence[tuple[Tally, Tally]]) -> tuple[int, int]:
    """Of the first episode that was scored in both runs, task by task: how often one of both passes alone."""
    only_ours = only_theirs = 0
    for one, two in pairs:
        number = _first_common(one.outcomes, two.outcomes)
        if number is not None:
            only_ours += one.outcomes[number] and not two.outcomes[number]
            only_theirs += two.outcomes[number] and not one.outcomes[number]
    return only_ours, only_theirs


def _first_common(one: Mapping[int, bool], two: Mapping[int, bool]) -> int | None:
    return min(one.keys() & two.keys(), default=None)


def _rate(tally: Tally) -> float:
    return tally.passed / tally.scored


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
