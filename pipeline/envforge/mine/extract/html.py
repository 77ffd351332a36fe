"""HTML: the pages of one source are read together, so that tables and links that go on over pages meet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.outcome import Failed, Outcome, Produced
from envforge.core.records.extraction import Extraction, MinedDocument
from envforge.core.records.source import Source
from envforge.mine.extract.html_pages import read_html
from envforge.mine.extract.pages import Page
from envforge.mine.extract.site import page_documents, site_tables, without_frame

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
        outcome = self.extract_site([fetched])[0]
        if isinstance(outcome, Produced):
            return outcome.value
        assert isinstance(outcome, Failed)
        raise ExtractError(outcome.error, where=outcome.where, remedy=outcome.remedy)

    def extract_site(self, files: Sequence[Fetched]) -> list[Outcome[Extraction]]:
        """One outcome per page; the tables of the whole site stand with its first page."""
        return read_site(self.name, files, read_html)


def read_site(name: str, files: Sequence[Fetched], read: Callable[[Fetched], Page]) -> list[Outcome[Extraction]]:
    """Read every file as a page, and the pages as one site."""
    outcomes: dict[int, Outcome[Extraction]] = {}
    read_pages: dict[int, Page] = {}
    for index, file in enumerate(files):
        try:
            read_pages[index] = read(file)
        except ExtractError as error:
            outcomes[index] = Failed.from_error(error)
    pages = without_frame(list(read_pages.values()))
    read_pages = dict(zip(read_pages, pages, strict=True))
    tables, issues = site_tables(pages, [files[index].source for index in read_pages])
    documents = page_documents(pages)
    for index, page in read_pages.items():
        first = index == min(read_pages)
        outcomes[index] = Produced(
            Extraction(
                source_id=files[index].source.id,
                extractor=name,
                tables=tuple(tables) if first else (),
                documents=_document(page, documents[page.path], files[index].source),
                issues=(*page.issues, *(issues if first else ())),
            )
        )
    return [outcomes[index] for index in range(len(files))]


def _document(page: Page, path: str, source: Source) -> tuple[MinedDocument, ...]:
    if not page.markdown.strip():
        return ()
    title = page.title or path
    return (MinedDocument(path=path, title=title, mime="text/markdown", text=page.markdown, source_id=source.id),)
