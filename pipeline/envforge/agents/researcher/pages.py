"""Sources that the agent opened: their text, the tables that our extractors read in them, the links they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from urllib.parse import urldefrag, urljoin

from envforge.agents.permissions import require_host
from envforge.agents.researcher.evidence import Evidence
from envforge.core.contracts import Fetched
from envforge.core.errors import DeniedError, ExtractError
from envforge.core.records.agent import Permissions
from envforge.core.records.extraction import MinedTable
from envforge.web.search.readable import readable

MOST_CHARACTERS = 4_000_000
_MOST_LINKS = 300
_HTML = ("text/html", "application/xhtml+xml")
_LINK = re.compile(r"""<a\s[^>]*?href\s*=\s*["']([^"'#][^"']*)["']""", re.IGNORECASE)

Fetch = Callable[[str], Fetched]
"""The file at an address, recorded in the run. Raises SourceError."""
Tables = Callable[[Fetched], tuple[MinedTable, ...]]
"""What our extractors read in a file; nothing where none reads it. Raises ExtractError for a broken file."""

Known = Callable[[], Collection[str]]
"""Addresses that a search, an opened page or a person named."""


@dataclass(frozen=True)
class Page:
    """One source, as the agent and the proof of its rows see it."""

    address: str
    file: Fetched
    tables: tuple[MinedTable, ...]
    problem: str = ""
    """Why no table could be read, where the extractor said so."""

    @cached_property
    def title(self) -> str:
        """What it calls itself."""
        return readable(self.file).title

    @cached_property
    def text(self) -> str:
        """What a reader sees of a page; of anything else the text as it is."""
        if self.file.source.mime.split(";")[0].strip() in _HTML:
            return readable(self.file).body
        return self.file.body[:MOST_CHARACTERS].decode("utf-8-sig", "replace")

    @cached_property
    def evidence(self) -> Evidence:
        """Its text, for the proof of rows."""
        return Evidence(self.text, self.title)

    def links(self) -> list[str]:
        """Addresses that a page links to."""
        if self.file.source.mime.split(";")[0].strip() not in _HTML:
            return []
        found = _LINK.findall(self.file.body[:MOST_CHARACTERS].decode("utf-8", "replace"))
        joined = (urldefrag(urljoin(self.address, unescape(link)))[0] for link in found)
        return list(dict.fromkeys(link for link in joined if link.startswith(("http://", "https://"))))[:_MOST_LINKS]


class Pages:
    """Opens sources, within the permissions; one that was opened is kept in memory."""

    def __init__(self, fetch: Fetch, tables: Tables, known: Known, permissions: Permissions) -> None:
        self._fetch, self._tables, self._known, self._permissions = fetch, tables, known, permissions
        self._held: dict[str, Page] = {}

    def open(self, address: str) -> Page:
        """The source at an address. Raises DeniedError, SourceError."""
        address = urldefrag(address.strip())[0]
        require_host(self._permissions, address)
        if not self._permissions.spoken and address not in self._known():
            raise DeniedError(
                "no search and no opened page named this address", where=address[:200], remedy="search for it"
            )
        if address not in self._held:
            self._held[address] = self._read(address)
        return self._held[address]

    def _read(self, address: str) -> Page:
        file = self._fetch(address)
        try:
            return Page(address, file, self._tables(file))
        except ExtractError as error:
            return Page(address, file, (), problem=str(error))
