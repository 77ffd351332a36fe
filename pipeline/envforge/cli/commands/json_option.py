"""An option whose value is a JSON object."""

from __future__ import annotations

from typing import Any, cast

from envforge.core.errors import ConfigError
from envforge.store.files import parse_json


def json_object(text: str | None, where: str = "--extra") -> dict[str, Any]:
    """What --extra says, or another option. Raises ConfigError."""
    try:
        value: Any = parse_json(text or "{}")
    except ValueError as error:
        raise ConfigError(f"is no JSON: {error}", where=where) from None
    if not isinstance(value, dict):
        raise ConfigError("is no JSON object", where=where)
    return cast("dict[str, Any]", value)
