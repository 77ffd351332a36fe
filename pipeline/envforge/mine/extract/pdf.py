"""PDF files: the text page by page, and tables that have ruling lines. Read in a process of its own, within bounds."""

from __future__ import annotations

import json
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction, Issue, MinedDocument, MinedTable, TablePart
from envforge.core.records.source import Source
from envforge.mine.extract.cells import free_names, typed_column
from envforge.mine.extract.records import distinct, rows_of, table_name

MAX_PAGES = 300
"""Pages that are read; what follows is left out, and said."""
MAX_CHARACTERS = 8_000_000
MAX_SECONDS = 120
"""Of processor time."""
MAX_MEMORY = 2**30

_READER = "envforge.mine.extract.pdf_reader"
_MARK = b"%PDF-"
_NO_LETTER = re.compile(r"\(cid:\d+\)")
_NUMBER = re.compile(r"^[-+−]?[\d.,' ]+%?$")
_SPLIT = "take its pages apart, or save what matters as text or .csv"


@dataclass(frozen=True)
class _Found:
    """A table of one page, its header apart."""

    page: int
    number: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class PdfExtractor:
    """One document per file, each page under a line `[page N]`, and one table per ruled table of at least two columns.

    A table that goes on over pages, with its header repeated, is one table. Boxes around text, and tables without
    lines, are in the document only.
    """

    name = "pdf"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for files that begin as a PDF does; some have a few bytes before that."""
        return _MARK in head[:1024] and (source.path.lower().endswith(".pdf") or source.mime.startswith("application/"))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the pages. Raises ExtractError when the PDF is encrypted, broken, too large, or has no text at all."""
        source = fetched.source
        told = _told(fetched)
        pages: list[dict[str, Any]] = told["pages"]
        issues = list(_issues(pages, told["total"], source.path))
        document = MinedDocument(
            path=f"{source.path}.txt",
            title=source.title or " ".join(told["title"].split()) or posixpath.basename(source.path),
            mime="text/plain",
            text="\n\n".join(f"[page {number}]\n{page['text']}".rstrip() for number, page in enumerate(pages, 1))
            + "\n",
            source_id=source.id,
        )
        tables = tuple(_tables(pages, source))
        return Extraction(
            source_id=source.id, extractor=self.name, tables=tables, documents=(document,), issues=tuple(issues)
        )


def _told(fetched: Fetched) -> dict[str, Any]:
    """What the reader prints. Raises ExtractError."""
    where = fetched.source.path
    limits = {"pages": MAX_PAGES, "characters": MAX_CHARACTERS, "seconds": MAX_SECONDS, "memory": MAX_MEMORY}
    try:
        done = subprocess.run(
            [sys.executable, "-m", _READER, json.dumps(limits)],
            input=fetched.body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=5 * MAX_SECONDS,  # a busy machine gives a process little of its time
            check=False,
        )
        told: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {"error": _end(done.returncode)}
    except subprocess.TimeoutExpired:
        told = {"error": "seconds"}
    except ValueError:
        told = {"error": "memory"}  # it had none left to finish its answer
    if "error" not in told:
        return told
    raise _refused(told, where)


def _refused(told: dict[str, str], where: str) -> ExtractError:
    kind = told["error"]
    known = {
        "encrypted": ("the PDF is encrypted", "save it without a password"),
        "memory": (f"the PDF needs more than {MAX_MEMORY >> 20} MiB to be read", _SPLIT),
        "seconds": (f"the PDF needs more than {MAX_SECONDS} seconds to be read", _SPLIT),
        "text": (f"the PDF holds more than {MAX_CHARACTERS:,} characters", _SPLIT),
    }
    broken = (f"the PDF is broken: {told.get('said') or kind}", "open it and save it again")
    what, remedy = known.get(kind, broken)
    return ExtractError(what, where=where, remedy=remedy)


def _end(code: int) -> str:
    """Why a reader ended that has not said so: SIGXCPU, and SIGKILL behind it, are the limit of time."""
    return "seconds" if code in (-24, -9) else "memory" if code == 1 else f"its reader died (exit code {code})"


def _issues(pages: Sequence[dict[str, Any]], total: int, path: str) -> Iterator[Issue]:
    """What is not read, and why. Raises ExtractError when that is everything."""
    empty = [number for number, page in enumerate(pages, 1) if not page["text"].strip()]
    garbled = [number for number, page in enumerate(pages, 1) if _is_garbled(page["text"])]
    if len(empty) == len(pages):
        scanned = any(page["pictures"] for page in pages)
        raise ExtractError(
            "the PDF has pictures of pages, no text" if scanned else "the PDF has no text",
            where=path,
            remedy="have a program for character recognition put its text in (OCR)",
        )
    if len(empty) + len(garbled) == len(pages):
        raise ExtractError(
            "the PDF does not say which letters its signs are", where=path, remedy="find another copy, or OCR it"
        )
    for number in empty:
        if pages[number - 1]["pictures"]:
            yield Issue(locator=f"{path}#page={number}", reason="a picture of a page, no text")
    for number in garbled:
        yield Issue(locator=f"{path}#page={number}", reason="the fonts do not say which letters their signs are")
    if total > len(pages):
        reason = f"pages {len(pages) + 1} to {total} are left out: no more than {MAX_PAGES} are read"
        yield Issue(locator=f"{path}#page={len(pages) + 1}", reason=reason)


def _is_garbled(text: str) -> bool:
    """True where more of the text are numbers of signs than letters."""
    signs = len(_NO_LETTER.findall(text))
    return signs > 0 and signs > len(re.findall(r"\w", _NO_LETTER.sub("", text)))


def _tables(pages: Sequence[dict[str, Any]], source: Source) -> Iterator[MinedTable]:
    groups = _joined([found for number, page in enumerate(pages, 1) for found in _found(number, page["tables"])])
    names = distinct(table_name(source.path) for _ in groups)
    for name, group in zip(names, groups, strict=True):
        free = free_names(group[0].header)
        texts = list(zip(*(row for part in group for row in part.rows), strict=True))
        typed = [typed_column(column, unit, cells) for (column, unit), cells in zip(free, texts, strict=True)]
        parts = tuple(
            TablePart(len(part.rows), rows_of(f"{source.path}#page={part.page}/table={part.number}"), source.id)
            for part in group
        )
        yield MinedTable(
            name,
            tuple(column for column, _ in typed),
            tuple(zip(*(values for _, values in typed), strict=True)),
            parts[0].locator,
            source.id,
            parts=parts if len(parts) > 1 else (),
        )


def _found(page: int, tables: Sequence[list[list[str]]]) -> Iterator[_Found]:
    """The tables of a page that have two columns and a row below their header."""
    for number, told in enumerate(tables, 1):
        rows = [tuple(" ".join(cell.split()) for cell in row) for row in told]
        rows = [row for row in rows if any(row)]
        if rows and sum(1 for cell in rows[0] if cell) == 1 and len(rows[0]) > 1:
            rows = rows[1:]  # one cell over all columns: a title, which the document has
        if len(rows) < 2 or len(rows[0]) < 2:
            continue
        header, body = rows[0], rows[1:]
        if all(_NUMBER.match(cell) for cell in header if cell):
            header, body = tuple("" for _ in header), rows
        yield _Found(page, number, header, tuple(body))


def _joined(found: Sequence[_Found]) -> list[list[_Found]]:
    """Tables that follow each other on neighbouring pages under the same header belong together."""
    groups: list[list[_Found]] = []
    for table in found:
        before = groups[-1][-1] if groups else None
        goes_on = before is not None and table.page == before.page + 1 and any(table.header)
        if before is not None and goes_on and table.header == before.header:
            groups[-1].append(table)
        else:
            groups.append([table])
    return groups
