"""Looks at type syntax without reading it: chains of operands, members of declarations, values of enums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from envforge.core.records.extraction import TypeExpr
from envforge.mine.extract.typescript_symbols import Declaration, Doc, read_doc, string_value, text

FUNCTIONS = ("function_type", "constructor_type", "asserts_annotation", "type_predicate")
_COMPOSED = ("object_type", "union_type", "intersection_type", "array_type", "lookup_type", "generic_type")


@dataclass(frozen=True)
class Place:
    """Where a type is read: file, namespace, values of type parameters, depth."""

    path: str
    scope: str = ""
    values: Mapping[str, TypeExpr] = field(default_factory=lambda: dict[str, TypeExpr]())
    depth: int = 0

    def deeper(self) -> Place:
        """One level down."""
        return replace(self, depth=self.depth + 1)


@dataclass(frozen=True)
class Member:
    """A part of a declaration that others name by its keys (`components["schemas"]["book"]`)."""

    name: str
    owner: Declaration
    keys: tuple[str, ...]
    node: Node
    doc: Doc

    @property
    def locator(self) -> str:
        """`path:line`."""
        return f"{self.owner.path}:{self.node.start_point.row + 1}"


def is_data(declaration: Declaration) -> bool:
    """False for classes, functions and conditional types: references to them are `any`."""
    if declaration.kind == "class":
        return False
    value = declaration.nodes[0].child_by_field_name("value")
    return value is None or value.type not in (*FUNCTIONS, "conditional_type")


def is_composed(node: Node) -> bool:
    """True for types that are worth a name of their own."""
    return node.type in _COMPOSED


def operands(node: Node, kind: str) -> Iterator[Node]:
    """Operands of a chain `a | b | c`, which the grammar nests to the left (iterative: chains get long)."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == kind:
            stack.extend(child for child in reversed(current.named_children) if child.type != "comment")
        else:
            yield current


def enum_values(node: Node, only: str | None = None) -> list[str | int]:
    """The values of an enum, or of one of its members."""
    body = node.child_by_field_name("body")
    values: list[str | int] = []
    for index, member in enumerate(body.named_children if body is not None else []):
        if only is not None and text(member.child_by_field_name("name") or member) != only:
            continue
        value = member.child_by_field_name("value") if member.type == "enum_assignment" else None
        if value is not None and value.type == "string":
            values.append(string_value(value))
        elif member.type != "comment":
            values.append(int(text(value)) if value is not None and text(value).isdecimal() else index)
    return values


def key_chain(node: Node) -> tuple[Node, tuple[str, ...]] | None:
    """Root and keys of `Root["a"]["b"]`; None if a key is no string literal or the root no plain name."""
    keys: list[str] = []
    while node.type == "lookup_type" and len(node.named_children) >= 2:
        whole, key = node.named_children[0], node.named_children[1]
        inner = key.named_children[0] if key.type == "literal_type" and key.named_children else key
        if inner.type != "string":
            return None
        keys.append(string_value(inner))
        node = whole
    if node.type not in ("type_identifier", "nested_type_identifier"):
        return None
    return node, tuple(reversed(keys))


class MemberFinder:
    """Finds what stands at `Root["a"]["b"]`; the properties of each object are listed once."""

    def __init__(self) -> None:
        self._properties: dict[tuple[str, int], dict[str, tuple[Node, Node | None]]] = {}

    def find(self, owner: Declaration, keys: tuple[str, ...]) -> tuple[Node, Doc] | None:
        """The type at `keys` inside a declaration, as far as it is written out there."""
        if owner.parameters or len(owner.nodes) != 1 or owner.kind not in ("alias", "interface"):
            return None
        node: Node | None = owner.nodes[0].child_by_field_name("value" if owner.kind == "alias" else "body")
        comment: Node | None = None
        for key in keys:
            if node is None or node.type not in ("object_type", "interface_body"):
                return None
            place = (owner.path, node.start_byte)
            if place not in self._properties:
                self._properties[place] = dict(_properties(node))
            stated, comment = self._properties[place].get(key, (None, None))
            node = next((c for c in stated.named_children if c.type != "comment"), None) if stated is not None else None
        return (node, read_doc(comment)) if node is not None else None


def _properties(node: Node) -> Iterator[tuple[str, tuple[Node, Node | None]]]:
    """Name -> type annotation and comment of each property that is written out."""
    comment: Node | None = None
    for child in node.named_children:
        if child.type == "comment":
            comment = child
            continue
        name, stated = child.child_by_field_name("name"), child.child_by_field_name("type")
        if child.type == "property_signature" and name is not None and stated is not None:
            yield string_value(name) if name.type == "string" else text(name), (stated, comment)
        comment = None
