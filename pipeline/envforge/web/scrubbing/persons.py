"""E-mail addresses and telephone numbers of persons in a page. Roles, lists and examples stay; so do bare digits."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

from envforge.web.scrubbing.secrets import Span, lowered

# Patterns begin with a sign that is rare, for that is what is looked for quickly.
_HOST = re.compile(
    r"@((?:[A-Za-z0-9-]{1,63}\.(?=[A-Za-z0-9])){1,6}+[A-Za-z]{2,24}+)(?![A-Za-z0-9@-])(?!:[\w/~])", re.ASCII
)
_NAME = re.compile(r"(?:^|[^A-Za-z0-9._%+/-])([A-Za-z0-9][A-Za-z0-9._%+-]{0,63})$", re.ASCII)
_IN_PATH = re.compile(r"://[^\s?\"'<>]*$")
"""What stands before a name that is a part of an address of the web, such as that of a message in an archive."""
_ROLE = re.compile(
    r"(?:info|support|sales|contact|admin(?:istrator)?|(?:web|post|host)master|no-?reply|do-?not-?reply|help(?:desk)?|hello|"
    r"security|abuse|press|office|team|bugs?|bug-.*|devs?|developers?|users?|users?\d*|git|hg|svn|root|ftp|anonymous|nobody|"
    r"test(?:er|ing|s)?\d*|you(?:r.*)?|me|my.*|name|first.*|some(?:one|body).*|foo.*|bar|baz|john|jane|j(?:ohn|ane)?[._-]?(?:doe|smith)|"
    r"alice|bob|carol|eve|mail|e-?mail|newsletter|billing|orders?|privacy|legal|jobs|careers|feedback|service|marketing|media|"
    r"licens(?:e|ing)|copyright|registry|request|subscribe|unsubscribe|announce|discuss|all|everyone|staff|public|"
    r"[a-z0-9]+-(?:bugs?|list|lists|users?|devel|dev|hackers|general|docs|security|announce|request|help|support|team|bot)|"
    r".*bot|.*(?:user_?name|organi[sz]ation).*)",
    re.IGNORECASE,
)
_EXAMPLE_HOST = re.compile(
    r"(?:.*\.)?(?:example(?:\.[a-z]{2,6}){0,2}|[a-z]+\.(?:test|invalid|localhost|local|internal|example)|"
    r"(?:my|your|some|the|other|a)?-?(?:domain|company|companyname|site|website|host|server|mail|email|org|corp)\.[a-z]{2,6}|"
    r"(?:acme|foo|bar|baz|test|abc|xyz|x|y|a|b|c|contoso|fabrikam|test\w{0,12})\.[a-z]{2,6}|"
    r"lists?\..+|.*groups\.[a-z]{2,6}|users\.noreply\..+|noreply\..+)",
    re.IGNORECASE,
)
_FILE_ENDINGS = """
png jpg jpeg gif svg webp ico js mjs ts css html htm json xml yaml yml md txt py rb go rs java c h cpp php sh sql pdf
zip gz tgz tar whl so dll exe service target socket timer mount conf ini cfg log lock
"""
_NO_HOST = frozenset(_FILE_ENDINGS.split())
_INTERNATIONAL = re.compile(r"\+(?<![\w+]\+)\d")
_TELEPHONE = re.compile(r"\b(?:phone|telephone|tel|fax|mobile|cell|call)\b")
_SPOKEN = re.compile(
    r"(?: (?:number|no|us|at|on)){0,2}[\s.:#=\"'>]{0,6}((?:\(\d{2,5}\)|\d{2,5})(?:[ ./-]{1,2}\d{2,5}){1,4})(?![\w.-]\d)"
)
_DAY = re.compile(r"(?:1[6-9]|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
"""A date behind such a word: "Next call": "2026-05-02"."""
_FICTION = re.compile(r"555\D{0,2}(?:01\d\d|1212|\d{4})|0{5}|12345|(\d)\1{5}")


def persons_in(text: str) -> Iterator[Span]:
    """(start, end, kind) of what is to be hidden."""
    for found in _HOST.finditer(text):
        before = text[max(0, found.start() - 200) : found.start()]
        name = _NAME.search(before)
        if name and _is_person(name[1], found[1]) and not _IN_PATH.search(before):
            yield found.start() - len(name[1]), found.end(), "e-mail"
    yield from _telephones(text)


def _is_person(name: str, host: str) -> bool:
    ending = host.rsplit(".", 1)[-1].lower()
    if ending in _NO_HOST or _ROLE.fullmatch(name) or _EXAMPLE_HOST.fullmatch(host):
        return False
    return not re.search(r"(?i)example|sample|placeholder|dummy|x{3}", f"{name}@{host}")


def _telephones(text: str) -> Iterator[Span]:
    """Numbers with a + that a numbering plan knows, and numbers in groups behind a word for telephones."""
    for found in _INTERNATIONAL.finditer(text):
        library: Any = importlib.import_module("phonenumbers")  # only pages that have such a number need it
        window = text[found.start() : found.start() + 40]
        match: Any = next(iter(library.PhoneNumberMatcher(window, None)), None)
        if match is not None and match.start == 0 and not _FICTION.search(match.raw_string):
            yield found.start(), found.start() + match.end, "telephone"
    for word in _TELEPHONE.finditer(lowered(text)):
        found = _SPOKEN.match(text, word.end())
        told = found[1] if found else ""
        if found and 7 <= len(re.sub(r"\D", "", told)) <= 15 and not _FICTION.search(told) and not _DAY.match(told):
            yield found.start(1), found.end(1), "telephone"
