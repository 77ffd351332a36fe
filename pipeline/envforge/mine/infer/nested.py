"""Nested values of a table become tables of their own: lists, and maps from codes to facts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.core.records.domain import Reference
from envforge.core.records.extraction import ColumnType
from envforge.mine.infer.drafts import Draft
from envforge.mine.infer.keys import is_code_like
from envforge.mine.infer.names import plural, safe_identifier, singular, words

MIN_AGREEMENT = 0.95
_FEW_KEYS = 6
"""An object with at most so many distinct keys over all rows is a record, not a map."""
_SMALL_WORDS = frozenset({"by", "to", "of", "from", "in", "for", "at", "on"})
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_PAIRS = frozenset({"latlng", "lat_lng", "latlon", "lat_lon"})


@dataclass(frozen=True)
class Child:
    """A table made of one nested column. `parents` are the parent's row per row; None for a table of codes."""

    draft: Draft
    parents: list[int] | None
    renamed: dict[str, str]
    """Key column of the parent -> column of the child."""
    suffix: str
    """Where the value stands below the parent's row, a locator template."""


@dataclass(frozen=True)
class _Item:
    row: int
    mark: int | str
    """Position in a list (from 1), or key of a map."""
    record: dict[str, Any]


def unnest(draft: Draft, taken: Iterable[str]) -> list[Child]:
    """Take the nested columns out of `draft` (in place) and return the tables they make.

    What is neither a list, a map nor a record stays as JSON. `taken` are the table names in use.
    """
    children: list[Child] = []
    names = set(taken)
    for name in [name for name, kind in draft.types.items() if kind == "json"]:
        values = [None if value is None else json.loads(value) for value in draft.values[name]]
        columns = _as_columns(name, values)
        if columns is not None:
            _replace(draft, name, columns)
            continue
        items = _items(name, values)
        if items:
            made = _children(draft, name, items, names)
            names |= {child.draft.name for child in made}
            children.extend(made)
            _replace(draft, name, {})
    return children


def _as_columns(name: str, values: Sequence[Any]) -> dict[str, list[Any]] | None:
    """A record of few fields, or a pair of coordinates, as columns; None for anything else."""
    filled = [value for value in values if value is not None]
    if name in _PAIRS and all(isinstance(value, list) and len(cast(list[Any], value)) == 2 for value in filled):
        return {
            "latitude": [value[0] if value else None for value in values],
            "longitude": [value[1] if value else None for value in values],
        }
    if not all(isinstance(value, dict) for value in filled):
        return None
    keys = sorted({str(key) for value in filled for key in value})
    if len(keys) > _FEW_KEYS:
        return None
    return {safe_identifier(f"{name}_{key}"): [_plain((value or {}).get(key)) for value in values] for key in keys}


def _replace(draft: Draft, name: str, columns: Mapping[str, list[Any]]) -> None:
    types: dict[str, ColumnType] = {}
    values: dict[str, list[Any]] = {}
    for known, kind in draft.types.items():
        if known != name:
            types[known], values[known] = kind, draft.values[known]
            continue
        for column, found in columns.items():
            if column not in draft.types:
                types[column], values[column] = _typed(found)
    draft.types, draft.values = types, values


def _items(name: str, values: Sequence[Any]) -> list[_Item] | None:
    """All items of all rows; None when a value is neither a list nor a map from codes."""
    items: list[_Item] = []
    for row, value in enumerate(values):
        if isinstance(value, list):
            marked: list[tuple[int | str, Any]] = list(enumerate(cast(list[Any], value), start=1))
            field = singular(safe_identifier(name))
        elif isinstance(value, dict) and is_code_like(cast(dict[str, Any], value)):
            marked = sorted(cast(dict[str, Any], value).items())
            field = "value"
        elif value is None:
            continue
        else:
            return None
        for mark, item in marked:
            record = cast(dict[str, Any], item) if isinstance(item, dict) else {field: item}
            items.append(_Item(row, mark, {safe_identifier(key): _plain(part) for key, part in record.items()}))
    kinds = {type(item.mark) for item in items}
    return items if len(kinds) == 1 else None


def _children(draft: Draft, name: str, items: Sequence[_Item], taken: set[str]) -> list[Child]:
    coded = isinstance(items[0].mark, str)
    link_name = _free(f"{draft.entity}_{_many(name)}", taken)
    codes = _many(name)
    facts, agreeing = _facts_of_codes(items)
    if coded and codes not in taken and agreeing >= MIN_AGREEMENT:
        table = _code_table(draft, codes, facts)
        column = f"{table.draft.entity}_code"
        link = _link(draft, link_name, items, {column: [item.mark for item in items]}, name)
        evidence = f"{draft.name}.{name} maps codes to facts, the same in {agreeing:.1%} of the cases"
        link.draft.references[column] = Reference(table=codes, column="code", confidence=1.0, evidence=evidence)
        link.draft.kind = "link"
        if agreeing < 1:
            # The most frequent spelling was chosen: no single place states the row.
            table.draft.origin = "derived"
        return [table, link]
    marks = "code" if coded else "position"
    fields = dict.fromkeys(key for item in items for key in item.record if key != marks)
    columns = {marks: [item.mark for item in items]} | {key: [i.record.get(key) for i in items] for key in fields}
    return [_link(draft, link_name, items, columns, name)]


def _facts_of_codes(items: Sequence[_Item]) -> tuple[dict[int | str, dict[str, Any]], float]:
    """The most frequent facts of each code (the first on a tie), and the share of items that state just these."""
    counts: dict[int | str, Counter[str]] = {}
    for item in items:
        counts.setdefault(item.mark, Counter())[canonical_json(item.record)] += 1
    best = {mark: counter.most_common(1)[0] for mark, counter in counts.items()}
    agreeing = sum(count for _, count in best.values()) / len(items)
    return {mark: json.loads(text) for mark, (text, _) in best.items()}, agreeing


def _code_table(draft: Draft, name: str, facts: Mapping[int | str, Mapping[str, Any]]) -> Child:
    fields = dict.fromkeys(key for record in facts.values() for key in record if key != "code")
    columns: dict[str, list[Any]] = {"code": list(facts)}
    for field in fields:
        # A single fact that a code always has is what the code stands for.
        columns["name" if field == "value" else field] = [record.get(field) for record in facts.values()]
    table = Draft(name, singular(name), {}, {}, key=("code",), source_ids=draft.source_ids, kind="reference")
    _fill(table, columns)
    table.evidence = f"the codes in the rows of {draft.name}"
    return Child(table, None, {}, f".{name}.{{code}}")


def _link(draft: Draft, name: str, items: Sequence[_Item], columns: Mapping[str, list[Any]], column: str) -> Child:
    renamed = {key: key if key.startswith(draft.entity) else f"{draft.entity}_{key}" for key in draft.key}
    table = Draft(name, singular(name), {}, {}, source_ids=draft.source_ids, kind="child")
    for key, kept in renamed.items():
        table.types[kept] = draft.types[key]
        table.values[kept] = [draft.values[key][item.row] for item in items]
    _fill(table, columns)
    mark = next(iter(columns))
    table.key = (*renamed.values(), mark)
    table.evidence = f"the row of {draft.name} and the place in its {column}"
    if len(renamed) == 1:
        key, kept = next(iter(renamed.items()))
        evidence = f"nested in {draft.name}"
        table.references[kept] = Reference(table=draft.name, column=key, confidence=1.0, evidence=evidence)
    place = f"[{{{mark}}}]" if mark == "position" else f".{{{mark}}}"
    return Child(table, [item.row for item in items], renamed, f".{draft.source_names.get(column, column)}{place}")


def _fill(draft: Draft, columns: Mapping[str, list[Any]]) -> None:
    for name, values in columns.items():
        if all(value is None for value in values):
            continue
        draft.types[name], draft.values[name] = _typed(values)


def _plain(value: Any) -> Any:
    """Scalars as they are, deeper values as JSON text, blanks as NULL."""
    if isinstance(value, str):
        return value.strip() or None
    return canonical_json(value) if isinstance(value, dict | list) else value


def _typed(values: list[Any]) -> tuple[ColumnType, list[Any]]:
    filled = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in filled):
        return "boolean", [None if value is None else int(value) for value in values]
    if any(isinstance(value, bool) for value in filled):
        return "text", [None if value is None else str(value) for value in values]
    if all(isinstance(value, int) for value in filled):
        return "integer", values
    if all(isinstance(value, int | float) for value in filled):
        return "real", [None if value is None else float(value) for value in values]
    if filled and all(isinstance(value, str) and _DATE.fullmatch(value) for value in filled):
        return "date", values
    return "text", [None if value is None else str(value) for value in values]


def _many(name: str) -> str:
    """The plural of a column's name; `obsoleted_by` and its like have none."""
    plain = safe_identifier(name).rstrip("_")
    return plain if words(plain)[-1:] and words(plain)[-1] in _SMALL_WORDS else plural(plain)


def _free(name: str, taken: set[str]) -> str:
    number, wanted = 2, name
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
