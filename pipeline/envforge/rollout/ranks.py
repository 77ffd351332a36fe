"""Spearman's rank correlation: do two figures rise and fall together, whatever their scales?"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """From -1 to 1, equal values sharing the mean of their ranks; None where one of both never varies."""
    if len(pairs) < 2:
        return None
    xs, ys = _ranks([x for x, _ in pairs]), _ranks([y for _, y in pairs])
    middle = (len(pairs) + 1) / 2
    spread = sqrt(fsum((x - middle) ** 2 for x in xs) * fsum((y - middle) ** 2 for y in ys))
    if not spread:
        return None
    return fsum((x - middle) * (y - middle) for x, y in zip(xs, ys, strict=True)) / spread


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda place: values[place])
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + 1 + end) / 2
        start = end
    return ranks
