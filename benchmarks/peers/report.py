"""The figures of all subjects as tables: medians, and ratios to one of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.table import Table

Figures = dict[str, Any]
Results = dict[str, Figures]


def _seconds(value: float) -> str:
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"


def _bytes(value: float) -> str:
    return f"{value / 1e6:.1f} MB" if value >= 1e6 else f"{value / 1e3:.0f} KB"


def _rate(value: float) -> str:
    return f"{value:,.0f}/s"


MEASURES: tuple[tuple[str, str, str, Callable[[float], str]], ...] = (
    ("ready", "ready", "median", _seconds),
    ("new episode", "open", "median", _seconds),
    ("reset", "reset", "median", _seconds),
    ("call p50", "call", "median", _seconds),
    ("call p95", "call", "p95", _seconds),
    ("one more takes", "memory", "per_episode", _bytes),
    ("16 clients", "load_16", "per_second", _rate),
    ("p95 of 16", "load_16", "p95", _seconds),
    ("64 clients", "load_64", "per_second", _rate),
    ("p95 of 64", "load_64", "p95", _seconds),
)
"""Heading, step, figure and how it is written."""


def figure(figures: Figures, step: str, name: str) -> float | None:
    """One figure; None where there is none."""
    found: Figures | None = figures.get(step)
    return None if found is None else float(found[name])


def ratios(results: Results, base: str) -> dict[str, dict[str, float]]:
    """How many times the base's figure each other subject's is, by measure; of rates, how many times less."""
    found: dict[str, dict[str, float]] = {}
    for subject, figures in results.items() if base in results else ():
        if subject == base:
            continue
        rows: dict[str, float] = {}
        for heading, step, name, written in MEASURES:
            ours, theirs = figure(results[base], step, name), figure(figures, step, name)
            if ours and theirs:
                rows[heading] = round(ours / theirs if written is _rate else theirs / ours, 3)
        found[subject] = rows
    return found


def tables(results: Results, bases: Sequence[str]) -> Iterator[Table]:
    """The medians, then the ratios to each base: a row per subject, a column per measure."""
    medians = _headed("The same toy, the same calls: medians", "a call goes")
    medians.add_column("leaks")
    medians.add_column("starts over by")
    for subject, figures in results.items():
        cells = [_cell(figures, step, name, written) for _, step, name, written in MEASURES]
        medians.add_row(subject, figures.get("over", ""), *cells, _leaks(figures), figures.get("reset_by", ""))
    yield medians
    for base in bases:
        times = ratios(results, base)
        if not times:
            continue
        compared = _headed(f"Times {base}'s (of clients: how many times fewer calls)", "version")
        for subject, found in times.items():
            cells = [_times(found[heading]) if heading in found else "" for heading, *_ in MEASURES]
            compared.add_row(subject, results[subject].get("version", ""), *cells)
        yield compared


def _headed(title: str, second: str) -> Table:
    drawn = Table("", second, title=title)
    for heading, *_ in MEASURES:
        drawn.add_column(heading, justify="right")
    return drawn


def remarks(results: Results) -> list[str]:
    """What the table has no room for: failures, what was left out, what leaked, who was not there."""
    said: list[str] = []
    for subject, figures in results.items():
        if "skipped" in figures:
            said.append(f"{subject}: skipped: {figures['skipped']}")
        for what in ("failed", "left_out"):
            said += [
                f"{subject}: {step} {what.replace('_', ' ')}: {why}" for step, why in figures.get(what, {}).items()
            ]
        if example := figures.get("isolation", {}).get("example"):
            said.append(f"{subject}: leaked: {example}")
    return said


def failed(results: Results) -> list[str]:
    """Subjects with a step that failed."""
    return [subject for subject, figures in results.items() if figures.get("failed")]


def _cell(figures: Figures, step: str, name: str, written: Callable[[float], str]) -> str:
    if step in figures.get("failed", {}):
        return "failed"
    if step in figures.get("left_out", {}):
        return "left out"
    value = figure(figures, step, name)
    if value is None:
        return "cannot" if step in figures else ""
    return written(value)


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.2g}×"


def _leaks(figures: Figures) -> str:
    found: Figures | None = figures.get("isolation")
    return "" if found is None else "none" if not found["leaks"] else f"{found['leaks']} of {found['episodes']}"


def names(results: Iterable[str]) -> str:
    """Subjects in words."""
    return ", ".join(results) or "none"
