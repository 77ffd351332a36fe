"""How a theme of the wide catalogue becomes one that can be mined."""

from __future__ import annotations

from envforge.atlas.catalogue import Atlas
from envforge.core.records.atlas import CatalogTheme
from envforge.core.records.source import Anchor, Theme

_MINED = ("data-package", "api-specification", "type-declarations", "client-package", "mcp-server", "documentation")
"""Kinds of anchors, the one with most to find first."""


def as_theme(theme: CatalogTheme, atlas: Atlas) -> Theme:
    """The theme with its anchors, best kinds first; what else an entry may say nobody has written yet."""
    ordered = sorted(theme.anchors, key=lambda anchor: _MINED.index(anchor.kind))
    return Theme(
        slug=theme.slug,
        title=theme.title,
        kind=theme.kind,
        aliases=theme.aliases,
        summary=theme.gloss,
        taxonomy=(atlas.titles[atlas.first_level(theme.category)], atlas.titles[theme.category]),
        anchors=tuple(Anchor(spec=one.spec, include=one.include, note=one.kind) for one in ordered),
    )
