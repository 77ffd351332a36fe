from __future__ import annotations

import pytest

from envforge.rollout.diagnosis.entities import alike
from envforge.rollout.diagnosis.spelling import spelled_alike


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("MARTHA", "Marhta", 0.9611),
        ("DIXON", "DICKSONX", 0.8133),
        ("dwayne", "duane", 0.84),
        ("abc", "xyz", 0.0),
        ("", "", 0.0),
        ("", "a", 0.0),
        ("same", "same", 1.0),
    ],
)
def test_it_is_the_measure_that_it_is_named_after(one: str, other: str, score: float) -> None:
    assert spelled_alike(one, other) == pytest.approx(score, abs=1e-4)
    assert spelled_alike(other, one) == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(("one", "other", "are"), [("Thompson", "Thomas", True), ("Reeves", "Oliver", False)])
def test_names_that_share_no_word_may_be_taken_for_each_other(one: str, other: str, are: bool) -> None:
    assert alike(one, other) is are
