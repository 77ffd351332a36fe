"""Text of a fetched file for searching: title, headings and what a reader sees. Bounded, whatever the file is."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from envforge.core.contracts import Fetched

MAX_READ = 4 * 2**20
"""Bytes of a file that are looked at."""
MAX_TEXT = 400_000
"""Characters of it that are kept."""
_BLOCK_TAGS = """
address article aside blockquote br caption dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr
li main nav ol p pre section table td th tr ul
"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_UNSEEN = ("script", "style", "template", "noscript", "svg")
_STRING = re.compile(r'"((?:[^"\\]|\\.){1,2000})"')
_CAMEL = re.compile(r"\b(?=\w*[a-z][A-Z]|\w*[A-Z]{2}[a-z])[A-Za-z][A-Za-z0-9]{3,60}\b")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class Readable:
    """A document as search sees it. `place` are the words of its address, `pieces` those inside code-like words."""

    title: str
    headings: str
    place: str
    pieces: str
    body: str


def readable(fetched: Fetched) -> Readable:
    """The text of a file of any kind; of one that is no text, only its title and its address."""
    source, mime = fetched.source, fetched.source.mime.split(";")[0].strip()
    data = fetched.body[:MAX_READ]
    title, headings, body = source.title, "", ""
    if mime in ("text/html", "application/xhtml+xml"):
        stated, headings, body = _page(data, source.mime)
        title = title or stated
    elif mime == "application/json" or mime.endswith("+json"):
        body = _strings(data.decode("utf-8", "replace"))
    elif mime.startswith("text/") or b"\x00" not in data[:8192]:
        body = data.decode("utf-8-sig", "replace")
    body = _spaced(body[:MAX_TEXT])
    address = " ".join(re.split(r"[^\w]+", unquote(source.url.split("://", 1)[-1])))
    return Readable(title or source.path, headings, f"{address} {source.path}", pieces_of(f"{title} {body}"), body)


def _page(data: bytes, mime: str) -> tuple[str, str, str]:
    """Title, headings and text of an HTML page."""
    etree: Any = importlib.import_module("lxml.etree")  # it has no types, and only pages need it
    stated = re.search(r"charset=[\"']?([\w.:-]+)", mime)
    try:
        parser = etree.HTMLParser(encoding=stated[1] if stated else None)
    except LookupError:
        parser = etree.HTMLParser()
    try:
        root = etree.fromstring(data, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        return "", "", ""  # nothing but blanks and comments
    etree.strip_elements(root, *_UNSEEN, with_tail=False)
    title = _spaced(root.findtext(".//title") or "")
    headings = [_spaced(_text(etree, node)) for node in root.iter("h1", "h2", "h3", "h4")]
    body = root.find("body")
    return title, " · ".join(heading for heading in headings if heading), _text(etree, root if body is None else body)


def _text(etree: Any, root: Any) -> str:
    """Text in order, with a blank where a block begins or ends."""
    parts: list[str] = []
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event in ("comment", "pi"):
            parts.append(node.tail or "")
            continue
        if node.tag in _BLOCKS:
            parts.append(" ")
        if event == "start":
            parts.append(node.text or "")
        elif node is not root:
            parts.append(node.tail or "")
    return "".join(parts)


def _strings(text: str) -> str:
    """The strings of a JSON text, names and values, in order; a cut text loses its last one only."""
    found: list[str] = []
    room = MAX_TEXT
    for match in _STRING.finditer(text):
        value = match[1]
        if "\\" in value:
            try:
                value = str(json.loads(f'"{value}"'))
            except ValueError:
                continue  # no JSON string after all
        found.append(value)
        room -= len(value) + 1
        if room <= 0:
            break
    return " ".join(found)


def pieces_of(text: str) -> str:
    """Every word like `parentPageId` or `HTTPServer` once, as the words it is made of."""
    words = dict.fromkeys(_CAMEL.findall(text))
    return " ".join(" ".join(_PIECE.findall(word)) for word in words)


def _spaced(text: str) -> str:
    return " ".join(text.split())
