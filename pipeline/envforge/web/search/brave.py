"""The Brave Search API: https://api-dashboard.search.brave.com/documentation. Its key is in the environment only."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlencode

from envforge.core.records.search import Hit
from envforge.web.search.answers import Answer, Get, checked_query, field, hits_of, listed, read_json
from envforge.web.search.errors import SearchKeyError

ENDPOINT = "https://api.search.brave.com/res/v1/web/search"
KEY_VARIABLE = "BRAVE_API_KEY"
_PAGE = 20
"""Results of one request, at most."""
_MAX_OFFSET = 9


class BraveSearch:
    """Asks the API. Raises SearchKeyError when the environment holds no key."""

    name = "brave"

    def __init__(self, get: Get, *, key_variable: str = KEY_VARIABLE, endpoint: str = ENDPOINT) -> None:
        self._variable = key_variable
        self._get = get
        self._endpoint = endpoint
        self._key()

    def search(self, query: str, *, limit: int) -> tuple[Hit, ...]:
        """The hits. Raises ConfigError, SourceError."""
        words = checked_query(query, limit)
        found: list[Any] = []
        for offset in range(_MAX_OFFSET + 1):
            page = self._page(words, min(limit, _PAGE), offset)
            found += page
            if len(found) >= limit or len(page) < _PAGE:
                break
        names = ("title", "url", "description")
        return hits_of(found, names, limit=limit, provider=self.name, where=self._endpoint)

    def _page(self, words: str, count: int, offset: int) -> list[Any]:
        parameters = urlencode({"q": words, "count": count, "offset": offset, "text_decorations": "false"})
        headers = {"Accept": "application/json", "X-Subscription-Token": self._key()}
        told = self._read(self._get(f"{self._endpoint}?{parameters}", headers))
        if field(told, "type", self._endpoint) == "search" and "web" not in told:
            return []  # so it says that it has found nothing
        return listed(field(field(told, "web", self._endpoint), "results", self._endpoint), self._endpoint)

    def _read(self, answer: Answer) -> Any:
        remedy = f"put a valid key into {self._variable}"
        if answer.status == 422 and b"SUBSCRIPTION_TOKEN_INVALID" in answer.body:
            raise SearchKeyError("the key is refused", where=self._endpoint, remedy=remedy)
        return read_json(answer, self._endpoint, key_remedy=remedy)

    def _key(self) -> str:
        """Read when it is needed, kept nowhere."""
        key = os.environ.get(self._variable, "").strip()
        if not key:
            raise SearchKeyError("is not set", where=self._variable, remedy="put the key of the search service into it")
        if any(ord(character) < 33 or ord(character) > 126 for character in key):
            raise SearchKeyError("holds a character that no key has", where=self._variable)
        return key
