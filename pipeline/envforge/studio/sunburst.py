"""The taxonomy as a sunburst: one page without scripts, fonts or pictures from elsewhere, and a table beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from envforge.studio.page import page

_SIZE = 760
_RINGS = ((90.0, 210.0), (214.0, 330.0))
"""Inner and outer radius of the first and the second level."""
_FULL = 2 * math.pi
_LABEL_FROM = (0.018, 0.009)
"""Share of the circle from which on a sector of either ring carries its name; smaller ones show it when pointed at."""
_ROWS = 15


@dataclass(frozen=True)
class Slice:
    """A class: its name, the class above (empty at the first level), and how many themes are in it."""

    title: str
    parent: str
    count: int


def sunburst(slices: Sequence[Slice], title: str) -> str:
    """The whole page as HTML. Everything that comes from a catalogue is escaped."""
    tops = [one for one in slices if not one.parent and one.count]
    total = sum(one.count for one in tops)
    drawn: list[str] = []
    at = 0.0
    for number, top in enumerate(tops):
        hue = round(360 * number / len(tops))
        width = top.count / total
        drawn.append(_sector(top, at, width, 0, f"hsl({hue} 48% 56%)", total))
        inner = at
        for step, one in enumerate(part for part in slices if part.parent == top.title and part.count):
            drawn.append(_sector(one, inner, one.count / total, 1, f"hsl({hue} 48% {66 + 4 * (step % 4)}%)", total))
            inner += one.count / total
        at += width
    middle = _SIZE / 2
    body = _BODY.format(
        title=escape(title),
        size=_SIZE,
        middle=middle,
        sectors="\n".join(drawn),
        total=f"{total:,}",
        classes=sum(1 for one in slices if one.parent),
        rows=_rows(slices),
    )
    return page(title, body, "sunburst")


def _sector(one: Slice, start: float, width: float, ring: int, colour: str, total: int) -> str:
    hint = f"{one.title}: {one.count:,} of {total:,} themes"
    path = f'<path d="{_arc(start, width, *_RINGS[ring])}" fill="{colour}"><title>{escape(hint)}</title></path>'
    if width < _LABEL_FROM[ring]:
        return path
    return path + _label(one.title, start + width / 2, ring)


def _arc(start: float, width: float, inner: float, outer: float) -> str:
    # A whole circle has no arc between its ends, so the last bit is left open.
    end = start + min(width, 0.99999)
    large = int(width > 0.5)
    (ax, ay), (bx, by) = _point(start, outer), _point(end, outer)
    (cx, cy), (dx, dy) = _point(end, inner), _point(start, inner)
    return (
        f"M{ax:.1f} {ay:.1f}A{outer:.0f} {outer:.0f} 0 {large} 1 {bx:.1f} {by:.1f}"
        f"L{cx:.1f} {cy:.1f}A{inner:.0f} {inner:.0f} 0 {large} 0 {dx:.1f} {dy:.1f}Z"
    )


def _point(share: float, radius: float) -> tuple[float, float]:
    angle = share * _FULL - _FULL / 4
    return _SIZE / 2 + radius * math.cos(angle), _SIZE / 2 + radius * math.sin(angle)


def _label(text: str, share: float, ring: int) -> str:
    inner, outer = _RINGS[ring]
    x, y = _point(share, (inner + outer) / 2)
    turn = share * 360 - 90
    if 90 < turn % 360 < 270:
        turn += 180
    most = 22
    short = text if len(text) <= most else text[: most - 1] + "…"
    return f'<text x="{x:.1f}" y="{y:.1f}" transform="rotate({turn:.1f} {x:.1f} {y:.1f})">{escape(short)}</text>'


def _rows(slices: Sequence[Slice]) -> str:
    largest = sorted((one for one in slices if one.parent), key=lambda one: (-one.count, one.title))[:_ROWS]
    cells = (f"<tr><td>{escape(one.title)}<td>{escape(one.parent)}<td>{one.count:,}" for one in largest)
    return "\n".join(cells)


_BODY = """<h1>{title}</h1>
<p>{total} themes in {classes} classes. Point at a sector to see its name and size.</p>
<main>
<svg viewBox="0 0 {size} {size}" width="{size}" height="{size}" role="img" aria-label="{title}">
{sectors}
<text class="total" x="{middle}" y="{middle}">{total}</text>
</svg>
<table>
<tr><th>largest classes<th>in<th>themes
{rows}
</table>
</main>"""
