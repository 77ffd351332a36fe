"""Loads archetype files and checks all that can be checked before a schema is known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype
from envforge.mine.archetypes.check import check_archetype
from envforge.mine.archetypes.documents import with_documents
from envforge.mine.archetypes.goals import families_of
from envforge.mine.archetypes.trades import refuse_strangers, with_trades
from envforge.mine.declared import first_problem, load_folders, read_mapping
from envforge.mine.derived.declared import written_out


def load_archetypes(folders: Sequence[Path], *, documents: bool = False) -> list[Archetype]:
    """The archetypes in `folders` (*.yaml), by id; an earlier folder wins over a later one.

    Raises ConfigError naming the file, the field and the remedy.
    """
    trades = [folder.parent / "trades" for folder in folders]
    archetypes = load_folders(folders, partial(load_archetype, documents=documents, trades=trades))
    refuse_strangers(trades, {archetype.id for archetype in archetypes})
    return archetypes


def load_archetype(path: Path, *, documents: bool = False, trades: Sequence[Path] | None = None) -> Archetype:
    """One archetype file with its goals (../intents/<same name>) and trades, checked. Raises ConfigError.

    Its trades are in the folder <its id> of `trades`, of ../trades where that is None.
    With `documents`, those that its environments keep (../documents/<same name>) and the goals about them come too.
    """
    content = read_mapping(path, "start with id, version, title, roles")
    goals = path.parent.parent / "intents" / path.name
    asked = read_mapping(goals, "start with intents") if goals.is_file() and not content.get("intents") else {}
    if asked:
        content = {**content, "intents": families_of(asked, str(goals))}
    kept = path.parent.parent / "documents" / path.name
    if documents and kept.is_file():
        content = with_documents(content, asked, read_mapping(kept, "start with documents"), str(kept))
    try:
        archetype = Archetype.model_validate(content)
    except ValidationError as error:
        raise first_problem(error, path, "docs/archetypes.md describes every field") from error
    try:
        archetype = written_out(archetype)
        check_archetype(archetype)
    except ConfigError as error:
        error.where = f"{path}: {error.where}"
        raise
    return with_trades(archetype, [path.parent.parent / "trades"] if trades is None else trades)
