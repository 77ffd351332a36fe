"""The wide catalogue that ships: its size, its anchors, its taxonomy, and the classifier on labels it never saw."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from envforge.atlas.catalogue import Atlas, load_atlas, write_catalogue, write_taxonomy
from envforge.atlas.decisions import read_decisions
from envforge.atlas.dedupe import lookalikes
from envforge.atlas.embedding import MiniLm
from envforge.atlas.fit import HELD_OUT, digest_of, held_out, measure, to_learn
from envforge.factory.themes import find_theme, load_themes
from envforge.store.schemas import problems

THEMES = Path(__file__).parents[2] / "themes"
TOLD_APART = {
    ("chess-com", "chess-games"): "a site, and the game",
    ("clever", "clever-cloud"): "rosters of schools, and a host of applications",
    ("polygon", "polygon-io"): "a chain, and market data",
    ("postcodes", "postcodes-io"): "the field, and a service in it",
}
"""Pairs that are alike in name and yet two themes, each with the difference."""


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return load_atlas([THEMES])


def test_there_are_two_thousand_themes_and_five_hundred_domains(atlas: Atlas) -> None:
    assert len(atlas.themes) >= 2000
    assert sum(theme.kind == "domain" for theme in atlas.themes.values()) >= 500


def test_the_file_is_small_and_written_in_one_way_only(atlas: Atlas, tmp_path: Path) -> None:
    shipped = (THEMES / "catalog.jsonl").read_bytes()
    assert len(shipped) <= 1_500_000
    write_catalogue(tmp_path, atlas.themes.values())
    assert (tmp_path / "catalog.jsonl").read_bytes() == shipped
    write_taxonomy(tmp_path, atlas.taxonomy)
    assert (tmp_path / "taxonomy.json").read_bytes() == (THEMES / "taxonomy.json").read_bytes()


@pytest.mark.parametrize(("file", "form"), [("taxonomy.json", "taxonomy"), ("classifier.json", "classifier")])
def test_what_ships_beside_it_fits_its_schema(file: str, form: str) -> None:
    assert problems(form, json.loads((THEMES / file).read_text(encoding="utf-8"))) == []


def test_lines_fit_their_schema() -> None:
    lines = (THEMES / "catalog.jsonl").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines[::40] if problems("catalog_theme", json.loads(line))] == []


def test_each_first_level_class_holds_twenty_five_themes(atlas: Atlas) -> None:
    counts = Counter(atlas.first_level(theme.category) for theme in atlas.themes.values())
    tops = [one.id for one in atlas.taxonomy.categories if one.parent is None]
    assert len(tops) == 20 and min(counts[name] for name in tops) >= 25
    assert 45 <= len(atlas.leaves) <= 65 and set(atlas.leaves) == {theme.category for theme in atlas.themes.values()}


def test_every_gloss_is_its_own_and_of_more_than_two_words(atlas: Atlas) -> None:
    glosses = Counter(theme.gloss for theme in atlas.themes.values())
    assert [gloss for gloss, count in glosses.items() if count > 1] == []
    assert [theme.slug for theme in atlas.themes.values() if len(theme.gloss.split()) < 3] == []


def test_every_written_entry_stands_in_the_wide_catalogue(atlas: Atlas) -> None:
    written = load_themes([THEMES])
    assert [
        slug for slug, theme in written.items() if atlas.find(slug) is None and atlas.find(theme.title) is None
    ] == []


def test_one_look_up_finds_written_entries_and_lines(atlas: Atlas) -> None:
    written = load_themes([THEMES])
    assert find_theme("notion", written, folders=[THEMES]) is written["notion"]
    assert find_theme("Trello", written, folders=[THEMES]).anchors


def test_names_that_are_alike_were_looked_at(atlas: Atlas) -> None:
    alike = [(pair.one, pair.other) for pair in lookalikes(atlas) if pair.reason == "the names are alike"]
    assert sorted(alike) == sorted(TOLD_APART)


def test_the_held_out_labels_are_a_hundred_and_fit(atlas: Atlas) -> None:
    labels = read_decisions(THEMES / HELD_OUT)
    assert len(labels) == len(held_out(THEMES, atlas)) == 100
    assert {one.value for one in labels} <= set(atlas.leaves)


def test_the_classifier_was_learnt_from_the_glosses_that_ship(atlas: Atlas) -> None:
    learnt = json.loads((THEMES / "classifier.json").read_text(encoding="utf-8"))
    assert learnt["learnt_from"] == digest_of(to_learn(THEMES, atlas)), "make atlas learns it anew"
    changed = [theme.model_copy(update={"gloss": f"{theme.gloss}."}) for theme in to_learn(THEMES, atlas)]
    assert learnt["learnt_from"] != digest_of(changed)


def test_the_classifier_places_themes_that_it_never_saw() -> None:
    found = measure(THEMES, MiniLm())
    assert found.themes == 100 and found.first >= 0.8 and found.first_three >= 0.93
