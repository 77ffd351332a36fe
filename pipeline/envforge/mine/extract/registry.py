"""Chooses the extractor of each file. A new kind of source is one new file and its line here."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from envforge.core.contracts import Extractor, Fetched
from envforge.core.errors import ExtractError
from envforge.core.outcome import Failed, Outcome, Produced, Rejected
from envforge.core.records.extraction import Extraction
from envforge.mine.extract.aws_models import AwsModelExtractor
from envforge.mine.extract.documents import DocumentExtractor
from envforge.mine.extract.google_discovery import GoogleDiscoveryExtractor
from envforge.mine.extract.graphql import GraphqlExtractor
from envforge.mine.extract.html import HtmlExtractor
from envforge.mine.extract.markdown import MarkdownExtractor
from envforge.mine.extract.mcp_tools import McpToolsExtractor
from envforge.mine.extract.openapi import OpenApiExtractor
from envforge.mine.extract.payload import PayloadExtractor
from envforge.mine.extract.pdf import PdfExtractor
from envforge.mine.extract.sql_dump import SqlDumpExtractor
from envforge.mine.extract.tabular import TabularExtractor
from envforge.mine.extract.typescript import TypeScriptExtractor
from envforge.mine.extract.workbook import WorkbookExtractor

HEAD = 65_536
"""Bytes an extractor sees when it decides."""

TYPESCRIPT, HTML, MARKDOWN = TypeScriptExtractor(), HtmlExtractor(), MarkdownExtractor()
EXTRACTORS: tuple[Extractor, ...] = (
    GraphqlExtractor(),
    McpToolsExtractor(),
    # Before what it may quote: a description of a service that serves such documents is no such document.
    OpenApiExtractor(),
    GoogleDiscoveryExtractor(),
    AwsModelExtractor(),
    TYPESCRIPT,
    TabularExtractor(),
    WorkbookExtractor(),
    PdfExtractor(),
    SqlDumpExtractor(),
    PayloadExtractor(),
    HTML,
    MARKDOWN,
    DocumentExtractor(),
)
"""In order: the first that accepts a file reads it."""

_TOGETHER = {
    TYPESCRIPT.name: TYPESCRIPT.extract_package,
    HTML.name: HTML.extract_site,
    MARKDOWN.name: MARKDOWN.extract_site,
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PACKAGING = re.compile(r"^(package(-lock)?|tsconfig.*|composer|lerna|bower|npm-shrinkwrap|tslint|jsr|deno)\.json$")


def extract_all(fetched: Sequence[Fetched]) -> list[Outcome[Extraction]]:
    """One outcome per file, in order: Rejected when no extractor accepts it, Failed when its extractor raised.

    Declaration files of one package are read together, so that a name used in one may be declared in another;
    so are the pages of one package, whose tables and links go on over pages.
    """
    outcomes: dict[int, Outcome[Extraction]] = {}
    together: dict[tuple[str, str], list[int]] = {}
    for index, file in enumerate(fetched):
        extractor = choose(file)
        if isinstance(extractor, Rejected):
            outcomes[index] = extractor
        elif extractor.name in _TOGETHER:
            together.setdefault((extractor.name, file.source.package or ""), []).append(index)
        else:
            outcomes[index] = _extract(extractor, file)
    for (name, _), members in together.items():
        found = _TOGETHER[name]([fetched[index] for index in members])
        outcomes.update(zip(members, found, strict=True))
    return [outcomes[index] for index in range(len(fetched))]


def choose(file: Fetched) -> Extractor | Rejected:
    """The extractor that accepts the file, or why none does."""
    source = file.source
    evidence = {"path": source.path, "mime": source.mime, "bytes": len(file.body)}
    if not file.body.removeprefix(_BYTE_ORDER_MARK).strip():
        return Rejected("the file is empty", evidence)
    head = file.body[:HEAD]
    for extractor in EXTRACTORS:
        if not extractor.accepts(source, head):
            continue
        if isinstance(extractor, PayloadExtractor) and _PACKAGING.match(posixpath.basename(source.path)):
            return Rejected("packaging metadata says nothing about the domain", evidence)
        return extractor
    names = ", ".join(extractor.name for extractor in EXTRACTORS)
    return Rejected(f"no extractor reads this kind of file (tried {names})", evidence)


def _extract(extractor: Extractor, file: Fetched) -> Outcome[Extraction]:
    try:
        return Produced(extractor.extract(file))
    except ExtractError as error:
        return Failed.from_error(error)
