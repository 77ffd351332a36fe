"""What a user's lists of packages add: anchors to themes that are known, and names that may be themes.

A name alone is no theme: it needs a gloss, which somebody has to know. So lists found nothing; they propose.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from packaging.utils import canonicalize_name

from envforge.atlas.catalogue import Atlas
from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.atlas import AnchorKind, CatalogTheme, ThemeAnchor
from envforge.store.files import read_text

Registry = Literal["npm", "pypi"]
_GENERIC = frozenset(
    {"mcp", "server", "api", "sdk", "client", "node", "py", "python", "js", "ts", "rest", "lib", "io", "the", "my"}
    | {"simple", "tool", "tools", "ai", "agent", "cli", "connector", "wrapper", "typescript", "javascript", "nodejs"}
    | {"async", "core", "cloud", "data", "v2", "v3", "remote", "local"}
)
"""Words of package names that say what kind of package it is, not what it is about."""
_NAME = re.compile(r"^(?:@[a-z0-9][\w.-]*/)?[a-zA-Z0-9][\w.-]*$")
_MOST_ANCHORS = 6


@dataclass(frozen=True)
class Imported:
    """The catalogue with what a list added, and the names that no theme answers to."""

    themes: tuple[CatalogTheme, ...]
    grown: dict[str, int]
    """slug → anchors that came to it"""
    candidates: dict[str, tuple[str, ...]]
    """name → packages that carry it, those with most packages first"""


def read_package_list(path: Path) -> list[str]:
    """Names, the first word of each line; empty lines and those after # are left out. Raises ConfigError."""
    try:
        text = read_text(path)
    except StoreError as error:
        raise ConfigError(error.message, where=error.where, remedy="give a text file, one package a line") from error
    names: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition("#")[0].split("\t")[0].strip()
        if not name:
            continue
        if not _NAME.match(name):
            where = f"{path}, line {number}"
            raise ConfigError(f"{name[:60]!r} is no package name", where=where, remedy="one package a line")
        names.append(name)
    return names


def import_packages(atlas: Atlas, names: Iterable[str], registry: Registry, *, servers: bool) -> Imported:
    """Packages by the theme whose name they carry. `servers`: the list is one of MCP servers."""
    grown: dict[str, int] = defaultdict(int)
    candidates: dict[str, list[str]] = defaultdict(list)
    themes = dict(atlas.themes)
    for name in sorted(set(names)):
        core = _core(name)
        owner = atlas.find(core) if core else None
        if owner is None:
            if core:
                candidates[core].append(f"{registry}:{name}")
            continue
        anchor = ThemeAnchor(kind=_kind(name, servers), spec=f"{registry}:{name}")
        anchors = themes[owner.slug].anchors
        if anchor.spec not in {one.spec for one in anchors} and len(anchors) < _MOST_ANCHORS:
            themes[owner.slug] = themes[owner.slug].model_copy(update={"anchors": (*anchors, anchor)})
            grown[owner.slug] += 1
    ranked = sorted(candidates.items(), key=lambda item: (-len(item[1]), item[0]))
    return Imported(
        themes=tuple(themes.values()),
        grown=dict(sorted(grown.items())),
        candidates={name: tuple(packages) for name, packages in ranked},
    )


def _core(name: str) -> str:
    """What a package is called but for the words that say what kind of package it is."""
    words = re.findall(r"[a-z0-9]+", name.rpartition("/")[2].lower())
    return "-".join(word for word in words if word not in _GENERIC)


def _kind(name: str, servers: bool) -> AnchorKind:
    if servers or "mcp" in re.findall(r"[a-z0-9]+", name.lower()):
        return "mcp-server"
    return "type-declarations" if name.startswith("@types/") else "client-package"


def absent_anchors(
    themes: Iterable[CatalogTheme], lists: Mapping[Registry, Iterable[str]]
) -> dict[str, tuple[str, ...]]:
    """slug → anchors whose package is missing in the list of its registry; registries without a list are not judged."""
    known = {registry: {_folded(registry, name) for name in names} for registry, names in lists.items()}
    absent: dict[str, tuple[str, ...]] = {}
    for theme in themes:
        missing: list[str] = []
        for anchor in theme.anchors:
            registry, _, name = anchor.spec.partition(":")
            if registry in known and _folded(registry, name) not in known[registry]:
                missing.append(anchor.spec)
        if missing:
            absent[theme.slug] = tuple(missing)
    return absent


def _folded(registry: str, name: str) -> str:
    """A name as its registry tells names apart: `left-pad` and `leftpad` are two packages in both."""
    return canonicalize_name(name) if registry == "pypi" else name.lower()
