"""Rank correlation by hand."""

from __future__ import annotations

import pytest

from envforge.rollout.ranks import rank_correlation


def test_by_hand() -> None:
    assert rank_correlation([(1, 10), (2, 100), (3, 1000)]) == pytest.approx(1)
    assert rank_correlation([(1, 3), (2, 2), (3, 1)]) == pytest.approx(-1)
    assert rank_correlation([(1, 1), (2, 3), (3, 2), (4, 4)]) == pytest.approx(0.8)
    assert rank_correlation([(1, 1), (1, 2), (2, 3)]) == pytest.approx(0.8660, abs=1e-4), "equal values share a rank"


def test_what_does_not_vary_goes_with_nothing() -> None:
    assert rank_correlation([(1, 5), (2, 5)]) is None
    assert rank_correlation([(1, 5)]) is None
