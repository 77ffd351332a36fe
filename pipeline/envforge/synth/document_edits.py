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
    return [value if isinstance(value, str) else json.dumps(value) for value in (values[name] for name in header)]


def _placed(path: str, before: str, place: str, value: Any) -> str:
    data = read_data(path, before)
    holder: Any = data
    *above, last = place.split("/")
    for key in above:
        holder = holder[_key(holder, key)]
    holder[_key(holder, last)] = value
    return plain_text(path.rpartition(".")[2], data)


def _key(holder: Any, key: str) -> Any:
    return int(key) if isinstance(holder, list) else key


def _section(before: str, section: str, text: str) -> str:
    lines = before.split("\n")
    levels = [_level(line) for line in lines]
    named = [number for number, line in enumerate(lines) if levels[number] and _words(line) == section.lower()]
    if not named:
        raise KeyError(section)
    at = named[0]
    later = range(at + 1, len(lines))
    ends = [n for n in later if (levels[n] and levels[n] <= levels[at]) or _CLOSING.match(lines[n])]
    rest = lines[min(ends, default=len(lines)) :]
    return "\n".join([*lines[: at + 1], "", text.strip(), "", *rest])


def _level(line: str) -> int:
    found = _HEADING.fullmatch(line)
    if found is None:
        return 0
    return len(found[1]) if found[1] else int(found[3]) if found[3] else 1 + found[5].count("sub")


def _words(line: str) -> str:
    found = _HEADING.fullmatch(line)
    return next(part for part in (found[2], found[4], found[6]) if part).strip().lower() if found else ""
