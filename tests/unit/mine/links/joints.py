"""Small themes to link: articles of a library, a paper shop, ferries; and the links that join their archetypes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.unit.mine.archetypes.mining import ROOT, SOURCES, mined_from
from tests.unit.mine.archetypes.test_collaborative_workspace import library
from tests.unit.mine.archetypes.test_reservations import CLOCK, ferry

from envforge.core.contracts import Database
from envforge.core.records.archetype import Archetype
from envforge.core.records.link import Link
from envforge.core.records.source import Theme
from envforge.mine.archetypes import load_archetypes
from envforge.mine.links.catalogue import load_link, load_links
from envforge.mine.links.populating import LinkedMined, populate_linked
from envforge.mine.miner import Mined

THEMES = ROOT / "themes"
OWN = ROOT / "tests" / "fixtures" / "links" / "shop-sailings.yaml"


@cache
def archetypes() -> dict[str, Archetype]:
    return {one.id: one for one in load_archetypes([THEMES / "archetypes"])}


@cache
def links() -> tuple[Link, ...]:
    return (*load_links([THEMES], list(archetypes().values())), own_link())


@cache
def own_link() -> Link:
    return load_link(OWN, archetypes(), [THEMES])


def theme(slug: str) -> Theme:
    return Theme(slug=slug, title=slug.capitalize(), kind="domain")


def of_tables(slug: str, database: Database, archetype: str, clock: str | None) -> Mined:
    """A theme of which the tables, and maybe rows, are in hand."""
    rows = {name: held for name, held in database.rows.items() if held}
    return Mined(
        theme=theme(slug),
        domain=database.domain,
        rows=rows,
        provenance=list(database.provenance),
        documents={},
        archetypes=(archetypes()[archetype],),
        stated_operations=0,
        clock=clock,
    )


def ferries(clock: str | None = CLOCK) -> Mined:
    return of_tables("ferries", ferry(), "reservations", clock)


def articles(clock: str | None = None) -> Mined:
    return of_tables("articles", library(), "collaborative-workspace", clock)


def shop(customers: str = "shoppers") -> Mined:
    """The paper shop; `customers` is what it calls those who buy."""
    source = SOURCES / "paper-shop.json"
    said = {"shoppers": ("shopper", "Shopper"), "customers": ("customer", "Customer")}[customers]
    text = source.read_text(encoding="utf-8").replace("shopper", said[0]).replace("Shopper", said[1])
    return mined_from(
        Path(source), theme("shop"), archetypes()["orders-inventory"], at="2025-10-06T08:00:00Z", body=text.encode()
    )


def joint(host: Mined, tracked: Mined) -> LinkedMined:
    return LinkedMined(theme(f"{host.theme.slug}-with-{tracked.theme.slug}"), host, tracked, links())


def filled(host: Mined, tracked: Mined, seed: int = 0) -> Database:
    return populate_linked(joint(host, tracked), rounds=2, seed=seed, progress=lambda label, done, total: None)
