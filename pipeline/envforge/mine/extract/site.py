"""Pages of one source together: what they are, how they refer to each other, and tables that go on over pages."""

from __future__ import annotations

import os.path
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.outcome import Failed, Outcome, Produced
from envforge.core.records.extraction import Extraction, Issue, MinedDocument, MinedTable, TablePart
from envforge.core.records.source import Source
from envforge.mine.extract.cells import free_names, typed_column
from envforge.mine.extract.html_tables import PageTable
from envforge.mine.extract.manual import bare_words, manual_tables
from envforge.mine.extract.pages import Page, document_path, without_number
from envforge.mine.extract.records import rows_of, table_name
from envforge.mine.extract.structured import item_tables

MIN_PAGES = 8
"""So many pages are a manual, which one searches; fewer are texts beside the data."""
MIN_ROWS = 5
"""In a manual a smaller table that stands alone illustrates; it is no data."""
MAX_ROWS = 500_000
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


def read_site(name: str, files: Sequence[Fetched], read: Callable[[Fetched], Page]) -> list[Outcome[Extraction]]:
    """Read every file as a page, and the pages as one site; the tables of the whole site stand with its first page.

    A page that cannot be read among more that can is left out, and an issue says where and why; where the most cannot
    be read, the site is not what it was taken for, and each failure stands.
    """
    outcomes: dict[int, Outcome[Extraction]] = {}
    broken: dict[int, ExtractError] = {}
    pages: dict[int, tuple[Page, Source]] = {}
    for index, file in enumerate(files):
        try:
            pages[index] = (read(file), file.source)
        except ExtractError as error:
            broken[index] = error
    outcomes.update(zip(pages, map(Produced, _extractions(name, list(pages.values()))), strict=True))
    for index, error in broken.items():
        few = len(broken) < len(pages)
        outcomes[index] = Produced(_left_out(name, files[index], error)) if few else Failed.from_error(error)
    return [outcomes[index] for index in range(len(files))]


def _left_out(name: str, file: Fetched, error: ExtractError) -> Extraction:
    why = Failed.from_error(error)
    reason = f"the page is left out: {why.error}" + (f" ({why.remedy})" if why.remedy else "")
    issue = Issue(locator=why.where or file.source.path, reason=reason)
    return Extraction(source_id=file.source.id, extractor=name, issues=(issue,))


def read_alone(name: str, file: Fetched, read: Callable[[Fetched], Page]) -> Extraction:
    """A file that is a site by itself. Raises ExtractError as `read` does."""
    return _extractions(name, [(read(file), file.source)])[0]


def _extractions(name: str, placed: Sequence[tuple[Page, Source]]) -> list[Extraction]:
    pages, sources = without_frame([page for page, _ in placed]), [source for _, source in placed]
    tables, issues = site_tables(pages, sources)
    documents = page_documents(pages)
    return [
        Extraction(
            source_id=source.id,
            extractor=name,
            tables=tuple(tables) if number == 0 else (),
            documents=_document(page, documents[page.path], source),
            issues=(*page.issues, *(issues if number == 0 else ())),
        )
        for number, (page, source) in enumerate(zip(pages, sources, strict=True))
    ]


def _document(page: Page, path: str, source: Source) -> tuple[MinedDocument, ...]:
    if not page.markdown.strip():
        return ()
    title = page.title or path
    return (MinedDocument(path=path, title=title, mime="text/markdown", text=page.markdown, source_id=source.id),)


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
        tables.extend(manual_tables([(pages[number], sources[number]) for number in subject], names))
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
    often = Counter(said for page in pages for said in {bare_words(part) for part in page.markdown.split("\n\n")})
    frame = {said for said, count in often.items() if said and count * 2 > len(pages)}

    def cleaned(text: str) -> str:
        return "\n\n".join(part for part in text.split("\n\n") if part.startswith("#") or bare_words(part) not in frame)

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
            rows_of(part.table.locator),
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
