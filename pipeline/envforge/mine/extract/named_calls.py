"""Calls that have a name and no address (tools, GraphQL fields, RPC actions): method and key told by words.

What addresses an operation over HTTP is a method and a path. Here the name's verb says whether a call reads, and
the one parameter that names the record it is about stands where a path would have it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from envforge.core.records.extraction import ApiParameter, TypeExpr

_READING = frozenset(
    {"list", "get", "search", "find", "lookup", "query", "filter", "retrieve", "read", "show", "fetch", "describe"}
    | {"view", "scan", "batchget", "browse"}
)
_MAKING = frozenset(
    {"create", "add", "new", "insert", "register", "import", "open", "post", "make", "put", "copy", "duplicate"}
)
_TRAILING = frozenset(
    {"create", "update", "delete", "archive", "unarchive", "close", "reopen", "cancel", "publish", "remove", "add"}
    | {"approve", "restore", "complete"}
)
"""Verbs that some APIs set behind their noun (issueCreate)."""
_KEYS = ("id", "key", "uuid", "gid", "slug", "login", "name", "number", "arn", "handle", "sku", "code")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def name_words(name: str) -> list[str]:
    """Lower-case words of a camelCase or snake_case name."""
    return [word.lower() for word in _WORDS.findall(name)]


def method_of(name: str, *, reads: bool | None = None) -> str:
    """`get` for calls that read, else empty: their verb stands in the name. `reads` is what the source states."""
    words = name_words(name)
    if words and words[0] in _READING:
        return "get"
    return "get" if reads and not (words and (words[0] in _MAKING or words[0] in _TRAILING)) else ""


def verb_first(name: str) -> str:
    """`issueCreate` as `createIssue`; other names as they are."""
    words = name_words(name)
    if len(words) < 2 or words[-1] not in _TRAILING or words[0] in _TRAILING | _READING | _MAKING:
        return name
    return words[-1] + "".join(word.title() for word in words[:-1])


def with_key(
    name: str, parameters: Sequence[ApiParameter], *, about: str = "", many: bool = False
) -> list[ApiParameter]:
    """The parameters, the one that names the record in the place of a path parameter.

    `about` is the type of the record that the call answers, `many` whether it answers several of them.
    """
    words = name_words(name)
    if many or (words and words[0] in _MAKING):
        return list(parameters)
    key = _key(words[1:] if len(words) > 1 else words, name_words(about), parameters)
    return [
        parameter.model_copy(update={"location": "path", "required": True}) if parameter is key else parameter
        for parameter in parameters
    ]


def _key(noun: Sequence[str], about: Sequence[str], parameters: Sequence[ApiParameter]) -> ApiParameter | None:
    scalars = [p for p in parameters if p.type.kind in ("string", "integer", "number")]
    nouns = ["".join(noun), "".join(noun).removesuffix("s"), "".join(about), *noun[-1:], *about[-1:]]
    for ending in _KEYS:
        wanted = {ending, *(f"{word}{ending}" for word in nouns if word)}
        for parameter in scalars:
            if "".join(name_words(parameter.name)) in wanted and (parameter.required or ending == "id"):
                return parameter
    required = [p for p in scalars if p.required]
    return required[0] if len(required) == 1 and len(scalars) == 1 and not required[0].type.enum else None


def opened(expr: TypeExpr, location: str) -> list[ApiParameter]:
    """The fields of an object as parameters."""
    place: Any = location
    return [
        ApiParameter(
            name=field.name,
            location=place,
            type=field.type,
            required=field.required,
            deprecated=field.deprecated,
            description=field.description,
        )
        for field in expr.fields
        if not field.read_only
    ]
