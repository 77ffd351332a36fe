"""Unions, intersections and literals over TypeExpr: the normal form that all extractors agree on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

from envforge.core.records.extraction import ShapeField, TypeExpr, TypeKind

MAX_VARIANTS = 64
"""An intersection of unions that would have more variants than this is collapsed into one object."""

Resolve = Callable[[str], TypeExpr | None]
"""Expands a named type; None when the name is unknown or already being expanded."""

ANY = TypeExpr(kind="any")
NULL = TypeExpr(kind="null")
_WIDE: frozenset[str] = frozenset({"any", "map"})
_SCALAR: frozenset[str] = frozenset({"string", "integer", "number", "boolean"})


def kind_of(value: Any) -> TypeKind:
    """The kind of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def literal(value: str | int | float | bool) -> TypeExpr:
    """The type that has one value."""
    return TypeExpr(kind=kind_of(value), enum=(value,))


def enum_of(values: Iterable[Any], kind: TypeKind | None = None) -> TypeExpr:
    """The type that has the given values (null makes it nullable; mixed kinds make a union)."""
    parts: dict[TypeKind, list[Any]] = {}
    nullable = False
    for value in values:
        if value is None:
            nullable = True
        elif isinstance(value, dict | list):
            parts.setdefault("any", [])
        else:
            bucket = parts.setdefault(kind if kind in _SCALAR else kind_of(value), [])
            if not any(known == value and type(known) is type(value) for known in bucket):
                bucket.append(value)
    types = [TypeExpr(kind=part, enum=tuple(bucket)) for part, bucket in parts.items()]
    return union_of(types + ([NULL] if nullable else []))


def nullable(expr: TypeExpr) -> TypeExpr:
    """`expr` or null."""
    return expr if expr.nullable or expr.kind in ("null", "any") else expr.model_copy(update={"nullable": True})


def union_of(variants: Iterable[TypeExpr], *, discriminator: str | None = None) -> TypeExpr:
    """One of `variants`: flattened, without duplicates, null folded into `nullable`, literals joined to enums."""
    flat: list[TypeExpr] = []
    others: list[TypeExpr] = []
    has_null = False
    for variant in _flatten(variants):
        if variant.kind == "null":
            has_null = True
            continue
        if variant.nullable:
            has_null = True
            variant = variant.model_copy(update={"nullable": False})
        if variant.enum:
            flat.append(variant)  # joined below; comparing each with all would be quadratic in long unions
        elif variant not in others:
            others.append(variant)
            flat.append(variant)
    flat = _join_literals(flat)
    if any(variant.kind == "any" for variant in flat):
        return ANY
    if not flat:
        return NULL
    if len(flat) == 1:
        return nullable(flat[0]) if has_null else flat[0]
    return TypeExpr(kind="union", variants=tuple(flat), discriminator=discriminator, nullable=has_null)


def _flatten(variants: Iterable[TypeExpr]) -> Iterable[TypeExpr]:
    for variant in variants:
        if variant.kind == "union" and not variant.name:
            if variant.nullable:
                yield NULL
            yield from _flatten(variant.variants)
        else:
            yield variant


def _join_literals(variants: list[TypeExpr]) -> list[TypeExpr]:
    """Joins plain enums of one kind; a kind without enum absorbs them (`"a" | string` is a string)."""
    for kind in ("string", "integer", "number", "boolean"):
        same = [(index, variant) for index, variant in enumerate(variants) if variant.kind == kind]
        if len(same) < 2:
            continue
        open_ones = [variant for _, variant in same if not variant.enum]
        if open_ones:
            joined = open_ones if any(variant.format or variant.pattern for variant in open_ones) else open_ones[:1]
        else:
            values = tuple(dict.fromkeys(value for _, variant in same for value in variant.enum))
            whole = kind == "boolean" and len(values) == 2
            joined = [same[0][1].model_copy(update={"enum": () if whole else values})]
        first, gone = same[0][0], {index for index, _ in same}
        rest = [variant for index, variant in enumerate(variants) if index not in gone and index > first]
        variants = variants[:first] + joined + rest
    return variants


def expand(expr: TypeExpr, resolve: Resolve) -> TypeExpr:
    """Follows a reference to what it names; keeps the name, nullability and the outer description."""
    seen: set[str] = set()
    result = expr
    while result.kind == "ref" and result.name is not None and result.name not in seen:
        seen.add(result.name)
        target = resolve(result.name)
        if target is None:
            return ANY
        update: dict[str, Any] = {"name": target.name or result.name, "nullable": target.nullable or result.nullable}
        result = target if target.kind == "any" else target.model_copy(update=update)
    return ANY if result.kind == "ref" else result


def members(expr: TypeExpr, resolve: Resolve, seen: frozenset[str] = frozenset()) -> list[TypeExpr]:
    """The variants of a union, references followed; any other type is its own single member.

    A union that contains itself adds nothing a second time.
    """
    if expr.kind == "ref" and expr.name is not None:
        if expr.name in seen:
            return []
        seen = seen | {expr.name}
    whole = expand(expr, resolve)
    if whole.kind != "union":
        return [whole]
    return [inner for variant in whole.variants for inner in members(variant, resolve, seen)]


def intersect(parts: Sequence[TypeExpr], resolve: Resolve) -> TypeExpr:
    """All of `parts` at once: objects merged, unions distributed (finite: collapsed beyond MAX_VARIANTS)."""
    if len(parts) == 1:
        return parts[0]
    choices = [members(part, resolve) for part in parts]
    if prod(len(choice) for choice in choices) > MAX_VARIANTS:
        choices = [[collapse(choice)] if len(choice) > 1 else choice for choice in choices]
    combined = [_merge_all(combination, resolve) for combination in product(*choices)]
    possible = [merged for merged in combined if merged is not None]
    return union_of(possible) if possible else ANY


def _merge_all(parts: Sequence[TypeExpr], resolve: Resolve) -> TypeExpr | None:
    result: TypeExpr | None = parts[0]
    for part in parts[1:]:
        if result is None:
            return None
        result = _merge(result, part, resolve)
    return result


def _merge(left: TypeExpr, right: TypeExpr, resolve: Resolve) -> TypeExpr | None:
    """Both at once; None when no value can be both."""
    if left == right or right.kind == "any":
        return left
    if left.kind == "any":
        return right
    if left.kind == "object" and right.kind == "object":
        return _merge_objects(left, right, resolve)
    if left.enum and right.enum:
        common = tuple(value for value in left.enum if value in right.enum)
        return left.model_copy(update={"enum": common}) if common else None
    for narrow, wide in ((right, left), (left, right)):
        if wide.kind in _WIDE or (wide.kind == "object" and narrow.kind in _SCALAR):
            return narrow
        if narrow.enum and wide.kind in _SCALAR:
            return narrow
    if left.kind == right.kind == "array" and left.items and right.items:
        return right.model_copy(update={"items": intersect([left.items, right.items], resolve)})
    if "union" in (left.kind, right.kind) or "ref" in (left.kind, right.kind):
        return intersect([left, right], resolve)
    return right


def _merge_objects(left: TypeExpr, right: TypeExpr, resolve: Resolve) -> TypeExpr | None:
    fields = {field.name: field for field in left.fields}
    for field in right.fields:
        known = fields.get(field.name)
        if known is None:
            fields[field.name] = field
            continue
        merged = _merge_field_types(known.type, field.type, resolve)
        if merged is None and (known.required or field.required):
            return None
        update = {
            "type": merged or field.type,
            "required": known.required or field.required,
            "read_only": known.read_only or field.read_only,
            "deprecated": known.deprecated or field.deprecated,
            "description": field.description or known.description,
        }
        fields[field.name] = field.model_copy(update=update)
    return left.model_copy(
        update={
            "fields": tuple(fields.values()),
            "name": right.name or left.name,
            "description": right.description or left.description,
            "nullable": left.nullable and right.nullable,
            "discriminator": right.discriminator or left.discriminator,
            "items": left.items or right.items,
        }
    )


def _merge_field_types(left: TypeExpr, right: TypeExpr, resolve: Resolve) -> TypeExpr | None:
    """Like `_merge`, but a reference that stands on both sides stays a reference."""
    if left.kind == "ref" and right.kind == "ref" and left.name == right.name:
        return left if right.nullable else right
    if left.kind == "ref" and right.kind in _WIDE:
        return left
    if right.kind == "ref" and left.kind in _WIDE | {"object"} and not left.fields:
        return right
    return _merge(left, right, resolve)


def collapse(variants: Sequence[TypeExpr]) -> TypeExpr:
    """One object with the fields of all object variants; required is what every variant requires."""
    objects = [variant for variant in variants if variant.kind == "object"]
    if not objects:
        return union_of(variants)
    types: dict[str, list[ShapeField]] = {}
    for variant in objects:
        for field in variant.fields:
            types.setdefault(field.name, []).append(field)
    fields: list[ShapeField] = []
    for found in types.values():
        first = found[0]
        update = {
            "type": union_of(field.type for field in found),
            "required": len(found) == len(variants) and all(field.required for field in found),
            "deprecated": all(field.deprecated for field in found),
            "read_only": all(field.read_only for field in found),
        }
        fields.append(first.model_copy(update=update))
    return TypeExpr(kind="object", fields=tuple(fields))
