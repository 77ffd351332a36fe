"""A World's state as a record and a JSON file, and back: what `Session.save_state` and `load_state` do."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from envforge.core.errors import StoreError
from envforge.core.records.saved_state import SavedState
from envforge.store.files import read_json, write_json

if TYPE_CHECKING:
    from envforge.world.environment import Environment

__all__ = ["SavedState", "changeset_of_saved", "read_saved", "saved_state", "write_saved"]


def saved_state(environment: Environment, seed: int, told: Mapping[str, Any], changeset: bytes) -> SavedState:
    """The record of what a worker told of an instance. Raises ValueError when that is no state."""
    return SavedState.model_validate(
        {
            "version": 1,
            "environment_hash": environment.manifest.environment_hash,
            "seed": seed,
            "writes": told.get("writes"),
            "minted": told.get("minted"),
            "changeset": base64.b64encode(changeset).decode("ascii"),
        }
    )


def changeset_of_saved(environment: Environment, saved: SavedState) -> bytes:
    """The changeset of a state of this environment. Raises StoreError when it is of another one, or no base64."""
    where = f"saved state for {environment.manifest.id}"
    remedy = "load it in a session of the environment that it was saved from"
    if saved.environment_hash != environment.manifest.environment_hash:
        raise StoreError("environment_hash: the state is of another environment", where=where, remedy=remedy)
    strays = sorted(set(saved.minted) - set(environment.template.tables))
    if strays:
        raise StoreError(f"minted: there is no table {strays[0]!r}", where=where, remedy=remedy)
    try:
        return base64.b64decode(saved.changeset, validate=True)
    except ValueError as error:
        raise StoreError(f"changeset: {error}", where=where, remedy="save the state again") from error


def write_saved(path: Path, saved: SavedState) -> None:
    """Write a state as JSON, atomically. Raises StoreError."""
    write_json(path, saved.to_json())


def read_saved(path: Path) -> SavedState:
    """Read a state. Raises StoreError naming file and field."""
    value = read_json(path)
    try:
        return SavedState.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "(whole file)"
        raise StoreError(f"{field}: {first['msg']}", where=str(path), remedy="save the state again") from error
