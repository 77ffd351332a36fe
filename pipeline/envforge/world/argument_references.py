"""`$ref` in a tool's parameters: it leads to another place of the same schema, and never in a circle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import unquote

Schema = dict[str, Any]

ONE = ("additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("properties", "dependentSchemas", "patternProperties")
UNEVALUATED = ("unevaluatedItems", "unevaluatedProperties")
_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""These judge the same value again; the others judge a part of it."""
_BASES = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")
_DEFINED = re.compile(r"#(/(\$defs|definitions)/[^/]*)?")
"""What is defined there is checked with the schema as a whole."""


class BadReference(Exception):
    """A `$ref` leads out of the schema, to nothing, or back to itself."""


def follow(root: Schema, reference: Any) -> Any:
    """The schema that a `$ref` refers to. Raises BadReference."""
    wrong = BadReference(f"a $ref leads nowhere: {str(reference)[:80]!r}")
    if not isinstance(reference, str) or (reference != "#" and not reference.startswith("#/")):
        raise wrong
    here: Any = root
    for part in unquote(reference[2:]).split("/") if reference != "#" else ():
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict) and name in here:
            here = cast("Schema", here)[name]
        elif isinstance(here, list) and name.isdecimal() and int(name) < len(cast("list[Any]", here)):
            here = cast("list[Any]", here)[int(name)]
        else:
            raise wrong
    if not isinstance(here, (dict, bool)):
        raise wrong
    return cast("Any", here)


def references(root: Schema) -> list[Any]:
    """The schemas outside of $defs that `$ref`s refer to.

    Raises BadReference for a `$ref` that leads out, to nothing or in a circle.
    """
    targets: list[Any] = []
    held: list[Schema] = []
    todo: list[Any] = [root]
    seen: set[int] = set()
    while todo:
        schema = todo.pop()
        if id(schema) in seen or not isinstance(schema, dict):
            continue
        schema = cast("Schema", schema)
        seen.add(id(schema))
        held.append(schema)
        _refuse_bases(schema, is_root=schema is root)
        if "$ref" in schema:
            target = follow(root, schema["$ref"])
            todo.append(target)
            if not _DEFINED.fullmatch(schema["$ref"]):
                targets.append(target)
        todo += [inner for _, inner in _parts(schema)]
    _refuse_circles(root, held)
    return targets


def _refuse_bases(schema: Schema, *, is_root: bool) -> None:
    for keyword in _BASES:
        if keyword in schema and not (is_root and keyword == "$id"):
            raise BadReference(f"{keyword} is not supported: {str(schema[keyword])[:80]!r}")


def _refuse_circles(root: Schema, schemas: list[Schema]) -> None:
    """Judging one value must not come back to the same schema for the same value."""
    done: set[int] = set()
    for start in schemas:
        on_the_way = {id(start)}
        way = [(start, _in_place(root, start))]
        while way:
            schema, further = way[-1]
            inner = next(further, None)
            if inner is None:
                way.pop()
                on_the_way.discard(id(schema))
                done.add(id(schema))
            elif id(inner) in on_the_way:
                raise BadReference("a $ref runs in circles")
            elif id(inner) not in done:
                on_the_way.add(id(inner))
                way.append((inner, _in_place(root, inner)))


def _in_place(root: Schema, schema: Schema) -> Iterator[Schema]:
    """The schemas that judge the same value as `schema`."""
    inner = [part for keyword, part in _parts(schema) if keyword in _IN_PLACE]
    if "$ref" in schema:
        inner.append(follow(root, schema["$ref"]))
    return iter([cast("Schema", part) for part in inner if isinstance(part, dict)])


def _parts(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Keywords and the schemas under them."""
    for keyword in (*ONE, *UNEVALUATED):
        if keyword in schema:
            yield keyword, schema[keyword]
    for keyword in LISTS:
        for inner in schema.get(keyword, ()):
            yield keyword, inner
    for keyword in _MAPS:
        for inner in schema.get(keyword, {}).values():
            yield keyword, inner
