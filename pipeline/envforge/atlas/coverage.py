"""How far the catalogue is followed: per class, its themes, their anchors, what can be read offline, what was built."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from envforge.atlas.catalogue import Atlas
from envforge.core.records.atlas import CatalogTheme

_OFFLINE = frozenset({"api-specification", "data-package", "type-declarations"})
"""Kinds of anchors whose package holds what a miner reads, with no server to ask."""


@dataclass(frozen=True)
class ClassCoverage:
    """Of one second-level class."""

    category: str
    title: str
    parent: str
    themes: int
    anchors: int
    thin: int
    """themes with a single anchor"""
    offline: int
    """themes with a specification, declarations or data in a package"""
    built: int
    """themes with an environment"""


@dataclass(frozen=True)
class NextTheme:
    """A theme worth mining next, and why."""

    slug: str
    category: str
    reason: str


def has_offline(theme: CatalogTheme) -> bool:
    """Whether a package holds a specification, declarations or data of it."""
    return any(anchor.kind in _OFFLINE for anchor in theme.anchors)


def coverage(atlas: Atlas, built: Collection[str]) -> list[ClassCoverage]:
    """All second-level classes, in the order of the taxonomy. `built`: slugs of themes with an environment."""
    inside = _by_class(atlas)
    found: list[ClassCoverage] = []
    for name in atlas.leaves:
        themes = inside[name]
        found.append(
            ClassCoverage(
                category=name,
                title=atlas.titles[name],
                parent=atlas.first_level(name),
                themes=len(themes),
                anchors=sum(len(theme.anchors) for theme in themes),
                thin=sum(len(theme.anchors) == 1 for theme in themes),
                offline=sum(map(has_offline, themes)),
                built=sum(theme.slug in built for theme in themes),
            )
        )
    return found


def _by_class(atlas: Atlas) -> dict[str, list[CatalogTheme]]:
    inside: dict[str, list[CatalogTheme]] = defaultdict(list)
    for theme in atlas.themes.values():
        inside[theme.category].append(theme)
    return inside


def proposals(atlas: Atlas, built: Collection[str], most: int) -> list[NextTheme]:
    """What to mine next: one theme of each class in turn, classes with the fewest environments first.

    Within a class a theme that can be read offline goes first, then the one most asked for.
    """
    inside = _by_class(atlas)
    counts = {one.category: one.built for one in coverage(atlas, built)}
    queues = {
        name: sorted((theme for theme in inside[name] if theme.slug not in built), key=_worth) for name in atlas.leaves
    }
    order = sorted(atlas.leaves, key=lambda name: (counts[name], -len(inside[name]), name))
    chosen: list[NextTheme] = []
    while len(chosen) < most and any(queues.values()):
        for name in order:
            if queues[name] and len(chosen) < most:
                theme = queues[name].pop(0)
                chosen.append(NextTheme(slug=theme.slug, category=name, reason=_reason(theme, counts[name])))
    return chosen


def _worth(theme: CatalogTheme) -> tuple[bool, float, str]:
    return (not has_offline(theme), -_asked_for(theme), theme.slug)


def _asked_for(theme: CatalogTheme) -> float:
    demand = theme.demand
    return math.log1p(demand.npm_downloads_month or 0) + 3 * math.log1p(demand.packages or 0)


def _reason(theme: CatalogTheme, built: int) -> str:
    material = "can be read offline" if has_offline(theme) else "has no offline material yet"
    return f"{built} built in its class; {material}; {theme.demand.packages or 0} packages name it"
