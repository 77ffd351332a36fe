"""Paired comparisons: by hand, and against a simulated pair of agents."""

from __future__ import annotations

from random import Random

import pytest

from envforge.rollout.comparison import compare
from envforge.rollout.intervals import Tally


def tally(task: str, cluster: str, *outcomes: bool | None) -> Tally:
    held = {number: passed for number, passed in enumerate(outcomes) if passed is not None}
    return Tally(task, cluster, held, outcomes.count(None))


def test_by_hand() -> None:
    ours = [tally("a", "x", True, True), tally("b", "x", True, False), tally("c", "y", None, True)]
    theirs = [tally("a", "x", False, True), tally("b", "x", False, False), tally("c", "y", True, True)]
    found = compare(ours, theirs, "pass@1")
    assert found.ours == pytest.approx((1 + 0.5 + 1) / 3)
    assert found.theirs == pytest.approx((0.5 + 0 + 1) / 3)
    assert found.gap.value == pytest.approx(1 / 3)
    assert (found.only_ours, found.only_theirs) == (2, 0), "of task c the second episode is the first in both"
    assert (found.better, found.worse) == (2, 0)
    assert found.p_mcnemar == found.p_sign == 0.5
    assert found.gap.clusters == 2


def test_it_turns_round() -> None:
    random = Random(3)
    ours = [tally(f"t{n}", f"e{n % 4}", random.random() < 0.7, random.random() < 0.7) for n in range(40)]
    theirs = [tally(f"t{n}", f"e{n % 4}", random.random() < 0.4, random.random() < 0.4) for n in range(40)]
    there, back = compare(ours, theirs, "pass^2"), compare(theirs, ours, "pass^2")
    assert there.gap.value == pytest.approx(-(back.gap.value or 0))
    assert there.gap.low == pytest.approx(-(back.gap.high or 0))
    assert (there.p_clustered, there.p_mcnemar, there.p_sign) == pytest.approx(
        (back.p_clustered, back.p_mcnemar, back.p_sign)
    )


def test_pairing_sees_what_two_intervals_do_not() -> None:
    """Tasks differ far more than the agents do: side by side the intervals overlap, the paired gap excludes 0."""
    random = Random(11)
    ours: list[Tally] = []
    theirs: list[Tally] = []
    for number in range(160):
        rate = random.choice((0.05, 0.1, 0.8, 0.9))
        seen = [random.random() for _ in range(10)]
        ours.append(tally(f"t{number}", f"e{number % 20}", *(draw < rate + 0.1 for draw in seen)))
        theirs.append(tally(f"t{number}", f"e{number % 20}", *(draw < rate for draw in seen)))
    found = compare(ours, theirs, "pass@1")
    assert found.gap.low is not None and found.gap.low > 0.05
    assert found.p_clustered is not None and found.p_clustered < 1e-6
    assert found.p_sign is not None and found.p_sign < 1e-6


def test_equal_agents_differ_rarely() -> None:
    random = Random(5)
    small = 0
    for _ in range(120):
        rates = [random.random() for _ in range(60)]
        pair = [
            [tally(f"t{n}", f"e{n % 15}", *(random.random() < rate for _ in range(4))) for n, rate in enumerate(rates)]
            for _ in range(2)
        ]
        p = compare(pair[0], pair[1], "pass@1", draws=1).p_clustered
        small += p is not None and p < 0.05
    assert small / 120 < 0.1


def test_other_tasks_are_refused_and_unscored_ones_left_out() -> None:
    with pytest.raises(ValueError, match="same tasks"):
        compare([tally("a", "x", True)], [tally("b", "x", True)], "pass@1")
    found = compare([tally("a", "x", None)], [tally("a", "x", True)], "pass@1")
    assert (found.gap.value, found.gap.left_out, found.p_mcnemar, found.p_sign) == (None, 1, None, None)
