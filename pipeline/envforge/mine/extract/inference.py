"""Infers types from values: what a payload shows about the shape it has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from envforge.core.records.extraction import ShapeField, TypeExpr
from envforge.mine.extract.parse import mapping, sequence
from envforge.mine.extract.type_algebra import ANY, NULL, kind_of, union_of

MAX_ENUM = 12
"""A column of words with at most this many values, each seen three times on average, is an enum."""
MAX_FIELDS = 40
"""Objects with more keys than this over all values, each holding few of them, are maps."""
_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("uuid", re.compile(r"^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$", re.IGNORECASE)),
    ("date-time", re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$")),
    ("date", re.compile(r"^\d{4}-\d\d-\d\d$")),
    ("uri", re.compile(r"^https?://\S+$")),
    ("email", re.compile(r"^[^@\s]+@[^@\s]+\.[^@\s]+$")),
)
_WORD = re.compile(r"^(?![0-9a-f]{7,}$)[A-Za-z][A-Za-z0-9_.\- ]{0,39}$")
_IDENTITY = re.compile(
    r"(^|_)(name|title|label|id|sha|ref|branch|login|slug|key|url|path|description|body|message|text)$", re.IGNORECASE
)
_DISCRIMINATING = ("type", "object", "kind")


def infer_type(values: Sequence[Any], name: str = "") -> TypeExpr:
    """The type of all `values`: kinds joined, nullability, formats, enums of few words, required fields.

    `name` is the field they stand in, if any: names, titles and ids are no enums, however few there are.
    """
    present = [value for value in values if value is not None]
    if not present:
        return NULL if values else ANY
    kinds = {kind_of(value) for value in present}
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    parts: list[TypeExpr] = []
    for kind in sorted(kinds):
        same = [v for v in present if kind_of(v) == kind or (kind == "number" and kind_of(v) == "integer")]
        parts.append(_of_kind(kind, same, name))
    return union_of(parts + ([NULL] if len(present) < len(values) else []))


def _of_kind(kind: str, values: Sequence[Any], name: str) -> TypeExpr:
    if kind == "object":
        return _object(values)
    if kind == "array":
        items = [item for value in values for item in sequence(value)]
        return TypeExpr(kind="array", items=infer_type(items) if items else ANY)
    if kind == "string":
        return _string([str(value) for value in values], name)
    example = values[0]
    if kind == "boolean":
        return TypeExpr(kind="boolean", example=example)
    return TypeExpr(kind="integer" if kind == "integer" else "number", example=example)


def _string(values: Sequence[str], name: str) -> TypeExpr:
    for form, pattern in _FORMATS:
        if all(pattern.match(value) for value in values):
            return TypeExpr(kind="string", format=form, example=values[0])
    distinct = sorted(set(values))
    few = len(distinct) <= MAX_ENUM and len(values) >= 3 * len(distinct) and len(values) >= 6
    named = bool(_IDENTITY.search(name))
    if few and not named and all(_WORD.match(value) for value in distinct):
        return TypeExpr(kind="string", enum=tuple(distinct), example=values[0])
    return TypeExpr(kind="string", example=values[0])


def _object(values: Sequence[Any]) -> TypeExpr:
    objects = [mapping(value) for value in values]
    if _is_map(objects):
        entries = [item for value in objects for item in value.values()]
        return TypeExpr(kind="map", items=infer_type(entries))
    names: dict[str, list[Any]] = {}
    for value in objects:
        for name, item in value.items():
            names.setdefault(name, []).append(item)
    fields = tuple(
        ShapeField(name=name, type=_field_type(name, items), required=len(items) == len(objects))
        for name, items in names.items()
    )
    return TypeExpr(kind="object", fields=fields)


def _field_type(name: str, values: Sequence[Any]) -> TypeExpr:
    """A field named like a discriminator keeps its words as an enum, however few examples there are."""
    words = {value for value in values if isinstance(value, str) and _WORD.match(value)}
    if name in _DISCRIMINATING and 0 < len(words) <= 3 * MAX_ENUM and all(v in words for v in values):
        return TypeExpr(kind="string", enum=tuple(sorted(words)))
    return infer_type(values, name)


def _is_map(objects: Sequence[dict[str, Any]]) -> bool:
    """True for objects whose keys are data (ids, codes): many keys that look alike, over like values."""
    distinct = {key for value in objects for key in value}
    if len(distinct) < 8:
        return False
    if len({kind_of(item) for value in objects for item in value.values()}) > 1:
        return False
    filled = sum(len(value) for value in objects)
    if len(distinct) > MAX_FIELDS and len(objects) >= 5 and filled < 0.2 * len(distinct) * len(objects):
        return True
    inner = {frozenset(mapping(item)) for value in objects for item in value.values() if isinstance(item, dict)}
    if len(inner) == 1 and len(next(iter(inner))) > 1:
        return True
    coded = sum(bool(re.search(r"\d", key)) or (key.isupper() and len(key) <= 5) for key in distinct)
    return coded >= 0.8 * len(distinct)
