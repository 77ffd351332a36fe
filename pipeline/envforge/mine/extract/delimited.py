"""Delimited text into a table, with types by DuckDB: read in two passes, so that a large file fits into memory."""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ColumnType, MinedColumn, MinedTable
from envforge.mine.extract.parse import decode
from envforge.mine.extract.records import distinct, iso_timestamp, row_locator, table_name

NULL_WORDS = frozenset({"", "NA", "N/A"})
_DELIMITERS = (",", "\t", ";", "|")
_LONGEST_FIELD = 16 << 20
_CODE = re.compile(r"^[A-Z]{2}$")
_FEW_CODES = 20
_SHARED = 50_000
"""Different texts of one column that are kept once each; a column of more repeats few of them."""
_NOT_A_NUMBER = re.compile(r"^([+].*|[-+]?0\d.*|[-+]?\d{19,}|[-+]?(nan|inf(inity)?))$", re.IGNORECASE)
_TYPES: tuple[tuple[str, ColumnType], ...] = (
    ("BOOLEAN", "boolean"), ("DATE", "date"), ("TIMESTAMP", "timestamp"), ("DOUBLE", "real"), ("FLOAT", "real"),
    ("DECIMAL", "real"), ("BIGINT", "integer"), ("INTEGER", "integer"),
)  # fmt: skip


def read_delimited(fetched: Fetched) -> MinedTable:
    """The table of a CSV or TSV file. Raises ExtractError naming file, row and remedy."""
    where = fetched.source.path
    if b"\x00" in fetched.body[:4096] and fetched.body[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise ExtractError(
            "the file holds NUL bytes: it is binary or UTF-16 without a byte order mark",
            where=where,
            remedy="convert it: iconv -f UTF-16LE -t UTF-8 FILE",
        )
    file = _File(fetched.body, _delimiter(decode(fetched), where), where)
    names, seen = _look(file)
    types = _types(file, names, seen)
    found = _convert(file, types, seen)
    while isinstance(found, int):  # a column that is no number after all is text
        types[found] = "text"
        found = _convert(file, types, seen)
    rows, empty = found
    mined = [
        MinedColumn(name=name, type=kind, nullable=nullable)
        for name, kind, nullable in zip(names, types, empty, strict=True)
    ]
    return MinedTable(table_name(where), tuple(mined), rows, row_locator(where), fetched.source.id)


@dataclass(frozen=True)
class _File:
    """The bytes of a file, and how they are divided."""

    body: bytes
    delimiter: str
    where: str

    def text(self) -> io.TextIOWrapper:
        """The file as a stream of text, line ends as they are."""
        return io.TextIOWrapper(io.BytesIO(self.body.removeprefix(codecs.BOM_UTF8)), encoding="utf-8", newline="")

    def rows(self) -> Iterator[list[str]]:
        """All rows, the header first, every one as wide as the header. Blank lines are no rows."""
        csv.field_size_limit(_LONGEST_FIELD)
        reader = csv.reader(self.text(), delimiter=self.delimiter, strict=True)
        count = width = 0
        try:
            for row in reader:
                width = width or len(row)
                if not row or (row == [""] and width > 1):
                    continue
                if len(row) != width:
                    raise self._uneven(count, len(row), width, reader.line_num)
                count += 1
                yield row
        except csv.Error as error:
            raise ExtractError(
                f"row {count} cannot be read: {error} (line {reader.line_num})",
                where=f"{self.where}:{reader.line_num}",
                remedy="close the quotes and double quotes inside quoted fields",
            ) from error
        if not count:
            raise ExtractError("the file is empty", where=self.where, remedy="leave it out with the anchor's `include`")

    def _uneven(self, row: int, fields: int, width: int, line: int) -> ExtractError:
        return ExtractError(
            f"row {row} has {fields} fields, the header has {width} (line {line})",
            where=f"{self.where}:{line}",
            remedy="quote fields that hold the delimiter, or complete the row",
        )


@dataclass
class _Seen:
    """What the values of one column look like, told while they pass by."""

    codes: set[str] = field(default_factory=lambda: set[str]())
    all_codes: bool = True
    has_na: bool = False
    any: bool = False
    booleans: bool = True
    numbers: bool = True

    def look(self, value: str) -> None:
        """Take one value into account."""
        if value in NULL_WORDS:
            self.has_na = self.has_na or value == "NA"
            return
        self.any = True
        if self.all_codes and (len(self.codes) < _FEW_CODES or value not in self.codes):
            self.all_codes = bool(_CODE.match(value))
            if len(self.codes) < _FEW_CODES:
                self.codes.add(value)
        self.booleans = self.booleans and value.lower() in {"true", "false"}
        self.numbers = self.numbers and not _NOT_A_NUMBER.match(value)

    @property
    def nulls(self) -> frozenset[str]:
        """Words that mean NULL in a column. In a column of two-letter codes `NA` is one of them (a country)."""
        coded = self.has_na and self.all_codes and len(self.codes) >= _FEW_CODES
        return frozenset({""}) if coded else NULL_WORDS

    def keeps(self, kind: str) -> bool:
        """True if the values can be read as `kind` without losing what is written."""
        if not self.any or kind == "VARCHAR" or (self.has_na and "NA" not in self.nulls):
            return False
        return self.booleans if kind == "BOOLEAN" else self.numbers


def _look(file: _File) -> tuple[list[str], list[_Seen]]:
    """First pass: the names of the columns, and what each of them holds."""
    rows = file.rows()
    names = _names(next(rows))
    seen = [_Seen() for _ in names]
    for row in rows:
        for one, value in zip(seen, row, strict=True):
            one.look(value)
    return names, seen


def _delimiter(text: str, where: str) -> str:
    """The delimiter of the header line; a file of one column has a comma by convention."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    bare = re.sub(r'"[^"]*"', "", header)
    if not header.strip():
        raise ExtractError("the file is empty", where=where, remedy="leave it out with the anchor's `include`")
    return max(_DELIMITERS, key=lambda mark: (bare.count(mark), -_DELIMITERS.index(mark)))


def _names(header: Sequence[str]) -> list[str]:
    """Column names as stated; empty ones are numbered, repeated ones get a number."""
    return distinct(stated.strip() or f"column_{index}" for index, stated in enumerate(header, 1))


def _types(file: _File, names: Sequence[str], seen: Sequence[_Seen]) -> list[ColumnType]:
    """DuckDB's type of each column over all its rows, text where a number would lose what is written."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(config={"threads": 1}) as connection:
        path = Path(folder) / "rows.csv"
        _write_with_one_line_end(file, path)
        try:
            described = connection.execute(
                "DESCRIBE SELECT * FROM read_csv(?, delim=?, quote='\"', escape='\"', header=true, names=?, "
                "sample_size=-1, nullstr=['', 'NA', 'N/A'], null_padding=false, strict_mode=true, "
                "max_line_size=33554432)",
                [str(path), file.delimiter, list(names)],
            ).fetchall()
        except duckdb.Error as error:
            raise ExtractError(
                f"DuckDB cannot read the file: {str(error).splitlines()[0]}",
                where=file.where,
                remedy="check its quoting",
            ) from error
    kinds = [str(described[at][1]) if at < len(described) else "VARCHAR" for at in range(len(names))]
    return [_column_type(kind) if one.keeps(kind) else "text" for kind, one in zip(kinds, seen, strict=True)]


def _column_type(kind: str) -> ColumnType:
    for prefix, name in _TYPES:
        if kind.startswith(prefix):
            return name
    return "text"


def _write_with_one_line_end(file: _File, path: Path) -> None:
    """The same rows with every line ended alike: DuckDB refuses files that mix line ends."""
    body = file.body
    if b"\r" not in body or body.count(b"\r") == body.count(b"\r\n") == body.count(b"\n"):
        path.write_bytes(body.removeprefix(codecs.BOM_UTF8))
        return
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=file.delimiter, lineterminator="\n")
        writer.writerows(csv.reader(file.text(), delimiter=file.delimiter, strict=True))


def _convert(
    file: _File, types: Sequence[ColumnType], seen: Sequence[_Seen]
) -> tuple[tuple[tuple[Any, ...], ...], list[bool]] | int:
    """Second pass: the rows in the form of their columns, and which columns hold NULL; the first column whose values
    do not fit its type, if there is one.
    """
    readers = [_reader(kind, one.nulls) for kind, one in zip(types, seen, strict=True)]
    empty = [False] * len(readers)
    made: list[tuple[Any, ...]] = []
    rows = file.rows()
    next(rows)
    for row in rows:
        values: list[Any] = []
        for at, (read, word) in enumerate(zip(readers, row, strict=True)):
            try:
                value = read(word)
            except ValueError:
                return at
            if value is None:
                empty[at] = True
            values.append(value)
        made.append(tuple(values))
    return tuple(made), empty


def _reader(kind: ColumnType, nulls: frozenset[str]) -> Callable[[str], Any]:
    """Reads a word as `kind`; what comes again and again is kept once."""
    known: dict[str, Any] = dict.fromkeys(nulls)

    def read(word: str) -> Any:
        if word in known:
            return known[word]
        value = _value(word, kind)
        if len(known) < _SHARED:
            known[word] = value
        return value

    return read


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
