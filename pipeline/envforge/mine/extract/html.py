"""HTML: the pages of one source are read together, so that tables and links that go on over pages meet."""

from __future__ import annotations

import re
from collections.abc import Sequence

from envforge.core.contracts import Fetched
from envforge.core.outcome import Outcome
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Source
from envforge.mine.extract.html_pages import read_html
from envforge.mine.extract.site import read_alone, read_site

_PATH = re.compile(r"\.x?html?$", re.IGNORECASE)
_HEAD = re.compile(
    rb"^\s*(<\?xml[^>]{0,200}\?>\s*)?(<!--.{0,2000}?-->\s*)?<(!doctype html|html)\b", re.IGNORECASE | re.DOTALL
)


class HtmlExtractor:
    """Reads web pages: text as Markdown, tables, definitions, links, JSON-LD and microdata."""

    name = "html"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for pages by MIME or name, or by their first bytes."""
        mime = source.mime.split(";")[0].strip()
        if mime in ("text/html", "application/xhtml+xml") or _PATH.search(source.path):
            return True
        return mime in ("", "application/octet-stream") and bool(_HEAD.match(head.removeprefix(b"\xef\xbb\xbf")))

    def extract(self, fetched: Fetched) -> Extraction:
        """One page by itself. Raises ExtractError naming file, line and remedy."""
        return read_alone(self.name, fetched, read_html)

    def extract_site(self, files: Sequence[Fetched]) -> list[Outcome[Extraction]]:
        """One outcome per page; the tables of the whole site stand with its first page."""
        return read_site(self.name, files, read_html)
