"""What a goal changes in documents, worked out on their first texts by the libraries of the formats; no tool is asked.

A goal's SQL says edits of a document, one per row, in their order:
`path, place, value` (JSON, YAML) · `path, row` (CSV: a JSON object of the new last row) · `path, key, changes` (CSV: a
JSON object for the rows whose first field is the key) · `path, section, text` (what stands below a heading).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envforge.core.errors import ConfigError
from envforge.store.document_formats import FormatError, kept_text, plain_text, read_data

Row = dict[str, Any]
_HEADING = re.compile(r"(#{1,6}) (.+)|<h([1-6])>(.+)</h[1-6]>|\\((?:sub){0,2})section\{(.+)\}")
_CLOSING = re.compile(r"</(section|main|body)>|\\end\{document\}")


def with_whole_texts(rows: Sequence[Row], first: Callable[[str], str | None], where: str) -> list[Row]:
    """Path and final text of each document that the rows speak of; `first` gives the text it begins with.

    Raises ConfigError for an edit that its document does not take, and for a text that is not valid.
    """
    texts: dict[str, str] = {}
    for row in rows:
        path = str(row["path"])
        before = texts.get(path, first(path))
        try:
            texts[path] = kept_text(path, _edited(path, before, row))
        except (FormatError, KeyError, IndexError, TypeError, ValueError) as error:
            remedy = "select edits that fit the document as it is written"
            raise ConfigError(
                f"{path} does not take the edit {row!r:.200}: {error!r:.120}", where=where, remedy=remedy
            ) from error
    return [{"path": path, "text": text} for path, text in texts.items()]


def _edited(path: str, before: str | None, row: Row) -> str:
    kinds = set(row) - {"path"}
    if kinds == {"text"}:
        return str(row["text"])
    if before is None:
        raise KeyError("there is no such document")
    if kinds == {"section", "text"}:
        return _section(before, str(row["section"]), str(row["text"]))
    if kinds == {"place", "value"}:
        return _placed(path, before, str(row["place"]), row["value"])
    if kinds not in ({"row"}, {"key", "changes"}):
        raise KeyError(f"{', '.join(sorted(kinds))} is no edit")
    header, *rows = read_data(path, before)
    if kinds == {"row"}:
        rows.append(_fields(header, json.loads(row["row"])))
    else:
        changes = json.loads(row["changes"])
        fitting = [held for held in rows if held[0] == row["key"]]
        if not fitting:
            raise KeyError(row["key"])
        for held in fitting:
            held[:] = _fields(header, {**dict(zip(header, held, strict=True)), **changes})
    return plain_text("csv", [header, *rows])


def _fields(header: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    if set(values) != set(header):
        raise KeyError(f"the columns are {', '.join(header)}")
    return [value if isinstance(value, str) else json.dumps(_plain(value)) for value in map(values.__getitem__, header)]


def _plain(value: Any) -> str | int | float:
    """A value that tools take: nothing, and what holds more than one value, is none."""
    if not isinstance(value, str | int | float):
        raise TypeError(f"{value!r} is no plain value")
    return value


def _placed(path: str, before: str, place: str, value: Any) -> str:
    data = read_data(path, before)
    holder: Any = data
    *above, last = place.split("/")
    for key in above:
        holder = holder[_key(holder, key)]
    key = _key(holder, last)
    if (isinstance(holder, list) or key in holder) and isinstance(holder[key], dict | list):
        raise TypeError("more than one value stands there")
    holder[key] = _plain(value)
    return plain_text(path.rpartition(".")[2], data)


def _key(holder: Any, key: str) -> Any:
    if isinstance(holder, list) and not re.fullmatch("[0-9]+", key):
        raise KeyError(key)
    return int(key) if isinstance(holder, list) else key


def _section(before: str, section: str, text: str) -> str:
    lines = before.split("\n")
    headings = _headings(lines)
    at = next((number for number, (_, words) in headings.items() if words == section.strip().lower()), None)
    if at is None:
        raise KeyError(section)
    ends = [number for number, (level, _) in headings.items() if number > at and level <= headings[at][0]]
    ends += [number for number in range(at + 1, len(lines)) if _CLOSING.match(lines[number])]
    rest = lines[min(ends, default=len(lines)) :]
    return "\n".join([*lines[: at + 1], "", text.strip(), "", *rest])


def _headings(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Level and words of the lines that are headings; lines of code are none."""
    found: dict[int, tuple[int, str]] = {}
    code = False
    for number, line in enumerate(lines):
        code ^= line.startswith("```")
        heading = None if code else _HEADING.fullmatch(line)
        if heading is not None:
            level = len(heading[1] or "") or int(heading[3] or 0) or 1 + heading[5].count("sub")
            found[number] = (level, (heading[2] or heading[4] or heading[6]).strip().lower())
    return {number: one for number, one in found.items() if one[1]}
