"""Formats of documents that are text with marks, and SQL: what makes such a text valid. They are kept as they stand."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping
from html.parser import HTMLParser

_VERBS = frozenset({"alter", "begin", "commit", "create", "delete", "drop", "insert", "update"})
_TAGS = frozenset(
    {"html", "head", "title", "body", "main", "section", "h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "table", "time"}
    | {"caption", "thead", "tbody", "tr", "th", "td", "a", "b", "em", "strong", "code", "span", "div"}
)
_VOID = frozenset({"br", "hr", "meta"})
_TAG = re.compile(r"<[a-z][a-z0-9]*((?: [a-z]+=\"[^\"<>]*\")*)>|</[a-z][a-z0-9]*>|<!doctype html>")
_ATTRIBUTES = frozenset({"class", "href", "id", "lang", "charset", "colspan"})
_PAIRS = {"{": "}", "$": "$", r"\(": r"\)", r"\[": r"\]"}
_FORMULAS = frozenset({"$", r"\(", r"\["})
_STOPPED = frozenset({"input", "include", "openin", "openout", "read", "write", "def", "catcode", "csname"})


class FormatError(ValueError):
    """A text that is not valid in its format; says which rule it breaks."""


class _Elements(HTMLParser):
    """Keeps which elements are open."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag not in _TAGS | _VOID or names - _ATTRIBUTES:
            raise FormatError("element")
        if len(names) < len(attrs):
            raise FormatError("attribute twice")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _TAGS:
            raise FormatError("element")
        if self.open[-1:] != [tag]:
            raise FormatError("closes what is not open")
        self.open.pop()


def _html(text: str) -> None:
    if re.search("</[a-z0-9]+ ", text):
        raise FormatError("attribute of an end")
    left = _TAG.sub("", text)
    if re.search(r"[<>]|&(?!(amp|lt|gt|quot|#[0-9]{2,4});)", left):
        raise FormatError("sign")
    elements = _Elements()
    elements.feed(text)
    elements.close()
    if elements.open:
        raise FormatError("not closed")


def _md(text: str) -> None:
    if len(re.findall(r"^```", text, re.MULTILINE)) % 2:
        raise FormatError("code not closed")


def _tex(text: str) -> None:
    text = re.sub(r"(?<!\\)((?:\\\\)*)%.*", r"\1", text)
    for command in re.findall(r"(?<!\\)(?:\\\\)*\\([A-Za-z]+)", text):
        if command in _STOPPED:
            raise FormatError("command")
    open_ = list[str]()
    pieces = r"\\(begin|end)\{([a-z]+\*?)\}|(\\begin(?![A-Za-z])|\\end(?![A-Za-z])|\\.|[{}$&#_^])"
    for command, name, sign in re.findall(pieces, text, re.DOTALL):
        if sign in ("\\begin", "\\end"):
            raise FormatError("command")
        closes = sign == "$" and open_[-1:] == ["$"]
        if command == "begin" or (sign in _PAIRS and not closes):
            open_.append(name or sign)
        elif command == "end" or closes or sign in _PAIRS.values():
            if not open_ or (open_.pop() != name if name else _PAIRS.get(open_.pop()) != sign):
                raise FormatError("closes what is not open")
        elif (
            sign == "#" or (sign == "&" and "tabular" not in open_) or (sign in ("_", "^") and not _FORMULAS & {*open_})
        ):
            raise FormatError("sign")
    if open_:
        raise FormatError("not closed")


def _sql(text: str) -> None:
    """SQLite's own tokenizer says where statements end; brackets and first words are read from what is no text."""
    bare = re.sub(r"'(?:[^']|'')*'|\"[^\"]+\"|--[^\n]*", lambda found: "" if found[0][0] == "-" else "0", text)
    if re.search(r"['\"]|[^\w\s(),;.=<>+*/|-]", bare, re.ASCII):
        raise FormatError("sign")
    *statements, rest = bare.split(";")
    for statement in statements:
        if _first_word(statement) not in _VERBS:
            raise FormatError("verb")
        if not _closed(statement):
            raise FormatError("brackets")
    if not statements and not rest.strip():
        raise FormatError("no statement")
    if rest.strip() and _first_word(rest) not in _VERBS:
        raise FormatError("verb")
    if rest.strip() or not sqlite3.complete_statement(text):
        raise FormatError("no semicolon")


def _first_word(statement: str) -> str:
    found = re.match(r"\s*([A-Za-z_][A-Za-z0-9_]*)", statement)
    return found[1].lower() if found else ""


def _closed(statement: str) -> bool:
    depth = 0
    for sign in re.findall("[()]", statement):
        depth += 1 if sign == "(" else -1
        if depth < 0:
            return False
    return depth == 0


CHECKS: Mapping[str, Callable[[str], None]] = {"html": _html, "md": _md, "sql": _sql, "tex": _tex}
