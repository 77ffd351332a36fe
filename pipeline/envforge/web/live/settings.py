"""Reads the settings of the live web: validators/web/fetch.json and browse.json."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.base import Record
from envforge.core.records.browse import BrowseLimits
from envforge.core.records.fetching import FetchSettings
from envforge.store.files import read_json

RecordT = TypeVar("RecordT", bound=Record)


def load_settings(path: Path) -> FetchSettings:
    """The limits and manners that a file states; what it leaves out is as it ships.

    Raises:
        StoreError: the file cannot be read.
        ConfigError: a field is unknown or its value impossible.
    """
    return _load(path, FetchSettings)


def load_browse_limits(path: Path) -> BrowseLimits:
    """The same for the browser. Raises StoreError, ConfigError."""
    return _load(path, BrowseLimits)


def _load(path: Path, record: type[RecordT]) -> RecordT:
    try:
        return record.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "(top)"
        raise ConfigError(
            first["msg"], where=f"{path} field {field!r}", remedy="docs/web.md lists the fields and their numbers"
        ) from error
