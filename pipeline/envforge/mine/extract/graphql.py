"""GraphQL schemas: the schema language, and the JSON that an introspection query answers."""

from __future__ import annotations

import re
from typing import Any, cast

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Source
from envforge.mine.extract.parse import decode, mapping, read_json

MAX_TOKENS = 3_000_000
"""Words and marks of one schema; the largest published ones have about 300,000."""

_PATH = re.compile(r"\.(graphqls?|gql)$", re.IGNORECASE)
_INTROSPECTION = re.compile(rb'^\s*\{\s*("data"\s*:\s*\{\s*)?"__schema"\s*:')
_REMEDY = "give the whole schema: its type definitions, or what an introspection query answers"


class GraphqlExtractor:
    """Reads object types as shapes, and the fields of Query and Mutation as operations."""

    name = "graphql"

    def accepts(self, source: Source, head: bytes) -> bool:
        """True for the schema language by name or MIME, and for introspection JSON by its first key."""
        named = bool(_PATH.search(source.path)) or source.mime.split(";")[0] == "application/graphql"
        return (named and b"\x00" not in head) or bool(_INTROSPECTION.match(head.removeprefix(b"\xef\xbb\xbf")))

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the schema. Raises ExtractError when it is broken, lacks types, or defines none."""
        from envforge.mine.extract.graphql_schema import SchemaReader  # graphql is slow to import

        source, where = fetched.source, fetched.source.path
        text = decode(fetched)
        is_json = text.lstrip()[:1] == "{" and bool(_INTROSPECTION.match(text[:500].encode()))
        try:
            schema = _introspected(read_json(text, where), where) if is_json else _defined(text, where)
            reader = SchemaReader(schema, source.id)
            operations = tuple(reader.operations())
            shapes = reader.shapes()
        except RecursionError as error:
            raise ExtractError("the schema is nested too deeply", where=where, remedy="simplify it") from error
        except TypeError as error:  # the library resolves a type's fields when they are first asked for
            raise _incomplete(str(error), text, where) from error
        if not operations and not shapes:
            raise ExtractError("the schema defines no object type", where=where, remedy=_REMEDY)
        return Extraction(source.id, self.name, operations=operations, shapes=shapes, issues=tuple(reader.issues))


def _defined(text: str, where: str) -> Any:
    from graphql import GraphQLSyntaxError, build_ast_schema, parse
    from graphql.language import ExecutableDefinitionNode

    try:
        document = parse(text, no_location=False, max_tokens=MAX_TOKENS)
    except GraphQLSyntaxError as error:
        line = error.locations[0].line if error.locations else 1
        raise ExtractError(
            f"broken GraphQL: {error.message} (line {line})", where=f"{where}:{line}", remedy="fix the file"
        ) from error
    if all(isinstance(definition, ExecutableDefinitionNode) for definition in document.definitions):
        raise ExtractError("the document holds operations and defines no types", where=where, remedy=_REMEDY)
    return build_ast_schema(document, assume_valid=True, assume_valid_sdl=True)


def _introspected(value: Any, where: str) -> Any:
    from graphql import GraphQLError, build_client_schema

    answer = mapping(value)
    answer = mapping(answer["data"]) if "data" in answer else answer
    if not mapping(answer.get("__schema")).get("types"):
        raise ExtractError("the introspection answers no types", where=where, remedy=_REMEDY)
    try:
        return build_client_schema(cast("Any", answer), assume_valid=True)
    except (GraphQLError, KeyError, AttributeError, ValueError) as error:
        what = " ".join(str(error).split())[:160]
        raise ExtractError(f"the introspection is incomplete: {what}", where=where, remedy=_REMEDY) from error


def _incomplete(message: str, text: str, where: str) -> ExtractError:
    named = re.search(r"'(\w+)'", message)
    found = re.search(rf"\b{named[1]}\b", text) if named else None
    line = text.count("\n", 0, found.start()) + 1 if found else 1
    return ExtractError(f"{' '.join(message.split())[:160]} (line {line})", where=f"{where}:{line}", remedy=_REMEDY)
