"""Shares of families, templates and kinds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from envforge.core.errors import ConfigError
from envforge.factory.task_room import GIVE_UP_AFTER, PASS_OVER, Room, keepers, quotas
from envforge.synth.author import Proposal

THRESHOLDS: dict[str, Any] = {"balance": {"family_share": 0.2}, "variety": {"template_share": 0.1}}
KINDS = {"g0": "graph", "g1": "graph", "g2": "graph", "g9": "graph", "p": "program", "a": "program", "b": "program"}


def proposal(family: str, template: str = "text#0", kind: str = "program") -> Proposal:
    candidate = SimpleNamespace(family=SimpleNamespace(id=family), kind=kind)
    return Proposal(cast("Any", candidate), (), f"{family} {template}")


def test_shares_of_a_set() -> None:
    room = Room(10, {}, THRESHOLDS, KINDS)
    room.take(proposal("a", "text#0"))
    assert not room.fits(proposal("a", "text#0")), "a template may have one of ten"
    assert room.fits(proposal("a", "text#1"))
    room.take(proposal("a", "text#1"))
    assert not room.of_family("a") and room.of_family("b"), "a family may have two of ten"


def test_a_mix_of_kinds() -> None:
    room = Room(10, {"graph": 3, "program": 7}, THRESHOLDS, KINDS)
    for number in range(3):
        assert room.of_family("g9")
        room.take(proposal(f"g{number}", kind="graph"))
    assert not room.of_family("g9") and not room.fits(proposal("g9", kind="graph")) and room.fits(proposal("p"))


def test_a_family_that_is_always_rejected_is_given_up() -> None:
    room = Room(100, {}, THRESHOLDS, KINDS)
    for _ in range(GIVE_UP_AFTER - 1):
        room.reject("a")
    assert room.of_family("a")
    room.take(proposal("a"))
    room.reject("a")
    assert room.of_family("a"), "what was admitted gives new hope"
    for _ in range(GIVE_UP_AFTER - 1):
        room.reject("a")
    assert not room.of_family("a")


def test_a_family_without_room_for_its_templates_is_given_up() -> None:
    room = Room(10, {}, THRESHOLDS, KINDS)
    for _ in range(PASS_OVER):
        assert room.of_family("a")
        room.pass_over("a")
    assert not room.of_family("a")


@pytest.mark.parametrize(
    ("wanted", "mix", "told"),
    [
        (10, {"graph": 0.6, "program": 0.4}, {"graph": 6, "program": 4}),
        (7, {"graph": 1, "program": 1}, {"graph": 4, "program": 3}),
        (3, {"graph": 1}, {"graph": 3}),
        (5, {}, {}),
    ],
    ids=["even", "a remainder", "one kind", "none"],
)
def test_quotas_add_up(wanted: int, mix: dict[str, float], told: dict[str, int]) -> None:
    assert quotas(wanted, mix) == told


def test_what_is_kept_of_an_unbalanced_set() -> None:
    families = ["a"] * 6 + ["b", "c", "d", "e", "f"]
    templates = [f"{family}{number}" for number, family in enumerate(families)]
    kept = [family for family, keep in zip(families, keepers(families, templates, THRESHOLDS), strict=True) if keep]
    assert kept == ["a", "b", "c", "d", "e", "f"], "two of seven would be more than a fifth"
    assert keepers(["a", "b"], ["a", "b"], THRESHOLDS) == [True, True], "one of a family is no share"
    assert keepers([], [], THRESHOLDS) == []


def test_what_is_kept_where_a_template_repeats() -> None:
    families = [str(number % 10) for number in range(20)]
    templates = ["same", "same", "same", *map(str, range(17))]
    keep = keepers(families, templates, THRESHOLDS)
    assert keep == [True, False, False, *[True] * 17], "two of nineteen would be more than a tenth"


def test_a_threshold_that_is_missing() -> None:
    with pytest.raises(ConfigError, match="template_share"):
        Room(10, {}, {"balance": {"family_share": 0.2}, "variety": {}}, KINDS)
