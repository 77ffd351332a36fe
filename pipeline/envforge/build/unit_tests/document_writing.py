"""What the tools that write documents do, told a second time with the libraries of the formats."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envforge.build.adapters.document_writing import LARGEST_NUMBER
from envforge.build.unit_tests.documents import headings_of, held_documents, is_marked, small
from envforge.build.unit_tests.told import Refusal
from envforge.store.document_formats import MOST_CHARACTERS, FormatError, kept_text, plain_text, read_data

if TYPE_CHECKING:
    from envforge.build.unit_tests.reference import Reference


def _held(reference: Reference, path: str) -> str:
    found = held_documents(reference, path).get(path)
    if found is None:
        raise Refusal("not_found")
    return found


def _keep(reference: Reference, path: str, text: str) -> dict[str, Any]:
    kind = path.rpartition(".")[2]
    try:
        if kind not in reference.blueprint.document_formats:
            raise FormatError("no format")
        kept = kept_text(path, text)
    except FormatError as error:
        reference.features.add(("bad", kind, str(error)))
        raise Refusal("invalid_argument") from error
    if len(kept) > MOST_CHARACTERS:
        raise Refusal("limit_exceeded")
    reference.features |= {("kept", kind), ("plain", kind, kept == text), ("full", len(kept) == MOST_CHARACTERS)}
    reference.features.add(("quotes", kind, '"' in kept))
    reference.live.put_document(path, kept)
    return {"path": path, "characters": len(kept)}


def create_document(reference: Reference, path: str, text: str) -> Any:
    """A document where there was none."""
    if path in held_documents(reference, None):
        raise Refusal("conflict")
    return _keep(reference, path, text)


def replace_document(reference: Reference, path: str, text: str) -> Any:
    """Another text."""
    _held(reference, path)
    return _keep(reference, path, text)


def edit_document(reference: Reference, path: str, old_text: str, new_text: str) -> Any:
    """One passage for another; it must be the only one of its kind."""
    before, *after = _held(reference, path).split(old_text)
    if len(after) != 1:
        reference.features.add(("passages", min(len(after), 2)))
        raise Refusal("invalid_argument" if after else "not_found")
    return _keep(reference, path, before + new_text + after[0])


def replace_document_section(reference: Reference, path: str, section: str, text: str) -> Any:
    """The lines from behind a heading to the next one that is no deeper, or to where the body of the document ends."""
    held = _held(reference, path)
    headings = headings_of(held, marked=is_marked(reference))
    at = next((n for n, one in enumerate(headings) if small(one.words) == small(section.strip())), None)
    if at is None:
        raise Refusal("not_found")
    ends = [one.place for one in headings[at + 1 :] if one.level <= headings[at].level]
    body = held[headings[at].place : min(ends, default=None)]
    closed = re.split(r"^(?=</(?:section|main|body)>|\\end\{document\})", body, maxsplit=1, flags=re.MULTILINE)
    rest = held[headings[at].place + len(closed[0]) :]
    inner = any(one.level > headings[at].level for one in headings[at + 1 : at + 2])
    reference.features.add(("section", path.rpartition(".")[2], bool(ends), inner, len(closed) > 1, at > 0))
    first_line = closed[0].partition("\n")[0]
    return _keep(reference, path, "\n".join([held[: headings[at].place] + first_line, "", text.strip(), "", rest]))


def set_document_value(reference: Reference, path: str, place: str, value: Any) -> Any:
    """The value at a place; a mapping may get a new key."""
    held = _held(reference, path)
    if value is None or isinstance(value, dict | list):
        reference.features.add(("bad", "value"))
        raise Refusal("invalid_argument")
    if not isinstance(value, str) and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        reference.features.add(("bad", "number"))
        raise Refusal("invalid_argument")
    if path.rpartition(".")[2] not in ("json", "yaml"):
        raise Refusal("invalid_argument")
    data = read_data(path, held)
    holder, last = data, place.split("/")[-1]
    for key in place.split("/")[:-1]:
        holder = _inside(holder, key)
    known = not isinstance(holder, dict) or last in holder
    before = _inside(holder, last) if known else None
    if isinstance(before, dict | list):
        raise Refusal("invalid_argument")
    depth, listed = place.count("/"), isinstance(holder, list)
    reference.features.add(("set", path.rpartition(".")[2], min(depth, 2), listed, known, type(value).__name__))
    holder[int(last) if listed else last] = value
    return _keep(reference, path, _written(path, data))


def _inside(holder: Any, key: str) -> Any:
    try:
        if isinstance(holder, dict):
            return holder[key]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(holder, list) and re.fullmatch(r"[0-9]+", key):
            return holder[int(key)]  # pyright: ignore[reportUnknownVariableType]
    except (KeyError, IndexError):
        pass
    raise Refusal("not_found")


def _written(path: str, data: Any) -> str:
    """Data as JSON, which is YAML too; a list of values in its flow style is no document of ours, so it is unfolded."""
    try:
        return plain_text(path.rpartition(".")[2], data)
    except FormatError:
        return json.dumps(data)


def _table(reference: Reference, path: str) -> list[list[str]]:
    held = _held(reference, path)
    if path.rpartition(".")[2] != "csv":
        raise Refusal("invalid_argument")
    return read_data(path, held)


def _fields(reference: Reference, header: list[str], values: Mapping[str, Any]) -> dict[str, str]:
    for name, value in values.items():
        if name not in header or not isinstance(value, str | int | float):
            reference.features.add(("bad", "column" if name not in header else "field"))
            raise Refusal("invalid_argument")
    reference.features |= {("field", type(value).__name__) for value in values.values()}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}


def append_document_row(reference: Reference, path: str, row: Mapping[str, Any]) -> Any:
    """A row more."""
    rows = _table(reference, path)
    fields = _fields(reference, rows[0], row)
    if {*fields} != {*rows[0]}:
        raise Refusal("invalid_argument")
    return _keep(reference, path, _csv([*rows, [fields[name] for name in rows[0]]]))


def change_document_rows(reference: Reference, path: str, key: str, changes: Mapping[str, Any]) -> Any:
    """Other values in the rows that begin with the key."""
    header, *rows = _table(reference, path)
    fields = _fields(reference, header, changes)
    places = [number for number, row in enumerate(rows) if row[0] == key]
    if not places:
        raise Refusal("not_found")
    for place in places:
        rows[place] = [fields.get(name, held) for name, held in zip(header, rows[place], strict=True)]
    reference.features.add(("changed rows", len(fields), len(places), places[-1] == len(rows) - 1))
    return {**_keep(reference, path, _csv([header, *rows])), "rows": len(places)}


def _csv(rows: list[list[str]]) -> str:
    """Every field in quotes: what is kept has them where they are needed."""
    return "".join(",".join('"' + field.replace('"', '""') + '"' for field in row) + "\n" for row in rows)


def delete_document(reference: Reference, path: str) -> Any:
    """A document less."""
    held = _held(reference, path)
    reference.live.delete_document(path)
    return {"path": path, "characters": len(held)}


WRITING = {
    "append_document_row": append_document_row,
    "change_document_rows": change_document_rows,
    "create_document": create_document,
    "delete_document": delete_document,
    "edit_document": edit_document,
    "replace_document": replace_document,
    "replace_document_section": replace_document_section,
    "set_document_value": set_document_value,
}
