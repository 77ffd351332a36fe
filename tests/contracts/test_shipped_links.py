"""Every link that ships: it loads, fits its schema, is documented, and its goals need both sides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envforge.core.records.archetype import Archetype
from envforge.core.records.link import Link
from envforge.mine.archetypes.catalogue import load_archetypes
from envforge.mine.archetypes.refs import identity
from envforge.mine.archetypes.resolve import resolve_part
from envforge.mine.links.catalogue import load_link, load_links
from envforge.mine.links.roles import parts_of, with_roles
from envforge.store.schemas import problems
from envforge.synth.wording.families import family_problems

ROOT = Path(__file__).parents[2]
LINKS = sorted((ROOT / "themes/links").glob("*.yaml"))


@pytest.fixture(scope="module")
def archetypes() -> dict[str, Archetype]:
    return {one.id: one for one in load_archetypes([ROOT / "themes/archetypes"])}


@pytest.fixture(params=LINKS, ids=lambda path: path.stem)
def link(request: pytest.FixtureRequest, archetypes: dict[str, Archetype]) -> Link:
    return load_link(request.param, archetypes, [ROOT / "themes"])


def test_there_are_links(archetypes: dict[str, Archetype]) -> None:
    assert len(LINKS) >= 2
    assert len(load_links([ROOT / "themes"], list(archetypes.values()))) == len(LINKS)


def test_a_link_is_named_after_its_file_and_listed(link: Link, request: pytest.FixtureRequest) -> None:
    assert f"[{link.id}]" in request.node.name
    assert f"| `{link.id}` | `{link.host.archetype}` | `{link.tracked.archetype}` |" in (
        ROOT / "docs/links.md"
    ).read_text(encoding="utf-8")


def test_a_link_fits_its_schema(link: Link) -> None:
    assert problems("link", link.to_json()) == []


def test_a_link_has_rows_hard_cases_and_tools(link: Link) -> None:
    assert link.tables and link.scenario and link.plants and len(link.about) >= 60
    assert {one.verb for one in link.operations} >= {"link", "unlink", "list"}
    for operation in link.operations:
        assert operation.witnesses, operation.name
        assert operation.ensures or operation.verb == "list", operation.name


def test_goals_of_a_link_need_both_sides(link: Link, archetypes: dict[str, Archetype]) -> None:
    assert 4 <= len(link.intents) <= 8
    assert {one.kind for one in link.intents} >= {"question", "state_change", "batch"}
    host = {part.name for part in parts_of(archetypes[link.host.archetype])}
    tracked = {part.name for part in parts_of(archetypes[link.tracked.archetype])}
    for family in link.intents:
        roles = set(re.findall(r"@([a-z]+)\.", family.gold))
        assert roles & host and roles & tracked, f"{family.id} asks one side only"


def test_words_of_a_link_are_in_order(link: Link, archetypes: dict[str, Archetype]) -> None:
    known = with_roles(link, archetypes[link.host.archetype], archetypes[link.tracked.archetype])
    found = [resolve_part(family, identity(known)) for family in link.intents]
    assert [(family.id, problem) for family in found for problem in family_problems(family)] == []
