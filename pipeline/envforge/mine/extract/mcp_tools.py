"""Tool lists of the Model Context Protocol: the answer to `tools/list`, or a file of such tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.ids import canonical_json
from envforge.core.records.extraction import ApiOperation, ApiParameter, Extraction, Issue, Shape, TypeExpr
from envforge.core.records.source import Source
from envforge.mine.extract.named_calls import method_of, opened, with_key
from envforge.mine.extract.openapi_types import SchemaReader
from envforge.mine.extract.parse import child, decode, mapping, read_json, sequence, text_of
from envforge.mine.extract.records import distinct
from envforge.mine.extract.type_algebra import collapse, members

MAX_TOOLS = 5_000

_TOOLS = re.compile(rb"^\s*(\[|\{)")
_SCHEMA = re.compile(rb'"input_?[sS]chema"\s*:\s*\{')
_OTHER = re.compile(rb'"(openapi|swagger)"\s*:\s*"[23]\.')
_GENERIC = re.compile(r"(Output|Result|Response|Arguments|Return|Wrapper)$")


class McpToolsExtractor:
    """Reads tools as operations; the definitions in their schemas are shapes."""

    name = "mcp-tools"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for JSON whose head shows a tool with a name and an input schema."""
        del source
        start = head.removeprefix(b"\xef\xbb\xbf")
        listed = start.lstrip()[:1] == b"[" or b'"tools"' in start[:4096]
        return bool(_TOOLS.match(start) and listed and _SCHEMA.search(start) and not _OTHER.search(start))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the list. Raises ExtractError when it is broken or holds no tool."""
        where = fetched.source.path
        reader = _Reader(fetched.source)
        for tool, pointer in _tools(read_json(decode(fetched), where), where):
            reader.take(tool, pointer)
        if not reader.tools:
            raise ExtractError(
                "the list holds no tool with a name and an input schema",
                where=where,
                remedy="give an answer to tools/list",
            )
        return reader.extraction()


def _tools(value: Any, where: str) -> Iterator[tuple[Any, str]]:
    """The tools and where they stand: a bare list, `{tools: […]}`, or that inside a JSON-RPC result."""
    pointer = "#"
    for wrapper in ("result", "tools"):
        if isinstance(value, dict) and wrapper in value:
            value, pointer = mapping(value)[wrapper], child(pointer, wrapper)
    if not isinstance(value, list):
        raise ExtractError("a list of tools is expected", where=where, remedy="give an answer to tools/list")
    tools = sequence(value)
    if len(tools) > MAX_TOOLS:
        raise ExtractError(f"more than {MAX_TOOLS} tools", where=where, remedy="give a part of the list")
    for index, tool in enumerate(tools):
        yield tool, child(pointer, index)


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._definitions: dict[str, Any] = {}
        self._issues: list[Issue] = []
        self.tools: list[tuple[dict[str, Any], str, dict[str, Any], Any]] = []
        """(tool, pointer, input schema, output schema or None), local definitions moved into one place"""

    def take(self, tool: Any, pointer: str) -> None:
        """Take in one tool; what is none becomes an issue."""
        stated = mapping(tool)
        schema = stated.get("inputSchema", stated.get("input_schema"))
        if not text_of(stated.get("name")) or not isinstance(schema, dict):
            self._issues.append(Issue(locator=pointer, reason="no tool: a name and an input schema are missing"))
            return
        output = stated.get("outputSchema", stated.get("output_schema"))
        self.tools.append((stated, pointer, self._hoisted(schema), self._answer(output)))

    def _answer(self, schema: Any) -> Any:
        """The schema of the answer proper; a titled record becomes a definition, so that it has a name."""
        if not isinstance(schema, dict):
            return None
        found: Any = self._hoisted(schema)
        properties = mapping(found.get("properties"))
        if set(properties) == {"result"}:  # how servers wrap an answer that is no object
            found = properties["result"]
        title = text_of(mapping(found).get("title"))
        if re.fullmatch(r"[A-Za-z]\w*", title) and not _GENERIC.search(title) and mapping(found).get("properties"):
            return {"$ref": f"#/$defs/{self._defined(title, found)}"}
        return found

    def _hoisted(self, schema: Any) -> dict[str, Any]:
        """The schema with its own definitions moved into the common ones, references following them."""
        stated = mapping(schema)
        local = {word: mapping(stated.get(word)) for word in ("$defs", "definitions")}
        renamed = {
            f"#/{word}/{name}": self._reserved(name, definition)
            for word, definitions in local.items()
            for name, definition in definitions.items()
        }
        for word, definitions in local.items():
            for name, definition in definitions.items():
                self._definitions[renamed[f"#/{word}/{name}"]] = _renamed(definition, renamed)
        rest = {key: value for key, value in stated.items() if key not in local}
        return mapping(_renamed(rest, renamed))

    def _reserved(self, name: str, definition: Any) -> str:
        """A name for a definition: its own, unless another tool means something else by it."""
        number, wanted = 2, name
        while wanted in self._definitions and not _alike(self._definitions[wanted], definition):
            wanted, number = f"{name}{number}", number + 1
        return wanted

    def _defined(self, name: str, definition: Any) -> str:
        kept = self._reserved(name, definition)
        self._definitions.setdefault(kept, definition)
        return kept

    def extraction(self) -> Extraction:
        """Operations and shapes of all tools that were taken in."""
        schemas = SchemaReader({"$defs": self._definitions})
        names = distinct(text_of(tool.get("name")) for tool, _, _, _ in self.tools)
        operations = [
            self._operation(name, tool, pointer, schemas.read(given, child(pointer, "inputSchema")),
                            None if answer is None else schemas.read(answer, child(pointer, "outputSchema")))
            for name, (tool, pointer, given, answer) in zip(names, self.tools, strict=True)
        ]  # fmt: skip
        untyped = sum(operation.success is None for operation in operations)
        if untyped:
            self._issues.append(Issue(locator="#", reason=f"{untyped} tools do not say what they answer"))
        shapes = {
            name: Shape(name=name, type=expr, locator=pointer, description=expr.description)
            for name, pointer, expr in schemas.named()
        }
        resolved = [self._opened(operation, schemas) for operation in operations]
        return Extraction(
            self._source.id,
            McpToolsExtractor.name,
            operations=tuple(resolved),
            shapes=shapes,
            issues=(*self._issues, *schemas.issues),
        )

    def _operation(
        self, name: str, tool: dict[str, Any], pointer: str, given: TypeExpr, answer: TypeExpr | None
    ) -> ApiOperation:
        hints = mapping(tool.get("annotations"))
        reads = hints.get("readOnlyHint")
        return ApiOperation(
            id=name,
            method=method_of(name, reads=reads if isinstance(reads, bool) else None),
            path="",
            summary=text_of(tool.get("title")) or text_of(hints.get("title")),
            description=text_of(tool.get("description")),
            body=given,
            success=None if answer is None or answer.kind == "any" else answer,
            locator=pointer,
            source_id=self._source.id,
        )

    def _opened(self, operation: ApiOperation, schemas: SchemaReader) -> ApiOperation:
        """The operation with the properties of its input as parameters."""
        given = operation.body or TypeExpr(kind="object")
        variants = members(given, schemas.resolve)
        location = "query" if operation.method == "get" else "body"
        found: list[ApiParameter] = opened(collapse(variants), location) if variants else []
        answer = operation.success
        many = answer is not None and answer.kind == "array"
        about = (answer.name or "") if answer is not None and answer.kind == "ref" else ""
        keyed = with_key(operation.id, found, about=about, many=many or (answer is None and _lists(operation.id)))
        return operation.model_copy(update={"parameters": tuple(keyed), "body": None})


def _lists(name: str) -> bool:
    return name.lower().startswith(("list", "search", "find", "query"))


def _alike(one: Any, other: Any) -> bool:
    return canonical_json(one) == canonical_json(other)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """A schema with its local references led to the common definitions. Nesting is bounded by the JSON reader."""
    if isinstance(value, list):
        return [_renamed(item, names) for item in sequence(value)]
    if not isinstance(value, dict):
        return value
    stated = mapping(value)
    if isinstance(stated.get("$ref"), str) and stated["$ref"] in names:
        return {**stated, "$ref": f"#/$defs/{names[stated['$ref']]}"}
    return {key: _renamed(item, names) for key, item in stated.items()}
