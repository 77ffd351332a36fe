"""Markdown: kept as it is, its headings, links and tables read like those of a web page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from envforge.core.contracts import Fetched
from envforge.core.outcome import Outcome
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Source
from envforge.mine.extract.html_tables import PageTable
from envforge.mine.extract.html_tree import squeeze
from envforge.mine.extract.pages import Link, Page, Section, page_link, without_number
from envforge.mine.extract.parse import decode
from envforge.mine.extract.site import read_alone, read_site

_PATH = re.compile(r"(\.(md|markdown|mdx)|(^|/)readme)$", re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
# Possessive where blanks may stand side by side: they must not be shared out in every way.
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]++(.*))?$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})[ \t]*$")
_RULE = re.compile(r"^ {0,3}\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,200})\]\(<?([^()<>\s]{1,500})>?[^()\n]{0,100}\)")
_MARKUP = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)|<[^<>\n]{1,200}>|\*\*|__|`")
_MAX_COLUMNS = 1_000


class MarkdownExtractor:
    """Reads Markdown files."""

    name = "markdown"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for Markdown by name or MIME that holds no NUL byte."""
        return (source.mime.startswith("text/markdown") or bool(_PATH.search(source.path))) and b"\x00" not in head

    def extract(self, fetched: Fetched) -> Extraction:
        """One file by itself. Raises ExtractError when it is not UTF-8."""
        return read_alone(self.name, fetched, read_markdown)

    def extract_site(self, files: Sequence[Fetched]) -> list[Outcome[Extraction]]:
        """One outcome per file; the tables of all files stand with the first."""
        return read_site(self.name, files, read_markdown)


def read_markdown(fetched: Fetched) -> Page:
    """The page. Raises ExtractError when it is not UTF-8."""
    path, text = fetched.source.path, decode(fetched)
    lines = _without_front_matter(text.replace("\r\n", "\n").split("\n"))
    prose = _prose(lines)
    sections = list(_sections(lines, prose))
    title = fetched.source.title or next((section.heading for section in sections if section.heading), "")
    links: dict[Link, None] = {}
    for line, is_prose in zip(lines, prose, strict=True):
        for found in _LINK.finditer(line) if is_prose else ():
            target = page_link(found[2], path)
            if target is not None:
                links[Link(target, bare(found[1]))] = None
    return Page(
        path=path,
        title=title,
        markdown=text,
        sections=tuple(section for section in sections if section.heading),
        links=tuple(links),
        tables=tuple(_tables(lines, prose, path)),
    )


def bare(text: str) -> str:
    """A line of Markdown without its marks."""
    return squeeze(_MARKUP.sub(r"\1", text).replace("\\|", "|"))


def _without_front_matter(lines: list[str]) -> list[str]:
    if lines[0].strip() == "---":
        end = next((number for number, line in enumerate(lines[1:200], start=1) if line.strip() == "---"), None)
        if end is not None:
            return [""] * (end + 1) + lines[end + 1 :]
    return lines


def _prose(lines: Sequence[str]) -> list[bool]:
    """Per line: does it stand outside of blocks of code?"""
    prose: list[bool] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if fence:
            prose.append(False)
            if found and found[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif found:
            prose.append(False)
            fence = found[1]
        else:
            prose.append(True)
    return prose


def _heading(line: str) -> tuple[int, str] | None:
    """Level and words of a heading that begins with `#`; the marks that close it are none of its words."""
    found = _HEADING.match(line)
    if found is None:
        return None
    said = (found[2] or "").rstrip(" \t")
    unmarked = said.rstrip("#")
    return len(found[1]), unmarked if unmarked.endswith((" ", "\t")) else said


def _sections(lines: Sequence[str], prose: Sequence[bool]) -> Iterator[Section]:
    level, heading, held = 1, "", list[str]()
    for number, line in enumerate(lines):
        found = _heading(line) if prose[number] else None
        under = _UNDERLINE.match(line) if prose[number] and held and held[-1].strip() and not found else None
        if under and len(held) > 1 and held[-2].strip():
            under = None  # the line above is a paragraph's last, not a heading
        if found is None and under is None:
            held.append(line)
            continue
        said = found[1] if found else held.pop()
        yield from _closed(level, heading, held)
        level = found[0] if found else 1 if under and under[1][0] == "=" else 2
        heading, held = without_number(bare(said)), []
    yield from _closed(level, heading, held)


def _closed(level: int, heading: str, held: Sequence[str]) -> Iterator[Section]:
    text = "\n".join(held).strip()
    if heading or text:
        yield Section(level, heading, re.sub(r"[^\w]+", "-", heading.lower()).strip("-"), text)


def _tables(lines: Sequence[str], prose: Sequence[bool], path: str) -> Iterator[PageTable]:
    heading, number, at = "", 0, 0
    while at < len(lines):
        found = _heading(lines[at]) if prose[at] else None
        if found:
            heading = without_number(bare(found[1]))
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if not (prose[at] and "|" in lines[at] and "-" in following and _RULE.match(following)):
            at += 1
            continue
        header = [bare(cell) for cell in _cells(lines[at])]
        at += 2
        rows: list[tuple[str, ...]] = []
        while at < len(lines) and prose[at] and "|" in lines[at] and lines[at].strip():
            cells = [bare(cell) for cell in _cells(lines[at])][: len(header)]
            rows.append((*cells, *([""] * (len(header) - len(cells)))))
            at += 1
        number += 1
        if 1 < len(header) <= _MAX_COLUMNS and rows and any(header):
            names = tuple(name or ("name" if index == 0 else "") for index, name in enumerate(header))
            yield PageTable(number, "", names, tuple(rows), f"{path}#table[{number}]", heading)


def _cells(line: str) -> list[str]:
    """The cells of a row; a bar after a backslash or inside `code` is text."""
    cells, held, code = list[str](), list[str](), False
    inside = line.strip().removeprefix("|")
    if inside.endswith("|") and not inside.endswith("\\|"):
        inside = inside[:-1]
    for index, mark in enumerate(inside):
        if mark == "|" and not code and inside[index - 1 : index] != "\\":
            cells.append("".join(held))
            held = []
            continue
        if mark == "`":
            code = not code and "`" in inside[index + 1 : index + 400]
        held.append(mark)
    return [*cells, "".join(held)]
