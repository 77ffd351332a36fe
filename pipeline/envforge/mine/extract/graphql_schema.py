"""The fields of Query and Mutation as operations, object types as shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from graphql import (
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLUnionType,
    get_named_type,
)

from envforge.core.records.extraction import ApiOperation, ApiParameter, Issue, Shape, TypeExpr
from envforge.mine.extract.graphql_types import PAGING, TypeReader, bare, is_required, needs_argument
from envforge.mine.extract.named_calls import name_words, opened, verb_first, with_key

_OUTCOME = re.compile(r"^(clientMutationId|\w*[eE]rrors?|success|ok|message|status|query|viewer|node)$")
_PAYLOAD = re.compile(r"(Payload|Response|Result|Output|Success)$")
_INPUTS = ("input", "data", "patch", "values", "attributes", "object", "payload")


class SchemaReader:
    """Reads one schema; nothing raises for want of facts, what is left out is in `issues`."""

    def __init__(self, schema: Any, source_id: str) -> None:
        self._schema = schema
        self._source_id = source_id
        self._types = TypeReader()
        self.issues: list[Issue] = []

    def shapes(self) -> dict[str, Shape]:
        """Every object and interface type that is a record."""
        found: dict[str, Shape] = {}
        for kind in self._records():
            expr = self._types.record(kind)
            if expr.fields:
                found[kind.name] = Shape(
                    name=kind.name, type=expr, locator=f"type {kind.name}", description=expr.description
                )
        return found

    def operations(self) -> Iterator[ApiOperation]:
        """Queries, lists inside addressable records, mutations; in this order."""
        if self._schema.query_type is not None:
            for name, field in self._schema.query_type.fields.items():
                if name not in ("node", "nodes", "viewer"):
                    yield self._query(self._schema.query_type.name, name, field)
        for kind in self._addressable():
            if self._is_node(kind):
                yield self._by_id(kind)
            yield from self._nested(kind)
        if self._schema.mutation_type is not None:
            for name, field in self._schema.mutation_type.fields.items():
                yield self._mutation(self._schema.mutation_type.name, name, field)
        if self._schema.subscription_type is not None:
            count = len(self._schema.subscription_type.fields)
            self.issues.append(Issue(locator="Subscription", reason=f"{count} subscriptions are left out"))

    def _records(self) -> Iterator[Any]:
        roots = {self._schema.query_type, self._schema.mutation_type, self._schema.subscription_type}
        for name, kind in self._schema.type_map.items():
            if name.startswith("__") or kind in roots or name == "PageInfo" or name.endswith("Edge"):
                continue
            if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and self._types.node_of(kind) is None:
                yield kind

    def _query(self, root: str, name: str, field: Any) -> ApiOperation:
        many = self._is_many(field.type)
        parameters = self._arguments(field, "query")
        about = str(_named(field.type).name)
        keyed = with_key(f"get {name}", parameters, about=about, many=many)
        return self._operation(name, "get", f"{root}.{name}", field, keyed, self._types.read(field.type))

    def _addressable(self) -> Iterator[Any]:
        """Types one of which a query can name: by its own field, or as a Node."""
        query = self._schema.query_type
        if query is None:
            return
        direct = {
            bare(field.type).name
            for field in query.fields.values()
            if isinstance(bare(field.type), GraphQLNamedType) and field.args
        }
        for kind in self._records():
            if not isinstance(kind, GraphQLObjectType) or "id" not in kind.fields:
                continue
            if kind.name in direct or self._is_node(kind):
                yield kind

    def _is_node(self, kind: Any) -> bool:
        """True for types that relay's `node(id)` answers."""
        return "node" in self._schema.query_type.fields and any(parent.name == "Node" for parent in kind.interfaces)

    def _by_id(self, kind: Any) -> ApiOperation:
        """`node(id)`, asked for one type: what other APIs have a path of its own for."""
        field = self._schema.query_type.fields["node"]
        key = ApiParameter(name="id", location="path", type=TypeExpr(kind="string"), required=True)
        name, answer = f"get{kind.name}", TypeExpr(kind="ref", name=kind.name)
        return self._operation(name, "get", f"Query.node, ... on {kind.name}", field, [key], answer)

    def _nested(self, kind: Any) -> Iterator[ApiOperation]:
        """Pages of records inside a record: what a path /records/{id}/others says elsewhere."""
        noun = "_".join(name_words(kind.name))
        for name, field in kind.fields.items():
            if not self._types.is_page(bare(field.type)) or needs_argument(field):
                continue
            key = ApiParameter(name=f"{noun}_id", location="path", type=TypeExpr(kind="string"), required=True)
            parameters = [key, *self._arguments(field, "query")]
            called, answer = f"{noun}/{name}", self._types.read(field.type)
            yield self._operation(called, "get", f"{kind.name}.{name}", field, parameters, answer)

    def _mutation(self, root: str, name: str, field: Any) -> ApiOperation:
        called = verb_first(name)
        answer = self._answer(field.type, name_words(called)[1:])
        about = (answer.name or "") if answer is not None else ""
        parameters = with_key(called, self._arguments(field, "body"), about=about)
        return self._operation(called, "", f"{root}.{name}", field, parameters, answer)

    def _operation(
        self, name: str, method: str, locator: str, field: Any, parameters: list[ApiParameter], success: TypeExpr | None
    ) -> ApiOperation:
        owner, _, own = name.rpartition("/")
        noun = " ".join(name_words(own))
        told = f"List {noun} for one {owner.replace('_', ' ')}" if owner else f"List {noun}"
        return ApiOperation(
            id=name,
            method=method,
            path="",
            # What a field says of itself ("A list of …") names no deed.
            summary=told if method and success is not None and success.kind == "array" else "",
            description=" ".join((field.description or "").split()),
            deprecated=field.deprecation_reason is not None,
            parameters=tuple(parameters),
            success=success,
            locator=locator,
            source_id=self._source_id,
        )

    def _arguments(self, field: Any, location: str) -> list[ApiParameter]:
        """Arguments as parameters: those of relay's paging left out, the one input object opened."""
        found: dict[str, ApiParameter] = {}
        pages = self._is_many(field.type)
        for name, argument in field.args.items():
            kind = bare(argument.type)
            if pages and name in PAGING:
                continue
            expr = self._types.input(argument.type)
            wraps = isinstance(kind, GraphQLInputObjectType) and (name in _INPUTS or len(field.args) == 1)
            if wraps and location == "body":
                for inner in opened(expr, "body"):
                    found.setdefault(inner.name, inner)
                continue
            place: Any = location
            found[name] = ApiParameter(
                name=name,
                location=place,
                type=expr,
                required=is_required(argument),
                deprecated=argument.deprecation_reason is not None,
                description=argument.description or "",
            )
        return list(found.values())

    def _is_many(self, kind: Any) -> bool:
        kind = bare(kind)
        return isinstance(kind, GraphQLList) or self._types.is_page(kind)

    def _answer(self, kind: Any, noun: list[str]) -> TypeExpr | None:
        """What a mutation answers: the record inside its payload, beside messages and errors."""
        kind = bare(kind)
        if isinstance(kind, GraphQLUnionType):
            good = [member for member in kind.types if "Error" not in member.name]
            return self._answer(good[0], noun) if len(good) == 1 else self._types.read(kind)
        if not isinstance(kind, GraphQLObjectType) or not _PAYLOAD.search(kind.name):
            expr = self._types.read(kind)
            return expr if expr.kind in ("ref", "array") else None
        records = {
            name: bare(field.type)
            for name, field in kind.fields.items()
            if not _OUTCOME.match(name) and hasattr(_named(field.type), "fields")
        }
        wanted = next((name for name in records if name_words(name) == noun), None)
        if wanted is None and len(records) == 1:
            wanted = next(iter(records))
        if wanted is None:
            return None
        node = getattr(records[wanted], "fields", {}).get("node") if wanted.endswith("Edge") else None
        expr = self._types.read(node.type if node is not None else records[wanted])
        return expr.model_copy(update={"nullable": False})


def _named(kind: Any) -> Any:
    """The type inside lists and non-null marks."""
    return cast("Any", get_named_type)(kind)
