"""Patterns of strangers: the harmless ones are told from those that can keep a matcher busy."""

from __future__ import annotations

import pytest

from envforge.core.patterns import surely_fast


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Z]{3}$",
        r"^\d{4}-\d\d-\d\d$",
        "^(foo|bar)$",
        "^[a-z]+-[0-9]+$",
        r"^(?:[0-9a-f]{8}-){2}[a-z]*$",
        "",
        "x?y?z?",
    ],
)
def test_plain_patterns_are_fast(pattern: str) -> None:
    assert surely_fast(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["^(a+)+$", "(a|a)*$", "(a|aa){20}$", "(a*)*", "x*x*x*y", r"(.)\1+", "a?" * 40 + "a" * 40, "((a?){9}){9}b"]
    + [r"(\p{L}", "(", "(" * 3000 + ")" * 3000],
)
def test_patterns_that_may_run_for_years_are_not(pattern: str) -> None:
    assert not surely_fast(pattern)
