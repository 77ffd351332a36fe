"""Ward's clustering of a few hundred vectors: groups whose union adds least to the spread are joined first."""

from __future__ import annotations

from collections.abc import Sequence


def groups(vectors: Sequence[Sequence[float]], count: int) -> list[list[int]]:
    """The positions of the vectors in `count` groups (fewer vectors: each its own), largest first, ties by position."""
    members = {number: [number] for number in range(len(vectors))}
    cost = {
        (one, other): _distance(vectors[one], vectors[other]) / 2
        for one in members
        for other in range(one + 1, len(vectors))
    }
    while len(members) > max(1, count):
        one, other = min(cost, key=lambda pair: (cost[pair], pair))
        _join(one, other, members, cost)
    return sorted(members.values(), key=lambda group: (-len(group), group))


def _join(one: int, other: int, members: dict[int, list[int]], cost: dict[tuple[int, int], float]) -> None:
    """Lance and Williams' update for Ward; the union goes by the smaller number."""
    between = cost.pop((one, other))
    size, other_size = len(members[one]), len(members[other])
    for third in members:
        if third in (one, other):
            continue
        third_size = len(members[third])
        near, far = _pair(one, third), _pair(other, third)
        total = size + other_size + third_size
        joined = (size + third_size) * cost[near] + (other_size + third_size) * cost.pop(far) - third_size * between
        cost[near] = joined / total
    members[one] = sorted(members[one] + members.pop(other))


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
