"""pass@k and pass^k against every choice of k episodes."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envforge.rollout.passk import beta_mean, pass_all, pass_at, rates

COUNTS = st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


@given(COUNTS)
def test_they_are_means_over_all_choices(counts: tuple[int, int, int]) -> None:
    episodes, passed, k = counts
    outcomes = [number < passed for number in range(episodes)]
    choices = list(combinations(outcomes, k))
    assert pass_at(k, episodes, passed) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_all(k, episodes, passed) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_known_values() -> None:
    assert pass_at(1, 8, 2) == pass_all(1, 8, 2) == 0.25
    assert pass_at(4, 8, 2) == pytest.approx(1 - 15 / 70)
    assert pass_all(2, 4, 2) == pytest.approx(1 / 6)


def test_the_posterior_mean_is_drawn_to_the_prior() -> None:
    assert beta_mean(0, 0) == 0.5
    assert beta_mean(8, 8) == 0.9
    assert beta_mean(8, 2, prior_passed=2, prior_failed=6) == 0.25


def test_only_what_the_episodes_can_say() -> None:
    assert rates(2, 1, (1, 2, 4)) == {"pass@1": 0.5, "pass^1": 0.5, "pass@2": 1.0, "pass^2": 0.0}
    assert rates(0, 0, (1, 2)) == {}


@pytest.mark.parametrize(("k", "episodes", "passed"), [(3, 2, 1), (1, 2, 3), (-1, 2, 1), (1, 2, -1)])
def test_impossible_counts_are_refused(k: int, episodes: int, passed: int) -> None:
    with pytest.raises(ValueError, match="among the episodes"):
        pass_at(k, episodes, passed)
