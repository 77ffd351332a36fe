"""How alike two names are spelled: the measure of Jaro and Winkler (1990), made to find one person in two lists."""

from __future__ import annotations

_COMMON_START = 4
"""Letters at the beginning that count more."""
_BONUS = 0.1


def spelled_alike(one: str, other: str) -> float:
    """From 0 to 1; capital letters do not matter."""
    first, second = one.casefold(), other.casefold()
    score = _jaro(first, second)
    start = 0
    for left, right in zip(first[:_COMMON_START], second[:_COMMON_START], strict=False):
        if left != right:
            break
        start += 1
    return score + start * _BONUS * (1 - score)


def _jaro(first: str, second: str) -> float:
    if first == second:
        return float(bool(first))
    reach = max(0, max(len(first), len(second)) // 2 - 1)
    taken: set[int] = set()
    common: list[str] = []
    for place, letter in enumerate(first):
        near = range(max(0, place - reach), min(len(second), place + reach + 1))
        at = next((at for at in near if at not in taken and second[at] == letter), None)
        if at is not None:
            taken.add(at)
            common.append(letter)
    if not common:
        return 0.0
    swapped = sum(letter != second[at] for letter, at in zip(common, sorted(taken), strict=True)) / 2
    count = len(common)
    return (count / len(first) + count / len(second) + (count - swapped) / count) / 3
