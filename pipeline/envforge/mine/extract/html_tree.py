"""HTML as a tree, within bounds: whatever the bytes, a tree of limited size and depth or an ExtractError."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any, Protocol, cast

from envforge.core.errors import ExtractError

MAX_TEXT = 32 << 20
"""Characters of one page. The largest pages of real manuals have under two million."""
MAX_TAGS = 300_000
"""Reading takes 30 to 70 microseconds a tag: a page of so many is read within half a minute on a busy machine."""
_MAX_ATTRIBUTES = 200
_LONG_TAG = re.compile(r"<[A-Za-z][^>]{512,}")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_BLANK = re.compile(r"[\s\u00a0\u2007\u2009\u200a\u202f]+")
_INVISIBLE = re.compile(r"[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
_HIDDEN_TAGS = frozenset(
    {"script", "style", "template", "noscript", "head", "svg", "math", "iframe", "object", "title"}
)
_FORM_TAGS = frozenset({"form", "input", "select", "button", "textarea", "nav", "footer"})
_BOILERPLATE = re.compile(
    r"^(nav|nav-?(header|footer|bar|box|igation|links?|menu)|toc|table-of-contents|breadcrumbs?|side-?bar|menu|footer|"
    r"site-?(header|footer|nav)|cookies?|advert(isement)?s?|skip-?(link|nav)|headerlink|anchorjs-link|mw-editsection|"
    r"related(-?links)?|pagination|noprint|sr-only|visually-hidden)$"
)
_NO_DISPLAY = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class Element(Protocol):
    """A node of the tree, as the parser gives it."""

    tag: str
    text: str | None
    tail: str | None
    sourceline: int | None

    def get(self, key: str) -> str | None:
        """An attribute."""
        ...

    def iter(self, *tags: str) -> Iterator[Element]:
        """The element and all below it, in document order."""
        ...

    def getparent(self) -> Element | None:
        """The element around it."""
        ...

    def __iter__(self) -> Iterator[Element]: ...
    def __len__(self) -> int: ...


def parse_html(text: str, where: str) -> Element:
    """The root element. Raises ExtractError when the page is empty, too large, or nests too deeply."""
    _measure(text, where)
    etree: Any = importlib.import_module("lxml.etree")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    body = text.replace("\x00", "\ufffd").encode("utf-8", "replace")
    try:
        root = etree.fromstring(body, parser)
    except (etree.LxmlError, ValueError) as error:
        raise ExtractError("holds no HTML element", where=f"{where}:1", remedy="leave it out with `include`") from error
    limit = next((entry for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"), None)
    if limit is not None:
        what = "nests elements deeper than 255" if "depth" in limit.message else "holds a text that is too long"
        raise ExtractError(f"the page {what}", where=f"{where}:{limit.line}", remedy="leave it out with `include`")
    if root is None:
        raise ExtractError("holds no HTML element", where=f"{where}:1", remedy="leave it out with `include`")
    return cast("Element", root)


def _measure(text: str, where: str) -> None:
    tags = text.count("<")
    if len(text) > MAX_TEXT or tags > MAX_TAGS:
        what = f"{len(text):,} characters" if len(text) > MAX_TEXT else f"{tags:,} tags"
        raise ExtractError(f"the page has {what}", where=f"{where}:1", remedy="take a part of it")
    for found in _LONG_TAG.finditer(text):
        if len(_QUOTED.sub("", found[0]).split()) > _MAX_ATTRIBUTES:
            line = text.count("\n", 0, found.start()) + 1
            message = f"a tag has more than {_MAX_ATTRIBUTES} attributes"
            raise ExtractError(message, where=f"{where}:{line}", remedy="leave it out with `include`")


def is_hidden(element: Element) -> bool:
    """True for what a reader of the page does not see."""
    return (
        element.tag in _HIDDEN_TAGS
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or bool(_NO_DISPLAY.search(element.get("style") or ""))
    )


def is_boilerplate(element: Element) -> bool:
    """True for what is about the site, not about its subject: navigation, footers, forms, tables of contents."""
    if element.tag in _FORM_TAGS or element.get("role") in ("navigation", "search", "contentinfo", "banner"):
        return True
    return any(_BOILERPLATE.match(name) for name in (element.get("class") or "").lower().split())


def content_root(root: Element) -> Element:
    """The element that holds the page's own text: what it marks so, else its body."""
    for tag in ("main", "article"):
        found = [element for element in root.iter(tag) if not is_hidden(element)]
        if len(found) == 1:
            return found[0]
    for element in root.iter("div", "section"):
        if element.get("role") == "main" or element.get("id") in ("mw-content-text", "main-content"):
            return element
    return next(root.iter("body"), root)


def squeeze(text: str) -> str:
    """One line, single blanks, nothing invisible."""
    return _BLANK.sub(" ", _INVISIBLE.sub("", text)).strip()


def attribute_number(element: Element, name: str, most: int) -> int:
    """A span attribute: a whole number from 1 to `most`; 1 when it is none."""
    stated = (element.get(name) or "").strip()
    return (
        max(1, min(int(stated), most))
        if stated.isascii() and stated.isdigit() and len(stated) < 9
        else (most if stated.isascii() and stated.isdigit() else 1)
    )


def unseen(root: Element, *, toc: bool = False) -> set[Element]:
    """Elements that are hidden or boilerplate, with all inside them. `toc`: tables of contents are seen.

    What holds most of the page's text is no boilerplate, whatever it is called.
    """
    inside: set[Element] = set()
    most = _length(root) // 2
    for element in root.iter():
        if element in inside or element is root:
            continue
        if is_hidden(element) or (
            is_boilerplate(element) and not (toc and _is_toc(element)) and _length(element, most) <= most
        ):
            inside.update(element.iter())
    return inside


def _length(element: Element, enough: int = MAX_TEXT) -> int:
    """Letters of the text inside, counted until there are more than enough."""
    total = 0
    for inner in element.iter():
        if inner.tag not in _HIDDEN_TAGS:
            total += len((inner.text or "").strip())
        total += len((inner.tail or "").strip()) if inner is not element else 0
        if total > enough:
            break
    return total


def _is_toc(element: Element) -> bool:
    return "toc" in (element.get("class") or "").lower().split()
