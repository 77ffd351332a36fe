"""Who is on which side, and what may not be on both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envforge.core.errors import ConfigError
from envforge.train.data.records import Split
from envforge.train.data.supply import Supply, by_split, split_environments


def _copy(supply: Supply, **changed: Any) -> Supply:
    manifest = supply.environment.manifest.model_copy(update=changed)
    return replace(supply, environment=replace(supply.environment, manifest=manifest))


def _sides(supplies: list[Supply], families: tuple[str, ...] = (), seeds: tuple[int, ...] = ()) -> dict[str, list[str]]:
    split = by_split(split_environments(supplies, families, seeds))
    return {side: [one.environment_id for one in placed] for side, placed in split.items() if placed}


def test_a_family_is_held_out_by_its_name_or_its_themes(supplies: list[Supply], browsers: Supply) -> None:
    expected = {"train": ["airline-booking", "notion"], "heldout_family": ["web-browsers"]}
    assert _sides(supplies, ("web-browsers",)) == expected
    assert _sides(supplies, (browsers.environment.manifest.family,)) == expected


def test_a_database_is_held_out_and_its_family_trained_on(supplies: list[Supply], browsers: Supply) -> None:
    other = _copy(browsers, id="web-browsers--s1", database_seed=1, environment_hash="11" * 32)
    sides = _sides([*supplies, other], seeds=(1, 2))
    assert sides["heldout_seed"] == ["web-browsers--s1"] and "web-browsers" in sides["train"]
    # A family that is held out is so in all its databases.
    assert _sides([*supplies, other], ("web-browsers",), (1,))["heldout_family"] == ["web-browsers", "web-browsers--s1"]


@pytest.mark.parametrize(
    ("changed", "held_out", "seeds", "word"),
    [
        (
            {"family": "web-browsers-000000000000", "environment_hash": "1"},
            "web-browsers-000000000000",
            (),
            "the theme",
        ),
        ({"database_seed": 1, "id": "web-browsers--s1"}, "", (1,), "under another name"),
        ({"theme": "web", "family": "web-1", "id": "web"}, "web", (), "under another name"),
    ],
)
def test_a_leak_is_refused(
    browsers: Supply, changed: dict[str, Any], held_out: str, seeds: tuple[int, ...], word: str
) -> None:
    with pytest.raises(ConfigError, match=word):
        split_environments([browsers, _copy(browsers, **changed)], (held_out,) if held_out else (), seeds)


def test_what_a_published_set_holds_out_is_held_out(supplies: list[Supply], browsers: Supply) -> None:
    other = _copy(browsers, id="web-browsers--s1", database_seed=1, environment_hash="11" * 32)
    there: dict[str, Split] = {"web-browsers": "train", "web-browsers--s1": "heldout_seed", "notion": "heldout_family"}
    placed = split_environments([*supplies, other], (), (), there)
    assert {one.environment_id: one.split for one in placed} == {"airline-booking": "train", **there}
    with pytest.raises(ConfigError, match="no database of") as error:
        split_environments([other], (), (), there)
    assert error.value.where == "web-browsers--s1"


def test_an_unknown_family_is_refused_with_near_names(supplies: list[Supply]) -> None:
    with pytest.raises(ConfigError, match=r"no family or theme 'web-browser'.*web-browsers"):
        split_environments(supplies, ("web-browser",), ())


def test_something_has_to_be_left_to_train_on(supplies: list[Supply], browsers: Supply) -> None:
    with pytest.raises(ConfigError, match=r"no database of .* is left.*--database-seeds"):
        split_environments(supplies, (), (0,))
    with pytest.raises(ConfigError, match="nothing to train on"):
        split_environments([browsers], ("web-browsers",), ())
