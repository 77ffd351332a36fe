"""What a reader sees of an element: its text without footnote marks, and its Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from envforge.mine.extract.html_tree import Element, is_boilerplate, is_hidden, squeeze

Resolve = Callable[[str], str | None]
"""Where a link of the page leads, or None when nobody should follow it."""

BLOCKS = frozenset(
    {"p", "div", "section", "article", "main", "ul", "ol", "li", "dl", "dt", "dd", "pre", "blockquote", "table", "tr"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "figure", "figcaption", "address", "details", "summary", "header", "hr"}
    | {"tbody", "thead", "tfoot", "caption", "body", "center", "fieldset"}
)
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_UPPER = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_LOWER = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_MARK = re.compile(r"^(\[[^\[\]]{1,12}\]|[*†‡§¶#]{1,3}|[a-z]|\([a-z0-9]{1,2}\))$")
_EXPONENT = re.compile(r"^[-+−]?(\d{1,3}|n)$")
_BEFORE_EXPONENT = re.compile(r"(^|[^\w])((k|c|m|d|n|µ)?m|mi|ft|in|yd|s|e|2|10|[a-zA-Z])$")
_CITATION = re.compile(r"^#(cite|ref|fn|note|ftn)", re.IGNORECASE)


_SHORT = 2_000


def plain(element: Element, *, without: frozenset[str] = frozenset()) -> str:
    """The element's text in one line; elements with a tag in `without` are left out."""
    return squeeze("".join(_pieces(element, without)))


def short(element: Element, *, line: str = " ") -> str:
    """The text of a heading, term or link: like `plain`, but no more than its first 2,000 pieces.

    `line` stands for a line break: the terms of one definition are set off by them.
    Hostile pages nest headings in headings; reading each of them whole would take quadratic time.
    """
    return squeeze("".join(islice(_pieces(element, frozenset(), line), _SHORT))).strip(" ,")


def _pieces(element: Element, without: frozenset[str], line: str = " ") -> Iterator[str]:
    """Text in order, without recursion: cells of hostile pages nest too."""
    stack: list[Element | str] = [*reversed(_inside(element))]
    before = ""
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            before = item or before
            yield item
            continue
        if item.tail:
            stack.append(item.tail)
        if is_hidden(item) or item.tag in without:
            continue
        if item.tag in ("sup", "sub"):
            yield script(item, before)
            continue
        if item.tag == "br" or item.tag in BLOCKS or item.tag in ("td", "th"):
            yield line if item.tag == "br" else " "
            if item.tag != "br":
                stack.append(" ")
        elif item.tag == "img":
            yield item.get("alt") or ""
        stack.extend(reversed(_inside(item)))


def _inside(element: Element) -> list[Element | str]:
    return [element.text or "", *element]


def script(element: Element, before: str) -> str:
    """A raised or lowered text: an exponent or index in its own characters, a footnote mark as nothing."""
    said = squeeze("".join(islice(_all_text(element), _SHORT)))
    if element.tag == "sub":
        return said.translate(_LOWER) if said.isascii() and said.isdigit() else said
    links = [child.get("href") or "" for child in islice(element.iter("a"), 5)]
    names = (element.get("class") or "").split()
    if any(link.startswith("#") for link in links) or {"reference", "footnote", "noteref"} & set(names):
        return ""
    if _EXPONENT.match(said):
        return said.replace("−", "-").translate(_UPPER) if _BEFORE_EXPONENT.search(before.rstrip()) else ""
    return "" if _MARK.match(said) else said


def _all_text(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element.iter():
        if child is not element:
            yield child.text or ""
            yield child.tail or ""


def inline(element: Element, resolve: Resolve) -> str:
    """Markdown of a run of text: code, emphasis and links kept; block elements inside are left to the caller."""
    parts = [_escape(element.text or "")]
    for child in element:
        if child.tag not in BLOCKS:
            parts.append(inline_element(child, parts[-1], resolve))
        parts.append(_escape(child.tail or ""))
    return "".join(parts)


def inline_element(child: Element, before: str, resolve: Resolve) -> str:
    """Markdown of one inline element; `before` is what stands before it."""
    if is_hidden(child) or is_boilerplate(child):
        return ""
    if child.tag in ("sup", "sub"):
        return script(child, before)
    if child.tag == "br":
        return "\n"
    if child.tag == "img":
        return child.get("alt") or ""
    if child.tag in ("code", "kbd", "samp", "tt"):
        said = short(child)
        return f"`{said}`" if said and "`" not in said else said
    said = inline(child, resolve)
    if child.tag == "a" and said.strip():
        target = resolve(child.get("href") or "")
        return f"[{said.strip()}]({target})" if target else said
    if child.tag in ("strong", "b") and said.strip():
        return f"**{said.strip()}**"
    if child.tag in ("em", "i") and said.strip() and "`" not in said:
        return f"*{said.strip()}*"
    return said


def _escape(text: str) -> str:
    return text.replace("\xa0", " ")
