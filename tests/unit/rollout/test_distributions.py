"""Distribution functions against tables and sums."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.rollout.distributions import beta_share, sign_test, student_t_quantile, student_t_tail


@pytest.mark.parametrize(
    ("share", "freedom", "expected"),
    [(0.95, 1, 12.7062), (0.95, 2, 4.30265), (0.95, 9, 2.26216), (0.99, 30, 2.75000), (0.95, 1000, 1.96234)],
)
def test_quantiles_of_the_tables(share: float, freedom: int, expected: float) -> None:
    assert student_t_quantile(share, freedom) == pytest.approx(expected, rel=1e-5)
    assert student_t_tail(student_t_quantile(share, freedom), freedom) == pytest.approx(1 - share)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.floats(0.01, 0.99))
def test_the_incomplete_beta_function_is_a_binomial_tail(a: int, b: int, x: float) -> None:
    trials = a + b - 1
    tail = sum(comb(trials, j) * x**j * (1 - x) ** (trials - j) for j in range(a, trials + 1))
    assert beta_share(x, a, b) == pytest.approx(tail, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("more", "fewer", "expected"), [(0, 0, 1.0), (5, 0, 2 / 32), (9, 1, 22 / 1024), (3, 3, 1.0), (1, 9, 22 / 1024)]
)
def test_the_sign_test_counts_tails(more: int, fewer: int, expected: float) -> None:
    assert sign_test(more, fewer) == pytest.approx(expected)


def test_what_is_not_defined_is_refused() -> None:
    for wrong in (
        lambda: sign_test(-1, 2),
        lambda: student_t_tail(1, 0),
        lambda: student_t_quantile(1, 3),
        lambda: beta_share(2, 1, 1),
    ):
        with pytest.raises(ValueError, match=r"defined|degree|between|negative"):
            wrong()
