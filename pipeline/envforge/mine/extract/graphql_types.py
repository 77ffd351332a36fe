"""GraphQL types into TypeExpr; pages of results (connections, edges) into lists."""

from __future__ import annotations

import re
from typing import Any, cast

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLUnionType,
    Undefined,
)

from envforge.core.records.extraction import ShapeField, TypeExpr, TypeKind
from envforge.mine.extract.type_algebra import ANY, nullable, union_of

MAX_INPUT_DEPTH = 6
"""How deep input objects are opened; filters often contain themselves."""
PAGING = frozenset({"first", "last", "before", "after"})

_SCALARS: dict[str, tuple[TypeKind, str | None]] = {
    "String": ("string", None), "ID": ("string", None), "Int": ("integer", None), "Float": ("number", None),
    "Boolean": ("boolean", None), "Long": ("integer", None), "BigInt": ("integer", None),
    "Decimal": ("number", None), "BigDecimal": ("number", None), "UUID": ("string", "uuid"),
    "Date": ("string", "date"), "URI": ("string", "uri"), "URL": ("string", "uri"), "Email": ("string", "email"),
}  # fmt: skip
_TIME = re.compile(r"(date_?time|timestamp|instant)", re.IGNORECASE)
_FREE = re.compile(r"(json|map|object|any|dictionary)", re.IGNORECASE)
_OWN_VIEW = re.compile(r"^viewer[A-Z]")
"""Fields about the caller, not about the record."""


class TypeReader:
    """Reads the types of one schema. Object types become references, so every type is finite."""

    def is_page(self, kind: Any) -> bool:
        """True for a connection: an object that holds a page of nodes."""
        return isinstance(kind, GraphQLObjectType) and self.node_of(kind) is not None

    def node_of(self, kind: Any) -> Any:
        """The type of the records on a page; None if the type is no page."""
        fields = kind.fields
        if "nodes" in fields and ("pageInfo" in fields or kind.name.endswith("Connection")):
            return _item(fields["nodes"].type)
        if "edges" not in fields or not ("pageInfo" in fields or kind.name.endswith("Connection")):
            return None
        edge = _item(fields["edges"].type)
        node = getattr(edge, "fields", {}).get("node") if edge is not None else None
        return bare(node.type) if node is not None else None

    def read(self, kind: Any) -> TypeExpr:
        """The type of an output field; what may be null says so."""
        if isinstance(kind, GraphQLNonNull):
            return self._present(kind.of_type)
        return nullable(self._present(kind))

    def _present(self, kind: Any) -> TypeExpr:
        if isinstance(kind, GraphQLList):
            return TypeExpr(kind="array", items=self.read(kind.of_type))
        if isinstance(kind, GraphQLScalarType):
            return _scalar(kind)
        if isinstance(kind, GraphQLEnumType):
            return TypeExpr(kind="string", name=kind.name, enum=tuple(kind.values), description=kind.description or "")
        if isinstance(kind, GraphQLUnionType):
            return union_of([TypeExpr(kind="ref", name=member.name) for member in kind.types]) if kind.types else ANY
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            node = self.node_of(kind)
            if node is not None:
                return TypeExpr(kind="array", items=self._present(node))
            return TypeExpr(kind="ref", name=kind.name)
        return ANY

    def record(self, kind: Any) -> TypeExpr:
        """An object type as a record: its fields that need no argument and are no pages of other records."""
        fields = tuple(
            ShapeField(
                name=name,
                type=self.read(field.type),
                required=isinstance(field.type, GraphQLNonNull),
                deprecated=field.deprecation_reason is not None,
                description=field.description or "",
            )
            for name, field in kind.fields.items()
            if not _OWN_VIEW.match(name) and not needs_argument(field) and not self.is_page(bare(field.type))
        )
        return TypeExpr(kind="object", name=kind.name, fields=fields, description=kind.description or "")

    def input(self, kind: Any, open_names: tuple[str, ...] = ()) -> TypeExpr:
        """The type of an argument, input objects opened."""
        if isinstance(kind, GraphQLNonNull):
            return self.input(kind.of_type, open_names)
        if isinstance(kind, GraphQLList):
            return TypeExpr(kind="array", items=self.input(kind.of_type, open_names))
        if not isinstance(kind, GraphQLInputObjectType):
            return self._present(kind)
        if kind.name in open_names or len(open_names) >= MAX_INPUT_DEPTH:
            return TypeExpr(kind="map", items=ANY, name=kind.name)
        fields = tuple(
            ShapeField(
                name=name,
                type=self.input(field.type, (*open_names, kind.name)),
                required=is_required(field),
                deprecated=field.deprecation_reason is not None,
                description=field.description or "",
            )
            for name, field in kind.fields.items()
            if name != "clientMutationId"
        )
        return TypeExpr(kind="object", name=kind.name, fields=fields, description=kind.description or "")


def bare(kind: Any) -> Any:
    """A type without its non-null mark."""
    return cast("Any", kind).of_type if isinstance(kind, GraphQLNonNull) else kind


def _item(kind: Any) -> Any:
    """The innermost type of a list; None if it is none."""
    kind = bare(kind)
    return bare(kind.of_type) if isinstance(kind, GraphQLList) else None


def is_required(field: Any) -> bool:
    """True for an argument or input field that has to be given."""
    return isinstance(field.type, GraphQLNonNull) and field.default_value is Undefined


def needs_argument(field: Any) -> bool:
    """True for a field that cannot be read without saying more."""
    return any(is_required(argument) for argument in field.args.values())


def _scalar(kind: GraphQLScalarType) -> TypeExpr:
    if kind.name in _SCALARS:
        name, form = _SCALARS[kind.name]
        return TypeExpr(kind=name, format=form)
    if _TIME.search(kind.name):
        return TypeExpr(kind="string", format="date-time")
    if _FREE.search(kind.name):
        return ANY
    return TypeExpr(kind="string", name=kind.name, description=kind.description or "")
