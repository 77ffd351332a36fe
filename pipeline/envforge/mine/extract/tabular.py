"""CSV and TSV files, Parquet and SQLite, with types by DuckDB. No row is ever dropped."""

from __future__ import annotations

import csv
import io
import math
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ColumnType, Extraction, Issue, MinedColumn, MinedTable
from envforge.core.records.source import Source
from envforge.mine.extract.archives import unpack_single
from envforge.mine.extract.databases import read_parquet, read_sqlite
from envforge.mine.extract.parse import decode
from envforge.mine.extract.records import iso_timestamp, row_locator, table_name

NULL_WORDS = frozenset({"", "NA", "N/A"})
_PATH = re.compile(r"\.(csv|tsv|tab|parquet|sqlite3?|db)(\.(zip|gz))?$", re.IGNORECASE)
_DELIMITERS = (",", "\t", ";", "|")
_LONGEST_FIELD = 16 << 20
_CODE = re.compile(r"^[A-Z]{2}$")
_NOT_A_NUMBER = re.compile(r"^([+].*|[-+]?0\d.*|[-+]?\d{19,}|[-+]?(nan|inf(inity)?))$", re.IGNORECASE)
_TYPES: tuple[tuple[str, ColumnType], ...] = (
    ("BOOLEAN", "boolean"), ("DATE", "date"), ("TIMESTAMP", "timestamp"), ("DOUBLE", "real"), ("FLOAT", "real"),
    ("DECIMAL", "real"), ("BIGINT", "integer"), ("INTEGER", "integer"),
)  # fmt: skip


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
            tables = [_read_delimited(fetched)]
        return Extraction(source_id=source.id, extractor=self.name, tables=tuple(tables), issues=tuple(issues))


def _read_delimited(fetched: Fetched) -> MinedTable:
    where = fetched.source.path
    if b"\x00" in fetched.body[:4096] and fetched.body[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise ExtractError(
            "the file holds NUL bytes: it is binary or UTF-16 without a byte order mark",
            where=where,
            remedy="convert it: iconv -f UTF-16LE -t UTF-8 FILE",
        )
    text = decode(fetched)
    delimiter = _delimiter(text, where)
    rows = _split(text, delimiter, where)
    names = _names(rows[0])
    columns = list(zip(*rows[1:], strict=True)) if len(rows) > 1 else [() for _ in names]
    kept = [_null_words(values) for values in columns]
    types = _types(text, delimiter, names, columns, kept, where)
    typed = [_convert(values, types[index], kept[index]) for index, values in enumerate(columns)]
    mined = [
        MinedColumn(name=name, type=kind, nullable=any(value is None for value in values))
        for name, (kind, values) in zip(names, typed, strict=True)
    ]
    data = tuple(zip(*(values for _, values in typed), strict=True))
    return MinedTable(table_name(where), tuple(mined), data, row_locator(where), fetched.source.id)


def _delimiter(text: str, where: str) -> str:
    """The delimiter of the header line; a file of one column has a comma by convention."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    bare = re.sub(r'"[^"]*"', "", header)
    if not header.strip():
        raise ExtractError("the file is empty", where=where, remedy="leave it out with the anchor's `include`")
    return max(_DELIMITERS, key=lambda mark: (bare.count(mark), -_DELIMITERS.index(mark)))


def _split(text: str, delimiter: str, where: str) -> list[list[str]]:
    """All rows, the header first, every one as wide as the header. Blank lines at the end are no rows."""
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    try:
        for row in reader:
            width = len(rows[0]) if rows else len(row)
            if not row or (row == [""] and width > 1):
                continue
            if len(row) != width:
                raise ExtractError(
                    f"row {len(rows)} has {len(row)} fields, the header has {width} (line {reader.line_num})",
                    where=f"{where}:{reader.line_num}",
                    remedy="quote fields that hold the delimiter, or complete the row",
                )
            rows.append(row)
    except csv.Error as error:
        raise ExtractError(
            f"row {len(rows)} cannot be read: {error} (line {reader.line_num})",
            where=f"{where}:{reader.line_num}",
            remedy="close the quotes and double quotes inside quoted fields",
        ) from error
    if not rows:
        raise ExtractError("the file is empty", where=where, remedy="leave it out with the anchor's `include`")
    return rows


def _names(header: Sequence[str]) -> list[str]:
    """Column names as stated; empty ones are numbered, repeated ones get a number."""
    names: list[str] = []
    for index, stated in enumerate(header, 1):
        wanted = stated.strip() or f"column_{index}"
        name, number = wanted, 2
        while name in names:
            name, number = f"{wanted}_{number}", number + 1
        names.append(name)
    return names


def _null_words(values: Sequence[str]) -> frozenset[str]:
    """Words that mean NULL in a column. In a column of two-letter codes `NA` is one of them (a country)."""
    others = {value for value in values if value not in NULL_WORDS}
    coded = "NA" in values and len(others) >= 20 and all(_CODE.match(value) for value in others)
    return frozenset({""}) if coded else NULL_WORDS


def _types(
    text: str,
    delimiter: str,
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    kept: Sequence[frozenset[str]],
    where: str,
) -> list[str]:
    """DuckDB's type of each column over all its rows, text where a number would lose what is written."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        file = Path(folder) / "rows.csv"
        file.write_text(_one_line_end(text, delimiter), encoding="utf-8", newline="")
        try:
            described = connection.execute(
                "DESCRIBE SELECT * FROM read_csv(?, delim=?, quote='\"', escape='\"', header=true, names=?, "
                "sample_size=-1, nullstr=['', 'NA', 'N/A'], null_padding=false, strict_mode=true, "
                "max_line_size=33554432)",
                [str(file), delimiter, list(names)],
            ).fetchall()
        except duckdb.Error as error:
            raise ExtractError(
                f"DuckDB cannot read the file: {str(error).splitlines()[0]}", where=where, remedy="check its quoting"
            ) from error
    types: list[str] = []
    for index, values in enumerate(columns):
        kind = str(described[index][1]) if index < len(described) else "VARCHAR"
        present = {value for value in values if value not in kept[index]}
        types.append("VARCHAR" if not _keeps(kind, present) else kind)
    return types


def _one_line_end(text: str, delimiter: str) -> str:
    """The same rows with every line ended alike: DuckDB refuses files that mix line ends."""
    if "\r" not in text or "\r" not in text.replace("\r\n", ""):
        return text
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(
        csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    )
    return out.getvalue()


def _keeps(kind: str, present: set[str]) -> bool:
    """True if the values can be read as `kind` without losing what is written."""
    if not present or kind == "VARCHAR":
        return False
    if kind == "BOOLEAN":
        return all(value.lower() in ("true", "false") for value in present)
    return not any(_NOT_A_NUMBER.match(value) for value in present)


def _convert(values: Sequence[str], kind: str, nulls: frozenset[str]) -> tuple[ColumnType, list[Any]]:
    """The values in the form of their column; text where one of them does not fit after all."""
    wanted: ColumnType = "text"
    for prefix, name in _TYPES:
        if kind.startswith(prefix):
            wanted = name
            break
    try:
        return wanted, [None if value in nulls else _value(value, wanted) for value in values]
    except ValueError:
        return "text", [None if value in nulls else value for value in values]


def _value(word: str, kind: ColumnType) -> Any:
    if kind == "text":
        return word
    if kind == "integer":
        return int(word)
    if kind == "real":
        number = float(word)
        if not math.isfinite(number):  # 1e999: too large to be kept as a number
            raise ValueError(word)
        return number
    if kind == "boolean":
        return word.strip().lower() == "true"
    moment = iso_timestamp(word.strip())
    if moment is None:
        raise ValueError(word)
    return moment[:10] if kind == "date" else moment
