"""The rows of INSERT and COPY statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from envforge.mine.extract.sql_statements import Rows, Statements

_NUMBER = re.compile(r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?+(?![\w.])")
_WORD = re.compile(r"(NULL|TRUE|FALSE|DEFAULT)\b", re.IGNORECASE)
_HEX = re.compile(r"[xX]'([0-9A-Fa-f]*+)'|0x([0-9A-Fa-f]++)")
_PREFIX = re.compile(r"(?:[nN]|[eE]|_\w{2,20}+ ?+)(?=')")
_CAST = re.compile(r"(?:\s*+::\s*+(?:\"[^\"]{1,60}+\"|[A-Za-z_][\w. ]{0,60}+)(?:\([\d, ]{1,12}\))?+(?:\[\])*+)++")
# How SQLite's own dump writes a text with line ends: replace('a\\nb','\\n',char(10)).
_REPLACE = re.compile(r"(?:replace\(){1,2}+(?=')", re.IGNORECASE)
_REPLACED = re.compile(r",'\\([nr])',char\((10|13)\)\)", re.IGNORECASE)
# Nearly all values of real dumps, with what stands behind them, in one step.
_COMMON = re.compile(
    r"(?:(?P<integer>[-+]?\d{1,300}+)|'(?P<text>[^'\\]*+)'|(?P<null>NULL)|(?P<real>[-+]?\d++\.\d++))"
    r"\s*+(?P<end>[,)])\s*+"
)
_SPACE = re.compile(r"\s*+")
_STOP = re.compile(r"[(),'\"]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "", "b": "\b", "Z": "\x1a", "f": "\f", "v": "\v"}
_WORDS: dict[str, Any] = {"NULL": None, "TRUE": True, "FALSE": False, "DEFAULT": None}


class RowReader:
    """Reads the values of rows; expressions, which only a database could compute, become NULL and are counted."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self.expressions = 0

    def read(self, rows: Rows) -> Iterator[list[Any]]:
        """The rows, one by one; behind the last one the walk goes on. Raises ExtractError when they are broken."""
        return self._inserted(rows.start) if rows.kind == "insert" else self._copied(rows.start)

    def skip(self, rows: Rows) -> None:
        """Pass over rows that are not read."""
        if rows.reason.startswith("COPY"):
            for _ in self._lines(rows.start):
                pass

    def _inserted(self, place: int) -> Iterator[list[Any]]:
        statements, text = self._statements, self._statements.text
        while True:
            place = statements.blank(place)
            if not text.startswith("(", place):
                raise statements.error(place, "a row of values is expected here: the dump is cut off or broken")
            row, place = self._row(place)
            yield row
            place = _space(text, place)
            if not text.startswith(",", place):
                statements.resume = statements.end(place)
                return
            place += 1

    def _row(self, place: int) -> tuple[list[Any], int]:
        statements, text = self._statements, self._statements.text
        row: list[Any] = []
        place = _space(text, place + 1)
        while True:
            if common := _COMMON.match(text, place):
                row.append(_common(common))
                place = common.end()
                if common["end"] == ")":
                    return row, place
                continue
            start = place
            value, place = self._value(place)
            place = _space(text, place)
            if text[place : place + 1] not in (",", ")"):
                if match := _CAST.match(text, place):
                    place = _space(text, match.end())
                if text[place : place + 1] not in (",", ")"):
                    value, place = self._expression(start)
            row.append(value)
            if text.startswith(")", place):
                return row, place + 1
            if place >= len(text):
                raise statements.error(start, "a row is cut off")
            place = _space(text, place + 1)

    def _value(self, place: int) -> tuple[Any, int]:
        statements, text = self._statements, self._statements.text
        if text.startswith("'", place):
            end = statements.string_end(place)
            return _string(text[place + 1 : end - 1], escaped=statements.dialect == "mysql"), end
        if match := _NUMBER.match(text, place):
            return _number(match[0]), match.end()
        if match := _WORD.match(text, place):
            return _WORDS[match[1].upper()], match.end()
        if match := _HEX.match(text, place):
            return match[1] or match[2] or "", match.end()
        if match := _PREFIX.match(text, place):
            escaped = match[0] in "eE" or statements.dialect == "mysql"
            end = statements.string_end(match.end(), escaped=escaped)
            return _string(text[match.end() + 1 : end - 1], escaped=escaped), end
        if match := _REPLACE.match(text, place):
            end = statements.string_end(match.end())
            value = _string(text[match.end() + 1 : end - 1], escaped=False)
            while replaced := _REPLACED.match(text, end):
                value, end = value.replace(f"\\{replaced[1]}", chr(int(replaced[2]))), replaced.end()
            return value, end
        return None, place

    def _expression(self, place: int) -> tuple[None, int]:
        """Over an expression to the comma or bracket behind it."""
        statements, depth = self._statements, 0
        self.expressions += 1
        start = place
        while match := _STOP.search(statements.text, place):
            place = match.end()
            mark = match[0]
            if mark == "'":
                place = statements.string_end(match.start())
            elif mark == "(":
                depth += 1
            elif mark in "),":
                if depth == 0:
                    return None, match.start()
                depth -= mark == ")"
        raise statements.error(start, "a row is cut off")

    def _copied(self, place: int) -> Iterator[list[Any]]:
        for line in self._lines(place):
            yield [None if word == "\\N" else _unescaped(word) for word in line.split("\t")]

    def _lines(self, place: int) -> Iterator[str]:
        statements, text = self._statements, self._statements.text
        while True:
            end = text.find("\n", place)
            line = text[place : end if end >= 0 else len(text)].removesuffix("\r")
            if line == "\\.":
                statements.resume = end + 1 if end >= 0 else len(text)
                return
            if end < 0:
                raise statements.error(place, "the rows of COPY do not end with \\.: the dump is cut off")
            yield line
            place = end + 1


def _common(match: re.Match[str]) -> Any:
    integer, text, _, real, _ = match.groups()
    if integer is not None:
        return int(integer)
    return _number(real) if real is not None else text  # neither: NULL


def _space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _string(inner: str, *, escaped: bool) -> str:
    if "'" in inner:
        inner = inner.replace("''", "'")
    return _unescaped(inner) if escaped else inner


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def _number(word: str) -> int | float | str:
    if len(word) > 300:
        return word
    if word.lstrip("+-").isdigit():
        return int(word)
    number = float(word)
    return number if abs(number) != float("inf") else word
