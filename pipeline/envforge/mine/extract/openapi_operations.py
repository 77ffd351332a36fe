"""Paths of an API description into operations and examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, cast

from envforge.core.records.extraction import ApiOperation, ApiParameter, Example, TypeExpr
from envforge.mine.extract.inference import infer_type
from envforge.mine.extract.openapi_types import SchemaReader
from envforge.mine.extract.parse import child, mapping, sequence, text_of
from envforge.mine.extract.type_algebra import ANY, collapse, members

METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
MAX_EXAMPLE_ITEMS = 20
"""Items kept of one example list."""

_LOCATIONS = {"path": "path", "query": "query", "header": "header"}
_SUCCESS = ("200", "201", "202", "203", "2XX", "2xx")


class OperationReader:
    """Reads the operations of one document; types are read by the given SchemaReader."""

    def __init__(self, schemas: SchemaReader, source_id: str) -> None:
        self.schemas = schemas
        self.source_id = source_id
        self.examples: list[Example] = []
        self._ids: set[str] = set()
        self._unnamed = 0

    def operations(self) -> list[ApiOperation]:
        """Every operation, in the document's order."""
        result: list[ApiOperation] = []
        for path, stated in mapping(self.schemas.document.get("paths")).items():
            item, pointer = self.schemas.follow(stated, child("#/paths", path))
            shared = sequence(item.get("parameters"))
            for method in item:
                if method.lower() not in METHODS:
                    continue
                if not isinstance(item[method], dict):
                    self.schemas.note(child(pointer, method), "an operation object is expected here")
                    continue
                result.append(self._operation(path, method, item[method], child(pointer, method), shared))
        if self._unnamed:
            self.schemas.note("#/paths", f"{self._unnamed} operations state no operationId; named by method and path")
        return result

    def _operation(self, path: str, method: str, node: dict[str, Any], pointer: str, shared: list[Any]) -> ApiOperation:
        name = self._id(node, method, path, pointer)
        parameters, body = self._parameters(path, node, pointer, shared)
        if body is None and "requestBody" in node:
            body = self._request(node["requestBody"], child(pointer, "requestBody"), name)
        if body is not None:
            parameters += self._body_parameters(body, {(p.name, p.location) for p in parameters})
        return ApiOperation(
            id=name,
            method=method.lower(),
            path=path,
            summary=text_of(node.get("summary")),
            description=text_of(node.get("description")),
            tags=tuple(tag for tag in sequence(node.get("tags")) if isinstance(tag, str)),
            deprecated=node.get("deprecated") is True,
            parameters=tuple(parameters),
            body=body,
            success=self._success(mapping(node.get("responses")), child(pointer, "responses"), name),
            locator=pointer,
            source_id=self.source_id,
        )

    def _id(self, node: dict[str, Any], method: str, path: str, pointer: str) -> str:
        wanted = text_of(node.get("operationId"))
        if not wanted:
            self._unnamed += 1
            wanted = method.lower() + "_" + "_".join(re.findall(r"[A-Za-z0-9]+", path))
        name, number = wanted, 2
        while name in self._ids:
            name, number = f"{wanted}_{number}", number + 1
        if name != wanted:
            self.schemas.note(pointer, f"operationId {wanted!r} is not unique; called {name!r}")
        self._ids.add(name)
        return name

    def _parameters(
        self, path: str, node: dict[str, Any], pointer: str, shared: list[Any]
    ) -> tuple[list[ApiParameter], TypeExpr | None]:
        """Parameters of the operation over those of its path, and the body as version 2.0 states it."""
        found: dict[tuple[str, str], ApiParameter] = {}
        body: TypeExpr | None = None
        form: list[ApiParameter] = []
        own = sequence(node.get("parameters"))
        for index, stated in enumerate([*shared, *own]):
            at = child(pointer, "parameters", index - len(shared))
            parameter, at = self.schemas.follow(stated, at if index >= len(shared) else at.rsplit("/", 3)[0])
            name, place = text_of(parameter.get("name")), text_of(parameter.get("in"))
            if place == "body":
                body = self.schemas.read(parameter.get("schema", {}), child(at, "schema"))
            elif place == "formData" and name:
                form.append(self._parameter(parameter, at, "body"))
            elif place in _LOCATIONS and name:
                location = cast(Literal["path", "query", "header"], _LOCATIONS[place])
                found[(name, place)] = self._parameter(parameter, at, location)
            elif parameter:
                self.schemas.note(at, f"parameter {name!r} in {place!r} is left out")
        for name in re.findall(r"\{([^{}]+)\}", path):
            if (name, "path") not in found:
                self.schemas.note(pointer, f"path parameter {name!r} is not declared; taken as a string")
                found[(name, "path")] = ApiParameter(
                    name=name, location="path", type=TypeExpr(kind="string"), required=True
                )
        return [*found.values(), *form], body

    def _parameter(
        self, node: dict[str, Any], pointer: str, location: Literal["path", "query", "header", "body"]
    ) -> ApiParameter:
        if "schema" in node:
            expr = self.schemas.read(node["schema"], child(pointer, "schema"))
        elif mapping(node.get("content")):
            mime, media = next(iter(mapping(node["content"]).items()))
            expr = self.schemas.read(mapping(media).get("schema", {}), child(pointer, "content", mime, "schema"))
        else:
            expr = self.schemas.read({k: v for k, v in node.items() if k not in ("required", "description")}, pointer)
        if node.get("example") is not None and expr.example is None:
            expr = expr.model_copy(update={"example": node["example"]})
        return ApiParameter(
            name=text_of(node.get("name")),
            location=location,
            type=expr,
            required=location == "path" or node.get("required") is True,
            deprecated=node.get("deprecated") is True,
            description=text_of(node.get("description")) or expr.description,
        )

    def _request(self, stated: Any, pointer: str, name: str) -> TypeExpr | None:
        body, pointer = self.schemas.follow(stated, pointer)
        media, at = _media(body, pointer)
        if media is None:
            return None
        expr = self.schemas.read(media.get("schema", {}), child(at, "schema"))
        examples = list(self._keep_examples(media, at, expr, f"{name}.request"))
        if _untyped(expr) and examples:
            self.schemas.note(at, "no schema of the request; its type is inferred from its example")
            expr = infer_type(examples)
        return expr

    def _body_parameters(self, body: TypeExpr, taken: set[tuple[str, str]]) -> list[ApiParameter]:
        """Properties of an object body (of any variant of a union) as parameters; another body is one parameter."""
        variants = members(body, self.schemas.resolve)
        if not any(variant.kind == "object" and variant.fields for variant in variants):
            return [] if ("body", "body") in taken else [ApiParameter(name="body", location="body", type=body)]
        return [
            ApiParameter(
                name=field.name,
                location="body",
                type=field.type,
                required=field.required,
                deprecated=field.deprecated,
                description=field.description,
            )
            for field in collapse(variants).fields
            if not field.read_only and (field.name, "body") not in taken
        ]

    def _success(self, responses: dict[str, Any], pointer: str, name: str) -> TypeExpr | None:
        """Type of the first successful response that has content; `default` counts when no 2xx is stated."""
        successful = [code for code in _SUCCESS if code in responses]
        successful += sorted(code for code in responses if re.fullmatch(r"2\d\d", code) and code not in _SUCCESS)
        for code in successful or [code for code in ("default",) if code in responses]:
            response, at = self.schemas.follow(responses[code], child(pointer, code))
            media, at = _media(response, at)
            if media is None:
                continue
            expr = self.schemas.read(media.get("schema", {}), child(at, "schema"))
            examples = list(self._keep_examples(media, at, expr, f"{name}.response"))
            if _untyped(expr) and examples:
                self.schemas.note(at, "no schema of the response; its type is inferred from its example")
                return infer_type(examples)
            return None if expr.kind == "any" and not expr.name else expr
        return None

    def _keep_examples(self, media: dict[str, Any], pointer: str, expr: TypeExpr, fallback: str) -> Iterator[Any]:
        """Stores the examples of a body under the shape they show, and yields their values."""
        stated: list[tuple[Any, str]] = []
        if "example" in media:
            stated.append((media["example"], child(pointer, "example")))
        for key, item in mapping(media.get("examples")).items():
            found, at = self.schemas.follow(item, child(pointer, "examples", key))
            if "value" in found:
                stated.append((found["value"], child(at, "value")))
        for value, at in stated:
            if not isinstance(value, dict | list):
                continue
            yield value
            items = expr.items
            if isinstance(value, list) and items is not None and items.kind == "ref" and items.name:
                for index, entry in enumerate(sequence(value)[:MAX_EXAMPLE_ITEMS]):
                    self.examples.append(Example(shape=items.name, value=entry, locator=child(at, index)))
            else:
                shape = expr.name if expr.kind == "ref" and expr.name else fallback
                self.examples.append(Example(shape=shape, value=value, locator=at))


def _untyped(expr: TypeExpr) -> bool:
    return expr.kind == "any" or (expr.kind in ("object", "map") and not expr.fields and expr.items in (None, ANY))


def _media(node: dict[str, Any], pointer: str) -> tuple[dict[str, Any] | None, str]:
    """The content of a body or response: JSON first, then forms, then whatever is stated. Version 2.0 included."""
    content = mapping(node.get("content"))
    if not content:
        if "schema" not in node and "examples" not in node:
            return None, pointer
        examples = mapping(node.get("examples"))
        value = next((examples[mime] for mime in examples if "json" in mime), None)
        media = {key: value for key, value in (("schema", node.get("schema", {})), ("example", value)) if value}
        return media or None, pointer

    def rank(mime: str) -> int:
        kind = mime.split(";")[0].strip().lower()
        wanted = ("application/json", "text/json", "application/x-www-form-urlencoded", "multipart/form-data")
        if kind.endswith("+json"):
            return 1
        return wanted.index(kind) if kind in wanted else 9

    mime = min(content, key=rank)
    return mapping(content[mime]), child(pointer, "content", mime)
