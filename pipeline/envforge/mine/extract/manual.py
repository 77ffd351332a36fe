"""A manual as data: its pages, their sections, the links between them, the terms they define."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from envforge.core.records.extraction import MinedTable, StatedReference, TablePart
from envforge.core.records.source import Source
from envforge.mine.extract.cells import typed_column
from envforge.mine.extract.pages import Page
from envforge.mine.extract.records import row_locator, rows_of

_LONG_DESCRIPTION = 400
_SHORT_DESCRIPTION = 4


def manual_tables(pages: Sequence[tuple[Page, Source]], names: dict[str, str]) -> list[MinedTable]:
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
        TablePart(len(held), rows_of(f"{path}#{name}"), source_id, label)
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
            said = bare_words(paragraph)
            if said == page.title or len(said.split()) < _SHORT_DESCRIPTION:
                continue  # a title set as text, a label
            return said if len(said) <= _LONG_DESCRIPTION else said[:_LONG_DESCRIPTION].rsplit(" ", 1)[0] + " …"
    return ""


def bare_words(paragraph: str) -> str:
    """A paragraph's words without links and marks: the page that a link leads to says it without."""
    return " ".join(re.sub(r"\[([^\[\]]{0,200})\]\([^()\s]{1,300}\)|[`*]", r"\1", paragraph).split())


def _common_suffix(titles: Sequence[str]) -> str:
    """What every title ends with after a dash or bar: the name of the site."""
    ends = {found[0] for title in titles if (found := re.search(r"\s[—–|·-]\s[^—–|]{1,80}$", title))}
    every = len(titles) > 1 and all(re.search(r"\s[—–|·-]\s[^—–|]{1,80}$", title) for title in titles)
    return ends.pop() if every and len(ends) == 1 else ""
