"""The page of what several runs say together."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.records.trend import Trend, TrendPoint
from envforge.studio.charts import Line, Point, lines
from envforge.studio.eval_page import said
from envforge.studio.page import page, text
from envforge.studio.tables import table


def trend_page(trends: Sequence[Trend]) -> str:
    """A chart and a table of each, as HTML."""
    title = trends[0].title
    return page(title, "\n".join(_section(trend) for trend in trends), "evaluation")


def trend_rows(trend: Trend) -> list[tuple[str, ...]]:
    """A row for each line: its name, what it is at each x, and its rank correlation."""
    xs = _labels(trend)
    rows: list[tuple[str, ...]] = []
    for line in trend.lines:
        held = {point.x: said(point.estimate) for point in line.points}
        rho = "–" if line.rank_correlation is None else f"{line.rank_correlation:+.2f}"
        rows.append((line.name, *(held.get(x, "") for x in xs), rho))
    return rows


def trend_columns(trend: Trend) -> tuple[str, ...]:
    """The columns of these rows."""
    return (trend.x_name, *_labels(trend).values(), "rank correlation")


def _labels(trend: Trend) -> dict[float, str]:
    found = {point.x: point.label for line in trend.lines for point in line.points}
    return dict(sorted(found.items()))


def _section(trend: Trend) -> str:
    drawn = [Line(line.name, [_point(point) for point in line.points if point.estimate.value is not None])
             for line in trend.lines]  # fmt: skip
    chart = lines(trend.title, drawn, x_name=trend.x_name, labels=_labels(trend))
    notes = "".join(f'<p class="soft">{text(note)}</p>' for note in trend.notes)
    return f"<h2>{text(trend.title)}</h2>{chart}{table(trend_columns(trend), trend_rows(trend))}{notes}"


def _point(point: TrendPoint) -> Point:
    return Point(point.x, point.estimate.value or 0.0, *(point.estimate.interval or (None, None)))
