"""Opens search providers by name. A new one is one new file, its line here and its entry in the contract suite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from envforge.core.contracts import SearchProvider
from envforge.core.errors import ConfigError
from envforge.web.search.answers import Get
from envforge.web.search.brave import KEY_VARIABLE, BraveSearch
from envforge.web.search.ddgs import DdgsSearch
from envforge.web.search.http import http_get
from envforge.web.search.packages import PackageSearch, Registry
from envforge.web.search.searxng import SearxngSearch
from envforge.web.search.snapshot import SnapshotSearch
from envforge.web.search.tantivy import TantivySearch

DEFAULT = "snapshot"


@dataclass(frozen=True)
class SearchSettings:
    """Which provider, and what it needs. `get` asks services; without one, a client with limits does."""

    provider: str = DEFAULT
    snapshot: Path | None = None
    cache: Path = Path("runs/cache/search")
    base_url: str | None = None
    key_variable: str = KEY_VARIABLE
    timeout_seconds: float = 20.0
    get: Get | None = None


def _get(settings: SearchSettings) -> Get:
    return settings.get or http_get(settings.timeout_seconds)


def _over_snapshot(make: Callable[[Path, Path], SearchProvider]) -> Callable[[SearchSettings], SearchProvider]:
    def opened(settings: SearchSettings) -> SearchProvider:
        if settings.snapshot is None:
            raise ConfigError("there is no snapshot to search", where="--snapshot", remedy="give --snapshot DIR")
        return make(settings.snapshot, settings.cache)

    return opened


def _searxng(settings: SearchSettings) -> SearchProvider:
    if not settings.base_url:
        raise ConfigError("the instance is not named", where="--base-url", remedy="e.g. http://127.0.0.1:8888")
    return SearxngSearch(settings.base_url, _get(settings))


def _brave(settings: SearchSettings) -> SearchProvider:
    return BraveSearch(_get(settings), key_variable=settings.key_variable)


def _ddgs(settings: SearchSettings) -> SearchProvider:
    return DdgsSearch(timeout=settings.timeout_seconds)


def _packages(*registries: Registry) -> Callable[[SearchSettings], SearchProvider]:
    name = registries[0] if len(registries) == 1 else "packages"
    return lambda settings: PackageSearch(name, registries, timeout=settings.timeout_seconds)


PROVIDERS: dict[str, Callable[[SearchSettings], SearchProvider]] = {
    "snapshot": _over_snapshot(SnapshotSearch),
    "tantivy": _over_snapshot(TantivySearch),
    "searxng": _searxng,
    "brave": _brave,
    "ddgs": _ddgs,
    "npm": _packages("npm"),
    "pypi": _packages("pypi"),
    "packages": _packages("pypi", "npm"),
}


def open_search(settings: SearchSettings) -> SearchProvider:
    """The provider. Raises ConfigError for an unknown name and for what it lacks."""
    if settings.provider not in PROVIDERS:
        there = ", ".join(PROVIDERS)
        raise ConfigError(f"no search provider {settings.provider!r}", where="--provider", remedy=f"there are: {there}")
    return PROVIDERS[settings.provider](settings)
