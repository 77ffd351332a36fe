"""Keys and passwords in a page. Pages of documentation show how a key looks: such examples stay."""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from envforge.core.records.finding import FindingKind
from envforge.core.scrub import ADDRESS_CREDENTIALS, ASSIGNED, AUTHORISATION, KNOWN_KEY

Span = tuple[int, int, FindingKind]
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----([^-]{40,20000}+)-----END", re.ASCII
)
_PLACEHOLDER = re.compile(
    r"(?i)example|sample|place.?holder|dummy|fake|your|some|test|demo|foo|change.?me|redacted|removed|secret|password|"
    r"x{4}|\.{3}|…|\*{2}|[<>{}$\[\]()]|12345|abcde|qwert|deadbeef|0{6}|token|my[-_]|enter|insert|null|none|true|false"
)
_NAMES = re.compile(r"auth|passw|secret|api[_-]?key|token|bearer|basic")
_SMALL = {number: number + 32 for number in range(ord("A"), ord("Z") + 1)}
_WORDS_OF_HOSTS = re.compile(
    r"(?i)(?:^|[@.])(?:example\.(?:com|org|net)|localhost|127\.0\.0\.1|host(?:name)?|server)\b"
)
_WEB_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}+\.eyJ[A-Za-z0-9_-]{10,8000}+\.[A-Za-z0-9_-]{10,4000}+"
)
# Found by words around them, or by no more than length and alphabet: on a page that is almost never a secret.
_VAGUE = ("IPPublic", "BasicAuth", "Artifactory", "Cloudant", "IbmCloudIam", "IbmCosHmac", "Softlayer", "TwilioKey")
# Their patterns take time that grows with the square of what a hostile page holds; ours find the same.
_SLOW = ("PrivateKey", "Npm", "JwtToken", "OpenAI")
_LEFT_OUT = frozenset(f"{name}Detector" for name in (*_VAGUE, *_SLOW))
_MIN_LENGTH = 16
_LONGEST = 600
"""Of a name with its value."""
_MIN_BITS = 3.2
"""Per character. Words and identifiers have less, drawn keys more."""


def secrets_in(text: str) -> Iterator[Span]:
    """(start, end, kind) of what is to be hidden; spans may overlap."""
    for found in _PRIVATE_KEY.finditer(text):
        if not _PLACEHOLDER.search(found[1]) and _bits(found[1]) >= _MIN_BITS:
            yield found.start(1), found.end(1), "private-key"
    for pattern in (KNOWN_KEY, _WEB_TOKEN, *_patterns_of_package()):
        for found in pattern.finditer(text):
            if not is_placeholder(found[0]):
                yield found.start(), found.end(), "key"
    yield from _named_secrets(text)
    yield from _address_passwords(text)


def _named_secrets(text: str) -> Iterator[Span]:
    """Behind words such as `token` and `bearer`. The words are looked for first: the patterns around them are slow."""
    for word in _NAMES.finditer(lowered(text)):
        for pattern in (AUTHORISATION, ASSIGNED):
            found = pattern.match(text, word.start(), word.start() + _LONGEST)
            value = text[found.end(1) : found.end()].strip("\"'") if found else ""
            if found and _is_drawn(value):
                start = text.index(value, found.end(1))
                yield start, start + len(value), "key"


def lowered(text: str) -> str:
    """The text in small letters, each at its place: a few letters have small ones that are two."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_SMALL)


def _address_passwords(text: str) -> Iterator[Span]:
    for found in ADDRESS_CREDENTIALS.finditer(text) if "://" in text else ():
        user, colon, password = text[found.end(1) : found.end() - 1].partition(":")
        host = text[found.end() - 1 : found.end() + 60]
        told = len(password) >= 6 and not _PLACEHOLDER.search(password) and password.lower() != user.lower()
        if colon and told and not _WORDS_OF_HOSTS.search(host) and re.search(r"\d", password):
            start = found.end() - 1 - len(password)
            yield start, start + len(password), "password"


def is_placeholder(value: str) -> bool:
    """True for a key that shows what keys look like: it says so, counts, or repeats itself."""
    return bool(_PLACEHOLDER.search(value)) or len(set(value)) < 8 or _bits(value) < 3.0


def _is_drawn(value: str) -> bool:
    """True for a value that nobody would think up: long, of letters and digits mixed, with much in every character."""
    return (
        _MIN_LENGTH <= len(value) <= 500
        and re.fullmatch(r"[A-Za-z0-9+/=_.~-]+", value) is not None
        and len(re.findall(r"[A-Za-z]\d|\d[A-Za-z]", value)) >= 2
        and not is_placeholder(value)
        and _bits(value) >= _MIN_BITS
    )


def _bits(value: str) -> float:
    """Shannon entropy of a text, in bits per character."""
    counts = Counter(value)
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in counts.values()) if total else 0.0


@lru_cache(maxsize=1)
def _patterns_of_package() -> tuple[re.Pattern[str], ...]:
    """The patterns of detect-secrets for keys of a form of their own. They take half a second to import."""
    plugins: Any = importlib.import_module("detect_secrets.core.plugins.util")
    base: Any = importlib.import_module("detect_secrets.plugins.base")
    chosen = [
        plugin
        for plugin in plugins.get_mapping_from_secret_type_to_class().values()
        if issubclass(plugin, base.RegexBasedDetector) and plugin.__name__ not in _LEFT_OUT
    ]
    ordered = sorted(chosen, key=lambda plugin: str(plugin.__name__))
    return tuple(pattern for plugin in ordered for pattern in plugin.denylist)
