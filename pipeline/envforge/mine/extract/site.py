"""Pages of one source together: what they are, how they refer to each other, and tables that go on over pages."""

from __future__ import annotations

import os.path
import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from envforge.core.records.extraction import Issue, MinedTable, StatedReference, TablePart
from envforge.core.records.source import Source
from envforge.mine.extract.cells import free_names, typed_column
from envforge.mine.extract.html_tables import PageTable
from envforge.mine.extract.pages import Page, document_path, without_number
from envforge.mine.extract.records import row_locator, table_name
from envforge.mine.extract.structured import item_tables

MIN_PAGES = 8
"""So many pages are a manual, which one searches; fewer are texts beside the data."""
MIN_ROWS = 5
"""In a manual a smaller table that stands alone illustrates; it is no data."""
MAX_ROWS = 500_000
_LONG_DESCRIPTION = 400
_SHORT_DESCRIPTION = 4
_MAX_WORDS = 5
_SMALL_WORDS = frozenset({"for", "of", "and", "the", "in", "to", "a", "an", "with", "on", "by", "or", "from", "versus"})
_SAYS_NOTHING = frozenset(
    {"", "description", "example", "examples", "note", "notes", "parameters", "overview", "introduction", "usage"}
    | {"synopsis", "table", "summary", "details", "contents", "see also", "references"}
)
_ABOUT_THE_PACKAGE = re.compile(
    r"(^|/)(readme|changelog|changes|history|licen[cs]e|notice|contributing|code_of_conduct|security|authors|index\.d)"
    r"[^/]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Placed:
    """A table and the page it stands on."""

    page: int
    table: PageTable


def site_tables(pages: Sequence[Page], sources: Sequence[Source]) -> tuple[list[MinedTable], list[Issue]]:
    """The tables of the pages: those that continue each other as one; for a manual also pages, sections, links, terms.

    A readme and its like speak about the package, not about its subject: they are documents only.
    """
    subject = [number for number, page in enumerate(pages) if not _ABOUT_THE_PACKAGE.search(page.path)]
    manual = len(subject) >= MIN_PAGES
    issues: list[Issue] = []
    tables: list[MinedTable] = []
    names = _page_names([pages[number].path for number in subject]) if manual else {}
    groups: dict[tuple[str, ...], list[_Placed]] = {}
    for number in subject:
        for table in pages[number].tables:
            groups.setdefault(tuple(name.casefold() for name in table.header), []).append(_Placed(number, table))
    for parts in groups.values():
        rows = sum(len(part.table.rows) for part in parts)
        if manual and rows < MIN_ROWS:
            issues.append(Issue(locator=parts[0].table.locator, reason=f"a table of {rows} rows in a manual; left out"))
            continue
        tables.append(_merged(parts, pages, sources, names))
    if manual:
        tables.extend(_manual([(pages[number], sources[number]) for number in subject], names))
    tables.extend(item_tables([(pages[number].items, sources[number].id) for number in subject]))
    for table in tables:
        if len(table.rows) > MAX_ROWS:
            issues.append(Issue(locator=table.locator, reason=f"more than {MAX_ROWS:,} rows; left out"))
    return [table for table in _apart(tables) if table.rows and len(table.rows) <= MAX_ROWS], issues


def _page_names(paths: Sequence[str]) -> dict[str, str]:
    """Short names of pages: their document's path below the folder that all share."""
    folder = os.path.commonpath([posixpath.dirname(path) or "." for path in paths]) if paths else ""
    prefix = f"{folder}/" if folder not in ("", ".") else ""
    return {path: document_path(path).removeprefix(prefix) for path in paths}


def without_frame(pages: Sequence[Page]) -> list[Page]:
    """The pages of a manual without the paragraphs that most of them carry: the frame of the site."""
    if len(pages) < MIN_PAGES:
        return list(pages)
    often = Counter(said for page in pages for said in {_bare(part) for part in page.markdown.split("\n\n")})
    frame = {said for said, count in often.items() if said and count * 2 > len(pages)}

    def cleaned(text: str) -> str:
        return "\n\n".join(part for part in text.split("\n\n") if part.startswith("#") or _bare(part) not in frame)

    return [
        replace(
            page,
            markdown=cleaned(page.markdown.rstrip("\n")) + "\n",
            sections=tuple(replace(section, text=cleaned(section.text)) for section in page.sections),
        )
        for page in pages
    ]


def page_documents(pages: Sequence[Page]) -> dict[str, str]:
    """Where each page's Markdown is kept."""
    names = _page_names([page.path for page in pages]) if len(pages) >= MIN_PAGES else {}
    return {page.path: names.get(page.path) or document_path(page.path) for page in pages}


def _merged(
    parts: Sequence[_Placed], pages: Sequence[Page], sources: Sequence[Source], names: dict[str, str]
) -> MinedTable:
    """One table of all parts with this header; where it stands over several captions or pages, columns say which."""
    titles = [_title(part.table, pages[part.page]) for part in parts]
    header = list(parts[0].table.header)
    extra: list[tuple[str, list[str]]] = []
    spread = [(part, title) for part, title in zip(parts, titles, strict=True) for _ in part.table.rows]
    if len(set(titles)) > 1:
        extra.append(("table title", [title for _, title in spread]))
    if names and len({part.page for part in parts}) > 1:
        extra.append(("page", [names[pages[part.page].path] for part, _ in spread]))
    texts = [list(column) for column in zip(*(row for part in parts for row in part.table.rows), strict=True)]
    free = free_names([*header, *(name for name, _ in extra)])
    typed = [
        typed_column(name, unit, values)
        for (name, unit), values in zip(free, [*texts, *(values for _, values in extra)], strict=True)
    ]
    places = tuple(
        TablePart(
            len(part.table.rows),
            _rows_of(part.table.locator),
            sources[part.page].id,
            names.get(pages[part.page].path, ""),
        )
        for part in parts
    )
    return MinedTable(
        name=_name(titles, header, parts[0].table.locator),
        columns=tuple(column for column, _ in typed),
        rows=tuple(zip(*(values for _, values in typed), strict=True)),
        locator=places[0].locator,
        source_id=places[0].source_id,
        parts=places if len(places) > 1 else (),
    )


def _rows_of(locator: str) -> str:
    return locator.replace("{", "{{").replace("}", "}}") + "/row={row}"


def _title(table: PageTable, page: Page) -> str:
    """What the table is called: by its caption, its heading, or the page where the heading says nothing."""
    said = without_number(table.title)
    if table.caption or (said and said.casefold() not in _SAYS_NOTHING):
        return said
    return f"{page.title} {table.header[0]}" if page.title else said


def _name(titles: Sequence[str], header: Sequence[str], locator: str) -> str:
    """What most captions end or begin with; else what the first column is called."""
    words = [re.findall(r"\w+", title) for title in titles if title]
    words = [line for line in words if line]
    if not words:
        return table_name(locator.split("#")[0])
    last = Counter(line[-1].casefold() for line in words).most_common(1)[0]
    most = [line for line in words if line[-1].casefold() == last[0]] if last[1] * 2 > len(words) else words
    shared = max(_shared([line[::-1] for line in most])[::-1], _without_ends(_shared(words)), key=len)
    shared = shared or [*re.findall(r"\w+", header[0])]
    if len(shared) > _MAX_WORDS:
        small = next((at for at, word in enumerate(shared) if word.casefold() in _SMALL_WORDS and at > 1), _MAX_WORDS)
        shared = _without_ends(shared[: min(small, _MAX_WORDS)])
    return "_".join(shared).lower() or table_name(locator.split("#")[0])


def _without_ends(words: list[str]) -> list[str]:
    """'Template Patterns for' names template patterns."""
    while words and words[-1].casefold() in _SMALL_WORDS:
        words = words[:-1]
    return words


def _shared(lines: Sequence[Sequence[str]]) -> list[str]:
    shared: list[str] = []
    for group in zip(*lines, strict=False):
        if len({word.casefold() for word in group}) > 1:
            break
        shared.append(group[0])
    return shared


def _apart(tables: Sequence[MinedTable]) -> list[MinedTable]:
    """Tables of equal names get what tells them apart: the name of their first column, else a number."""
    count = Counter(table.name for table in tables)
    taken: set[str] = set()
    named: list[MinedTable] = []
    for table in sorted(tables, key=lambda table: -len(table.rows)):
        wanted = table.name
        if count[table.name] > 1 and wanted in taken:
            wanted = f"{table.name}_by_{table_name(table.columns[0].name)}"
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        taken.add(name)
        named.append(replace(table, name=name))
    return named


def _manual(pages: Sequence[tuple[Page, Source]], names: dict[str, str]) -> list[MinedTable]:
    """The manual itself: pages, their sections, the links between them, the terms they define."""
    suffix = _common_suffix([page.title for page, _ in pages])
    overview: list[list[tuple[str, ...]]] = []
    sections: list[list[tuple[str, ...]]] = []
    links: list[list[tuple[str, ...]]] = []
    terms: list[list[tuple[str, ...]]] = []
    everywhere = Counter(link for page, _ in pages for link in page.links)
    for page, _ in pages:
        name = names[page.path]
        title = page.title.removesuffix(suffix) or page.title or name
        overview.append([(name, title, _description(page), str(len(page.markdown.split())))])
        sections.append(
            [
                (name, str(number), section.heading, str(section.level), section.anchor, section.text)
                for number, section in enumerate(page.sections, start=1)
            ]
        )
        # A link that most pages carry is a part of the site's frame.
        own = [link for link in page.links if everywhere[link] * 2 <= len(pages)]
        known = {link.target: link.text for link in reversed(own) if link.target in names}
        links.append([(name, names[target], text) for target, text in reversed(known.items())])
        terms.append(
            [
                (name, str(number), term.term, term.section, term.anchor, term.definition)
                for number, term in enumerate(page.terms, start=1)
            ]
        )
    sources = [(page.path, source.id, names[page.path]) for page, source in pages]
    return [
        _table("pages", ("path", "title", "description", "words"), ("path",), overview, sources),
        _table(
            "sections",
            ("page", "position", "heading", "level", "anchor", "text"),
            ("page", "position"),
            sections,
            sources,
        ),
        _table("links", ("page", "target_page", "link_text"), ("page", "target_page"), links, sources),
        _table(
            "terms",
            ("page", "position", "term", "section", "anchor", "definition"),
            ("page", "position"),
            terms,
            sources,
        ),
    ]


def _table(
    name: str,
    header: tuple[str, ...],
    key: tuple[str, ...],
    rows: Sequence[Sequence[tuple[str, ...]]],
    sources: Sequence[tuple[str, str, str]],
) -> MinedTable:
    # Only what the manual has pages of is a reference; it is so by construction.
    references = tuple(
        StatedReference((column,), "pages", ("path",)) for column in header if column in ("page", "target_page")
    )
    flat = [row for held in rows for row in held]
    columns = list(zip(*flat, strict=True)) if flat else [() for _ in header]
    typed = [typed_column(column, None, values) for column, values in zip(header, columns, strict=True)]
    parts = tuple(
        TablePart(len(held), _rows_of(f"{path}#{name}"), source_id, label)
        for held, (path, source_id, label) in zip(rows, sources, strict=True)
        if held
    )
    first = parts[0] if parts else TablePart(0, row_locator(sources[0][0]), sources[0][1])
    data = tuple(zip(*(values for _, values in typed), strict=True)) if flat else ()
    return MinedTable(
        name, tuple(column for column, _ in typed), data, first.locator, first.source_id, key, references, parts
    )


def _description(page: Page) -> str:
    """The first paragraph of prose."""
    for paragraph in page.markdown.split("\n\n"):
        if paragraph.strip() and not paragraph.startswith(("#", "|", "```", "-", "**", ":", ">")):
            said = _bare(paragraph)
            if said == page.title or len(said.split()) < _SHORT_DESCRIPTION:
                continue  # a title set as text, a label
            return said if len(said) <= _LONG_DESCRIPTION else said[:_LONG_DESCRIPTION].rsplit(" ", 1)[0] + " …"
    return ""


def _bare(paragraph: str) -> str:
    """A paragraph's words without links and marks: the page that a link leads to says it without."""
    return " ".join(re.sub(r"\[([^\[\]]{0,200})\]\([^()\s]{1,300}\)|[`*]", r"\1", paragraph).split())


def _common_suffix(titles: Sequence[str]) -> str:
    """What every title ends with after a dash or bar: the name of the site."""
    ends = {found[0] for title in titles if (found := re.search(r"\s[—–|·-]\s[^—–|]{1,80}$", title))}
    every = len(titles) > 1 and all(re.search(r"\s[—–|·-]\s[^—–|]{1,80}$", title) for title in titles)
    return ends.pop() if every and len(ends) == 1 else ""
