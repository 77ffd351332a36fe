"""Articles go by sound, not by letters."""

from __future__ import annotations

import pytest

from envforge.core.articles import with_article

AN = ["airport", "hour", "honest answer", "uninstalled package", "urgent call", "8-day pass", "11 am flight", "SMS"] + [
    "hourly rate",
    "X-ray",
    "S-bend",
    "unimportant note",
    "usher",
]
A = [
    "page",
    "user",
    "usual day",
    "unit",
    "URL",
    "uri",
    "utility",
    "European stop",
    "one-day pass",
    "1100 kg",
    "PDF",
] + ["USB stick", "UI element", "usable item", "utopia", "T-shirt", "unique code"]


@pytest.mark.parametrize("label", AN)
def test_an_before_a_vowel_sound(label: str) -> None:
    assert with_article(label) == f"an {label}"


@pytest.mark.parametrize("label", A)
def test_a_before_others(label: str) -> None:
    assert with_article(label) == f"a {label}"
