"""Resources: records that keep their fields under `attributes` and `relationships` are opened into plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from envforge.core.records.extraction import ApiOperation, ApiParameter, Extraction, Shape, ShapeField, TypeExpr
from envforge.mine.infer.names import singular, snake

_KEPT = ("attributes", "relationships")


def open_resources(extraction: Extraction) -> Extraction:
    """The extraction with `{type, id, attributes, relationships}` written as `{object, id, …fields}`.

    What a relationship may point to is told by the literal of its `type`. Other extractions come back as they are.
    """
    kinds = {
        kind: name
        for name, shape in extraction.shapes.items()
        if (kind := _kind_of(shape.type)) is not None and _field(shape.type, "attributes") is not None
    }
    stated = [shape.type for shape in extraction.shapes.values()]
    stated += [operation.success for operation in extraction.operations if operation.success is not None]
    if not any(_holds_resource(expr) for expr in stated):
        return extraction
    opener = _Opener(extraction.shapes, kinds)
    return replace(
        extraction,
        shapes={
            name: shape.model_copy(update={"type": opener.opened(shape.type)})
            for name, shape in extraction.shapes.items()
        },
        operations=tuple(opener.operation(operation) for operation in extraction.operations),
    )


class _Opener:
    def __init__(self, shapes: Mapping[str, Shape], kinds: Mapping[str, str]) -> None:
        self._shapes = shapes
        self._kinds = kinds

    def operation(self, operation: ApiOperation) -> ApiOperation:
        """The operation with all its types opened."""
        return operation.model_copy(
            update={
                "parameters": tuple(self._parameter(one) for one in operation.parameters),
                "body": self.opened(operation.body) if operation.body is not None else None,
                "success": self.opened(operation.success) if operation.success is not None else None,
            }
        )

    def _parameter(self, parameter: ApiParameter) -> ApiParameter:
        return parameter.model_copy(update={"type": self.opened(parameter.type)})

    def opened(self, expr: TypeExpr) -> TypeExpr:
        """The type with every resource in it opened; types without one are handed back as they are."""
        update: dict[str, Any] = {}
        fields = tuple(self._opened_field(one) for one in expr.fields)
        if any(new is not old for new, old in zip(fields, expr.fields, strict=True)):
            update["fields"] = fields
        variants = tuple(self.opened(one) for one in expr.variants)
        if any(new is not old for new, old in zip(variants, expr.variants, strict=True)):
            update["variants"] = variants
        items = self.opened(expr.items) if expr.items is not None else None
        if items is not expr.items:
            update["items"] = items
        found = expr.model_copy(update=update) if update else expr
        return self._resource(found) if _is_resource(found) else found

    def _opened_field(self, field: ShapeField) -> ShapeField:
        inner = self.opened(field.type)
        return field if inner is field.type else field.model_copy(update={"type": inner})

    def _resource(self, expr: TypeExpr) -> TypeExpr:
        kind = _kind_of(expr)
        fields: dict[str, ShapeField] = {}
        if kind is not None:
            mark = TypeExpr(kind="string", enum=(singular(snake(kind)),))
            fields["object"] = ShapeField(name="object", type=mark, required=True)
        for field in expr.fields:
            if field.name == "id":
                fields["id"] = field
        for field in self._inner(expr, "attributes"):
            fields.setdefault(field.name, field)
        for field in self._inner(expr, "relationships"):
            target = self._target(field.type)
            if target is not None:
                fields.setdefault(field.name, field.model_copy(update={"type": target}))
        return expr.model_copy(update={"fields": tuple(fields.values())})

    def _inner(self, expr: TypeExpr, name: str) -> tuple[ShapeField, ...]:
        field = _field(expr, name)
        return self._followed(field.type).fields if field is not None else ()

    def _followed(self, expr: TypeExpr) -> TypeExpr:
        for _ in range(8):
            shape = self._shapes.get(expr.name or "") if expr.kind == "ref" else None
            if shape is None:
                break
            expr = shape.type
        return expr

    def _target(self, relationship: TypeExpr) -> TypeExpr | None:
        """The record, or the list of records, that a relationship points to."""
        data = _field(self._followed(relationship), "data")
        if data is None:
            return None
        pointer = self._followed(data.type)
        many = pointer.kind == "array" and pointer.items is not None
        one = self._followed(pointer.items) if many and pointer.items is not None else pointer
        name = self._kinds.get(_kind_of(one) or "")
        if name is None:
            return None
        record = TypeExpr(kind="ref", name=name)
        return TypeExpr(kind="array", items=record) if many else record


def _holds_resource(expr: TypeExpr) -> bool:
    """True if the type is a resource, or has one in it (in the `data` of an answer that no schema names)."""
    inner = (*(field.type for field in expr.fields), *expr.variants, *((expr.items,) if expr.items else ()))
    return _is_resource(expr) or any(_holds_resource(one) for one in inner)


def _is_resource(expr: TypeExpr) -> bool:
    names = {field.name for field in expr.fields}
    return expr.kind == "object" and "type" in names and not names.isdisjoint(_KEPT) and names <= _WHOLE


_WHOLE = frozenset({"id", "type", "links", "meta", *_KEPT})


def _kind_of(expr: TypeExpr) -> str | None:
    """The literal of a record's `type`."""
    field = _field(expr, "type")
    values = field.type.enum if field is not None else ()
    return str(values[0]) if len(values) == 1 else None


def _field(expr: TypeExpr, name: str) -> ShapeField | None:
    return next((field for field in expr.fields if field.name == name), None)
