"""What is read out of one page of documentation, whatever its markup."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from envforge.core.records.extraction import Issue
from envforge.mine.extract.html_tables import PageTable

_NUMBERING = re.compile(
    r"^(?:(?:chapter|part|section|appendix|table|figure|example)\s+(?:\d+|[A-Z])(?:[.-]\d+)*[.:]?|\d+(?:\.\d+)*\.|\d+(?:\.\d+)+)\s+",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_PAGE_SUFFIX = re.compile(r"\.(x?html?|md|markdown|mdx)$", re.IGNORECASE)


@dataclass(frozen=True)
class Section:
    """A heading and the text up to the next one."""

    level: int
    heading: str
    anchor: str
    text: str


@dataclass(frozen=True)
class Link:
    """A link to another page: its path (no scheme, no fragment) and the words that carry it."""

    target: str
    text: str


@dataclass(frozen=True)
class Term:
    """An entry of a definition list."""

    section: str
    term: str
    anchor: str
    definition: str


@dataclass(frozen=True)
class Item:
    """A thing that a page describes in data: its type, properties and place."""

    type: str
    record: dict[str, Any]
    locator: str


@dataclass(frozen=True)
class Page:
    """One page: its text as Markdown, and its parts."""

    path: str
    title: str
    markdown: str
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    terms: tuple[Term, ...] = ()
    tables: tuple[PageTable, ...] = ()
    items: tuple[Item, ...] = ()
    issues: tuple[Issue, ...] = ()


def without_number(heading: str) -> str:
    """A heading without 'Chapter 5.' or '5.3.' before it."""
    return _NUMBERING.sub("", heading) or heading


def page_link(href: str, path: str) -> str | None:
    """The path of the page that a relative link of `path` leads to; None for the page itself and for all else.

    `../` never leads out of the source: such a link leads nowhere.
    """
    href = href.strip()
    if not href or href.startswith(("#", "/", "\\")) or _SCHEME.match(href):
        return None
    try:
        inside = unquote(urlsplit(href).path)
    except ValueError:
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), inside))
    if not inside or target.startswith(("..", "/")) or not _PAGE_SUFFIX.search(target) or "\x00" in target:
        return None
    return None if target == path else target


def shown_link(href: str, path: str) -> str | None:
    """The link as the Markdown keeps it: pages of the source by their document, the open web by URL."""
    href = href.strip()
    target = page_link(href, path)
    if target is not None:
        return posixpath.relpath(document_path(target), posixpath.dirname(path) or ".")
    if href.lower().startswith(("http://", "https://")) and not re.search(r"[\s<>()]", href):
        return href
    return None


def document_path(path: str) -> str:
    """Where the Markdown of a page is kept."""
    return _PAGE_SUFFIX.sub("", path) + ".md"


def is_page(path: str) -> bool:
    """True for paths of HTML and Markdown pages."""
    return bool(_PAGE_SUFFIX.search(path))
