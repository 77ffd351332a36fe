"""Texts kept as documents: reStructuredText and plain text."""

from __future__ import annotations

import posixpath
import re

from envforge.core.contracts import Fetched
from envforge.core.records.extraction import Extraction, MinedDocument
from envforge.core.records.source import Source
from envforge.mine.extract.parse import decode

_PATH = re.compile(r"(\.(rst|txt)|(^|/)(changelog|license|licence|notice)[^/]*)$", re.I)
# Possessive, and closing marks are cut afterwards: blanks must not be shared out in every way.
_HEADING = re.compile(r"^#{1,3}\s++(\S.*+)|^(\S.*+)\n[=~]{3,}+\s*$", re.MULTILINE)


class DocumentExtractor:
    """Keeps a text as it is, with its title."""

    name = "documents"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for texts by name or MIME that hold no NUL byte."""
        textual = source.mime.split(";")[0] in ("text/plain", "text/x-rst")
        return (textual or bool(_PATH.search(source.path))) and b"\x00" not in head

    def extract(self, fetched: Fetched) -> Extraction:
        """Keep the text. Raises ExtractError when it is not UTF-8."""
        text, source = decode(fetched), fetched.source
        document = MinedDocument(
            path=source.path,
            title=source.title or _title(text) or posixpath.basename(source.path),
            mime=source.mime.split(";")[0],
            text=text,
            source_id=source.id,
        )
        return Extraction(source_id=source.id, extractor=self.name, documents=(document,))


def _title(text: str) -> str:
    found = _HEADING.search(text)
    if found is None:
        return ""
    said = (found[1] or found[2]).rstrip()
    return (said.rstrip("#").rstrip() or said[0]) if found[1] else said
