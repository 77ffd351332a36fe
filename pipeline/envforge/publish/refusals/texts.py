"""Files as texts to be searched, with the row that each place in them belongs to."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from envforge.core.errors import StoreError
from envforge.publish.refusals.unescaped import said_in
from envforge.store.csvfile import parse_csv
from envforge.store.files import read_text
from envforge.web.scrubbing.bodies import hide

_MOST_BYTES = 512 << 20
WhatT = TypeVar("WhatT")


@dataclass(frozen=True)
class Text:
    """What a file says. `starts` and `keys`, of a table: where each row begins in `text`, and its key."""

    file: str
    path: Path
    text: str
    starts: Sequence[int] = ()
    keys: Sequence[str] = ()

    def places(self, search: Callable[[str], Iterable[tuple[int, int, WhatT]]]) -> Iterator[tuple[str, str, WhatT]]:
        """Row, words and kind of each place that `search` finds, also of what its JSON says once it is unescaped."""
        shown: list[str] = []
        for start, end, what in search(self.text):
            shown.append(self.text[start:end])
            yield self.row_at(start), shown[-1], what
        for row, said in said_in(self.text, self.path.suffix):
            for start, end, what in search(said):
                words = said[start:end]
                if not any(
                    form in one for one in shown for form in (words, json.dumps(words, ensure_ascii=False)[1:-1])
                ):
                    yield hide(row).text, words, what

    def row_at(self, place: int) -> str:
        """The row that this place of the text is about. A key or an id may itself be what must not be told."""
        if self.starts:
            return hide(self.keys[bisect_right(self.starts, place) - 1]).text
        number = self.text.count("\n", 0, place) + 1
        name = self._id_of_line(place) if self.path.suffix == ".jsonl" else ""
        return f"line {number} ({hide(name).text})" if name else f"line {number}"

    def _id_of_line(self, place: int) -> str:
        end = self.text.find("\n", place)
        line = self.text[self.text.rfind("\n", 0, place) + 1 : end if end >= 0 else None]
        try:
            value = json.loads(line)
        except ValueError:
            return ""
        name = cast("dict[str, Any]", value).get("id") if isinstance(value, dict) else None
        return name if isinstance(name, str) else ""


def text_of(told: str, path: Path, keys: Mapping[str, Sequence[str]]) -> Text:
    """A file as text; `keys`: name of a table's file -> its primary key. Raises StoreError for what is no text."""
    text = read_text(path, _MOST_BYTES)
    return _of_table(told, path, text, keys.get(path.name, ())) if path.suffix == ".csv" else Text(told, path, text)


def _of_table(told: str, path: Path, text: str, key: Sequence[str]) -> Text:
    """`column: value` a line: a number is a telephone's by what its column is called, and a token a token."""
    try:
        columns, rows = parse_csv(text)
    except StoreError as error:
        raise StoreError(error.message, where=str(path), remedy=error.remedy) from error
    parts: list[str] = []
    starts: list[int] = []
    names: list[str] = []
    at = 0
    for number, row in enumerate(rows, start=1):
        values: dict[str, Any] = dict(zip(columns, row, strict=True))
        name = ", ".join(f"{column}={values[column]}" for column in key if column in values)
        part = "".join(f"{column}: {value}\n" for column, value in values.items() if value is not None) + "\n"
        starts.append(at)
        names.append(name or f"row {number}")
        parts.append(part)
        at += len(part)
    return Text(told, path, "".join(parts), starts, names)
