"""Reads fields of a server's JSON: of the right type, or a typed error that names the field."""

from __future__ import annotations

from typing import Any, cast

from envforge.core.model_errors import MalformedAnswerError

_SHOWN = 200


def excerpt(value: Any) -> str:
    """The beginning of what a server said, on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def malformed(what: str, value: Any) -> MalformedAnswerError:
    """The error for an answer that is none."""
    return MalformedAnswerError(f"the answer is malformed: {what}", text=excerpt(value))


def object_of(value: Any, name: str) -> dict[str, Any]:
    """A JSON object. Raises MalformedAnswerError."""
    if not isinstance(value, dict):
        raise malformed(f"{name} is no object", value)
    return cast("dict[str, Any]", value)


def list_of(value: Any, name: str) -> list[Any]:
    """A JSON array; nothing is an empty one. Raises MalformedAnswerError."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise malformed(f"{name} is no array", value)
    return cast("list[Any]", value)


def text_of(value: Any, name: str) -> str:
    """A string; null is an empty one. Raises MalformedAnswerError."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise malformed(f"{name} is no text", value)
    return value


def content_of(value: Any) -> str:
    """The text of a message: a string, null, or parts of which each one is text. Raises MalformedAnswerError."""
    if not isinstance(value, list):
        return text_of(value, "content")
    parts = [object_of(part, "a part of the content") for part in cast("list[Any]", value)]
    if any(part.get("type") != "text" for part in parts):
        raise malformed("a part of the content is no text", parts)
    return "".join(text_of(part.get("text"), "the text of a part") for part in parts)


def count_of(value: Any, name: str) -> int:
    """A number of tokens; null is none. Raises MalformedAnswerError."""
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise malformed(f"{name} is no number of tokens", value)
    return value
