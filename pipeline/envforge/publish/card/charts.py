"""The pictures of the card. matplotlib is loaded when the first is drawn; the same figures give the same bytes."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from itertools import pairwise
from typing import Any

from envforge.core.errors import ConfigError

COLOURS = ("#2458c5", "#e08a00", "#8a97ab", "#17703c", "#a8231b")
"""Told apart by people who see few colours; in grey too, as they differ in lightness."""
STEPS = ("#c9dcf7", "#92b8ee", "#5a90e0", "#2458c5", "#12306f")
"""For what is in an order: light is little."""
_INK, _SOFT, _LINE = "#1c2330", "#5b6577", "#d9dee7"
_WIDE, _DPI = 8.0, 160
_MOST_ROWS = 40


def stacked_bars(
    title: str,
    rows: Mapping[str, Mapping[str, int]],
    *,
    names: Sequence[str],
    as_shares: bool = False,
    colours: Sequence[str] = COLOURS,
) -> bytes:
    """A bar a row, parts of it in the order of `names`; with `as_shares` all bars are as long, and say of how many."""
    with _style():
        rows = _few(rows)
        figure, axes = _sheet(title, rows=len(rows))
        labels = list(rows)[::-1]
        totals = [max(1, sum(rows[label].values())) for label in labels]
        longest = 100.0 if as_shares else float(max(totals, default=1))
        left = [0.0] * len(labels)
        for name, colour in zip(names, colours, strict=False):
            values = [rows[label].get(name, 0) for label in labels]
            lengths = [v / t * 100 if as_shares else float(v) for v, t in zip(values, totals, strict=True)]
            axes.barh(labels, lengths, left=left, color=colour, label=name, height=0.62)
            for row, (start, length, value) in enumerate(zip(left, lengths, values, strict=True)):
                if length / longest > 0.012 * (len(f"{value:,}") + 1):  # where the figure has room
                    at = start + length / 2
                    axes.text(at, row, f"{value:,}", ha="center", va="center", fontsize=8, color=_ink_on(colour))
            left = [a + b for a, b in zip(left, lengths, strict=True)]
        axes.set_xlabel("% of the rows; figures are rows" if as_shares else "tasks", color=_SOFT)
        axes.legend(ncols=len(names), loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=9)
        return _png(figure)


def grouped_rates(
    title: str, rows: Mapping[str, Mapping[str, float]], *, names: Sequence[str], label: str = ""
) -> bytes:
    """Rates from 0 to 1: upright bars, a group for each row, each with its figure. What has no rate has no bar."""
    with _style():
        figure, axes = _sheet(title, rows=5)
        width = 0.84 / max(1, len(names))
        for place, (name, colour) in enumerate(zip(names, COLOURS, strict=False)):
            known = [(at, rates[name] * 100) for at, rates in enumerate(rows.values()) if name in rates]
            xs = [at - 0.42 + width * (place + 0.5) for at, _ in known]
            axes.bar(xs, [value for _, value in known], color=colour, label=name, width=width * 0.9)
            for x, (_, value) in zip(xs, known, strict=True):
                axes.text(x, value + 1, f"{value:.0f}", ha="center", fontsize=8, color=_INK)
        axes.set_xticks(range(len(rows)), list(rows))
        axes.set_ylim(0, 108)
        axes.set_yticks([0, 25, 50, 75, 100])
        axes.set_ylabel("% of the episodes that pass", color=_SOFT)
        axes.set_xlabel(label, color=_SOFT)
        axes.legend(ncols=min(3, len(names)), loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=9)
        return _png(figure)


def histogram(title: str, values: Mapping[str, Sequence[int]], *, edges: Sequence[int], label: str) -> bytes:
    """How many values lie from each edge to the next, the environments on top of each other."""
    with _style():
        figure, axes = _sheet(title, rows=5)
        bins = [f"{low}" if high - low == 1 else f"{low}–{high - 1}" for low, high in pairwise(edges)]
        bins.append(f"{edges[-1]}+")
        bottom = [0] * len(bins)
        for (name, numbers), colour in zip(values.items(), COLOURS, strict=False):
            counts = [0] * len(bins)
            for number in numbers:
                counts[max(place for place, edge in enumerate(edges) if number >= edge)] += 1
            axes.bar(bins, counts, bottom=bottom, color=colour, label=name, width=0.8)
            bottom = [a + b for a, b in zip(bottom, counts, strict=True)]
        for place, total in enumerate(bottom):
            axes.text(place, total, f"{total}", ha="center", va="bottom", fontsize=8, color=_INK)
        axes.set_xlabel(label, color=_SOFT)
        axes.set_ylabel("tasks", color=_SOFT)
        axes.legend(ncols=min(3, len(values)), loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=9)
        return _png(figure)


def _sheet(title: str, *, rows: float) -> tuple[Any, Any]:
    figures: Any = _loaded("matplotlib.figure")
    figure = figures.Figure(figsize=(_WIDE, 1.5 + 0.42 * rows), dpi=_DPI, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", color=_INK, pad=28)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_LINE)
    axes.tick_params(colors=_INK, labelsize=9, length=0)
    return figure, axes


def _few(rows: Mapping[str, Mapping[str, int]]) -> Mapping[str, Mapping[str, int]]:
    """The first rows, and the others as one: a picture has to fit onto a screen."""
    if len(rows) <= _MOST_ROWS:
        return rows
    first, others = list(rows)[: _MOST_ROWS - 1], list(rows)[_MOST_ROWS - 1 :]
    total = Counter[str]()
    for name in others:
        total.update(rows[name])
    return {**{name: rows[name] for name in first}, f"{len(others)} others": total}


def _ink_on(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return _INK if 0.299 * red + 0.587 * green + 0.114 * blue > 150 else "white"


def _style() -> AbstractContextManager[Any]:
    """matplotlib's own defaults: what stands in a user's matplotlibrc must not change the bytes."""
    library: Any = _loaded("matplotlib")
    return library.rc_context({**library.rcParamsDefault, "font.family": "DejaVu Sans", "svg.hashsalt": "envforge"})


def _png(figure: Any) -> bytes:
    canvas: Any = _loaded("matplotlib.backends.backend_agg")
    canvas.FigureCanvasAgg(figure)
    out = BytesIO()
    figure.savefig(out, format="png", dpi=_DPI, metadata={"Software": None})
    return out.getvalue()


def _loaded(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = "the pictures of the card need matplotlib, which is not installed"
        raise ConfigError(message, where="envforge publish", remedy="pip install 'envforge[hub]'") from error
