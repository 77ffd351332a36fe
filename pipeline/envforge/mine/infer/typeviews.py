"""Types seen as objects: references resolved, unions merged, discriminators found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from envforge.core.records.extraction import Shape, ShapeField, TypeExpr
from envforge.mine.infer.lexicon import IDENTITY_KEYS, RICH_TEXT_KEYS, SCHEMA_PREFIXES, SCHEMA_SUFFIXES, TEXT_KEYS
from envforge.mine.infer.names import singular, snake

ANY = TypeExpr(kind="any")
_MAX_HOPS = 24


class Types:
    """The named shapes of one extraction, and how to see through references to them."""

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self._shapes = shapes
        self._members: dict[int, tuple[TypeExpr, tuple[TypeExpr, ...]]] = {}
        self.called: dict[str, str] = {}
        """Schema name -> the entity that the paths call it, where they say so (see `naming`)."""

    def resolve(self, expr: TypeExpr) -> TypeExpr:
        """The type that `expr` stands for; its declared name and nullability are kept.

        A reference to nothing known, or a chain that never ends, is `any`.
        """
        nullable, name = expr.nullable, expr.name
        for _ in range(_MAX_HOPS):
            if expr.kind != "ref":
                return _renamed(expr, name, nullable)
            name = expr.name
            shape = self._shapes.get(name or "")
            if shape is None:
                break
            expr = shape.type
            nullable = nullable or expr.nullable
        return ANY

    def members(self, expr: TypeExpr) -> tuple[TypeExpr, ...]:
        """The alternatives of `expr`, unions inside unions flattened, null left out."""
        known = self._members.get(id(expr))
        if known is None:
            known = (expr, tuple(self._flatten(expr, set())))
            self._members[id(expr)] = known
        return known[1]

    def _flatten(self, expr: TypeExpr, seen: set[str]) -> Iterable[TypeExpr]:
        """A named union is opened once: it may hold itself, or the same union many times over."""
        named = expr.name if expr.kind == "ref" else None
        expr = self.resolve(expr)
        if expr.kind == "null":
            return
        if expr.kind == "union":
            if named is not None and named in seen:
                return
            seen.add(named or "")
            for variant in expr.variants:
                yield from self._flatten(variant, seen)
            return
        yield expr

    def view(self, expr: TypeExpr) -> ObjectView | None:
        """`expr` as one object with the fields of all its alternatives, or None if it is no object."""
        objects = [member for member in self.members(expr) if member.kind == "object" and member.fields]
        return merge_objects(self, objects, self.resolve(expr).name) if objects else None


@dataclass(frozen=True)
class Typed:
    """A type and the shapes its references point into."""

    expr: TypeExpr
    types: Types

    def resolved(self) -> TypeExpr:
        """The type with its reference followed."""
        return self.types.resolve(self.expr)

    def view(self) -> ObjectView | None:
        """The type as an object, if it is one."""
        return self.types.view(self.expr)

    def members(self) -> tuple[Typed, ...]:
        """The alternatives of the type."""
        return tuple(Typed(member, self.types) for member in self.types.members(self.expr))

    def item(self) -> Typed | None:
        """The element of an array or the value of a map."""
        expr = self.resolved()
        return Typed(expr.items, self.types) if expr.items is not None else None


@dataclass(frozen=True)
class ObjectView:
    """An object type, or several alternatives of one, with their fields merged."""

    types: Types
    name: str | None
    fields: dict[str, ShapeField]
    members: tuple[TypeExpr, ...]
    discriminator: str | None = None
    variants: dict[str, TypeExpr] = field(default_factory=lambda: dict[str, TypeExpr]())

    def typed(self, name: str) -> Typed:
        """The type of the field called `name`. Raises KeyError."""
        return Typed(self.fields[name].type, self.types)

    def const(self, name: str) -> str | None:
        """The only value of field `name`, when it has one."""
        found = self.fields.get(name)
        if found is None:
            return None
        values = self.types.resolve(found.type).enum
        return str(values[0]) if len(values) == 1 else None

    def payload(self, value: str) -> Typed | None:
        """What variant `value` keeps under its own key (`{type: "x", x: payload}`)."""
        for entry in self.variants[value].fields:
            if entry.name == value:
                return Typed(entry.type, self.types)
        return None


def merge_objects(types: Types, objects: Iterable[TypeExpr], name: str | None) -> ObjectView:
    """One view over alternative object types; the fullest alternative gives the order of fields."""
    listed = list(objects)
    fullest = sorted(range(len(listed)), key=lambda at: (-len(listed[at].fields), at))
    fields: dict[str, ShapeField] = {}
    for at in fullest:
        for entry in listed[at].fields:
            present = fields.get(entry.name)
            fields[entry.name] = entry if present is None else _joined(types, present, entry)
    full = _full(listed)
    everywhere = {n for n in fields if all(any(f.name == n for f in one.fields) for one in full)}
    fields = {n: f if n in everywhere or not f.required else _optional(f) for n, f in fields.items()}
    key = _discriminator(types, full)
    variants: dict[str, TypeExpr] = {}
    if key is not None:
        for one in listed:
            for value in _constants(types, one, key):
                variants.setdefault(value, one)
    return ObjectView(types, name or _first_name(listed), fields, tuple(listed), key, variants)


def identity(view: ObjectView) -> str | None:
    """The entity that a view is of: its `object` constant, else its declared name without wrapping words."""
    for key in IDENTITY_KEYS:
        value = view.const(key)
        if value is not None and value != "list":
            return singular(snake(value.rpartition(".")[2]))
    return (view.types.called.get(view.name) or stripped(view.name)) if view.name else None


def stripped(name: str) -> str:
    """A schema name without the words around the entity: `PartialPageObjectResponse` → `page`."""
    plain = snake(name.rpartition(".")[2]).removesuffix("_search_result_item")
    parts = [part for part in plain.split("_") if part]
    while len(parts) > 1 and (parts[-1] in SCHEMA_SUFFIXES or parts[-1].isdigit()):
        parts.pop()
    while len(parts) > 1 and parts[0] in SCHEMA_PREFIXES:
        parts.pop(0)
    return singular("_".join(parts))


def is_rich_text(typed: Typed) -> bool:
    """True for an array of objects that carry pieces of one text."""
    expr = typed.resolved()
    item = typed.item()
    if expr.kind == "union":
        return any(is_rich_text(member) for member in typed.members())
    if expr.kind != "array" or item is None:
        return False
    view = item.view()
    if view is None:
        return False
    if "plain_text" in view.fields:
        return True
    inner = view.typed("text").view() if "text" in view.fields else None
    return inner is not None and "content" in inner.fields


def principal_scalar(typed: Typed, depth: int = 0) -> TypeExpr | None:
    """The scalar that says it all: of an emoji-or-file union the emoji, of a file its URL."""
    for member in typed.members():
        if member.expr.kind in {"string", "integer", "number"} and len(member.expr.enum) != 1:
            return member.expr
    view = typed.view()
    if view is None or depth > 3:
        return None
    for key in (*TEXT_KEYS, *sorted(view.variants)):
        if key in view.fields and key not in IDENTITY_KEYS:
            found = principal_scalar(view.typed(key), depth + 1)
            if found is not None:
                return found
    return None


def rich_text_key(view: ObjectView) -> str | None:
    """The field of a payload that is its text."""
    for name in ("rich_text", *RICH_TEXT_KEYS, "title", "caption"):
        if name in view.fields and is_rich_text(view.typed(name)):
            return name
    for name in sorted(view.fields):
        if is_rich_text(view.typed(name)):
            return name
    return None


def _renamed(expr: TypeExpr, name: str | None, nullable: bool) -> TypeExpr:
    changes: dict[str, object] = {}
    if name and not expr.name:
        changes["name"] = name
    if nullable and not expr.nullable:
        changes["nullable"] = True
    return expr.model_copy(update=changes) if changes else expr


def _first_name(listed: list[TypeExpr]) -> str | None:
    return next((one.name for one in listed if one.name), None)


def _optional(entry: ShapeField) -> ShapeField:
    return entry.model_copy(update={"required": False})


def _full(listed: list[TypeExpr]) -> list[TypeExpr]:
    """The alternatives that are whole records: `{object, id}` stubs beside them say nothing about presence."""
    most = max((len(one.fields) for one in listed), default=0)
    return [one for one in listed if len(one.fields) > 0.4 * most or most <= 3]


def _joined(types: Types, left: ShapeField, right: ShapeField) -> ShapeField:
    """Two spellings of one field: enums are united, otherwise the more telling type stays."""
    a, b = types.resolve(left.type), types.resolve(right.type)
    chosen = left
    if a.kind == b.kind == "string" and a.enum and b.enum and a.enum != b.enum:
        merged = a.model_copy(update={"enum": tuple(dict.fromkeys((*a.enum, *b.enum)))})
        chosen = left.model_copy(update={"type": merged})
    elif _weight(a) < _weight(b):
        chosen = right
    return chosen.model_copy(
        update={
            "required": left.required and right.required,
            "deprecated": left.deprecated and right.deprecated,
            "description": left.description or right.description,
        }
    )


def _weight(expr: TypeExpr) -> int:
    if expr.kind in {"any", "null"}:
        return 0
    return 1 if expr.kind == "object" and not expr.fields else 2


def _constants(types: Types, one: TypeExpr, key: str) -> tuple[str, ...]:
    for entry in one.fields:
        if entry.name == key:
            return tuple(str(value) for value in types.resolve(entry.type).enum)
    return ()


def _discriminator(types: Types, listed: list[TypeExpr]) -> str | None:
    """The field whose single value tells the alternatives apart; one partial alternative may lack it."""
    if len(listed) < 2:
        return None
    names = [entry.name for entry in listed[0].fields] + [e.name for one in listed[1:] for e in one.fields]
    for name in dict.fromkeys(sorted(set(names), key=lambda n: (n != "type", n))):
        values = [_constants(types, one, name) for one in listed]
        told = [value for value in values if len(value) == 1]
        if len(told) >= 2 and len(told) >= 0.8 * len(listed) - 1 and len(set(told)) >= 0.8 * len(told):
            return name
    return None
