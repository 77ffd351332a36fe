"""Themes that may be one and the same: alike in name but for a common ending, in a package, or in their gloss."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from envforge.atlas.catalogue import Atlas, plain
from envforge.atlas.words import stems
from envforge.core.records.atlas import CatalogTheme

_ENDINGS = re.compile(r"(api|sdk|app|com|io|org|net|dev|hq|inc|cloud|platform|software|online)$")
_SAME_WORDS = 0.8
_FEW_WORDS = 4
_SHORTEST = 4


@dataclass(frozen=True)
class Pair:
    """Two themes and why they look alike; whether they are one is for a reviewer to say (`review`, merge)."""

    one: str
    other: str
    reason: str


def lookalikes(atlas: Atlas) -> list[Pair]:
    """Pairs in the order of their names; parent and part are told apart already."""
    found: dict[tuple[str, str], str] = {}
    for one, other, reason in _candidates(list(atlas.themes.values())):
        first, second = sorted((one, other), key=lambda theme: theme.slug)
        if first.parent != second.slug and second.parent != first.slug:
            found.setdefault((first.slug, second.slug), reason)
    return [Pair(one=pair[0], other=pair[1], reason=reason) for pair, reason in sorted(found.items())]


def _candidates(themes: list[CatalogTheme]) -> Iterator[tuple[CatalogTheme, CatalogTheme, str]]:
    yield from _alike(((_core(name), theme) for theme in themes for name in _names(theme)), "the names are alike")
    packages = (
        (f"{anchor.spec} {anchor.include}", theme)
        for theme in themes
        for anchor in theme.anchors
        if anchor.kind != "data-package" and theme.kind == "product"
    )
    yield from _alike(packages, "an anchor is the same")
    words = [(theme, stems(theme.gloss)) for theme in themes]
    rare: dict[str, list[tuple[CatalogTheme, set[str]]]] = defaultdict(list)
    for theme, stemmed in words:
        if len(stemmed) >= _FEW_WORDS:
            rare[f"{theme.category} {theme.kind}"].append((theme, stemmed))
    for beside in rare.values():
        for (one, ours), (other, theirs) in combinations(beside, 2):
            if len(ours & theirs) / len(ours | theirs) >= _SAME_WORDS:
                yield one, other, "the glosses are alike"


def _alike(keyed: Iterable[tuple[str, CatalogTheme]], reason: str) -> Iterator[tuple[CatalogTheme, CatalogTheme, str]]:
    holders: dict[str, dict[str, CatalogTheme]] = defaultdict(dict)
    for key, theme in keyed:
        holders[key][theme.slug] = theme
    for sharing in holders.values():
        for one, other in combinations(sharing.values(), 2):
            yield one, other, reason


def _names(theme: CatalogTheme) -> tuple[str, ...]:
    return (theme.slug, theme.title, *theme.aliases)


def _core(name: str) -> str:
    """A name without an ending that many products share; short ones stay as they are."""
    whole = plain(name)
    core = _ENDINGS.sub("", whole)
    return core if len(core) >= _SHORTEST else whole
