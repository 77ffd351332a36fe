"""Reads JSON and YAML into plain values, within bounds, and says where the text is broken."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, cast

import yaml

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError

MAX_DEPTH = 150
"""Nesting a reader follows. Real documents stay under 60; deeper ones are refused, not cut."""
MAX_NODES = 8_000_000
"""Nodes after YAML aliases are expanded; the largest published API descriptions have under two million."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"^[-+]?(0|[1-9][0-9]*)$")
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
_TAG = "tag:yaml.org,2002:"


def decode(fetched: Fetched) -> str:
    """Text of a UTF-8 file (byte order mark allowed). Raises ExtractError naming the line of the first bad byte."""
    body = fetched.body
    where = fetched.source.path
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ExtractError(
            "the file is UTF-16, not UTF-8", where=where, remedy="convert it: iconv -f UTF-16 -t UTF-8 FILE"
        )
    return decoded(
        body.removeprefix(codecs.BOM_UTF8),
        "utf-8",
        where,
        remedy="convert the file, for example: iconv -f LATIN1 -t UTF-8 FILE",
    )


def decoded(body: bytes, charset: str, where: str, *, remedy: str) -> str:
    """The text of bytes in a charset. Raises ExtractError naming the line of the first byte that it does not have."""
    try:
        return body.decode(charset)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise ExtractError(
            f"byte 0x{body[error.start]:02x} in line {line} is not {charset.upper()}",
            where=f"{where}:{line}",
            remedy=remedy,
        ) from error


def read_plain(fetched: Fetched) -> Any:
    """The value of a JSON or YAML file. Raises ExtractError naming file and line."""
    text = decode(fetched)
    if text.lstrip()[:1] in ("{", "["):
        return read_json(text, fetched.source.path)
    return read_yaml(text, fetched.source.path)


def read_json(text: str, where: str) -> Any:
    """The value of a JSON text. Raises ExtractError naming the line, or the depth that is too great."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ExtractError(
            f"broken JSON: {error.msg} (line {error.lineno}, column {error.colno})",
            where=f"{where}:{error.lineno}",
            remedy="fix the file, or leave it out with the anchor's `include`",
        ) from error
    except RecursionError as error:
        raise _too_deep(where) from error
    except ValueError as error:
        raise ExtractError(f"broken JSON: {error}", where=where, remedy="fix the file") from error
    _check_depth(value, where)
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read_yaml(text: str, where: str) -> Any:
    """The value of a YAML text by the rules of YAML 1.2. Raises ExtractError naming the line.

    Aliases are measured on the node graph before anything is expanded, so a text that unfolds to
    billions of nodes is refused at once. Dates stay text and `on`, `yes`, `no` stay words: API
    descriptions mean them so.
    """
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
    except RecursionError as error:
        raise _too_deep(where) from error
    except yaml.YAMLError as error:
        raise _broken_yaml(error, where) from error
    finally:
        loader.dispose()
    if node is None:
        raise ExtractError("the file is empty", where=where, remedy="leave it out with the anchor's `include`")
    _measure(node, where)
    return _construct(node, where)


def _broken_yaml(error: yaml.YAMLError, where: str) -> ExtractError:
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or error).splitlines()[0]
    line = f":{mark.line + 1}" if mark is not None else ""
    return ExtractError(
        f"broken YAML: {problem}" + (f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""),
        where=f"{where}{line}",
        remedy="fix the file, or leave it out with the anchor's `include`",
    )


def _too_deep(where: str) -> ExtractError:
    return ExtractError(
        f"nesting is deeper than {MAX_DEPTH} levels", where=where, remedy="flatten the document or leave it out"
    )


def _check_depth(value: Any, where: str) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        following: list[Any] = []
        for item in level:
            inner: list[Any] = list(mapping(item).values()) or sequence(item)
            following += filter(_is_container, inner)
        if not following:
            return
        level = following
    raise _too_deep(where)


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def _children(node: Any) -> list[Any]:
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return []


def _measure(root: Any, where: str) -> None:
    """Refuses node graphs that are cyclic, too deep, or too large once aliases are unfolded."""
    size: dict[int, int] = {}
    open_nodes: set[int] = set()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            open_nodes.discard(id(node))
            size[id(node)] = 1 + sum(size[id(child)] for child in _children(node))
            if size[id(node)] > MAX_NODES:
                raise ExtractError(
                    f"YAML aliases unfold to more than {MAX_NODES:,} nodes",
                    where=f"{where}:{node.start_mark.line + 1}",
                    remedy="this looks like an alias bomb; write the document without aliases",
                )
            continue
        if id(node) in size:
            continue
        if id(node) in open_nodes:
            raise ExtractError(
                "a YAML alias contains itself", where=f"{where}:{node.start_mark.line + 1}", remedy="remove the alias"
            )
        open_nodes.add(id(node))
        if len(open_nodes) > MAX_DEPTH:
            raise _too_deep(where)
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(_children(node)))


def _construct(node: Any, where: str) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return [_construct(child, where) for child in node.value]
    result: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for key, value in node.value:
        plain = _construct(value, where)
        if key.tag == _TAG + "merge":
            for part in sequence(plain) or [plain]:
                merged = {**mapping(part), **merged}
        else:
            result[str(key.value)] = plain
    return {**merged, **result} if merged else result


def _scalar(node: Any) -> str | int | float | bool | None:
    """A scalar by the core schema of YAML 1.2."""
    text, kind = str(node.value), str(node.tag).removeprefix(_TAG)
    if kind == "null":
        return None
    if kind == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind == "int" and _INT.match(text):
        return int(text) if len(text) < 300 else text
    if kind in ("float", "int") and _FLOAT.match(text):
        return float(text) if abs(float(text)) != float("inf") else text
    return text


def mapping(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """`value` if it is an array, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """`value` if it is a string, stripped, else an empty string."""
    return value.strip() if isinstance(value, str) else ""


def child(pointer: str, *keys: str | int) -> str:
    """JSON pointer of a descendant."""
    return pointer + "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)
