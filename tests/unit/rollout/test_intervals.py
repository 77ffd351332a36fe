"""Clustered intervals: against brute force, against each other, and against a simulated world whose truth is known."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.rollout.intervals import Tally, as_rate, clustered_mean, clustered_p, estimate, figure_of

VALUES = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 40), st.floats(0, 1)), min_size=2, max_size=30).map(
    lambda found: [(cluster, f"task-{number}-{place}", value) for place, (cluster, number, value) in enumerate(found)]
)


def tally(task: str, cluster: str, passed: int, failed: int, unscored: int = 0) -> Tally:
    return Tally(task, cluster, {number: number < passed for number in range(passed + failed)}, unscored)


@settings(max_examples=30, deadline=None)
@given(VALUES)
def test_the_mean_lies_within_both_intervals(values: list[tuple[str, str, float]]) -> None:
    found = clustered_mean(values, draws=40)
    assert found.value == pytest.approx(sum(value for _, _, value in values) / len(values))
    assert found.low is not None and found.high is not None and found.low <= found.high
    assert found.closed_low is not None and found.closed_high is not None
    assert found.value is not None
    assert found.closed_low <= found.value + 1e-12 and found.value <= found.closed_high + 1e-12
    assert min(v for _, _, v in values) - 1e-12 <= found.low and found.high <= max(v for _, _, v in values) + 1e-12
    assert found == clustered_mean(list(reversed(values)), draws=40), "the order of tasks changes nothing"


@pytest.mark.parametrize("cluster", ["", "of its own"])
def test_tasks_that_are_all_alike_are_no_certainty(cluster: str) -> None:
    tallies = [tally(f"t{number}", cluster and f"{cluster} {number}", 1, 1) for number in range(3)]
    found = estimate(tallies, "pass@1")
    assert found.value == 0.5 and found.interval is None and found.note == "all alike: no interval"
    shares = as_rate(clustered_mean([("one", f"t{number}", 0.75) for number in range(3)]))
    assert shares.value == 0.75 and shares.interval is None


def test_the_bootstrap_is_that_of_all_draws() -> None:
    """Three clusters have 27 equally likely draws; the percentiles of many seeded draws are theirs."""
    groups = {"a": [1.0, 0.0], "b": [0.5], "c": [0.0, 0.0, 0.25]}
    values = [(name, f"{name}{place}", value) for name, held in groups.items() for place, value in enumerate(held)]
    means = sorted(
        sum(sum(groups[name]) for name in drawn) / sum(len(groups[name]) for name in drawn)
        for drawn in product(groups, repeat=3)
    )
    found = clustered_mean(values, draws=20_000)
    assert found.low == pytest.approx(means[0]), "one draw of 27 is more than 2.5 %"
    assert found.high == pytest.approx(means[-1])


def test_without_clusters_the_closed_form_is_the_textbook_one() -> None:
    values = [("only", f"t{number}", float(number % 3 == 0)) for number in range(30)]
    found = clustered_mean(values)
    mean = 10 / 30
    error = (mean * (1 - mean) / 29) ** 0.5
    assert found.clustered_by == "task" and found.clusters == 30
    assert found.closed_high is not None
    assert found.closed_high - mean == pytest.approx(2.04523 * error, rel=1e-5)
    assert found.low == pytest.approx(found.closed_low, abs=0.03)
    assert "says nothing of other environments" in found.note


def test_tasks_that_fall_together_widen_the_interval() -> None:
    alike = [(f"e{number}", f"t{number}-{task}", float(number % 2)) for number in range(12) for task in range(10)]
    mixed = [(f"e{number}", f"t{number}-{task}", float(task % 2)) for number in range(12) for task in range(10)]
    together, apart = clustered_mean(alike), clustered_mean(mixed)
    assert together.value == apart.value == 0.5
    assert together.low is not None and together.low < 0.3
    assert (apart.low, apart.high) == (0.5, 0.5)
    assert together.note == ""


def test_nominal_coverage_holds_over_simulated_environments() -> None:
    """Environments differ in difficulty; over 200 worlds the closed form covers the truth about as often as it says,
    while an interval that takes tasks as independent does so far too rarely."""
    random = Random(7)
    covered = naive = 0
    for _ in range(200):
        values: list[tuple[str, str, float]] = []
        for cluster in range(15):
            rate = random.betavariate(1.5, 1.5)  # mean 0.5
            values += [(f"e{cluster}", f"{cluster}-{task}", float(random.random() < rate)) for task in range(20)]
        found = clustered_mean(values, draws=1)
        assert found.closed_low is not None and found.closed_high is not None and found.value is not None
        covered += found.closed_low <= 0.5 <= found.closed_high
        naive += abs(found.value - 0.5) <= 1.96 * (found.value * (1 - found.value) / len(values)) ** 0.5
    assert 0.91 <= covered / 200 <= 0.98
    assert naive / 200 < 0.8


def test_unscored_episodes_are_no_failures() -> None:
    tallies = [tally("a", "x", 1, 1, unscored=6), tally("b", "y", 0, 0, unscored=4)]
    found = estimate(tallies, "pass@1")
    assert (found.value, found.tasks, found.left_out) == (0.5, 1, 1)
    assert estimate(tallies, "pass@2").value == 1.0
    assert estimate(tallies, "pass^2").value == 0.0
    nothing = estimate(tallies, "pass@4")
    assert (nothing.value, nothing.low, nothing.left_out) == (None, None, 2)
    assert nothing.note


def test_few_clusters_are_warned_of() -> None:
    few = estimate([tally(f"t{n}", f"e{n % 3}", n % 3, 2) for n in range(9)], "pass@1")
    assert few.clusters == 3
    assert "few" in few.note
    alone = estimate([tally("t", "e", 1, 1)], "pass@1")
    assert (alone.value, alone.low, alone.note) == (0.5, None, "one task: no interval")


def test_p_of_no_difference() -> None:
    assert clustered_p([]) is None
    assert clustered_p([("a", "t", 0.5)]) is None
    assert clustered_p([("a", "t", 0.0), ("b", "u", 0.0)]) == 1.0
    assert clustered_p([("a", "t", 0.5), ("b", "u", 0.5)]) is None, "what never varies has no error to go by"
    textbook = clustered_p([("a", f"t{n}", value) for n, value in enumerate((0.2, 0.4, 0.1, 0.5, 0.3))])
    assert textbook == pytest.approx(0.0132, abs=1e-4), "t = 0.3 / 0.0707 with 4 degrees of freedom"


@pytest.mark.parametrize(("passed", "low", "high"), [(0, 0.0, 0.0841), (4, 0.9159, 1.0)])
def test_nothing_but_passes_is_no_certainty(passed: int, low: float, high: float) -> None:
    """The exact bound of Clopper and Pearson: 0.025 ** (1 / 42)."""
    found = estimate([tally(f"t{n}", f"e{n % 3}", passed, 4 - passed) for n in range(42)], "pass@1")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert "independent" in found.note
    assert "one environment" not in found.note


@pytest.mark.parametrize(("some", "others"), [(0, 0), (1, 3), (4, 4)])
def test_of_one_environment_the_note_says_so_whatever_its_tasks_came_to(some: int, others: int) -> None:
    counts = [others if number % 2 else some for number in range(12)]
    found = estimate([tally(f"t{n}", "e", passed, 4 - passed) for n, passed in enumerate(counts)], "pass@1")
    assert found.interval is not None and found.note.startswith("one environment: ")
    assert ("all tasks alike" in found.note) == (some == others)
    assert "no interval" not in found.note


@pytest.mark.parametrize("name", ["pass@0", "pass@", "pass@x", "mean", "pass^-1"])
def test_other_figures_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no figure"):
        figure_of(name)
