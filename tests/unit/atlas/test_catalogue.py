from __future__ import annotations

import json
from pathlib import Path

import pytest

from envforge.atlas.catalogue import TAXONOMY, Atlas, checked, load_atlas, plain, write_catalogue
from envforge.core.errors import ConfigError


def _refused(folder: Path, change: dict[str, object], slug: str = "ferries") -> str:
    """What is said when the line of `slug` is changed so."""
    path = folder / "catalog.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    changed = [{**line, **change} if line["slug"] == slug else line for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_atlas([folder])
    assert caught.value.remedy
    return str(caught.value)


def test_what_is_written_is_read_again_byte_for_byte(folder: Path) -> None:
    atlas = load_atlas([folder])
    before = (folder / "catalog.jsonl").read_bytes()
    write_catalogue(folder, reversed(list(atlas.themes.values())))
    assert (folder / "catalog.jsonl").read_bytes() == before


@pytest.mark.parametrize("name", ["ferries", "Ferries", "FISH farms", "Ploughing"])
def test_a_theme_is_found_by_any_of_its_names(atlas: Atlas, name: str) -> None:
    found = atlas.find(name)
    assert found is not None and plain(name) in {plain(found.slug), *map(plain, found.aliases)}


def test_no_theme_answers_to_a_strange_name(atlas: Atlas) -> None:
    assert atlas.find("gliders") is None


def test_a_duplicate_slug_is_refused(folder: Path) -> None:
    assert "the slug 'catches' stands there twice" in _refused(folder, {"slug": "catches"})


def test_a_name_that_is_anothers_is_refused(folder: Path) -> None:
    assert "belongs to" in _refused(folder, {"aliases": ["Dairies"]})


def test_an_unknown_parent_is_refused(folder: Path) -> None:
    said = _refused(folder, {"parent": "gliders"})
    assert "theme ferries: field parent: 'gliders' is no theme" in said


def test_a_parent_chain_that_goes_round_is_refused(folder: Path) -> None:
    path = folder / "catalog.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"slug":"catches"', '"parent":"ferries","slug":"catches"'), encoding="utf-8")
    said = _refused(folder, {"parent": "catches"})
    assert "it goes round: " in said and "ferries" in said and "catches" in said


def test_an_anchor_of_an_unknown_kind_is_refused_with_its_line(folder: Path) -> None:
    said = _refused(folder, {"anchors": [{"kind": "rumour", "spec": "npm:x"}]})
    assert "catalog.jsonl, line 3" in said and "anchors.0.kind" in said and "rumour" in said


@pytest.mark.parametrize("spec", ["file:/etc/passwd", "mcp:rm -rf x", "http://plain.example"])
def test_an_anchor_that_is_no_public_place_is_refused(folder: Path, spec: str) -> None:
    assert "anchors.0.spec" in _refused(folder, {"anchors": [{"kind": "mcp-server", "spec": spec}]})


@pytest.mark.parametrize("category", ["gliders", "water"])
def test_a_class_that_is_none_or_of_the_first_level_is_refused(folder: Path, category: str) -> None:
    assert f"{category!r} is no such class" in _refused(folder, {"category": category})


def test_a_theme_without_anchors_is_refused(folder: Path) -> None:
    assert "anchors" in _refused(folder, {"anchors": []})


def test_no_json_is_said_with_the_line(folder: Path) -> None:
    (folder / "catalog.jsonl").write_text("{}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1"):
        load_atlas([folder])


@pytest.mark.parametrize(
    ("categories", "what"),
    [
        ([{"id": "a", "title": "A"}, {"id": "a", "title": "B"}], "stands there twice"),
        ([{"id": "a", "title": "A"}, {"id": "b", "title": "B", "parent": "c"}], "is no parent"),
        ([{"id": "a", "title": "A"}, {"id": "b", "title": "B", "parent": "b"}], "is no parent"),
        ([{"id": "a", "title": "A", "colour": "red"}], "colour"),
    ],
)
def test_a_taxonomy_that_is_no_tree_of_two_levels_is_refused(
    folder: Path, categories: list[dict[str, str]], what: str
) -> None:
    (folder / TAXONOMY).write_text(json.dumps({"categories": categories}), encoding="utf-8")
    with pytest.raises(ConfigError, match=what):
        load_atlas([folder])


def test_fifty_more_themes_leave_every_other_line_as_it_was(folder: Path) -> None:
    atlas = load_atlas([folder])
    before = set((folder / "catalog.jsonl").read_text(encoding="utf-8").splitlines())
    first = atlas.themes["ferries"]
    added = [first.model_copy(update={"slug": f"pier-{n}", "title": f"Pier {n}"}) for n in range(50)]
    write_catalogue(folder, checked([*atlas.themes.values(), *added], atlas.taxonomy, "x").themes.values())
    after = set((folder / "catalog.jsonl").read_text(encoding="utf-8").splitlines())
    assert before < after and len(after) == len(before) + 50
