"""Hides secrets and persons in texts and in bodies of pages, and says what was found where."""

from __future__ import annotations

import codecs
import dataclasses
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from envforge.core.contracts import Exchange
from envforge.core.records.finding import Finding
from envforge.core.scrub import HIDDEN
from envforge.web.scrubbing.persons import persons_in
from envforge.web.scrubbing.secrets import Span, secrets_in

_TEXTS = frozenset(
    {"json", "xml", "xhtml+xml", "yaml", "x-ndjson", "javascript", "ecmascript", "sql", "graphql", "x-tex"}
)
_WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


HIDDEN_TRANSFORM = "secrets hidden"
"""What a source record says of bytes that are not quite those of its address any more."""


@dataclass(frozen=True)
class Hidden:
    """A text without its secrets, and where they were."""

    text: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class HiddenBody:
    """The same of bytes."""

    body: bytes
    findings: tuple[Finding, ...]


def hide(text: str) -> Hidden:
    """`text` with stars for what is a secret, or an address of a person."""
    spans = _merged([*secrets_in(text), *persons_in(text)])
    if not spans:
        return Hidden(text, ())
    starts = [0]
    place = text.find("\n")
    while place >= 0:
        starts.append(place + 1)
        place = text.find("\n", place + 1)
    parts: list[str] = []
    findings: list[Finding] = []
    end = 0
    for start, stop, kind in spans:
        parts += [text[end:start], HIDDEN]
        end = stop
        line = bisect_right(starts, start)
        findings.append(Finding(kind=kind, line=line, column=start - starts[line - 1] + 1))
    return Hidden("".join([*parts, text[end:]]), tuple(findings))


def is_text(mime: str) -> bool:
    """True for types whose bodies are text."""
    kind, _, rest = mime.split(";")[0].strip().lower().partition("/")
    return kind == "text" or rest in _TEXTS or rest.endswith(("+json", "+xml"))


def hide_in_body(body: bytes, mime: str) -> HiddenBody:
    """The body of a text with stars in it; all other bytes stay as they are. What is no text is not looked at.

    Whatever the charset: what is looked for is ASCII, and so it is in every charset of the web but the wide ones.
    """
    if not is_text(mime):
        return HiddenBody(body, ())
    wide = next((name for mark, name in _WIDE if body.startswith(mark)), None)
    encoding, errors = (wide, "surrogatepass") if wide else ("latin-1", "strict")
    whole = len(body) - len(body) % 2 if wide else len(body)  # a wide text that was cut may end in half a character
    hidden = hide(body[:whole].decode(encoding, errors))
    if not hidden.findings:
        return HiddenBody(body, ())
    return HiddenBody(hidden.text.encode(encoding, errors) + body[whole:], hidden.findings)


def hide_in_exchange(exchange: Exchange, mime: str = "") -> Exchange:
    """The answer with stars in its body and in those on the way to it; `mime` where the headers tell it wrongly."""
    found = hide_in_body(exchange.body, mime or exchange.header("content-type"))
    trail = tuple(hide_in_exchange(before) for before in exchange.trail)
    return dataclasses.replace(exchange, body=found.body, hidden=(*exchange.hidden, *found.findings), trail=trail)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """In order, overlapping ones as one; the kind is that of the first."""
    merged: list[Span] = []
    for start, end, kind in sorted(spans):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], end), before[2])
        else:
            merged.append((start, end, kind))
    return merged
