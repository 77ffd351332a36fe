"""Loads archetype files and checks all that can be checked before a schema is known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype
from envforge.mine.archetypes.check import check_archetype
from envforge.mine.archetypes.goals import families_of
from envforge.mine.declared import first_problem, load_folders, read_mapping


def load_archetypes(folders: Sequence[Path]) -> list[Archetype]:
    """The archetypes in `folders` (*.yaml), by id; an earlier folder wins over a later one.

    Raises ConfigError naming the file, the field and the remedy.
    """
    return load_folders(folders, load_archetype)


def load_archetype(path: Path) -> Archetype:
    """One archetype file with its goals (../intents/<same name>), checked. Raises ConfigError."""
    content = read_mapping(path, "start with id, version, title, roles")
    goals = path.parent.parent / "intents" / path.name
    if goals.is_file() and not content.get("intents"):
        content = {**content, "intents": families_of(read_mapping(goals, "start with intents"), str(goals))}
    try:
        archetype = Archetype.model_validate(content)
    except ValidationError as error:
        raise first_problem(error, path, "docs/archetypes.md describes every field") from error
    try:
        check_archetype(archetype)
    except ConfigError as error:
        error.where = f"{path}: {error.where}"
        raise
    return archetype
