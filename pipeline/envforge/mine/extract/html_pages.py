"""A page of HTML documentation: headings, text as Markdown, definitions, links, tables; without its navigation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from envforge.core.contracts import Fetched
from envforge.core.records.extraction import Issue
from envforge.mine.extract.charset import decode_page
from envforge.mine.extract.html_tables import PageTable, page_tables
from envforge.mine.extract.html_text import BLOCKS, HEADINGS, inline_element, plain, short
from envforge.mine.extract.html_tree import (
    Element,
    content_root,
    is_hidden,
    parse_html,
    squeeze,
    unseen,
)
from envforge.mine.extract.pages import Link, Page, Section, Term, page_link, shown_link, without_number
from envforge.mine.extract.structured import structured_items

_NESTED = frozenset({"table", "dl"})
_MIN_TERMS = 2
_LONGEST_HEADING = 200
"""What is longer is text: a heading that was never closed."""


def read_html(fetched: Fetched) -> Page:
    """The page. Raises ExtractError naming file, line and remedy."""
    path = fetched.source.path
    text, remark = decode_page(fetched)
    tree = parse_html(text, path)
    root = content_root(tree)
    hidden = unseen(root)
    tables, issues = page_tables(root, hidden, path)
    items, broken = structured_items(tree, path)
    writer = _Writer(path, tables, hidden, _holders(root))
    writer.blocks(root, 0)
    sections = writer.finished()
    title = _title(tree) or fetched.source.title
    return Page(
        path=path,
        title=without_number(title or (sections[0].heading if sections else "")),
        markdown=_markdown(sections),
        sections=tuple(section for section in sections if section.heading),
        links=tuple(_links(root, unseen(root, toc=True), path)),
        terms=tuple(_terms(root, hidden)),
        tables=tuple(tables.values()),
        items=tuple(items),
        issues=(*([Issue(locator=path, reason=remark)] if remark else ()), *issues, *broken),
    )


def _title(tree: Element) -> str:
    for tag in ("title", "h1"):
        for element in tree.iter(tag):
            said = squeeze(element.text or "") if tag == "title" else short(element)
            if said:
                return said
    return ""


def _markdown(sections: list[Section]) -> str:
    parts: list[str] = []
    for section in sections:
        if section.heading:
            parts.append(f"{'#' * section.level} {section.heading}")
        if section.text:
            parts.append(section.text)
    return "\n\n".join(parts) + "\n" if parts else ""


def _holders(root: Element) -> set[Element]:
    """Elements with a block somewhere below: they are written block by block even when they are inline by name."""
    holders: set[Element] = set()
    for block in root.iter(*BLOCKS, *HEADINGS):
        above = block.getparent()
        while above is not None and above not in holders:
            holders.add(above)
            above = above.getparent()
    return holders


@dataclass
class _Writer:
    """Writes blocks as Markdown, section by section."""

    path: str
    tables: dict[Element, PageTable]
    hidden: set[Element]
    holders: set[Element]
    sections: list[Section] = field(default_factory=lambda: list[Section]())
    parts: list[str] = field(default_factory=lambda: list[str]())
    heading: tuple[int, str, str] = (1, "", "")

    def finished(self) -> list[Section]:
        """All sections; the first has no heading when text stands before any."""
        level, heading, anchor = self.heading
        text = "\n\n".join(part for part in self.parts if part.strip())
        if heading or text:
            self.sections.append(Section(level, heading, anchor, text))
        self.parts = []
        return self.sections

    def blocks(self, element: Element, depth: int) -> None:
        """Everything inside the element; loose text between blocks becomes paragraphs."""
        run: list[str] = [element.text or ""]
        for child in element:
            if child in self.hidden:
                run.append(child.tail or "")
                continue
            if child.tag in BLOCKS or child.tag in HEADINGS or child in self.holders:
                self._paragraph("".join(run), depth)
                self._block(child, depth)
                run = [child.tail or ""]
            else:
                run.append(inline_element(child, run[-1], self._resolve))
                run.append(child.tail or "")
        self._paragraph("".join(run), depth)

    def _block(self, element: Element, depth: int) -> None:
        tag = element.tag
        said = without_number(short(element)) if tag in HEADINGS else ""
        if 0 < len(said) <= _LONGEST_HEADING:
            self.finished()
            self.heading = (HEADINGS[tag], said, _anchor(element))
        elif tag == "pre":
            self._add("```\n" + _preformatted(element).strip("\n") + "\n```", depth)
        elif tag == "table":
            self._add(self._table(element), 0)
        elif tag in ("ul", "ol"):
            for item in element:
                if item.tag == "li" and not is_hidden(item):
                    self._item(item, depth, "- ")
        elif tag == "dt":
            self._add(f"**{short(element)}**", depth)
        elif tag == "dd":
            self._item(element, depth, ": ")
        else:
            self.blocks(element, depth)

    def _resolve(self, href: str) -> str | None:
        return shown_link(href, self.path)

    def _item(self, item: Element, depth: int, mark: str) -> None:
        start = len(self.parts)
        self.blocks(item, depth + 1)
        if len(self.parts) > start:
            first = self.parts[start].lstrip(" ")
            self.parts[start] = "  " * depth + mark + first

    def _paragraph(self, text: str, depth: int) -> None:
        lines = [squeeze(line) for line in text.split("\n")] if "\n" in text else [squeeze(text)]
        self._add(" ".join(line for line in lines if line), depth)

    def _add(self, text: str, depth: int) -> None:
        if text.strip():
            pad = "  " * depth
            self.parts.append("\n".join(pad + line if line else line for line in text.split("\n")))

    def _table(self, element: Element) -> str:
        table = self.tables.get(element)
        if table is None:
            said = (plain(row) for row in element.iter("tr"))
            return "\n".join(line for line in said if line)
        lines = [_row(table.header), "|" + " --- |" * len(table.header), *(_row(row) for row in table.rows)]
        return (f"**{table.caption}**\n\n" if next(element.iter("caption"), None) is not None else "") + "\n".join(
            lines
        )


def _row(texts: tuple[str, ...]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|").replace("\n", "; ") for text in texts) + " |"


def _preformatted(element: Element) -> str:
    """The text of a block of code, its line ends kept."""
    parts: list[str] = []
    stack: list[Element | str] = [*reversed([element.text or "", *element])]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        stack.append(item.tail or "")
        if not is_hidden(item):
            parts.append("\n" if item.tag == "br" else "")
            stack.extend(reversed([item.text or "", *item]))
    return "".join(parts)


def _anchor(heading: Element) -> str:
    """The id that leads to a heading: its own, that of a marker inside, or of the section around it."""
    for element in islice(heading.iter(), 20):
        name = element.get("id") or (element.get("name") if element.tag == "a" else None)
        if name:
            return name
    above = heading.getparent()
    for _ in range(4):
        if above is None or above.tag == "body":
            return ""
        if above.get("id"):
            return above.get("id") or ""
        above = above.getparent()
    return ""


def _links(root: Element, hidden: set[Element], path: str) -> Iterator[Link]:
    """Links to other pages; a table of contents is structure, a bar of links is not."""
    seen: set[Link] = set()
    for anchor in root.iter("a"):
        if anchor in hidden:
            continue
        target = page_link(anchor.get("href") or "", path)
        link = Link(target, without_number(short(anchor))) if target is not None else None
        if link is not None and link not in seen:
            seen.add(link)
            yield link


def _terms(root: Element, hidden: set[Element]) -> Iterator[Term]:
    """Entries of definition lists in which every term has its definition."""
    heading = ""
    for element in root.iter("dl", *HEADINGS):
        if element.tag != "dl":
            heading = without_number(short(element))
        elif element not in hidden:
            pairs = _pairs(element)
            if len(pairs) >= _MIN_TERMS:
                yield from (Term(heading, term, anchor, definition) for term, anchor, definition in pairs)


def _pairs(listing: Element) -> list[tuple[str, str, str]]:
    """(term, anchor, definition) of a list; none when a definition has no term."""
    parts: list[Element] = []
    for child in listing:
        parts.extend(child if child.tag == "div" else [child])
    pairs: list[tuple[str, str, str]] = []
    waiting: list[tuple[str, str]] = []
    for part in parts:
        if part.tag == "dt":
            marker = next((inner.get("id") for inner in islice(part.iter(), 20) if inner.get("id")), None)
            waiting.append((short(part, line=", "), marker or ""))
        elif part.tag == "dd":
            said = plain(part, without=_NESTED)
            if not waiting:
                return []
            pairs.extend((term, anchor, said) for term, anchor in waiting if term)
            waiting = []
    return pairs
