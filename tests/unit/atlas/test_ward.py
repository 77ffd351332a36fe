from __future__ import annotations

import pytest

from envforge.atlas.ward import groups

POINTS = [[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [0.0, 0.1], [5.1, 5.0], [9.0, 0.0]]


def test_near_points_are_joined_first() -> None:
    assert groups(POINTS, 3) == [[0, 1, 3], [2, 4], [5]]


@pytest.mark.parametrize(("count", "sizes"), [(1, [6]), (6, [1] * 6), (9, [1] * 6), (2, [3, 3])])
def test_there_are_as_many_groups_as_asked_for(count: int, sizes: list[int]) -> None:
    assert [len(group) for group in groups(POINTS, count)] == sizes


def test_no_points_no_groups() -> None:
    assert groups([], 3) == []
