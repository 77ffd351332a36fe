"""Finds the property that tells the variants of a union apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envforge.core.records.extraction import ShapeField, TypeExpr

_PREFERRED = ("type", "object", "kind")
_MAX_HOPS = 12


def with_discriminators(expr: TypeExpr, named: Mapping[str, TypeExpr]) -> TypeExpr:
    """`expr` with `discriminator` set on each union whose variants carry different literals in one property.

    Two variants may share a literal (the full and the partial form of one object); the property still tells
    kinds apart. Unions that state a discriminator keep it.
    """
    update: dict[str, Any] = {}
    variants = tuple(with_discriminators(variant, named) for variant in expr.variants)
    if any(new is not old for new, old in zip(variants, expr.variants, strict=True)):
        update["variants"] = variants
    fields = tuple(_field(field, named) for field in expr.fields)
    if any(new is not old for new, old in zip(fields, expr.fields, strict=True)):
        update["fields"] = fields
    if expr.items is not None:
        items = with_discriminators(expr.items, named)
        if items is not expr.items:
            update["items"] = items
    if expr.kind == "union" and expr.discriminator is None:
        found = _discriminator(variants, named)
        if found is not None:
            update["discriminator"] = found
    return expr.model_copy(update=update) if update else expr


def _field(field: ShapeField, named: Mapping[str, TypeExpr]) -> ShapeField:
    inner = with_discriminators(field.type, named)
    return field if inner is field.type else field.model_copy(update={"type": inner})


def _discriminator(variants: tuple[TypeExpr, ...], named: Mapping[str, TypeExpr]) -> str | None:
    literals = [_literals(variant, named, _MAX_HOPS) for variant in variants]
    if len(literals) < 2 or any(not found for found in literals):
        return None
    shared = set(literals[0]).intersection(*literals[1:])
    candidates: list[tuple[int, int, str]] = []
    for name in shared:
        values = [value for found in literals for value in found[name]]
        if len(set(values)) < 2:
            continue
        repeated = len(values) - len(set(values))
        rank = _PREFERRED.index(name) if name in _PREFERRED else len(_PREFERRED)
        candidates.append((repeated, rank, name))
    return min(candidates)[2] if candidates else None


def _literals(expr: TypeExpr, named: Mapping[str, TypeExpr], hops: int) -> dict[str, frozenset[str]]:
    """Property -> the literals it may hold, for properties that hold one literal per variant."""
    if hops == 0:
        return {}
    if expr.kind == "ref":
        target = named.get(expr.name or "")
        return _literals(target, named, hops - 1) if target is not None else {}
    if expr.kind == "union":
        parts = [_literals(variant, named, hops - 1) for variant in expr.variants]
        shared = set(parts[0]).intersection(*parts[1:]) if parts else set[str]()
        return {name: frozenset().union(*(part[name] for part in parts)) for name in shared}
    return {
        field.name: frozenset(str(value) for value in field.type.enum)
        for field in expr.fields
        if len(field.type.enum) == 1 and isinstance(field.type.enum[0], str)
    }
