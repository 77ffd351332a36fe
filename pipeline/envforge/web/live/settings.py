"""Reads validators/web/fetch.json."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.fetching import FetchSettings
from envforge.store.files import read_json


def load_settings(path: Path) -> FetchSettings:
    """The limits and manners that a file states; what it leaves out is as it ships.

    Raises:
        StoreError: the file cannot be read.
        ConfigError: a field is unknown or its value impossible.
    """
    try:
        return FetchSettings.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "(top)"
        raise ConfigError(
            first["msg"], where=f"{path} field {field!r}", remedy="docs/web.md lists the fields and their numbers"
        ) from error
