"""Charts as inline SVG: rates with their intervals as bars, and as lines over something that grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDE, _LABEL, _ROW, _RIGHT = 560, 190, 26, 104
_COLOURS = ("var(--one)", "var(--two)", "var(--three)", "var(--four)")


@dataclass(frozen=True)
class Bar:
    """One rate from 0 to 1 with its interval, where there is one; `note` stands behind it."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Point:
    """A place of a line."""

    x: float
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """A named line."""

    name: str
    points: Sequence[Point]


def bars(caption: str, found: Sequence[Bar], *, most: float = 1.0, percent: bool = True) -> str:
    """Bars from 0 to `most`, one a row, labels at the left and figures at the right."""
    room = _WIDE - _LABEL - _RIGHT
    lines: list[str] = []
    for number, bar in enumerate(found):
        top = number * _ROW + 4
        lines.append(f'<text x="{_LABEL - 8}" y="{top + 14}" text-anchor="end">{escape(_short(bar.label, 28))}</text>')
        if bar.value is None:
            lines.append(f'<text x="{_LABEL + 4}" y="{top + 14}" class="soft">nothing scored</text>')
            continue
        width = room * _share(bar.value, most)
        lines.append(
            f'<rect x="{_LABEL}" y="{top + 3}" width="{width:.1f}" height="14" rx="2" '
            f'fill="{_COLOURS[0]}" opacity=".75"/>'
        )
        if bar.low is not None and bar.high is not None:
            left, right = (_LABEL + room * _share(end, most) for end in (bar.low, bar.high))
            lines.append(
                f'<path d="M{left:.1f} {top + 10}H{right:.1f}M{left:.1f} {top + 5}v10M{right:.1f} {top + 5}v10" '
                'stroke="var(--ink)" fill="none"/>'
            )
        said = f"{bar.value:.0%}" if percent else f"{bar.value:g}"
        lines.append(f'<text x="{_WIDE - _RIGHT + 8}" y="{top + 14}">{said}</text>')
        lines.append(f'<text x="{_WIDE}" y="{top + 14}" text-anchor="end" class="soft">{escape(bar.note)}</text>')
    high = len(found) * _ROW + 10
    axis = f'<path class="axis" d="M{_LABEL} 0V{high}" fill="none"/>'
    return _figure(caption, _WIDE, high, axis + "".join(lines))


def lines(caption: str, found: Sequence[Line], *, x_name: str = "", labels: Mapping[float, str] | None = None) -> str:
    """Lines of rates over x; equal steps between the values of x, whatever they are. `labels`: what each x says."""
    left, top, wide, high = 44, 12, _WIDE - 64, 200
    xs = sorted({point.x for line in found for point in line.points})
    at = {x: left + (wide * place / (len(xs) - 1) if len(xs) > 1 else wide / 2) for place, x in enumerate(xs)}
    parts = [_grid(left, top, wide, high)]
    for x in xs:
        said = (labels or {}).get(x, f"{x:g}")
        parts.append(f'<text x="{at[x]:.1f}" y="{top + high + 18}" text-anchor="middle">{escape(said)}</text>')
    for number, line in enumerate(found):
        parts.append(_drawn(line, at, top, high, _COLOURS[number % len(_COLOURS)]))
        label = escape(_short(line.name, 30))
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(
            f'<text x="{left + 6 + 230 * (number % 2)}" y="{top + high + 56 + 16 * (number // 2)}">'
            f'<tspan fill="{colour}">■ </tspan>{label}</text>'
        )
    parts.append(
        f'<text x="{left + wide / 2}" y="{top + high + 36}" text-anchor="middle" class="soft">{escape(x_name)}</text>'
    )
    return _figure(caption, _WIDE, top + high + 64 + 16 * ((len(found) - 1) // 2), "".join(parts))


def _grid(left: float, top: float, wide: float, high: float) -> str:
    parts: list[str] = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + high * (1 - share)
        parts.append(f'<path class="axis" d="M{left} {y:.1f}h{wide}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" class="soft">{share:.0%}</text>')
    return "".join(parts)


def _drawn(line: Line, at: dict[float, float], top: float, high: float, colour: str) -> str:
    def y(value: float) -> float:
        return top + high * (1 - _share(value, 1.0))

    points = sorted(line.points, key=lambda point: point.x)
    path = " ".join(f"{at[point.x]:.1f},{y(point.value):.1f}" for point in points)
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
    for point in points:
        x = at[point.x]
        parts.append(f'<circle cx="{x:.1f}" cy="{y(point.value):.1f}" r="3.5" fill="{colour}"/>')
        if point.low is not None and point.high is not None:
            parts.append(f'<path d="M{x:.1f} {y(point.low):.1f}V{y(point.high):.1f}" stroke="{colour}" opacity=".6"/>')
    return "".join(parts)


def _figure(caption: str, wide: float, high: float, inner: str) -> str:
    drawn = f'<svg viewBox="0 0 {wide:g} {high:g}" role="img" aria-label="{escape(caption)}">{inner}</svg>'
    return f"<figure><figcaption>{escape(caption)}</figcaption>{drawn}</figure>"


def _share(value: float, most: float) -> float:
    return min(1.0, max(0.0, value / most)) if most else 0.0


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
