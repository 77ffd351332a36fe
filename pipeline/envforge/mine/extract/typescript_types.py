"""TypeScript type syntax into TypeExpr."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tree_sitter import Node

from envforge.core.records.extraction import Issue, ShapeField, TypeExpr
from envforge.mine.extract.type_algebra import (
    ANY,
    NULL,
    collapse,
    enum_of,
    expand,
    intersect,
    literal,
    members,
    union_of,
)
from envforge.mine.extract.typescript_builtins import BUILTINS, builtin
from envforge.mine.extract.typescript_symbols import Declaration, Doc, Package, read_doc, string_value, text
from envforge.mine.extract.typescript_syntax import (
    FUNCTIONS,
    Member,
    MemberFinder,
    Place,
    enum_values,
    is_composed,
    is_data,
    key_chain,
    operands,
)

MAX_DEPTH = 60
"""Nesting of types inside one declaration that is followed."""
MAX_INSTANCES = 5_000
"""Uses of generic types that are written out before the rest is cut."""

STRING = TypeExpr(kind="string")
_PREDEFINED = {
    "string": STRING,
    "number": TypeExpr(kind="number"),
    "bigint": TypeExpr(kind="integer"),
    "boolean": TypeExpr(kind="boolean"),
    "object": TypeExpr(kind="object"),
    "null": NULL,
}
_ABSENT = ("undefined", "void", "never")


class TypeReader:
    """Reads the types of one package. Names become references; generic types are written out where used."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.issues: dict[str, list[Issue]] = {path: [] for path in package.modules}
        self._shapes = {name: key for key, name in reversed(package.shape_names.items())}
        self.members: dict[str, Member] = {}
        """Parts of declarations that are named by their keys; each is a shape of its own."""
        self._members: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._finder = MemberFinder()
        self._done: dict[str, TypeExpr] = {}
        self._open: list[str] = []
        self._instances = 0
        self._by_kind = self._readers()

    def note(self, place: Place, node: Node | None, reason: str) -> None:
        """Remember what could not be read (each reason once per file)."""
        known = self.issues[place.path]
        if all(issue.reason != reason for issue in known):
            line = f":{node.start_point.row + 1}" if node is not None else ""
            known.append(Issue(locator=f"{place.path}{line}", reason=reason))

    def resolve(self, name: str) -> TypeExpr | None:
        """The type of a shape; None while it is being read (a type that is part of itself)."""
        if name in self._open:
            return None
        if name in self.members:
            return self.member(name)
        key = self._shapes.get(name)
        if key is None:
            return None
        return self.declared(self.package.modules[key[0]].declared[key[1]])

    def is_home(self, name: str, declaration: Declaration) -> bool:
        """True if the shape `name` is read from this declaration (an equal text elsewhere is the same shape)."""
        return self._shapes.get(name) == (declaration.path, declaration.name)

    def declared(self, declaration: Declaration) -> TypeExpr:
        """The type of a declaration; parameters of a generic one are `any`."""
        place = Place(declaration.path, declaration.scope, dict.fromkeys(declaration.parameters, ANY))
        name = self.package.shape_names[(declaration.path, declaration.name)]
        return self._once(name, declaration.doc, lambda: self._body(declaration, place))

    def member(self, name: str) -> TypeExpr:
        """The type of a part that is named by its keys."""
        member = self.members[name]
        place = Place(member.owner.path, member.owner.scope)
        return self._once(name, member.doc, lambda: self.read(member.node, place))

    def _once(self, name: str, doc: Doc, read: Callable[[], TypeExpr]) -> TypeExpr:
        if name not in self._done:
            self._open.append(name)
            expr = read()
            self._open.pop()
            update = {"name": expr.name if expr.kind == "ref" else name, "description": doc.text}
            self._done[name] = expr.model_copy(update=update)
        return self._done[name]

    def acyclic(self, declaration: Declaration) -> TypeExpr:
        """Like `declared`, but `any` with an issue for an alias that is only a circle of references."""
        chain = [self.package.shape_names[(declaration.path, declaration.name)]]
        whole = expr = self.declared(declaration)
        while expr.kind == "ref" and expr.name is not None:
            if expr.name in chain:
                circle = " → ".join([*chain, expr.name])
                self.note(Place(declaration.path), declaration.nodes[0], f"circular type alias: {circle}")
                return TypeExpr(kind="any", name=chain[0])
            chain.append(expr.name)
            expr = self.resolve(expr.name) or ANY
        return whole

    def _body(self, declaration: Declaration, place: Place) -> TypeExpr:
        if declaration.kind == "class":
            return ANY
        if declaration.kind == "enum":
            return enum_of(enum_values(declaration.nodes[0]))
        if declaration.kind == "alias":
            value = declaration.nodes[0].child_by_field_name("value")
            return self.read(value, place) if value is not None else ANY
        parts: list[TypeExpr] = []
        for node in declaration.nodes:
            for clause in node.named_children:
                if clause.type == "extends_type_clause":
                    parts += [self.read(parent, place) for parent in clause.named_children]
            body = node.child_by_field_name("body")
            if body is not None:
                parts.append(self._object(body, place))
        return intersect([part for part in parts if part.kind != "any"] or [ANY], self.resolve)

    def read(self, node: Node, place: Place) -> TypeExpr:
        """The type a node states. What cannot be stated as data becomes `any`."""
        if place.depth > MAX_DEPTH:
            self.note(place, node, f"types nested deeper than {MAX_DEPTH} levels are left untyped")
            return ANY
        reader = self._by_kind.get(node.type)
        if reader is not None:
            return reader(node, place.deeper())
        if node.type not in FUNCTIONS:
            self.note(place, node, f"{node.type.replace('_', ' ')} is not read")
        return ANY

    def _readers(self) -> dict[str, Callable[[Node, Place], TypeExpr]]:
        return {
            "predefined_type": self._predefined,
            "literal_type": self._literal,
            "template_literal_type": self._predefined,
            "object_type": self._object,
            "interface_body": self._object,
            "union_type": self._union,
            "intersection_type": self._intersection,
            "array_type": self._array,
            "tuple_type": self._tuple,
            "readonly_type": self._inner,
            "parenthesized_type": self._inner,
            "type_annotation": self._inner,
            "optional_type": self._inner,
            "rest_type": self._inner,
            "required_parameter": self._element,
            "optional_parameter": self._element,
            "type_identifier": self._named,
            "identifier": self._named,
            "nested_type_identifier": self._named,
            "generic_type": self._generic,
            "lookup_type": self._lookup,
            "index_type_query": self._keys,
            "type_query": self._typeof,
        }

    def _predefined(self, node: Node, _place: Place) -> TypeExpr:
        return STRING if node.type == "template_literal_type" else _PREDEFINED.get(text(node), ANY)

    def _array(self, node: Node, place: Place) -> TypeExpr:
        return TypeExpr(kind="array", items=self._inner(node, place))

    def _inner(self, node: Node, place: Place) -> TypeExpr:
        inner = [child for child in node.named_children if child.type != "comment"]
        return self.read(inner[0], place) if inner else ANY

    def _element(self, node: Node, place: Place) -> TypeExpr:
        kind = node.child_by_field_name("type")
        return self.read(kind, place) if kind is not None else ANY

    def _literal(self, node: Node, _place: Place) -> TypeExpr:
        value = node.named_children[0] if node.named_children else node
        if value.type == "string":
            return literal(string_value(value))
        word = text(value)
        if word in ("true", "false"):
            return literal(word == "true")
        if word in ("null", *_ABSENT):
            return NULL
        try:
            number = float(word.replace("_", ""))
        except ValueError:
            return ANY
        return literal(int(number) if number.is_integer() else number)

    def _union(self, node: Node, place: Place) -> TypeExpr:
        parts = [self.read(part, place) for part in operands(node, "union_type") if text(part) not in _ABSENT]
        return union_of([self._alias_of_literals(part) for part in parts])

    def _alias_of_literals(self, expr: TypeExpr) -> TypeExpr:
        """A reference to an enum inside a union is written out, so that the literals join."""
        if expr.kind != "ref":
            return expr
        target = expand(expr, self.resolve)
        return target.model_copy(update={"name": None, "description": ""}) if target.enum else expr

    def _intersection(self, node: Node, place: Place) -> TypeExpr:
        parts = [self.read(part, place) for part in operands(node, "intersection_type")]
        return intersect([part for part in parts if part.kind != "any"] or [ANY], self.resolve)

    def _tuple(self, node: Node, place: Place) -> TypeExpr:
        items = [self.read(child, place) for child in node.named_children if child.type != "comment"]
        return TypeExpr(kind="array", items=union_of(items) if items else ANY)

    def _object(self, node: Node, place: Place) -> TypeExpr:
        fields: list[ShapeField] = []
        index: TypeExpr | None = None
        comment: Node | None = None
        for child in node.named_children:
            if child.type == "comment":
                comment = child
                continue
            if child.type == "property_signature":
                found = self._property(child, place, read_doc(comment))
                fields += [found] if found is not None else []
            elif child.type == "index_signature":
                index = self._index(child, place)
            comment = None
        if index is not None and not fields:
            return index
        return TypeExpr(kind="object", fields=tuple(fields))

    def _property(self, node: Node, place: Place, doc: Doc) -> ShapeField | None:
        """A data property; None for functions and for properties that may not be there (`x?: never`)."""
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or name.type == "computed_property_name":
            return None
        stated = next((c for c in kind.named_children if c.type != "comment"), None) if kind is not None else None
        if stated is not None and (stated.type in FUNCTIONS or text(stated) == "never"):
            return None
        absent = stated is not None and any(text(part) in _ABSENT for part in operands(stated, "union_type"))
        expr = self.read(stated, place) if stated is not None else ANY
        if doc.format and expr.kind == "string" and expr.format is None:
            expr = expr.model_copy(update={"format": doc.format})
        return ShapeField(
            name=string_value(name) if name.type == "string" else text(name),
            type=expr,
            required=not absent and all(text(child) != "?" for child in node.children),
            deprecated=doc.deprecated,
            description=doc.text,
        )

    def _index(self, node: Node, place: Place) -> TypeExpr:
        """`[key: string]: T` and `[K in Keys]: T`; known keys make an object, others a map."""
        stated = node.child_by_field_name("type")
        clause = next((child for child in node.named_children if child.type == "mapped_type_clause"), None)
        if clause is None:
            return TypeExpr(kind="map", items=self.read(stated, place) if stated is not None else ANY)
        name, keys = text(clause.child_by_field_name("name")), clause.child_by_field_name("type")
        optional = stated is not None and stated.type in ("opting_type_annotation", "omitting_type_annotation")
        value = next(iter(stated.named_children), None) if optional and stated is not None else stated
        known = expand(self.read(keys, place), self.resolve) if keys is not None else ANY

        def of(key: TypeExpr) -> TypeExpr:
            inner = replace(place, values={**place.values, name: key})
            return self.read(value, inner) if value is not None else ANY

        if not known.enum:
            return TypeExpr(kind="map", items=of(STRING))
        fields = [ShapeField(name=str(k), type=of(literal(k)), required=not optional) for k in known.enum]
        return TypeExpr(kind="object", fields=tuple(fields))

    def _named(self, node: Node, place: Place) -> TypeExpr:
        return self.reference(text(node), [], node, place)

    def _generic(self, node: Node, place: Place) -> TypeExpr:
        arguments = node.child_by_field_name("type_arguments")
        name = node.child_by_field_name("name") or node.named_children[0]
        given = [child for child in (arguments.named_children if arguments else []) if child.type != "comment"]
        return self.reference(text(name), given, node, place)

    def reference(self, name: str, given: list[Node], node: Node, place: Place) -> TypeExpr:
        """What a name stands for at a place: a parameter's value, a shape, a written-out generic or a built-in."""
        if name in place.values:
            return place.values[name]
        found = self.package.resolve(place.path, place.scope, name, anywhere=name not in BUILTINS)
        if found is None:
            owner = self.package.resolve(place.path, place.scope, name.rpartition(".")[0])
            if owner is not None and owner.kind == "enum":
                return enum_of(enum_values(owner.nodes[0], name.rpartition(".")[2]))
            if name not in BUILTINS:
                self.note(place, node, f"{name} is declared nowhere in the package; left untyped")
                return ANY
            return builtin(name, [self.read(argument, place) for argument in given], self.resolve)
        if not is_data(found):
            return ANY
        shape = self.package.shape_names[(found.path, found.name)]
        if not found.parameters:
            return TypeExpr(kind="ref", name=shape)
        return self._instance(found, shape, [self.read(argument, place) for argument in given], node, place)

    def _instance(self, found: Declaration, shape: str, values: list[TypeExpr], node: Node, place: Place) -> TypeExpr:
        """A generic type with its parameters filled in; recursion ends in the unfilled shape."""
        self._instances += 1
        if self._instances > MAX_INSTANCES or self._open.count(f"{shape}<>") > 1:
            if self._instances > MAX_INSTANCES:
                self.note(place, node, f"more than {MAX_INSTANCES} generic types; the rest keeps open parameters")
            return TypeExpr(kind="ref", name=shape)
        filled = dict(zip(found.parameters, [*values, *[ANY] * len(found.parameters)], strict=False))
        self._open.append(f"{shape}<>")
        expr = self._body(found, Place(found.path, found.scope, filled, place.depth))
        self._open.pop()
        return expr

    def _lookup(self, node: Node, place: Place) -> TypeExpr:
        chain = key_chain(node)
        owner = self.package.resolve(place.path, place.scope, text(chain[0])) if chain is not None else None
        if chain is not None and owner is not None and text(chain[0]) not in place.values:
            found = self._finder.find(owner, chain[1])
            if found is not None and is_composed(found[0]):
                return TypeExpr(kind="ref", name=self._member_name(owner, chain[1], *found))
            if found is not None:
                return self.read(found[0], Place(owner.path, owner.scope, {}, place.depth))
        whole, key = (self.read(child, place) for child in node.named_children[:2])
        owners = members(whole, self.resolve)
        if key.kind == "number" and not key.enum:
            return union_of([owner.items or ANY for owner in owners]) if owners else ANY
        fields = {field.name: field for field in collapse(owners).fields}
        found = [fields[str(value)].type for value in expand(key, self.resolve).enum if str(value) in fields]
        return union_of(found) if found else ANY

    def _member_name(self, owner: Declaration, keys: tuple[str, ...], node: Node, doc: Doc) -> str:
        """The shape of a member: called by its last key inside a folder of types, else by the whole way."""
        place = (owner.path, owner.name, keys)
        if place not in self._members:
            whole = ".".join((self.package.shape_names[place[:2]], *keys))
            taken = self._shapes.keys() | self.members.keys()
            name = keys[-1] if len(keys) > 1 and keys[-1] not in taken else whole
            self._members[place] = name
            self.members[name] = Member(name, owner, keys, node, doc)
        return self._members[place]

    def _keys(self, node: Node, place: Place) -> TypeExpr:
        owners = members(self.read(node.named_children[0], place), self.resolve)
        names = [field.name for field in collapse(owners).fields]
        return enum_of(names) if names else STRING

    def _typeof(self, node: Node, place: Place) -> TypeExpr:
        found = self.package.constant(place.path, text(node.named_children[0]))
        stated = found.nodes[0].child_by_field_name("type") if found is not None else None
        if found is None or stated is None or f"typeof {found.name}" in self._open:
            return ANY
        self._open.append(f"typeof {found.name}")
        expr = self.read(stated, Place(found.path, "", {}, place.depth))
        self._open.pop()
        return expr
