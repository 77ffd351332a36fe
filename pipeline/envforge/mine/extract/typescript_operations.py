"""Operations that a client package declares as constants: `{ method: "post"; pathParams: […]; … }`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from tree_sitter import Node

from envforge.core.records.extraction import ApiOperation, ApiParameter, ShapeField, TypeExpr
from envforge.mine.extract.type_algebra import ANY, collapse, members, union_of
from envforge.mine.extract.typescript_symbols import Declaration, Module, string_value, text
from envforge.mine.extract.typescript_syntax import Place
from envforge.mine.extract.typescript_types import TypeReader

_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
Location = Literal["path", "query", "header", "body"]
_WORDS: tuple[tuple[str, Location], ...] = (
    ("path", "path"), ("query", "query"), ("header", "header"), ("body", "body"), ("form", "body"),
)  # fmt: skip


def read_operations(module: Module, reader: TypeReader, source_id: str) -> list[ApiOperation]:
    """Operations of one file, in its order."""
    found: list[ApiOperation] = []
    for constant in module.constants.values():
        stated = constant.nodes[0].child_by_field_name("type")
        body = next((c for c in stated.named_children if c.type == "object_type"), None) if stated is not None else None
        facts = dict(_facts(body)) if body is not None else {}
        method = (facts.get("method") or [""])[0].lower()
        if method in _VERBS:
            found.append(_operation(module, reader, constant, method, facts, source_id))
    return found


def _facts(body: Node) -> Iterator[tuple[str, list[str]]]:
    """Property -> the string literals in its type, for literals and tuples of literals."""
    for child in body.named_children:
        name, stated = child.child_by_field_name("name"), child.child_by_field_name("type")
        if child.type == "property_signature" and name is not None and stated is not None:
            inner = stated.named_children[0]
            while inner.type == "readonly_type" and inner.named_children:
                inner = inner.named_children[0]
            if inner.type in ("literal_type", "tuple_type"):
                yield text(name), list(_strings(inner))


def _strings(node: Node) -> Iterator[str]:
    if node.type == "string":
        yield string_value(node)
    for child in node.named_children:
        yield from _strings(child)


def _operation(
    module: Module, reader: TypeReader, constant: Declaration, method: str, facts: dict[str, list[str]], source_id: str
) -> ApiOperation:
    place = Place(module.path)
    pascal = constant.name[:1].upper() + constant.name[1:]
    variants = _variants(reader, place, constant, f"{pascal}Parameters")
    listed: dict[str, Location] = {}
    for key, names in facts.items():
        lowered = key.lower()
        for word, location in _WORDS:
            if word in lowered and "param" in lowered:
                for name in names:
                    listed.setdefault(name, location)
                break
    fields = {field.name: field for field in collapse(variants).fields} if variants else {}
    summary, _, description = constant.doc.text.partition("\n")
    response = reader.package.resolve(module.path, "", f"{pascal}Response")
    success = None
    if response is not None:
        success = TypeExpr(kind="ref", name=reader.package.shape_names[(response.path, response.name)])
    else:
        reader.note(place, constant.nodes[0], f"{constant.name}: no type {pascal}Response; the result is untyped")
    path = (facts.get("path") or facts.get("url") or [""])[0]
    return ApiOperation(
        id=constant.name,
        method=method,
        path=path if path.startswith("/") else "",
        summary=summary.strip(),
        description=description.strip(),
        deprecated=constant.doc.deprecated,
        parameters=tuple(_parameter(name, location, fields.get(name)) for name, location in listed.items()),
        body=_body(variants, [name for name, location in listed.items() if location == "body"]),
        success=success,
        locator=constant.locator,
        source_id=source_id,
    )


def _variants(reader: TypeReader, place: Place, constant: Declaration, name: str) -> list[TypeExpr]:
    found = reader.package.resolve(place.path, "", name)
    if found is None:
        reader.note(place, constant.nodes[0], f"{constant.name}: no type {name}; its parameters are untyped")
        return []
    shape = TypeExpr(kind="ref", name=reader.package.shape_names[(found.path, found.name)])
    return [variant for variant in members(shape, reader.resolve) if variant.kind == "object"]


def _parameter(name: str, location: Location, field: ShapeField | None) -> ApiParameter:
    if field is None:
        return ApiParameter(name=name, location=location, type=ANY, required=location == "path")
    return ApiParameter(
        name=name,
        location=location,
        type=field.type,
        required=field.required or location == "path",
        deprecated=field.deprecated,
        description=field.description,
    )


def _body(variants: Sequence[TypeExpr], names: Sequence[str]) -> TypeExpr | None:
    """The body alone: each variant of the parameters, cut down to the body's properties."""
    if not names or not variants:
        return None
    cut = [
        TypeExpr(kind="object", fields=tuple(field for field in variant.fields if field.name in names))
        for variant in variants
    ]
    return union_of(cut)
