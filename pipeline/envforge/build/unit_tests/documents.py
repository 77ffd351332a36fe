"""What the tools over documents answer, told a second time by patterns over whole texts; and arguments for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from envforge.build.adapters.documents import AROUND, MOST_SECTIONS
from envforge.build.unit_tests.selecting import paged
from envforge.build.unit_tests.told import Found, Refusal
from envforge.core.records.blueprint import Page

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference

_LINE = re.compile(r"^(?:(?P<code>```)|(?P<marks>#{1,6}) (?P<words>.*))", re.MULTILINE)
_MARKED = re.compile(
    r"^(?:(?P<code>```)|(?P<marks>#{1,6}) (?P<words>.*)|<h(?P<level>[1-6])>(?P<html>.+)</h[1-6]>$"
    r"|\\(?P<sub>(?:sub){0,2})section\{(?P<tex>.+)\}$)",
    re.MULTILINE,
)
"""The same, with the headings of HTML and TeX."""
_WORD = re.compile(r"[A-Za-z]{4,20}")
_SAMPLE = 6
_LARGE = 2_000_000
"""Characters of all documents together from which only a few words are tried."""


class Heading(NamedTuple):
    """What a heading says, how deep it is, and where it begins."""

    words: str
    level: int
    place: int


def is_marked(reference: Reference) -> bool:
    """True if documents are written in HTML or TeX, whose headings then count too."""
    return bool({"html", "tex"} & {*reference.blueprint.document_formats})


def headings_of(text: str, *, marked: bool = False) -> list[Heading]:
    """The headings of a text in order."""
    found: list[Heading] = []
    code = False
    for line in (_MARKED if marked else _LINE).finditer(text):
        parts = line.groupdict()
        words = (parts["words"] or parts.get("html") or parts.get("tex") or "").strip()
        if parts["code"]:
            code = not code
        elif not code and words:
            level = len(parts["marks"] or "") or int(parts.get("level") or 0) or len(parts["sub"] or "") // 3 + 1
            found.append(Heading(words, level, line.start()))
    return found


def _title(reference: Reference, path: str, text: str) -> str:
    headings = headings_of(text, marked=is_marked(reference))
    return next((heading.words for heading in headings), path.rpartition("/")[2])


def small(text: str) -> str:
    """Small letters, each in its place."""
    return "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


def held_documents(reference: Reference, prefix: str | None) -> dict[str, str]:
    """Path and text of the documents as they are now."""
    paths = [path for path in reference.live.documents() if path.startswith(prefix or "")]
    return {path: reference.live.document(path) for path in paths}


def _paged(reference: Reference, items: list[dict[str, Any]], cursor: str | None, size: int) -> Any:
    reference.found.append(Found(None, total=len(items)))
    return paged(reference, items, Page(cursor="c", size="s"), {"c": cursor, "s": size}, "documents", lambda one: one)


def list_documents(reference: Reference, prefix: str | None, start_cursor: str | None, page_size: int) -> Any:
    """All documents below a prefix by path."""
    held = held_documents(reference, prefix)
    reference.features.add(("prefix", prefix is None, min(len(held), 2)))
    items = [
        {"path": path, "title": _title(reference, path, text), "characters": len(text)} for path, text in held.items()
    ]
    return _paged(reference, items, start_cursor, page_size)


def search_documents(
    reference: Reference, query: str, prefix: str | None, start_cursor: str | None, page_size: int
) -> Any:
    """Documents in which every word occurs, best first."""
    words = sorted(set(small(query).split()), key=small(query).split().index)
    patterns = [re.compile(re.escape(word)) for word in words]
    ranked: list[tuple[bool, int, str, dict[str, Any]]] = []
    for path, text in held_documents(reference, prefix).items():
        lower, title = small(text), _title(reference, path, text)
        places = [[match.start() for match in pattern.finditer(lower)] for pattern in patterns]
        if not all(places):
            continue
        phrase = re.search(re.escape(" ".join(words)), lower)
        place = phrase.start() if phrase else min(places, key=len)[0]
        total, elsewhere = sum(map(len, places)), any(word not in small(title) for word in words)
        reference.features |= {("titled", not elsewhere), ("phrase", len(words) > 1, phrase is not None)}
        begin = _begin(text, place)
        passage = " ".join(text[begin : place + AROUND[1]].split())
        item = {"path": path, "title": title, "matches": total, "passage": passage, "offset": begin}
        ranked.append((elsewhere, -total, path, item))
    reference.features.add(("hits", prefix is None, len(words) > 1, min(len(ranked), 2)))
    return _paged(reference, [one[3] for one in sorted(ranked, key=lambda one: one[:3])], start_cursor, page_size)


def _begin(text: str, place: int) -> int:
    """Where the passage begins: behind the first blank of what comes before the place."""
    if place <= AROUND[0]:
        return 0
    head, blank, _ = text[place - AROUND[0] : place].partition(" ")
    return place - AROUND[0] + (len(head) + 1 if blank else 0)


def read_document(reference: Reference, path: str, section: str | None, offset: int, max_characters: int) -> Any:
    """A piece of a document, or of the part from a heading to the next one of its level or above."""
    held = held_documents(reference, None)
    if path not in held:
        raise Refusal("not_found")
    whole, headings = held[path], headings_of(held[path], marked=is_marked(reference))
    part = whole
    if section is not None:
        at = next((n for n, one in enumerate(headings) if small(one.words) == small(section.strip())), None)
        if at is None:
            raise Refusal("not_found")
        ends = [one.place for one in headings[at + 1 :] if one.level <= headings[at].level]
        part = whole[headings[at].place : min(ends, default=None)]
        inner = len(headings) > at + 1 and headings[at + 1].level > headings[at].level
        reference.features.add(("section", bool(ends), inner, at > 0))
    if offset > len(part):
        raise Refusal("invalid_argument")
    rest = part[offset:]
    more = len(rest) > max_characters
    reference.features |= {("piece", offset > 0, more), ("exactly", len(rest) == max_characters, not rest)}
    reference.features |= {("many sections", len(headings) > MOST_SECTIONS), ("headed", bool(headings))}
    return {
        "title": _title(reference, path, whole),
        "text": rest[:max_characters],
        "next_offset": offset + max_characters if more else None,
        "characters": len(part),
        "sections": [one.words for one in headings[:MOST_SECTIONS]],
    }


def document_values(reference: Reference, adapter: tuple[str, str], arguments: Mapping[str, Any]) -> list[Any] | None:
    """Values for a parameter of a tool over documents; None for what is nothing special."""
    if adapter[0] not in ("list_documents", "search_documents", "read_document"):
        return None
    held = held_documents(reference, None)
    if adapter[1] == "path":
        return [*_telling(held), "no-such-document.md"]
    if adapter[1] == "prefix":
        return [*_prefixes(list(held)), "no such place"]
    if adapter[1] == "query":
        return _queries(held)
    text = held.get(arguments.get("path", ""), "")
    if adapter[1] == "section":
        return [*_sections(text), "No Such Section"]
    if adapter[1] == "offset":
        return [0, 40, len(text), len(text) + 1]
    if adapter[1] == "max_characters":
        return [200, max(200, min(len(text), 8000))]
    return None


def _telling(held: Mapping[str, str]) -> list[str]:
    """Documents that differ: short ones with nested headings, without any, with most headings; first and last."""
    ranked = sorted(held, key=lambda path: (len(held[path]), path))
    nested = [path for path in ranked if len({one.level for one in headings_of(held[path])}) > 1]
    plain = [path for path in ranked if not headings_of(held[path])]
    most = sorted(ranked, key=lambda path: -len(headings_of(held[path])))
    return list(dict.fromkeys([*nested[:2], *ranked[:1], *plain[:1], *most[:1], *ranked[-1:]]))[:_SAMPLE]


def _prefixes(paths: list[str]) -> list[str]:
    heads = dict.fromkeys(path[: len(path) // 2] for path in paths)
    kept = {head: sum(path.startswith(head) for path in paths) for head in heads if head}
    ranked = sorted(kept, key=lambda head: (abs(kept[head] - 4), head))
    return [*ranked[:2], *paths[-1:]]


def _queries(held: Mapping[str, str]) -> list[str]:
    """A word that a few texts hold, in another case; two that stand together; two that stand apart; titles; nothing."""
    words: dict[str, set[str]] = {}
    pairs: list[str] = []
    for path in sorted(held)[: 40 if sum(map(len, held.values())) < _LARGE else 10]:
        found = _WORD.findall(held[path][:20_000])
        pairs += [f"{one} {other}" for one, other in pairwise(found[8:10])]
        for word in found:
            words.setdefault(word.lower(), set()).add(path)
    ranked = sorted(words, key=lambda word: (abs(len(words[word]) - 5), -len(word), word))
    titles = [one.words for path in _telling(held)[:3] for one in headings_of(held[path], marked=True)[:1]]
    apart = [f"{ranked[1]} {ranked[0]}"] if len(ranked) > 1 else []
    known = [*[word.swapcase() for word in ranked[:1]], *pairs[:2], *apart, *titles, *ranked[1:3]]
    return [*dict.fromkeys(known), "zzxqj"]


def _sections(text: str) -> list[str]:
    headings = headings_of(text, marked=True)
    outer = [one.words for one, after in pairwise(headings) if after.level > one.level]
    another_case = [one.words.swapcase() for one in headings[1:2]]
    return list(dict.fromkeys([*outer[:2], *another_case, *[one.words for one in headings[-1:]]]))
