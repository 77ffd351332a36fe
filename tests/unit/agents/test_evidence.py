"""A row is proven by the text alone: near, word for word, and not out of the facts of two."""

from __future__ import annotations

import pytest

from envforge.agents.researcher.evidence import NEAR, Evidence

TEXT = "Ada Berg (AB) was born in 1,815 in Oslo. Carl Dahl (CD) was born in 1790 in Bergen."


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (("AB", "Ada Berg", "1815", "Oslo"), ""),
        (("AB", "Ada Berg", "1,815", None), ""),
        (("CD", "Carl Dahl", "1790", "Norway"), ""),  # the title says it
        (("AB", "Ada Berg", "815", "Oslo"), "does not say '815'"),
        (("AB", "Ada", "Berge", "Oslo"), "does not say 'Berge'"),
        (("AB", "Carl Dahl", "1790", "Bergen"), "'CD' of another row"),
        (("ab", "Ada Berg", "1815", "Oslo"), "does not say 'ab'"),
        ((None, "Ada Berg", "1815", "Oslo"), "its key is empty"),
    ],
)
def test_a_row_stands_there_or_does_not(values: tuple[str | None, ...], reason: str) -> None:
    proof = Evidence(TEXT, "People of Norway").prove(values, 0, ("AB", "CD"))
    assert bool(proof.locator) == (not reason) and reason in proof.reason


def test_values_that_stand_far_apart_are_no_row() -> None:
    far = Evidence(f"Key one {'word ' * NEAR} seven")
    assert "near 'one'" in far.prove(("one", "seven"), 0).reason
    assert Evidence("one then seven").prove(("one", "seven"), 0).locator == "text=0-14"


def test_another_place_of_the_key_may_hold_the_row() -> None:
    text = "Contents: AB, CD. AB is Ada. CD is Carl."
    assert Evidence(text).prove(("CD", "Carl"), 0, ("AB", "CD")).locator == "text=29-39"
