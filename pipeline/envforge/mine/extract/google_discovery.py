"""Google discovery documents: resources and methods, read as the operations of an API description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction, Issue, Shape
from envforge.core.records.source import Source
from envforge.mine.extract.openapi_operations import OperationReader
from envforge.mine.extract.openapi_types import SchemaReader
from envforge.mine.extract.parse import child, decode, mapping, read_json, text_of

MAX_METHODS = 10_000
_MARK = re.compile(rb'"discoveryVersion"\s*:|"kind"\s*:\s*"discovery#restDescription"')
_INDEX = re.compile(rb'"kind"\s*:\s*"discovery#directoryList"')
_ANSWER_FORM = frozenset({"alt", "fields", "key", "prettyPrint", "quotaUser", "userIp", "$.xgafv", "uploadType"})


class GoogleDiscoveryExtractor:
    """Reads methods as operations and schemas as shapes."""

    name = "google-discovery"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for JSON that says it is a discovery document."""
        del source
        is_object = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
        return is_object and bool(_MARK.search(head)) and not _INDEX.search(head)

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the document. Raises ExtractError when it is broken or states nothing."""
        source, where = fetched.source, fetched.source.path
        document = mapping(read_json(decode(fetched), where))
        if not mapping(document.get("resources")) and not mapping(document.get("methods")):
            raise ExtractError("the document states no method", where=where, remedy="give the API's own document")
        places: dict[str, str] = {}
        paths = _paths(document, places, where)
        schemas = {name: _schema(stated) for name, stated in mapping(document.get("schemas")).items()}
        try:
            return _extract({"components": {"schemas": schemas}, "paths": paths}, places, source.id)
        except RecursionError as error:
            raise ExtractError("schemas refer to each other too deeply", where=where, remedy="simplify them") from error


def _extract(document: dict[str, Any], places: dict[str, str], source_id: str) -> Extraction:
    reader = SchemaReader(document)
    found = OperationReader(reader, source_id)
    operations = [
        operation.model_copy(update={"locator": places.get(operation.locator, operation.locator)})
        for operation in found.operations()
    ]
    shapes = {
        name: Shape(name=name, type=expr, locator=_own_place(pointer), description=expr.description)
        for name, pointer, expr in reader.named()
    }
    issues = [Issue(locator=_own_place(issue.locator), reason=issue.reason) for issue in reader.issues]
    return Extraction(
        source_id,
        GoogleDiscoveryExtractor.name,
        operations=tuple(operations),
        shapes=shapes,
        issues=tuple(issues),
        title=text_of(document.get("title")),
        about=text_of(document.get("description")),
    )


def _own_place(pointer: str) -> str:
    return pointer.replace("#/components/schemas/", "#/schemas/", 1)


def _paths(document: dict[str, Any], places: dict[str, str], where: str) -> dict[str, Any]:
    """The methods as the `paths` of an API description; `places` tells where each of them really stands."""
    paths: dict[str, Any] = {}
    base = text_of(document.get("servicePath"))
    for count, (group, name, method, pointer) in enumerate(_methods(document, "#", ""), start=1):
        if count > MAX_METHODS:
            raise ExtractError(f"more than {MAX_METHODS} methods", where=where, remedy="give a part of the API")
        path, verb = _path(base, method), text_of(method.get("httpMethod")).lower() or "get"
        item = mapping(paths.setdefault(path, {}))
        if verb in item:  # the same address under two names: the first one stands
            continue
        item[verb] = _operation(f"{group}/{name}" if group else name, method, path)
        places[child("#/paths", path, verb)] = pointer
    return paths


def _methods(node: dict[str, Any], pointer: str, group: str) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """(resource, method's name, method, pointer) of all resources. Nesting is bounded by the JSON reader."""
    for name, method in mapping(node.get("methods")).items():
        yield group, name, mapping(method), child(pointer, "methods", name)
    for name, resource in mapping(node.get("resources")).items():
        inner = f"{group}.{name}" if group else name
        yield from _methods(mapping(resource), child(pointer, "resources", name), inner)


def _path(base: str, method: dict[str, Any]) -> str:
    """The path in full: `{+name}`, which stands for several segments, is unfolded as the document does itself."""
    stated = text_of(method.get("path"))
    flat = text_of(method.get("flatPath")) if "{+" in stated else stated
    if re.search(r"\{\+(?!parent)\w+\}(:\w+)?$", stated):
        # It names the resource itself, whose identity is its field `name`.
        flat = re.sub(r"\{\w+\}(:\w+)?$", r"{name}\1", flat)
    path = re.sub(r"\{[+/?#.&;]?(\w+)\*?\}", r"{\1}", flat or stated)
    return "/" + (base + path).lstrip("/").replace(":", "/")


def _operation(name: str, method: dict[str, Any], path: str) -> dict[str, Any]:
    in_path = re.findall(r"\{(\w+)\}", path)
    stated = mapping(method.get("parameters"))
    parameters = [_parameter(key, mapping(value)) for key, value in stated.items() if key not in _ANSWER_FORM]
    parameters = [one for one in parameters if one["in"] != "path" or one["name"] in in_path]
    known = {one["name"] for one in parameters}
    parameters += [
        {"name": key, "in": "path", "required": True, "schema": {"type": "string"}}
        for key in in_path
        if key not in known
    ]
    operation: dict[str, Any] = {
        "operationId": name,
        "description": text_of(method.get("description")),
        "deprecated": method.get("deprecated") is True,
        "parameters": parameters,
        "responses": {},
    }
    if mapping(method.get("request")):
        operation["requestBody"] = {"content": {"application/json": {"schema": _schema(method["request"])}}}
    if mapping(method.get("response")):
        operation["responses"] = {"200": {"content": {"application/json": {"schema": _schema(method["response"])}}}}
    return operation


def _parameter(name: str, stated: dict[str, Any]) -> dict[str, Any]:
    schema = {key: value for key, value in stated.items() if key not in ("location", "required", "repeated")}
    if stated.get("repeated") is True:
        schema = {"type": "array", "items": schema}
    place = "path" if stated.get("location") == "path" else "query"
    return {
        "name": name,
        "in": place,
        "required": stated.get("required") is True,
        "description": text_of(stated.get("description")),
        "deprecated": stated.get("deprecated") is True,
        "schema": schema,
    }


def _schema(stated: Any) -> Any:
    """A schema with its references as JSON pointers. Nesting is bounded by the JSON reader."""
    node = mapping(stated)
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key == "$ref" and isinstance(value, str):
            made[key] = f"#/components/schemas/{value}"
        elif key == "properties":
            made[key] = {name: _schema(inner) for name, inner in mapping(value).items()}
            required = [name for name, inner in mapping(value).items() if _is_required(inner)]
            if required:
                made["required"] = required
        elif key in ("items", "additionalProperties"):
            made[key] = _schema(value)
        elif key != "required":
            made[key] = value
    return made


def _is_required(stated: Any) -> bool:
    """True for a property that is marked so, or whose text begins with `Required.` as is the custom."""
    node = mapping(stated)
    marked = bool(mapping(node.get("annotations")).get("required"))
    return marked or text_of(node.get("description")).startswith("Required.")
