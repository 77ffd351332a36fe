"""What a page or its headers state about its licence, and where they state it. Nothing is guessed from prose."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from typing import Any, cast

from envforge.core.records.source import Licence
from envforge.web.licence import stated

_LINK = re.compile(r"<([^<>]{1,2000})>([^<>]{0,2000})")
_CC = re.compile(r"creativecommons\.org/(licenses|publicdomain)/([a-z+-]+)/(\d\.\d)(?:/([a-z]{2})\b)?", re.IGNORECASE)
_META = ("license", "licence", "dc.rights", "dcterms.rights", "dcterms.license", "dc.rights.license")
_MOST_BYTES = 4 << 20
_MOST_DEPTH = 40


def licence_of_page(body: bytes, *, link_header: str = "", is_html: bool) -> Licence:
    """The licence that a Link header, a `rel="license"` link, a meta element or JSON-LD states.

    Statements that do not agree are evidence of no open licence: somebody has to look.
    """
    found = [(target, "Link header") for target in _links(link_header)]
    if is_html and len(body) <= _MOST_BYTES:
        found += list(_in_page(body))
    statements = [stated(_named(text), f"{where}: {text.strip()[:200]}") for text, where in found if text.strip()]
    if not statements:
        return Licence(status="unstated", evidence="neither the page nor its headers state a licence")
    if len({(one.status, one.spdx) for one in statements}) > 1:
        told = "; ".join(dict.fromkeys(one.evidence for one in statements))
        return Licence(status="stated-other", evidence=f"statements differ: {told}"[:600])
    return statements[0]


def _links(header: str) -> Iterator[str]:
    for target, parameters in _LINK.findall(header):
        if re.search(r";\s*rel\s*=\s*(?:\"[^\"]*\blicense\b[^\"]*\"|license\b)", parameters, re.IGNORECASE):
            yield target


def _in_page(body: bytes) -> Iterator[tuple[str, str]]:
    page = _parsed(body)
    if page is None:
        return
    for element in page.iter("link", "a", "area"):
        if "license" in (element.get("rel") or "").lower().split():
            yield element.get("href") or "", f'{element.tag} rel="license"'
    for element in page.iter("meta"):
        name = (element.get("name") or element.get("property") or "").lower()
        if name in _META:
            yield element.get("content") or "", f"meta {name}"
    for element in page.iter("script"):
        if (element.get("type") or "").lower() == "application/ld+json":
            for text in _in_linked_data(element.text or ""):
                yield text, "JSON-LD license"


def _parsed(body: bytes) -> Any:
    """The tree of a page; None if nothing of it can be read. lxml has no types, and is loaded where it is needed."""
    etree: Any = importlib.import_module("lxml.etree")
    parser = etree.HTMLParser(recover=True, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(body, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _in_linked_data(text: str) -> Iterator[str]:
    """Licences of the things that the page is about, not of those they mention deep down."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return
    things = cast("list[Any]", value) if isinstance(value, list) else [value]
    for thing in things:
        members = cast("dict[str, Any]", thing) if isinstance(thing, dict) else {}
        graph: Any = members.get("@graph")
        for node in [members, *(cast("list[Any]", graph) if isinstance(graph, list) else [])][:_MOST_DEPTH]:
            licence: Any = cast("dict[str, Any]", node).get("license") if isinstance(node, dict) else None
            if isinstance(licence, dict):
                licence = cast("dict[str, Any]", licence).get("@id") or cast("dict[str, Any]", licence).get("url")
            if isinstance(licence, str):
                yield licence


def _named(text: str) -> str:
    """A Creative Commons address as the SPDX identifier that it stands for; all else as it is."""
    found = _CC.search(text)
    if found is None:
        return text
    kind, code, version, place = (part.lower() if part else "" for part in found.groups())
    if kind == "publicdomain":
        return f"CC0-{version}" if code == "zero" else text
    return f"CC-{code.upper()}-{version}" + (f"-{place.upper()}" if place else "")
