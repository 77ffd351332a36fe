"""Charts and the frame of pages."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from envforge.core.records.estimate import Estimate
from envforge.core.records.trend import Trend, TrendLine, TrendPoint
from envforge.studio.charts import Bar, Line, Point, bars, lines
from envforge.studio.eval_page import p_value
from envforge.studio.page import page
from envforge.studio.tables import table
from envforge.studio.trend_page import trend_columns, trend_page

NASTY = '<script>alert(1)</script> & "x"'


def svg(figure: str) -> ElementTree.Element:
    return ElementTree.fromstring(figure[figure.index("<svg") : figure.index("</svg>") + 6])


def test_bars_are_as_long_as_their_rates() -> None:
    drawn = svg(bars("b", [Bar("half", 0.5, 0.25, 0.75), Bar("all", 1.0), Bar("over", 3.0), Bar("none", None)]))
    widths = [float(rect.attrib["width"]) for rect in drawn.iter("rect")]
    assert widths[0] * 2 == widths[1] == widths[2]
    assert "nothing scored" in "".join(drawn.itertext())


def test_lines_rise_with_their_values_and_keep_equal_steps() -> None:
    drawn = svg(lines("l", [Line("a", [Point(1, 0.0), Point(4, 0.5), Point(16, 1.0, 0.9, 1.0)])], x_name="k"))
    (path,) = drawn.iter("polyline")
    places = [tuple(map(float, one.split(","))) for one in path.attrib["points"].split()]
    xs, ys = zip(*places, strict=True)
    assert xs[1] - xs[0] == xs[2] - xs[1]
    assert ys[0] > ys[1] > ys[2]


def test_one_point_and_no_point_are_drawn() -> None:
    assert len(list(svg(lines("l", [Line("a", [Point(1, 0.5)])])).iter("circle"))) == 1
    assert not list(svg(lines("l", [])).iter("circle"))


def test_each_x_has_its_own_label_also_beside_one_where_nothing_was_scored() -> None:
    nothing, half = Estimate(left_out=3), Estimate(value=0.5, tasks=3)
    points = tuple(TrendPoint(x=x, label=f"at {x}", estimate=nothing if x == 2 else half) for x in (1, 2, 4))
    trend = Trend(title="t", x_name="calls", lines=(TrendLine(name="a", points=points),))
    assert trend_columns(trend) == ("calls", "at 1", "at 2", "at 4", "rank correlation")
    told = [text.text for text in svg(trend_page([trend])).iter("text")]
    assert "at 1" in told and "at 4" in told and "at 2" not in told


@pytest.mark.parametrize(("p", "told"), [(None, "–"), (0.0, "< 0.0001"), (0.00004, "< 0.0001"), (0.0417, "0.0417")])
def test_no_p_is_told_as_nothing(p: float | None, told: str) -> None:
    assert p_value(p) == told


def test_nothing_of_strangers_is_markup() -> None:
    charts = bars(NASTY, [Bar(NASTY, 1.0, note=NASTY)])
    charts += lines(NASTY, [Line(NASTY, [Point(1, 1.0)])], x_name=NASTY, labels={1: NASTY})
    found = page(NASTY, table([NASTY], [[NASTY]]) + charts)
    assert "<script" not in found, "the page has no code of its own, either"
    assert "default-src 'none'" in found
    assert "http:" not in found
    assert "https:" not in found
