"""Loads archetype files and checks all that can be checked before a schema is known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.ids import sha256_bytes
from envforge.core.records.archetype import Archetype
from envforge.mine.archetypes.check import check_archetype
from envforge.mine.archetypes.documents import with_documents
from envforge.mine.archetypes.goals import families_of
from envforge.mine.archetypes.trades import refuse_strangers, with_trades
from envforge.mine.declared import first_problem, load_folders, read_mapping
from envforge.mine.derived.declared import written_out

_State: TypeAlias = tuple[tuple[Path, str], ...]


def load_archetypes(
    folders: Sequence[Path], *, documents: bool = False, shipped: Collection[Path] = ()
) -> list[Archetype]:
    """The archetypes in `folders` (*.yaml), by id; an earlier folder wins over a later one.

    What stands in `shipped` folders was checked before it shipped (tests/contracts/test_shipped_data.py), and is only
    read here: the check of all of them takes longer than many a build.
    Raises ConfigError naming the file, the field and the remedy.
    """
    trades = [folder.parent / "trades" for folder in folders]

    def load(path: Path) -> Archetype:
        return load_archetype(path, documents=documents, trades=trades, checked=path.parent not in shipped)

    archetypes = load_folders(folders, load)
    refuse_strangers(trades, {archetype.id for archetype in archetypes})
    return archetypes


def load_archetype(
    path: Path, *, documents: bool = False, trades: Sequence[Path] | None = None, checked: bool = True
) -> Archetype:
    """One archetype file with its goals (../intents/<same name>) and trades, checked. Raises ConfigError.

    Its trades are in the folder <its id> of `trades`, of ../trades where that is None.
    With `documents`, those that its environments keep (../documents/<same name>) and the goals about them come too.
    """
    folders = (path.parent.parent / "trades",) if trades is None else tuple(trades)
    return _loaded(path, documents, folders, checked, _state(path, folders))


def _state(path: Path, trades: Sequence[Path]) -> _State:
    """What the files hold that an archetype is read from."""

    def files() -> Iterator[Path]:
        yield from (path.parent.parent / folder / path.name for folder in (path.parent.name, "intents", "documents"))
        for folder in trades:
            yield from sorted(folder.glob("*/*.yaml"))

    return tuple((file, sha256_bytes(file.read_bytes())) for file in files() if file.is_file())


@lru_cache(maxsize=64)
def _loaded(path: Path, documents: bool, trades: tuple[Path, ...], checked: bool, state: _State) -> Archetype:
    """Read once for what the files hold: the records are frozen."""
    del state
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
        if checked:
            check_archetype(archetype)
    except ConfigError as error:
        error.where = f"{path}: {error.where}"
        raise
    return with_trades(archetype, trades)
