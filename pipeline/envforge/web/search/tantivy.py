"""Searches a snapshot through the package `tantivy` (an extra): for snapshots too large for SQLite's index."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import tempfile
from pathlib import Path
from typing import Any

from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.search import Hit
from envforge.web.search.answers import checked_query, ranked
from envforge.web.search.query import match_expression, terms_of
from envforge.web.search.readable import readable
from envforge.web.search.snapshot import snapshot_key
from envforge.web.snapshot import SnapshotFetcher

PACKAGE = "tantivy"
_BOOSTS = {"title": 8.0, "headings": 3.0, "place": 1.0, "pieces": 1.0, "body": 1.0}
"""The searched fields, weighted as in the index of SQLite."""
_MEMORY = 64 * 2**20
_SNIPPET_CHARACTERS = 300


class TantivySearch:
    """Searches the documents of a snapshot folder; the index lies in `cache`, in a folder named by the snapshot's hash.

    Raises ConfigError where the package is missing, SourceError when the folder is no snapshot or is damaged.
    """

    name = "tantivy"

    def __init__(self, folder: Path, cache: Path) -> None:
        if importlib.util.find_spec(PACKAGE) is None:
            raise ConfigError(f"needs the package {PACKAGE}", where=PACKAGE, remedy="pip install 'envforge[tantivy]'")
        self._folder = folder
        self._path = cache / f"{snapshot_key(folder)[:32]}.tantivy"

    def search(self, query: str, *, limit: int) -> tuple[Hit, ...]:
        """The hits. Raises ConfigError, SourceError."""
        words = checked_query(query, limit)
        package: Any = importlib.import_module(PACKAGE)  # it has few types
        try:
            if not self._path.is_dir():
                self._build(package)
            found = _found(package, package.Index.open(str(self._path)), words, limit)
        except (ValueError, OSError) as error:  # so it says whatever is wrong with its files
            raise SourceError(
                f"the index cannot be read or written: {error}"[:300],
                where=str(self._path),
                remedy="free some space, or delete it; it is built again",
            ) from error
        return ranked(found, limit=limit, provider=self.name)

    def _build(self, package: Any) -> None:
        """Write the index beside its place, then move it there."""
        builder = package.SchemaBuilder()
        for name in _BOOSTS:
            builder.add_text_field(name, stored=name in ("title", "body"), tokenizer_name="en_stem")
        builder.add_text_field("url", stored=True, tokenizer_name="raw")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".index-", dir=self._path.parent) as scratch:
            draft = Path(scratch) / self._path.name
            draft.mkdir()
            index = package.Index(builder.build(), path=str(draft))
            writer = index.writer(heap_size=_MEMORY, num_threads=1)
            for fetched in SnapshotFetcher(self._folder).each():
                text = readable(fetched)
                fields = {name: [getattr(text, name)] for name in _BOOSTS}
                writer.add_document(package.Document(**fields, url=[fetched.source.url]))
            writer.commit()
            writer.wait_merging_threads()
            if not self._path.exists():  # who came first has built the same
                shutil.move(str(draft), str(self._path))


def _found(package: Any, index: Any, words: str, limit: int) -> list[tuple[str, str, str]]:
    """(title, address, snippet) of the best documents."""
    match = match_expression(terms_of(words)).replace('""', '\\"')
    query = index.parse_query(match, list(_BOOSTS), field_boosts=_BOOSTS)
    searcher = index.searcher()
    snippets = package.SnippetGenerator.create(searcher, query, index.schema, "body")
    snippets.set_max_num_chars(_SNIPPET_CHARACTERS)
    rows: dict[str, tuple[float, str, str]] = {}
    for score, address in searcher.search(query, 2 * limit).hits:
        document = searcher.doc(address)
        url = document["url"][0]
        if url not in rows:
            rows[url] = (-score, document["title"][0], snippets.snippet_from_doc(document).fragment())
    best = sorted(rows.items(), key=lambda row: (row[1][0], row[0]))
    return [(title, url, snippet) for url, (_, title, snippet) in best[:limit]]
