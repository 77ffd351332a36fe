"""Adding, importing, finding doubles, auditing, covering and proposing, on the small atlas."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from envforge.atlas import audit
from envforge.atlas.adding import NewTheme, add_theme
from envforge.atlas.catalogue import Atlas, checked
from envforge.atlas.classifier import Classifier, Guess
from envforge.atlas.coverage import coverage, proposals
from envforge.atlas.dedupe import lookalikes
from envforge.atlas.embedding import Embedder
from envforge.atlas.fit import learn
from envforge.atlas.importing import absent_anchors, import_packages, read_package_list
from envforge.atlas.minable import as_theme
from envforge.atlas.proposals import parts, placements, undecided
from envforge.atlas.words import WordModel, text_of
from envforge.core.errors import ConfigError
from envforge.core.records.atlas import ThemeAnchor, ThemeDecision

NEW = NewTheme(
    slug="lighthouses", gloss="Lights and signals of coasts", anchors=("documentation=https://lights.example",)
)


def guess(text: str) -> list[Guess]:
    assert text.startswith("Lighthouses: ")
    return [Guess("boats", 0.7), Guess("roads", 0.2)]


def test_a_theme_is_added_in_the_class_that_is_guessed(atlas: Atlas) -> None:
    grown, guesses = add_theme(atlas, NEW, guess)
    assert grown.themes["lighthouses"].category == "boats" and guesses[0].share == 0.7
    assert atlas.themes.keys() == grown.themes.keys() - {"lighthouses"}


def test_nothing_is_guessed_where_the_class_is_named(atlas: Atlas) -> None:
    def refuse(text: str) -> list[Guess]:
        raise AssertionError(text)

    grown, guesses = add_theme(atlas, replace(NEW, category="roads"), refuse)
    assert grown.themes["lighthouses"].category == "roads" and not guesses


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"slug": "ferries"}, "is Ferries already"),
        ({"slug": "ploughing"}, "is Tractors already"),
        ({"slug": "Light Houses"}, "field slug"),
        ({"gloss": "unknown"}, "the gloss is unknown"),
        ({"gloss": "Lights"}, "field gloss"),
        ({"anchors": ("rumour=npm:x",)}, "'rumour' is no kind of anchor"),
        ({"anchors": ("mcp-server",)}, "write KIND=SPEC"),
        ({"anchors": ("mcp-server=file:x",)}, "'file:x' is no place"),
        ({"anchors": ()}, "field anchors"),
        ({"parent": "gliders"}, "'gliders' is no theme"),
        ({"parent": "lighthouses"}, "it goes round"),
        ({"category": "water"}, "'water' is no such class"),
    ],
)
def test_a_theme_that_cannot_be_added_is_refused(atlas: Atlas, change: dict[str, object], what: str) -> None:
    with pytest.raises(ConfigError, match=what) as caught:
        add_theme(atlas, NewTheme(**{**vars(NEW), "category": "boats", **change}), guess)  # pyright: ignore
    assert caught.value.remedy


def test_a_list_adds_anchors_to_known_themes_and_shows_the_other_names(tmp_path: Path, atlas: Atlas) -> None:
    path = tmp_path / "list.txt"
    path.write_text(
        "# servers\nferries-mcp\tsomebody's words\n@acme/mcp-server-gliders\ngliders-api\nmcp-server\n", "utf-8"
    )
    found = import_packages(atlas, read_package_list(path), "npm", servers=True)
    grown = {theme.slug: theme for theme in found.themes}["ferries"]
    assert found.grown == {"ferries": 1}
    assert [(one.kind, one.spec) for one in grown.anchors][-1] == ("mcp-server", "npm:ferries-mcp")
    assert found.candidates == {"gliders": ("npm:@acme/mcp-server-gliders", "npm:gliders-api")}
    again = import_packages(checked(found.themes, atlas.taxonomy, "x"), ["ferries-mcp"], "npm", servers=True)
    assert again.grown == {}, "an anchor comes once"


@pytest.mark.parametrize("text", ["two words here\n", "../up\n", "<b>\n"])
def test_a_line_that_is_no_package_is_refused_with_its_number(tmp_path: Path, text: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(f"good\n{text}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"list\.txt, line 2.*is no package name"):
        read_package_list(path)


def test_a_list_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_package_list(tmp_path / "none.txt")


def test_doubles_are_found_by_name_package_and_gloss(atlas: Atlas) -> None:
    ferries, tractors = atlas.themes["ferries"], atlas.themes["tractors"]
    more = [
        ferries.model_copy(update={"slug": "ferries-app", "title": "Ferries App", "category": "roads"}),
        tractors.model_copy(update={"slug": "diggers", "title": "Diggers", "aliases": (), "gloss": "Moving of earth"}),
        ferries.model_copy(update={"slug": "crossings", "title": "Crossings"}),
        ferries.model_copy(update={"slug": "part", "title": "Part", "parent": "ferries"}),
    ]
    found = {
        (pair.one, pair.other): pair.reason
        for pair in lookalikes(checked([*atlas.themes.values(), *more], atlas.taxonomy, "x"))
    }
    assert found[("ferries", "ferries-app")] == "the names are alike"
    assert found[("diggers", "tractors")] == "an anchor is the same"
    assert found[("crossings", "ferries")] == "the glosses are alike"
    assert ("ferries", "part") not in found
    assert not any("dairies" in pair for pair in found)


def test_the_same_seed_draws_the_same_rows(atlas: Atlas) -> None:
    assert audit.sample(atlas, 3, 1) == audit.sample(atlas, 3, 1)
    assert len({tuple(one.slug for one in audit.sample(atlas, 3, seed)) for seed in range(9)}) > 1
    assert len(audit.sample(atlas, 99, 0)) == len(atlas.themes)


def test_verdicts_are_recorded_and_counted(atlas: Atlas) -> None:
    first = audit.verdicts(["ferries=wrong", "dairies=clean"], atlas, "model", 1)
    later = audit.verdicts(["ferries=clean", "catches=mixed"], atlas, "person", 2)
    found = audit.report([*first, *later])
    assert (found.read, found.by_verdict) == (3, {"clean": 2, "mixed": 1})
    assert found.by_reviewer == {"model": 1, "person": 2} and found.not_clean == ("catches",)


@pytest.mark.parametrize(("given", "what"), [("gliders=clean", "is no theme"), ("ferries=lovely", "is no verdict")])
def test_a_strange_verdict_is_refused(atlas: Atlas, given: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        audit.verdicts([given], atlas, "person", 1)


def test_anchors_are_looked_up_in_the_lists_that_are_there(atlas: Atlas) -> None:
    themes = list(atlas.themes.values())
    assert absent_anchors(themes, {"npm": ["x"]}) == {}
    assert absent_anchors(themes, {"npm": ["X"], "pypi": ["toll"]}) == {"toll-gates": ("pypi:tolls",)}
    assert absent_anchors(themes[:1], {"npm": ["y"]}) == {themes[0].slug: ("npm:x",)}


@pytest.mark.parametrize(
    ("spec", "listed", "there"),
    [
        ("npm:left-pad", "leftpad", False),
        ("npm:left-pad", "left_pad", False),
        ("npm:@acme/left-pad", "left-pad", False),
        ("npm:@acme/left-pad", "@acme/left-pad", True),
        ("pypi:left-pad", "leftpad", False),
        ("pypi:left-pad", "Left_Pad", True),
    ],
)
def test_a_package_of_nearly_that_name_is_another_one(atlas: Atlas, spec: str, listed: str, there: bool) -> None:
    anchor = ThemeAnchor(kind="client-package", spec=spec)
    theme = atlas.themes["ferries"].model_copy(update={"anchors": (anchor,)})
    registry = "npm" if spec.startswith("npm") else "pypi"
    assert absent_anchors([theme], {registry: [listed]}) == ({} if there else {"ferries": (spec,)})


def test_coverage_counts_per_class_and_proposes_where_least_is_built(atlas: Atlas) -> None:
    built = {"ferries", "dairies"}
    of = {one.category: one for one in coverage(atlas, built)}
    assert (of["boats"].themes, of["boats"].built, of["roads"].offline, of["fish"].thin) == (3, 1, 1, 2)
    proposed = [one.slug for one in proposals(atlas, built, 4)]
    assert set(proposed[:2]) == {"catches", "toll-gates"}, "classes without an environment come first"
    assert not built & set(proposed)
    assert len(proposals(atlas, built, 99)) == len(atlas.themes) - 2


def test_a_theme_of_the_wide_catalogue_can_be_mined(atlas: Atlas) -> None:
    found = as_theme(atlas.themes["toll-gates"], atlas)
    assert (found.slug, found.taxonomy, found.anchors[0].spec) == ("toll-gates", ("Land", "Roads"), "pypi:tolls")


def test_a_theme_in_the_wrong_class_is_disputed(atlas: Atlas, embedder: Embedder) -> None:
    themes = list(atlas.themes.values())
    classifier = Classifier(learn(atlas, themes, embedder), WordModel(atlas, themes), embedder)
    wrong = atlas.themes["dairies"].model_copy(update={"category": "boats"})
    right, disputed = placements([atlas.themes["ferries"], wrong], classifier)
    assert not right.disputed and disputed.disputed


def test_what_was_decided_in_a_round_is_not_asked_again(atlas: Atlas) -> None:
    done = [ThemeDecision(action="accept", subject="ferries", value="boats", reviewer="person")]
    assert "ferries" not in {theme.slug for theme in undecided(atlas, done, 1)}
    assert "ferries" in {theme.slug for theme in undecided(atlas, done, 2)}


def test_a_class_of_two_kinds_falls_into_parts(atlas: Atlas, embedder: Embedder) -> None:
    first = atlas.themes["ferries"]
    glosses = [
        "Ferries carry passengers between islands",
        "Harbours rent berths to sailing yachts",
        "Divers explore wrecks",
    ]
    more = [
        first.model_copy(update={"slug": f"{'abc'[kind]}-{n}", "title": f"{'abc'[kind]} {n}", "gloss": glosses[kind]})
        for kind in range(3)
        for n in range(9)
    ]
    grown = checked([*(one for one in atlas.themes.values() if one.category != "boats"), *more], atlas.taxonomy, "x")
    inside = [one for one in grown.themes.values() if one.category == "boats"]
    words = WordModel(grown, grown.themes.values())
    found = parts(grown, "boats", embedder.embed([text_of(one) for one in inside]), words)
    assert [len(part.members) for part in found] == [9, 9, 9]
    assert {part.medoid[0] for part in found} == {"a", "b", "c"}
    assert {"carry", "divers"} <= {word for part in found for word in part.words}
