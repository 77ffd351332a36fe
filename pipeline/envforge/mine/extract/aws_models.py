"""AWS service models (service-2.json): operations and shapes, over HTTP paths or as named actions."""

from __future__ import annotations

import html
import re
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import ApiOperation, ApiParameter, Extraction, Issue, Shape, ShapeField, TypeExpr
from envforge.core.records.source import Source
from envforge.mine.extract.named_calls import method_of, with_key
from envforge.mine.extract.parse import child, decode, mapping, read_json, sequence, text_of
from envforge.mine.extract.type_algebra import ANY

MAX_NESTING = 12
"""How deep lists and maps stand in one another before the inside is left untyped."""

_PREFIX, _VERSION = re.compile(rb'"endpointPrefix"\s*:'), re.compile(rb'"apiVersion"\s*:')
_OPERATIONS = re.compile(rb'"(operations|protocol)"\s*:')
_TOKEN = re.compile(
    r"^((next|start|starting|continuation|page|pagination|exclusivestart)(token|marker|key|page)|nextcontinuationtoken|"
    r"marker|istruncated|hasmore\w*|responsemetadata|requestid)$",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,300}>")
_SCALARS: dict[str, TypeExpr] = {
    "boolean": TypeExpr(kind="boolean"),
    "integer": TypeExpr(kind="integer"),
    "long": TypeExpr(kind="integer"),
    "short": TypeExpr(kind="integer"),
    "biginteger": TypeExpr(kind="integer"),
    "float": TypeExpr(kind="number"),
    "double": TypeExpr(kind="number"),
    "bigdecimal": TypeExpr(kind="number"),
    "timestamp": TypeExpr(kind="string", format="date-time"),
    "blob": TypeExpr(kind="string", format="binary"),
    "character": TypeExpr(kind="string"),
}
_PLACES: dict[str, Any] = {"uri": "path", "querystring": "query", "header": "header", "headers": "header"}


class AwsModelExtractor:
    """Reads operations with their input members as parameters, and structures as shapes."""

    name = "aws-model"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for JSON whose metadata are those of a service model."""
        del source
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        return start[:1] == b"{" and all(mark.search(start) for mark in (_PREFIX, _VERSION, _OPERATIONS))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the model. Raises ExtractError when it is broken or states no operation."""
        where = fetched.source.path
        document = mapping(read_json(decode(fetched), where))
        if not mapping(document.get("operations")):
            raise ExtractError("the model states no operation", where=where, remedy="give a service-2.json")
        return _Reader(document, fetched.source).read()


class _Reader:
    def __init__(self, document: dict[str, Any], source: Source) -> None:
        self._shapes = mapping(document.get("shapes"))
        self._operations = mapping(document.get("operations"))
        protocol = text_of(mapping(document.get("metadata")).get("protocol"))
        self._has_paths = protocol.startswith("rest")
        self._source = source
        self._issues: list[Issue] = []

    def read(self) -> Extraction:
        operations = tuple(
            self._operation(name, mapping(stated), child("#/operations", name))
            for name, stated in self._operations.items()
        )
        frames = {text_of(mapping(mapping(stated).get(side)).get("shape"))
                  for stated in self._operations.values() for side in ("input", "output")}  # fmt: skip
        shapes = {
            name: Shape(name=name, type=expr, locator=child("#/shapes", name), description=expr.description)
            for name, stated in self._shapes.items()
            if mapping(stated).get("type") == "structure"
            and name not in frames
            and not mapping(stated).get("exception")
            for expr in [self._structure(name)]
            if expr.fields
        }
        return Extraction(
            self._source.id, AwsModelExtractor.name, operations=operations, shapes=shapes, issues=tuple(self._issues)
        )

    def _operation(self, name: str, stated: dict[str, Any], pointer: str) -> ApiOperation:
        http = mapping(stated.get("http"))
        path = text_of(http.get("requestUri")) if self._has_paths else ""
        path = re.sub(r"\{(\w+)\+\}", r"{\1}", path.split("?")[0])
        method = text_of(http.get("method")).lower() if self._has_paths else method_of(name)
        answer = self._answer(text_of(mapping(stated.get("output")).get("shape")))
        parameters = self._parameters(text_of(mapping(stated.get("input")).get("shape")), method)
        if not self._has_paths:
            many = answer is not None and answer.kind == "array"
            about = (answer.name or "") if answer is not None and answer.kind == "ref" else ""
            parameters = with_key(name, parameters, about=about, many=many)
        return ApiOperation(
            id=name,
            method=method,
            path=path,
            description=plain(stated.get("documentation")),
            deprecated=stated.get("deprecated") is True,
            parameters=tuple(parameters),
            success=answer,
            locator=pointer,
            source_id=self._source.id,
        )

    def _parameters(self, name: str, method: str) -> list[ApiParameter]:
        """The input's members; a payload member is the body itself, tokens of pages are left out.

        A name that the path and the payload share stands once.
        """
        shape = mapping(self._shapes.get(name))
        payload = text_of(shape.get("payload"))
        found: list[ApiParameter] = []
        for key, stated in mapping(shape.get("members")).items():
            member = mapping(stated)
            target = text_of(member.get("shape"))
            place = _PLACES.get(text_of(member.get("location")), "query" if method == "get" else "body")
            if key == payload and mapping(self._shapes.get(target)).get("type") == "structure":
                found += self._parameters(target, method)
            elif not _TOKEN.match(key):
                found.append(
                    ApiParameter(
                        name=(text_of(member.get("locationName")) or key) if "location" in member else key,
                        location=place,
                        type=self._type(target, 0),
                        required=place == "path" or key in sequence(shape.get("required")),
                        deprecated=member.get("deprecated") is True,
                        description=plain(member.get("documentation")),
                    )
                )
        in_path = {one.name for one in found if one.location == "path"}
        return [one for one in found if one.location == "path" or one.name not in in_path]

    def _answer(self, name: str) -> TypeExpr | None:
        """What an operation answers: the one record or list in its output, beside tokens and metadata."""
        shape = mapping(self._shapes.get(name))
        members = {
            key: text_of(mapping(stated).get("shape"))
            for key, stated in mapping(shape.get("members")).items()
            if not _TOKEN.match(key) and not text_of(mapping(stated).get("location"))
        }
        if not members:
            return None
        if len(members) == 1:
            only = self._type(next(iter(members.values())), 0)
            if only.kind in ("ref", "array"):
                return only
        lists = {key: expr for key, target in members.items() if (expr := self._type(target, 0)).kind == "array"}
        records = [expr for expr in lists.values() if expr.items is not None and expr.items.kind == "ref"]
        tokens = any(_TOKEN.match(key) for key in mapping(shape.get("members")))
        if len(records) == 1 and tokens:
            return records[0]
        return self._structure(name, members)

    def _structure(self, name: str, only: dict[str, str] | None = None) -> TypeExpr:
        shape = mapping(self._shapes.get(name))
        required = sequence(shape.get("required"))
        fields = tuple(
            ShapeField(
                name=key,
                type=self._type(text_of(mapping(stated).get("shape")), 0),
                required=key in required,
                deprecated=mapping(stated).get("deprecated") is True,
                description=plain(mapping(stated).get("documentation")),
            )
            for key, stated in mapping(shape.get("members")).items()
            if only is None or key in only
        )
        return TypeExpr(kind="object", name=name, fields=fields, description=plain(shape.get("documentation")))

    def _type(self, name: str, depth: int) -> TypeExpr:
        """The type of a shape. Structures are references, so only lists and maps nest."""
        shape = mapping(self._shapes.get(name))
        kind = text_of(shape.get("type"))
        if not shape or depth > MAX_NESTING:
            self._issues.append(Issue(locator=child("#/shapes", name), reason="is not there, or nests without end"))
            return ANY
        if kind == "structure":
            return TypeExpr(kind="ref", name=name) if mapping(shape.get("members")) else ANY
        if kind == "list":
            inner = text_of(mapping(shape.get("member")).get("shape"))
            return TypeExpr(kind="array", items=self._type(inner, depth + 1))
        if kind == "map":
            return TypeExpr(kind="map", items=self._type(text_of(mapping(shape.get("value")).get("shape")), depth + 1))
        if kind == "string":
            words = tuple(word for word in sequence(shape.get("enum")) if isinstance(word, str))
            longest = shape.get("max")
            return TypeExpr(kind="string", enum=words, max_length=longest if isinstance(longest, int) else None)
        return _SCALARS.get(kind, ANY)


def plain(documentation: Any) -> str:
    """The text of a documentation string without its markup."""
    return " ".join(html.unescape(_TAG.sub(" ", text_of(documentation)[:20_000])).split())
