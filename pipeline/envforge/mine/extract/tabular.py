"""CSV and TSV files, Parquet and SQLite. No row is ever dropped."""

from __future__ import annotations

import re

from envforge.core.contracts import Fetched
from envforge.core.records.extraction import Extraction, Issue
from envforge.core.records.source import Source
from envforge.mine.extract.archives import unpack_single
from envforge.mine.extract.databases import read_parquet, read_sqlite
from envforge.mine.extract.delimited import read_delimited

_PATH = re.compile(r"\.(csv|tsv|tab|parquet|sqlite3?|db)(\.(zip|gz))?$", re.IGNORECASE)


class TabularExtractor:
    """Reads files of rows and columns."""

    name = "tabular"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for Parquet and SQLite by their magic bytes, for delimited text by name or MIME."""
        if head.startswith((b"PAR1", b"SQLite format 3\x00")):
            return True
        return bool(_PATH.search(source.path)) or source.mime.startswith(("text/csv", "text/tab-separated-values"))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the table(s). Raises ExtractError naming file, row and remedy."""
        source = fetched.source
        fetched = unpack_single(fetched)
        issues: list[Issue] = []
        if fetched.body.startswith(b"PAR1"):
            tables = [read_parquet(fetched)]
        elif fetched.body.startswith(b"SQLite format 3\x00"):
            tables, issues = read_sqlite(fetched)
        else:
            tables = [read_delimited(fetched)]
        return Extraction(source_id=source.id, extractor=self.name, tables=tuple(tables), issues=tuple(issues))
