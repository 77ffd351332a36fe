"""Statements of a SQL dump, one after another: only schemas and rows are read, nothing is ever executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from envforge.core.errors import ExtractError

Dialect = Literal["pg", "mysql", "sqlite", ""]
Name = tuple[str, ...]
MAX_SCHEMA_TEXT = 200_000
"""Characters of one CREATE or ALTER statement that are parsed."""

# Possessive quantifiers throughout: a quote that is never closed must not be tried in every way.
_NAME = r"(?:\"[^\"]{1,200}+\"|`[^`]{1,200}+`|\[[^\]]{1,200}+\]|[A-Za-z_\u0080-\uffff][\w$]{0,200}+)"
_DOTTED = rf"{_NAME}(?:\s*+\.\s*+{_NAME}){{0,3}}"
_INSERT = re.compile(
    r"(?:INSERT|REPLACE)\b(?:\s++(?:OR\s++\w++|IGNORE|LOW_PRIORITY|HIGH_PRIORITY|DELAYED))*+(?:\s++INTO)?+"
    rf"\s++(?P<name>{_DOTTED})\s*+(?P<columns>\((?:\s*+{_NAME}\s*+,?+)*+\))?+\s*+"
    r"(?:OVERRIDING\s++\w++\s++VALUE\s*+)?+(?P<values>VALUES?\b\s*+)?+",
    re.IGNORECASE,
)
_COPY = re.compile(
    rf"COPY\s++(?P<name>{_DOTTED})\s*+(?P<columns>\((?:\s*+{_NAME}\s*+,?+)*+\))?+\s*+FROM\s++STDIN\b(?P<options>[^;]*+);[^\n]*+\n?+",
    re.IGNORECASE,
)
_SCHEMA = re.compile(
    r"CREATE\s++(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|FOREIGN)\s++)*+TABLE\b|ALTER\s++TABLE\b", re.IGNORECASE
)
_ROUTINE = re.compile(
    r"CREATE\s++(?:OR\s++REPLACE\s++)?+(?:TEMP\s++|TEMPORARY\s++|DEFINER\s*+=\s*+\S++\s++)*+"
    r"(?:TRIGGER|FUNCTION|PROCEDURE|EVENT)\b",
    re.IGNORECASE,
)
_DELIMITER = re.compile(r"DELIMITER[ \t]++(\S++)[^\n]*+", re.IGNORECASE)
_BEGIN = re.compile(r"\bBEGIN\b", re.IGNORECASE)
_END = re.compile(r"\bEND\s*+$", re.IGNORECASE)
_BLANK = re.compile(r"[\s;]++")
_MARK = re.compile(r"[;'\"`$]|--|/\*")
_DOLLAR = re.compile(r"\$\w{0,60}\$")
_PLAIN = re.compile(r"'[^']*+(?:''[^']*+)*+'")
_ESCAPED = re.compile(r"'[^'\\]*+(?:(?:''|\\.)[^'\\]*+)*+'", re.DOTALL)
_IDENTIFIER = re.compile(_NAME)


@dataclass(frozen=True)
class Schema:
    """A CREATE TABLE or ALTER TABLE statement."""

    text: str
    line: int


@dataclass(frozen=True)
class Rows:
    """Where the rows of an INSERT or COPY begin; its reader says where they end (`Statements.resume`)."""

    kind: Literal["insert", "copy", "unread"]
    table: Name
    columns: tuple[str, ...]
    start: int
    reason: str = ""


class Statements:
    """Walks through the text of a dump once."""

    def __init__(self, text: str, dialect: Dialect, where: str) -> None:
        self.text, self.where = text, where
        self.dialect: Dialect = dialect
        self.resume = 0
        """Where the next statement is looked for; a reader of rows moves it."""
        self.string = _ESCAPED if dialect == "mysql" else _PLAIN
        self._counted = (0, 1)

    def line(self, place: int) -> int:
        """The line of a place, counted on from the last one that was asked for."""
        start, line = self._counted if self._counted[0] <= place else (0, 1)
        self._counted = place, line + self.text.count("\n", start, place)
        return self._counted[1]

    def error(self, place: int, message: str, remedy: str = "dump the database again") -> ExtractError:
        """An error that names the line."""
        line = self.line(place)
        return ExtractError(f"{message} (line {line})", where=f"{self.where}:{line}", remedy=remedy)

    def __iter__(self) -> Iterator[Schema | Rows]:
        while (place := self.blank(self.resume)) < len(self.text):
            found = self._statement(place)
            if found is not None:
                yield found

    def _statement(self, place: int) -> Schema | Rows | None:
        text = self.text
        if match := _INSERT.match(text, place):
            self.resume = match.end()
            table, columns = names(match["name"]), names(match["columns"] or "")
            if match["values"]:
                return Rows("insert", table, columns, match.end())
            self.resume = self.end(match.end())
            return Rows("unread", table, columns, place, "its rows come from a query, which is not run")
        if match := _COPY.match(text, place):
            self.resume = match.end()
            plain = not re.search(r"csv|binary|delimiter", match["options"], re.IGNORECASE)
            kind = "copy" if plain else "unread"
            return Rows(
                kind, names(match["name"]), names(match["columns"] or ""), match.end(), "COPY in another format"
            )
        if _SCHEMA.match(text, place):
            self.resume = self.end(place)
            return Schema(text[place : self.resume], self.line(place))
        if match := _DELIMITER.match(text, place):
            self._foreign(match)
        elif _ROUTINE.match(text, place):
            self._routine(place)
        else:
            self.resume = self.end(place)
        return None

    def _foreign(self, match: re.Match[str]) -> None:
        """Between `DELIMITER ;;` and `DELIMITER ;` stand routines: rows they would insert are no rows of the dump."""
        self.resume = match.end()
        if match[1] != ";":
            back = re.compile(r"^DELIMITER[ \t]++;[ \t]*+$", re.IGNORECASE | re.MULTILINE).search(
                self.text, match.end()
            )
            self.resume = back.end() if back else len(self.text)

    def _routine(self, place: int) -> None:
        self.resume = self.end(place)
        first = self.text[place : self.resume]
        if self.dialect == "pg" or _DOLLAR.search(first) or not _BEGIN.search(first):
            return
        start = place
        while not _END.search(self.text, max(start, self.resume - 200), self.resume) and self.resume < len(self.text):
            start = self.resume + 1
            self.resume = self.end(start)

    def blank(self, place: int) -> int:
        """The next place that is no space, semicolon or comment."""
        text, size = self.text, len(self.text)
        while place < size:
            if match := _BLANK.match(text, place):
                place = match.end()
            elif text.startswith(("--", "\\"), place) or (text[place] == "#" and self.dialect == "mysql"):
                place = self._after("\n", place, size)
            elif text.startswith("/*", place):
                place = self._comment(place)
            else:
                break
        return place

    def end(self, place: int) -> int:
        """Where the statement's semicolon stands, those inside strings, comments and bodies passed over."""
        while match := _MARK.search(self.text, place):
            mark, at = match[0], match.start()
            if mark == ";":
                return at
            if mark == "--":
                place = self._after("\n", at, len(self.text))
            elif mark == "/*":
                place = self._comment(at)
            elif mark == "'":
                place = self.string_end(at, escaped=at > 0 and self.text[at - 1] in "eE" and self.dialect != "sqlite")
            elif mark == "$":
                tag = _DOLLAR.match(self.text, at) if self.dialect in ("pg", "") else None
                place = self._after(tag[0], tag.end(), len(self.text)) if tag else at + 1
            else:
                close = self.text.find(mark, at + 1)
                if close < 0:
                    raise self.error(at, f"a quote {mark} is never closed")
                place = close + 1
        return len(self.text)

    def string_end(self, place: int, *, escaped: bool = False) -> int:
        """The place behind a string. Raises ExtractError when it is not closed."""
        match = (_ESCAPED if escaped else self.string).match(self.text, place)
        if match is None:
            raise self.error(place, "a string is never closed: the dump is cut off or broken")
        return match.end()

    def _comment(self, place: int) -> int:
        close = self.text.find("*/", place + 2)
        if close < 0:
            raise self.error(place, "a comment is never closed")
        return close + 2

    def _after(self, mark: str, place: int, otherwise: int) -> int:
        found = self.text.find(mark, place)
        return found + len(mark) if found >= 0 else otherwise


def names(text: str) -> Name:
    """The identifiers of a dotted name or a list, without their quotes."""
    return tuple(part[1:-1] if part[0] in '"`[' else part for part in _IDENTIFIER.findall(text))


def dialect_of(text: str) -> Dialect:
    """Which database wrote the dump, by what stands in it first."""
    head = text[:200_000]
    if re.search(r"^PRAGMA |\bAUTOINCREMENT\b", head, re.MULTILINE):
        return "sqlite"
    if re.search(
        r"M(?:y|aria)(?:SQL|DB) dump|\bENGINE ?=|\bAUTO_INCREMENT\b|^(?:CREATE|INSERT)[^\n`]{0,60}`", head, re.M
    ):
        return "mysql"
    if re.search(r"PostgreSQL database dump|\bFROM stdin;|\bpg_catalog\b|\bcharacter varying\b|\bsearch_path\b", head):
        return "pg"
    return ""
