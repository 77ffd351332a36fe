"""Every data file that ships: the catalogue of themes, the archetypes, the schemas and the thresholds."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype
from envforge.core.records.source import Theme
from envforge.core.records.trade import Trade
from envforge.factory.themes import load_themes, read_theme
from envforge.gates.certificate import ENVIRONMENT_GATES, load_thresholds
from envforge.mine.archetypes.catalogue import load_archetype, load_archetypes
from envforge.store.schemas import problems
from envforge.web.licence import is_open
from envforge.web.spec import parse_spec

ROOT = Path(__file__).parents[2]
CATALOGUE = sorted((ROOT / "themes/catalogue").glob("*.yaml"))
ARCHETYPES = sorted((ROOT / "themes/archetypes").glob("*.yaml"))
TRADES = sorted((ROOT / "themes/trades").glob("*/*.yaml"))
EXPECTED_THEMES = {
    *("airline-booking", "asana", "countries", "encyclopedia", "github"),
    *("jira", "notion", "postgresql", "stripe", "web-browsers"),
}


@pytest.fixture(params=CATALOGUE, ids=lambda path: path.stem)
def theme(request: pytest.FixtureRequest) -> Theme:
    return read_theme(request.param)


@pytest.fixture(params=ARCHETYPES, ids=lambda path: path.stem)
def archetype(request: pytest.FixtureRequest) -> Archetype:
    return load_archetype(request.param)


def test_the_catalogue_holds_the_promised_themes() -> None:
    assert {path.stem for path in CATALOGUE} >= EXPECTED_THEMES


def test_nothing_else_lies_among_the_data() -> None:
    allowed = {".yaml", ".json", ".md"}
    lists = {"themes/catalog.jsonl", "themes/labels/held-out.jsonl"}
    strangers = [
        path
        for folder in ("themes", "validators")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in allowed and path.relative_to(ROOT).as_posix() not in lists
    ]
    assert strangers == []


def test_a_theme_is_named_after_its_file(theme: Theme, request: pytest.FixtureRequest) -> None:
    assert f"[{theme.slug}]" in request.node.name


def test_a_theme_says_what_it_is(theme: Theme) -> None:
    assert theme.title and len(theme.summary) >= 60 and theme.taxonomy
    assert theme.anchors


def test_anchors_have_a_form_that_can_be_fetched(theme: Theme) -> None:
    for anchor in theme.anchors:
        spec = parse_spec(anchor.spec)
        assert spec.kind in {"npm", "pypi", "url"}, "a shipped theme cannot rest on a file of somebody's disk"


def test_a_stated_licence_is_open_or_explained(theme: Theme) -> None:
    for anchor in theme.anchors:
        if anchor.licence is None:
            continue
        assert anchor.licence.evidence, anchor.spec
        if anchor.licence.status == "stated-open":
            assert is_open(anchor.licence.spdx or ""), f"{anchor.licence.spdx} is not known as an open licence"


def test_slugs_and_aliases_are_nobody_elses() -> None:
    seen: dict[str, str] = {}
    for slug, theme in load_themes([ROOT / "themes"]).items():
        for name in {slug, *(alias.lower() for alias in theme.aliases)}:
            assert seen.setdefault(name, slug) == slug, f"{name} belongs to {seen[name]} and {slug}"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"slug": "Other Slug"}, "slug"),
        ({"slug": "pier"}, "slug"),
        ({"kind": "service"}, "kind"),
        ({"anchor": []}, "anchor"),
        ({"anchors": [{"includes": ["x"]}]}, "anchors"),
    ],
)
def test_a_wrong_theme_is_refused_with_file_and_field(tmp_path: Path, change: dict[str, object], word: str) -> None:
    good = {"slug": "piers", "title": "Piers", "kind": "domain", "anchors": [{"spec": "pypi:pierdata"}]}
    path = tmp_path / "piers.yaml"
    path.write_text(yaml.safe_dump(good), encoding="utf-8")
    assert read_theme(path).slug == "piers"
    path.write_text(yaml.safe_dump({**good, **change}), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_theme(path)
    assert caught.value.where == str(path) and word in caught.value.message and caught.value.remedy


def test_there_are_archetypes() -> None:
    assert len(ARCHETYPES) >= 2
    assert len(load_archetypes([ROOT / "themes/archetypes"])) == len(ARCHETYPES)


def test_the_documentation_lists_every_archetype() -> None:
    text = (ROOT / "docs/archetypes.md").read_text(encoding="utf-8")
    listed = text.partition("## What ships")[2].partition("\n## ")[0]
    assert [path.stem for path in ARCHETYPES if f"| `{path.stem}` |" not in listed] == []


def test_an_archetype_is_named_after_its_file(archetype: Archetype, request: pytest.FixtureRequest) -> None:
    assert f"[{archetype.id}]" in request.node.name


def test_an_archetype_fits_its_schema(archetype: Archetype) -> None:
    assert problems("archetype", archetype.to_json()) == []


def test_an_archetype_knows_goals_hard_cases_and_lives(archetype: Archetype) -> None:
    assert 12 <= len(archetype.intents) <= 24
    assert archetype.plants and archetype.lifecycles and archetype.scenario
    assert len({intent.id for intent in archetype.intents}) == len(archetype.intents)
    assert {intent.kind for intent in archetype.intents} >= {"question", "state_change"}
    for plant in archetype.plants:
        low, high = plant.rate
        assert 0 <= low <= high <= 1 and (low > 0 or high < 1), f"{plant.name}: any share would do"


def test_trades_are_of_archetypes_that_ship() -> None:
    known = {path.stem for path in ARCHETYPES}
    assert {path.parent.name for path in TRADES} <= known
    assert not [path for path in (ROOT / "themes/trades").rglob("*") if path.is_file() and path not in TRADES]


@cache
def trades_of(name: str) -> tuple[Trade, ...]:
    return load_archetype(ROOT / "themes/archetypes" / f"{name}.yaml").trades


@pytest.mark.parametrize("path", TRADES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_trade_is_named_after_its_file_and_says_what_it_is(path: Path) -> None:
    trade = next(trade for trade in trades_of(path.parent.name) if trade.id == path.stem)
    assert problems("trade", trade.to_json()) == []
    assert len(trade.words) >= 8 and trade.constants and trade.text
    assert max(trade.words.values()) == 3, "no word speaks clearly for it"


def test_the_documentation_lists_every_trade() -> None:
    listed = (ROOT / "docs/archetypes.md").read_text(encoding="utf-8").partition("\n## Trades")[2].partition("\n## ")[0]
    assert [path.stem for path in TRADES if f"`{path.stem}`" not in listed] == []


def test_the_mark_of_a_broken_archetype_is_its_file_and_field(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(ARCHETYPES[0].read_text(encoding="utf-8").replace("version: 1", "version: soon", 1))
    with pytest.raises(ConfigError) as caught:
        load_archetype(path)
    assert str(path) in caught.value.where and "version" in caught.value.where


def test_every_gate_that_has_thresholds_finds_them() -> None:
    thresholds = load_thresholds(ROOT / "validators/gates/environment.json")
    gates = {gate.name for gate in ENVIRONMENT_GATES}
    assert set(thresholds) <= gates, "a threshold for a gate that does not exist"
    assert thresholds["minimal_validity"]["tools"] >= 10
    assert thresholds["minimal_validity"]["tables"] >= 4
    assert thresholds["minimal_validity"]["verb_share"] <= 0.4
    assert thresholds["mutation"]["killed_share"] >= 0.8


def test_schemas_are_json_schemas() -> None:
    for path in sorted((ROOT / "validators/schemas").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        assert schema["$schema"].startswith("https://json-schema.org/draft/2020-12")
        assert re.fullmatch(r"[a-z_]+\.schema\.json", path.name) and schema["type"] == "object"
