"""JSON Schema, as API descriptions use it, into TypeExpr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from envforge.core.records.extraction import Issue, ShapeField, TypeExpr, TypeKind
from envforge.mine.extract.parse import child, mapping, sequence, text_of
from envforge.mine.extract.type_algebra import ANY, NULL, enum_of, intersect, nullable, union_of

_NAMED_FOLDERS = ("schemas", "definitions", "$defs")
_STRUCTURE = (
    "$ref", "type", "properties", "items", "enum", "const", "allOf", "oneOf", "anyOf", "additionalProperties",
    "patternProperties", "format", "pattern",
)  # fmt: skip
_COMPOSED = ("properties", "allOf", "oneOf", "anyOf", "items", "additionalProperties")
_SKIPPED = frozenset({"components", "schemas", "definitions", "$defs", "items", "allOf", "oneOf", "anyOf", "schema"})
MAX_INLINED = 20_000
_BYTE = ("uint8", "byte")
"""How many references outside the named schemas are unfolded in place before the rest is cut."""


class SchemaReader:
    """Reads the schemas of one document. Named schemas become references, so every type is finite."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.issues: list[Issue] = []
        self.names: dict[str, str] = {}
        """JSON pointer -> name of each named schema."""
        self._pointers: dict[str, str] = {}
        self._done: dict[str, TypeExpr] = {}
        self._open: list[str] = []
        self._inlined = 0
        for folder in ("#/components/schemas", "#/definitions", "#/$defs"):
            for key in mapping(self.lookup(folder)):
                self._name(child(folder, key))

    def note(self, pointer: str, reason: str) -> None:
        """Remember what could not be read."""
        issue = Issue(locator=pointer, reason=reason)
        if issue not in self.issues[-50:]:
            self.issues.append(issue)

    def lookup(self, pointer: str) -> Any:
        """The value a local JSON pointer (`#/a/b`) names; None if there is none."""
        value: Any = self.document
        for raw in pointer.lstrip("#").split("/")[1:]:
            key = raw.replace("~1", "/").replace("~0", "~")
            if isinstance(value, list):
                items = sequence(value)
                value = items[int(key)] if key.isdecimal() and int(key) < len(items) else None
            else:
                value = mapping(value).get(key)
        return value

    def follow(self, value: Any, pointer: str) -> tuple[dict[str, Any], str]:
        """Follows `$ref`s of a parameter, response or body. Returns ({}, pointer) with an issue if it leads nowhere."""
        seen: list[str] = []
        while isinstance(mapping(value).get("$ref"), str):
            target = self.target(mapping(value)["$ref"], pointer)
            if target is None:
                return {}, pointer
            if target in seen:
                self.note(pointer, "circular $ref chain: " + " → ".join([*seen, target]))
                return {}, pointer
            seen.append(target)
            value, pointer = self.lookup(target), target
        return mapping(value), pointer

    def target(self, ref: str, pointer: str) -> str | None:
        """The local pointer a `$ref` names; None, with an issue, if it leaves the document or leads nowhere."""
        if not ref.startswith("#"):
            self.note(pointer, f"$ref to another document is not followed: {ref}")
            return None
        target = unquote(ref)
        if self.lookup(target) is None:
            self.note(pointer, f"$ref leads nowhere: {ref}")
            return None
        return target

    def named(self) -> Iterator[tuple[str, str, TypeExpr]]:
        """(name, pointer, type) of every named schema, those that are found on the way included."""
        done: set[str] = set()
        while True:
            todo = [pointer for pointer in self.names if pointer not in done]
            if not todo:
                return
            for pointer in todo:
                done.add(pointer)
                yield self.names[pointer], pointer, self._acyclic(pointer)

    def resolve(self, name: str) -> TypeExpr | None:
        """The type of a named schema; None while it is being read (a schema that is part of itself)."""
        pointer = self._pointers.get(name)
        if pointer is None:
            return None
        if pointer in self._open:
            self.note(pointer, f"{name} is composed of itself; the inner occurrence is left out")
            return None
        return self._at(pointer)

    def _name(self, pointer: str) -> str:
        if pointer not in self.names:
            wanted = _shape_name(pointer)
            name, number = wanted, 2
            while name in self._pointers:
                name, number = f"{wanted}_{number}", number + 1
            self.names[pointer] = name
            self._pointers[name] = pointer
        return self.names[pointer]

    def _at(self, pointer: str) -> TypeExpr:
        if pointer not in self._done:
            self._open.append(pointer)
            expr = self.read(self.lookup(pointer), pointer)
            self._open.pop()
            self._done[pointer] = expr if expr.kind == "ref" else expr.model_copy(update={"name": self.names[pointer]})
        return self._done[pointer]

    def _acyclic(self, pointer: str) -> TypeExpr:
        """The type of a named schema, `any` with an issue if it is only a circle of references."""
        chain = [self.names[pointer]]
        expr = self._at(pointer)
        while expr.kind == "ref" and expr.name is not None:
            if expr.name in chain:
                self.note(pointer, "circular $ref chain: " + " → ".join([*chain, expr.name]))
                return TypeExpr(kind="any", name=self.names[pointer])
            chain.append(expr.name)
            expr = self.resolve(expr.name) or ANY
        return self._at(pointer)

    def read(self, schema: Any, pointer: str) -> TypeExpr:
        """The type a schema states. What it states unreadably becomes `any` with an issue."""
        if isinstance(schema, bool):
            return ANY
        if not isinstance(schema, dict):
            self.note(pointer, "a schema is expected here")
            return ANY
        node = mapping(schema)
        parts = self._parts(node, pointer)
        expr = intersect(parts, self.resolve) if parts else ANY
        expr = self._require(expr, node)
        if node.get("nullable") is True or node.get("x-nullable") is True:
            expr = nullable(expr)
        return self._annotate(expr, node)

    def _parts(self, node: dict[str, Any], pointer: str) -> list[TypeExpr]:
        parts: list[TypeExpr] = []
        if isinstance(node.get("$ref"), str):
            parts.append(self._reference(node["$ref"], pointer))
        for index, part in enumerate(sequence(node.get("allOf"))):
            parts.append(self.read(part, child(pointer, "allOf", index)))
        for word in ("oneOf", "anyOf"):
            if sequence(node.get(word)):
                parts.append(self._alternatives(node, word, pointer))
        parts = [part for part in parts if part.kind != "any"]
        own = self._own(node, pointer)
        bare = own is not None and not (own.enum or own.fields or own.items or own.format or own.variants)
        if own is not None and not (parts and bare):
            parts.append(own)
        if parts and bare and own is not None and own.nullable:
            parts = [nullable(part) for part in parts]
        return parts

    def _reference(self, ref: str, pointer: str) -> TypeExpr:
        target = self.target(ref, pointer)
        if target is None:
            return ANY
        segments = target.split("/")
        composed = any(key in mapping(self.lookup(target)) for key in _COMPOSED)
        if target in self.names or composed or (len(segments) > 2 and segments[-2] in _NAMED_FOLDERS):
            return TypeExpr(kind="ref", name=self._name(target))
        if target in self._open:
            self.note(pointer, f"recursion is cut at {ref}")
            return ANY
        self._inlined += 1
        if self._inlined > MAX_INLINED:
            self.note("#", f"more than {MAX_INLINED} references to unnamed schemas; the rest is left untyped")
            return ANY
        self._open.append(target)
        expr = self.read(self.lookup(target), target)
        self._open.pop()
        return expr

    def _alternatives(self, node: dict[str, Any], word: str, pointer: str) -> TypeExpr:
        """A union. Variants that only repeat `required` constrain, they are no types of their own."""
        variants: list[TypeExpr] = []
        for index, variant in enumerate(sequence(node[word])):
            if any(key in mapping(variant) for key in _STRUCTURE):
                variants.append(self.read(variant, child(pointer, word, index)))
        stated = node.get("discriminator")
        name = stated if isinstance(stated, str) else mapping(stated).get("propertyName")
        return union_of(variants, discriminator=name if isinstance(name, str) else None) if variants else ANY

    def _own(self, node: dict[str, Any], pointer: str) -> TypeExpr | None:
        """What the schema itself states, without its combinators; None if nothing."""
        stated = node.get("type")
        kinds = [stated] if isinstance(stated, str) else sequence(stated)
        if "const" in node:
            return enum_of([node["const"]])
        if sequence(node.get("enum")):
            declared = next((kind for kind in kinds if kind != "null"), None)
            values = [str(v) if declared == "string" and isinstance(v, int | float) else v for v in node["enum"]]
            expr = enum_of(values, "number" if declared == "number" else None)
            return nullable(expr) if "null" in kinds else expr
        if not kinds:
            kinds = [kind for kind in [_implied(node)] if kind is not None]
        types = [self._of_kind(kind, node, pointer) for kind in kinds]
        return union_of(types) if types else None

    def _of_kind(self, kind: Any, node: dict[str, Any], pointer: str) -> TypeExpr:
        if kind == "object":
            return self._object(node, pointer)
        if kind == "array":
            items = node.get("items")
            if isinstance(items, list):
                variants = [self.read(item, child(pointer, "items", i)) for i, item in enumerate(sequence(items))]
                return TypeExpr(kind="array", items=union_of(variants) if variants else ANY)
            if _is_bytes(items):
                return TypeExpr(kind="string", format=text_of(node.get("format")) or None)
            return TypeExpr(kind="array", items=ANY if items is None else self.read(items, child(pointer, "items")))
        if kind == "null":
            return NULL
        if kind == "file":
            return TypeExpr(kind="string", format="binary")
        scalar: dict[Any, TypeKind] = {
            "string": "string", "integer": "integer", "number": "number", "boolean": "boolean"
        }  # fmt: skip
        if kind not in scalar:
            if kind != "any":
                self.note(pointer, f"unknown type {kind!r}")
            return ANY
        return TypeExpr(
            kind=scalar[kind],
            format=text_of(node.get("format")) or None,
            pattern=node["pattern"] if isinstance(node.get("pattern"), str) else None,
            minimum=_number(node, "minimum", "exclusiveMinimum"),
            maximum=_number(node, "maximum", "exclusiveMaximum"),
            max_length=node["maxLength"] if isinstance(node.get("maxLength"), int) else None,
        )

    def _object(self, node: dict[str, Any], pointer: str) -> TypeExpr:
        properties = mapping(node.get("properties"))
        if not properties:
            value = node.get("additionalProperties")
            patterns = list(mapping(node.get("patternProperties")).items())
            if isinstance(value, dict) or value is True:
                return TypeExpr(kind="map", items=self.read(value, child(pointer, "additionalProperties")))
            if patterns:
                types = [self.read(v, child(pointer, "patternProperties", k)) for k, v in patterns]
                return TypeExpr(kind="map", items=union_of(types))
        required = {name for name in sequence(node.get("required")) if isinstance(name, str)}
        fields: list[ShapeField] = []
        for name, schema in properties.items():
            stated = mapping(schema)
            expr = self.read(schema, child(pointer, "properties", name))
            fields.append(
                ShapeField(
                    name=name,
                    type=expr,
                    required=name in required or stated.get("required") is True,
                    read_only=stated.get("readOnly") is True,
                    deprecated=stated.get("deprecated") is True,
                    description=text_of(stated.get("description")),
                )
            )
        return TypeExpr(kind="object", fields=tuple(fields))

    def _require(self, expr: TypeExpr, node: dict[str, Any]) -> TypeExpr:
        """`required` beside allOf names fields of the parts."""
        names = {name for name in sequence(node.get("required")) if isinstance(name, str)}
        if not names or not (node.get("allOf") or node.get("oneOf") or node.get("anyOf")):
            return expr
        if expr.kind == "union":
            variants = [self._require(variant, node) for variant in expr.variants]
            return expr.model_copy(update={"variants": tuple(variants)})
        if expr.kind != "object" or all(f.required or f.name not in names for f in expr.fields):
            return expr
        fields = [f.model_copy(update={"required": f.required or f.name in names}) for f in expr.fields]
        return expr.model_copy(update={"fields": tuple(fields)})

    def _annotate(self, expr: TypeExpr, node: dict[str, Any]) -> TypeExpr:
        update: dict[str, Any] = {}
        if text_of(node.get("description")):
            update["description"] = text_of(node["description"])
        examples = sequence(node.get("examples"))
        if node.get("example") is not None:
            update["example"] = node["example"]
        elif examples:
            update["example"] = examples[0]
        if node.get("default") is not None:
            update["default"] = node["default"]
        return expr.model_copy(update=update) if update else expr


_LARGEST = 10**300
"""A bound beyond this is none."""


def _shape_name(pointer: str) -> str:
    """Name of a schema: its own in a folder of schemas, else the way to it (`Order.line.price`)."""
    segments = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    if len(segments) > 1 and segments[-2] in _NAMED_FOLDERS:
        return segments[-1]
    names: list[str] = []
    rest = iter(segments)
    for segment in rest:
        if segment == "properties":
            names.append(next(rest, segment))
        elif segment not in _SKIPPED and not segment.isdecimal():
            names.append(segment)
    return ".".join(names) or pointer


def _is_bytes(items: Any) -> bool:
    """True for the items of a list of bytes: what a language keeps so (an id of 16 bytes) is text in JSON."""
    return isinstance(items, dict) and mapping(items).get("type") == "integer" and mapping(items).get("format") in _BYTE


def _implied(node: dict[str, Any]) -> str | None:
    if any(key in node for key in ("properties", "additionalProperties", "patternProperties")):
        return "object"
    if "items" in node:
        return "array"
    if any(key in node for key in ("pattern", "format", "maxLength", "minLength")):
        return "string"
    return "number" if "minimum" in node or "maximum" in node else None


def _number(node: dict[str, Any], *keys: str) -> float | None:
    for key in keys:
        value = node.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST:
            return float(value)
    return None
