"""Searches a snapshot: SQLite's full-text index over its documents, built once per snapshot and kept by hash."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from envforge.core.errors import SourceError
from envforge.core.ids import sha256_bytes
from envforge.core.records.search import Hit
from envforge.web.index import index_bytes, read_index
from envforge.web.search.answers import checked_query, ranked
from envforge.web.search.query import literal, match_expression, terms_of, words_of
from envforge.web.search.readable import readable
from envforge.web.snapshot import SnapshotFetcher

_FORM = 1
"""Another number: another index, whatever the snapshot."""
_SCHEMA = """
CREATE VIRTUAL TABLE documents USING fts5(
    title, headings, place, pieces, body, url UNINDEXED, tokenize="porter unicode61 remove_diacritics 2"
)
"""
_SCORED = """
SELECT rowid, title, url, bm25(documents, 8.0, 3.0, 1.0, 1.0, 1.0) AS score
FROM documents WHERE documents MATCH ? ORDER BY score, url LIMIT ?
"""
"""The numbers are the weights of title, headings, place, pieces and body (benchmarks/search chose them)."""
_SNIPPET = "SELECT snippet(documents, 4, '', '', '…', 40) FROM documents WHERE documents MATCH ? AND rowid = ?"
"""Asked for what is shown only: it reads the whole document."""
_CANDIDATES = 100
_Row = tuple[int, str, str, float]


class SnapshotSearch:
    """Searches the documents of a snapshot folder. The index lies in `cache` under the hash of the snapshot's own.

    Raises SourceError when the folder is no snapshot or a record of it is damaged: a part is not the whole.
    """

    name = "snapshot"

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder
        self._path = cache / f"{snapshot_key(folder)[:32]}.sqlite"

    def search(self, query: str, *, limit: int) -> tuple[Hit, ...]:
        """The hits. Raises ConfigError, SourceError."""
        words = checked_query(query, limit)
        if not self._path.is_file():
            self._build()
        try:
            with closing(sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True)) as database:
                found = _found(database, terms_of(words), limit)
        except sqlite3.Error as error:
            raise SourceError(
                f"the index cannot be read: {error}", where=str(self._path), remedy="delete it; it is built again"
            ) from error
        return ranked(found, limit=limit, provider=self.name)

    def _build(self) -> None:
        """Write the index beside its place, then move it there: whoever comes meanwhile builds the same."""
        documents = SnapshotFetcher(self._folder).each()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".index-", dir=self._path.parent) as scratch:
                draft = Path(scratch) / self._path.name
                with closing(sqlite3.connect(draft)) as database:
                    database.execute("PRAGMA journal_mode = OFF")
                    database.execute("PRAGMA synchronous = OFF")
                    database.execute(_SCHEMA)
                    for fetched in documents:
                        text = readable(fetched)
                        row = (text.title, text.headings, text.place, text.pieces, text.body, fetched.source.url)
                        database.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", row)
                    database.execute("INSERT INTO documents (documents) VALUES ('optimize')")
                    database.commit()
                draft.replace(self._path)
        except (OSError, sqlite3.Error) as error:
            raise SourceError(
                f"the index cannot be written: {error}", where=str(self._path), remedy="free some space"
            ) from error


def _found(database: sqlite3.Connection, terms: list[str], limit: int) -> list[tuple[str, str, str]]:
    """(title, address, snippet) of the best documents."""
    match = match_expression(terms)
    rows: list[_Row] = database.execute(_SCORED, (match, max(_CANDIDATES, limit))).fetchall()
    fits = _title_fits(database, rows, words_of(terms))
    rows.sort(key=lambda row: (row[3] * (1 + fits[row[0]]), row[2]))  # bm25 is negative, the better the lower
    best: dict[str, _Row] = {}
    for row in rows:
        best.setdefault(row[2], row)
    return [
        (title, url, database.execute(_SNIPPET, (match, number)).fetchone()[0])
        for number, title, url, _ in list(best.values())[:limit]
    ]


def _title_fits(database: sqlite3.Connection, rows: list[_Row], words: list[str]) -> dict[int, float]:
    """Per row, how much its title and the query are the same words: 1 for all, 0 for none.

    A plain BM25 prefers long titles that repeat a word to the page that is called just so.
    """
    hits = dict.fromkeys((row[0] for row in rows), 0)
    for word in words:
        for (found,) in database.execute(
            "SELECT rowid FROM documents WHERE documents MATCH ?", (f"title : {literal(word)}",)
        ):
            if found in hits:
                hits[found] += 1
    fits: dict[int, float] = {}
    for number, title, *_ in rows:
        either = len(words) + len(words_of(terms_of(title))) - hits[number]
        fits[number] = hits[number] / either if either > 0 else 0.0
    return fits


def snapshot_key(folder: Path) -> str:
    """Hash of a snapshot's index, in which every body's hash stands. Raises SourceError."""
    return sha256_bytes(f"{_FORM}\n".encode() + index_bytes(read_index(folder)))
