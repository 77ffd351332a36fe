"""A SearXNG instance, mostly the user's own: https://docs.searxng.org/dev/search_api.html."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from envforge.core.errors import ConfigError
from envforge.core.records.search import Hit
from envforge.core.scrub import scrub
from envforge.web.search.answers import Get, checked_query, field, hits_of, listed, read_json
from envforge.web.search.errors import ProviderFaultError

MAX_PAGES = 5
_FORMATS = "allow `json` under search.formats in the instance's settings.yml"


class SearxngSearch:
    """Asks an instance at `base_url`, page after page until `limit` is reached or a page brings nothing new."""

    name = "searxng"

    def __init__(self, base_url: str, get: Get) -> None:
        self._base_url = _checked(base_url)
        self._get = get

    def search(self, query: str, *, limit: int) -> tuple[Hit, ...]:
        """The hits. Raises ConfigError, SourceError."""
        words = checked_query(query, limit)
        found: dict[str, Any] = {}
        for page in range(1, MAX_PAGES + 1):
            before = len(found)
            for entry in self._page(words, page):
                found.setdefault(str(field(entry, "url", self._base_url)), entry)
            if len(found) >= limit or len(found) == before:
                break
        names = ("title", "url", "content")
        return hits_of(list(found.values()), names, limit=limit, provider=self.name, where=self._base_url)

    def _page(self, words: str, page: int) -> list[Any]:
        parameters = urlencode({"q": words, "format": "json", "pageno": page})
        answer = self._get(f"{self._base_url}/search?{parameters}", {"Accept": "application/json"})
        told = read_json(answer, self._base_url, key_remedy=_FORMATS)
        results = listed(field(told, "results", self._base_url), self._base_url)
        silent = _silent(cast("dict[str, Any]", told).get("unresponsive_engines"))
        if not results and silent and page == 1:
            # It found nothing because it could not look: that is not the answer "there is nothing".
            raise ProviderFaultError(
                f"none of its engines answered: {silent}",
                where=self._base_url,
                remedy="try again later, or enable other engines",
                retryable=True,
            )
        return results


def _silent(told: Any) -> str:
    """Which engines did not answer, and why; [[name, reason], …] as the instance tells it."""
    engines = cast("list[Any]", told) if isinstance(told, list) else []
    pairs = [cast("list[Any]", engine) for engine in engines if isinstance(engine, list)]
    return scrub(", ".join(": ".join(str(part) for part in pair[:2]) for pair in pairs))[:200]


def _checked(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        good, parts = False, urlsplit("")
    if not good or parts.query or parts.fragment:
        raise ConfigError(
            "is no http(s) address", where=f"--base-url {scrub(base_url)}", remedy="e.g. http://127.0.0.1:8888"
        )
    if parts.username or parts.password:
        raise ConfigError("holds credentials", where="--base-url", remedy="leave them out")
    return base_url.rstrip("/").removesuffix("/search")
