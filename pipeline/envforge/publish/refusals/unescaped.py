"""What the texts in a JSON file say: an escape hides an address or a key from who looks at the bytes only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from envforge.store.files import parse_json


def said_in(text: str, suffix: str) -> Iterator[tuple[str, str]]:
    """Row and `name: text` lines of it, for each line (.jsonl) or file (.json) that has escapes.

    What is no JSON says nothing here: its bytes were looked through, and who reads it as records tells of it.
    """
    rows = text.split("\n") if suffix == ".jsonl" else [text] if suffix == ".json" else []
    for number, row in enumerate(rows, start=1):
        if "\\" not in row:
            continue
        try:
            value = parse_json(row)
        except ValueError:
            continue
        named = f" ({value['id']})" if suffix == ".jsonl" and isinstance(_of(value, "id"), str) else ""
        place = f"line {number}{named}" if suffix == ".jsonl" else "one of its texts"
        yield place, "".join(f"{name}: {said}\n" for name, said in _texts(value))


def _of(value: Any, name: str) -> Any:
    return cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Name and text of every text, also of those in JSON that is a text itself, as tools answer. Without recursion:
    what is nested deep is no less published."""
    left: list[tuple[str, Any]] = [("", value)]
    while left:
        name, one = left.pop()
        if isinstance(one, dict):
            held = cast("dict[str, Any]", one)
            left += [(key, held[key]) for key in reversed(held)]
        elif isinstance(one, list):
            left += [(name, item) for item in reversed(cast("list[Any]", one))]
        elif isinstance(one, str):
            inner = _inner(one)
            if inner is None:
                yield name, one
            else:
                left.append((name, inner))
        else:
            yield name, str(one)


def _inner(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return cast("Any", value) if isinstance(value, dict | list) else None
