"""Link files are read strictly: what is wrong is named with file, place and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.mine.links.joints import OWN, THEMES, archetypes, own_link

from envforge.core.errors import ConfigError
from envforge.mine.links.catalogue import link_between, load_link, load_links

TEXT = OWN.read_text(encoding="utf-8")


def written(folder: Path, old: str = "", new: str = "", *, name: str = "shop-sailings") -> Path:
    assert old in TEXT
    path = folder / "links" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT.replace(old, new, 1) if old else TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "place", "word"),
    [
        ("version: 1", "version: soon", "version", "integer"),
        ("archetype: orders-inventory", "archetype: orders", "host", "no archetype"),
        ("host: {archetype: orders-inventory, prefix: shop}", "host: shop", "host", "says no archetype"),
        ("prefix: travel", "prefix: Travel", "tracked.prefix", "pattern"),
        ("title: Orders that travel", "titel: Orders that travel", "title", "required"),
        ("rows('@sale')", "rows('@order')", "shop-sailings", "@order"),
        ("$travel_named d JOIN", "$named d JOIN", "stopped-orders-of-a-departure", "$named"),
        (
            "o.@sale.state IN ('open', 'part_shipped')\"\n    holds",
            'o.@sale.shade = 1"\n    holds',
            "shop-sailings",
            "@sale.shade",
        ),
        ("about: Most orders", "fixed: true\n    about: Most orders", "scenario.loading", "no fixed process"),
        ("  carried: ", "  carried: []\n  other: ", "relations.carried", "no query"),
    ],
)
def test_a_wrong_link_is_refused_with_file_and_place(tmp_path: Path, old: str, new: str, place: str, word: str) -> None:
    path = written(tmp_path, old, new)
    with pytest.raises(ConfigError) as caught:
        load_link(path, archetypes(), [THEMES])
    assert str(path) in caught.value.where and place in caught.value.where
    assert word in caught.value.message


def test_a_workspaces_link_wins_over_one_of_the_same_id(tmp_path: Path) -> None:
    written(tmp_path / "first", "version: 1", "version: 2")
    written(tmp_path / "second")
    found = load_links([tmp_path / "first", tmp_path / "second", THEMES], list(archetypes().values()))
    assert [one.version for one in found if one.id == "shop-sailings"] == [2]
    assert {"workspace-departures", "workspace-orders"} <= {one.id for one in found}


def test_a_pair_has_one_link(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, "id: shop-sailings", "id: shop-ships", name="shop-ships")
    with pytest.raises(ConfigError) as caught:
        load_links([tmp_path, THEMES], list(archetypes().values()))
    assert "orders-inventory and reservations" in caught.value.message and "shop-ships" in caught.value.where


def test_the_link_of_a_pair_is_found_and_the_pairs_are_named_where_there_is_none() -> None:
    assert link_between("orders-inventory", "reservations", [own_link()]) == own_link()
    with pytest.raises(ConfigError) as caught:
        link_between("reservations", "orders-inventory", [own_link()])
    assert caught.value.remedy == "there is: orders-inventory with reservations"
    with pytest.raises(ConfigError) as caught:
        link_between("reservations", "orders-inventory", [])
    assert "themes/links" in caught.value.remedy
