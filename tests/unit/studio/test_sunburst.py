from __future__ import annotations

import re
from typing import Any, cast

import pytest
from lxml import html

from envforge.studio.sunburst import Slice, sunburst

SLICES = [
    Slice("Water", "", 30),
    Slice("Boats", "Water", 20),
    Slice("Fish", "Water", 10),
    Slice("Land", "", 10),
    Slice("Roads", "Land", 10),
    Slice("Moors", "Land", 0),
]


def test_every_class_with_themes_has_a_sector_with_its_size() -> None:
    page = cast(Any, html.fromstring(sunburst(SLICES, "Themes")))
    hints = [node.text_content() for node in page.xpath("//path/title")]
    assert hints == [
        "Water: 30 of 40 themes",
        "Boats: 20 of 40 themes",
        "Fish: 10 of 40 themes",
        "Land: 10 of 40 themes",
        "Roads: 10 of 40 themes",
    ]
    rows = [row.text_content().split() for row in page.xpath("//table//tr")[1:]]
    assert rows[0] == ["BoatsWater20"]


def test_a_name_is_text_never_markup() -> None:
    text = sunburst([Slice("<script>alert(1)</script>", "", 3), Slice('"><b>', "<script>alert(1)</script>", 3)], "<i>")
    assert "<script" not in text and "<b>" not in text and "<i>" not in text


def test_the_page_needs_nothing_from_elsewhere() -> None:
    text = sunburst(SLICES, "Themes")
    assert not re.search(r"(src|href)=|url\(|@import|<script", text)
    assert sunburst(SLICES, "Themes") == text
    assert "default-src 'none'" in text and "script-src 'none'" in text
    assert " style=" not in text, "the policy lets the page's own style in, and no other"


@pytest.mark.parametrize("slices", [[], [Slice("Water", "", 5)], [Slice("Water", "", 0)]])
def test_few_classes_are_drawn_too(slices: list[Slice]) -> None:
    assert "</html>" in sunburst(slices, "Themes")
