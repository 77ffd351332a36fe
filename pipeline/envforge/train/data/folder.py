"""The folder of a training set: manifest.json, tools.jsonl, rows/<split>.jsonl, sft.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import sha256_bytes
from envforge.store.files import read_json, staged_folder, write_json, write_jsonl
from envforge.store.record_lines import each_record
from envforge.store.schemas import validate
from envforge.train.data.records import SPLITS, FamilyTools, SftExample, Split, TrainingRow, TrainingSet

MANIFEST = "manifest.json"
TOOLS = "tools.jsonl"
EXAMPLES = "sft.jsonl"
_MOST_BYTES = 1 << 40
_REMEDY = "the folder is written by envforge prepare; make it again"


def rows_file(split: Split) -> str:
    """Where the rows of a split stand."""
    return f"rows/{split}.jsonl"


def refuse_foreign(folder: Path) -> None:
    """Raise ConfigError for a folder that holds something else: it would be replaced."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file()):
        raise ConfigError("holds something else", where=f"--out {folder}", remedy="name a new folder")


def write_training_set(
    folder: Path,
    manifest: TrainingSet,
    tools: Sequence[FamilyTools],
    rows: Mapping[Split, Sequence[TrainingRow]],
    examples: Sequence[SftExample],
) -> TrainingSet:
    """Write a folder whole, its manifest bound to the files; what was there before stays until then.

    Raises StoreError.
    """
    with staged_folder(folder) as scratch:
        write_jsonl(scratch / TOOLS, [one.to_json() for one in tools])
        for split in SPLITS:
            write_jsonl(scratch / rows_file(split), [row.to_json() for row in rows.get(split, ())])
        write_jsonl(scratch / EXAMPLES, [example.to_json() for example in examples])
        bound = manifest.model_copy(update={"files": _hashes(scratch)})
        write_json(scratch / MANIFEST, bound.to_json())
    return bound


@dataclass(frozen=True)
class OpenedTrainingSet:
    """A training set, opened: its files are those that were written, and nothing is on two sides."""

    folder: Path
    manifest: TrainingSet
    tools: Mapping[str, FamilyTools]
    """Family → what is offered in its environments."""

    def rows(self, split: Split) -> list[TrainingRow]:
        """The rows of a split. Raises StoreError."""
        return list(_records_of(self.folder / rows_file(split), self.manifest, split))

    def examples(self) -> list[SftExample]:
        """The examples to imitate. Raises StoreError."""
        path = self.folder / EXAMPLES
        trained = {one.environment_id for one in self.manifest.environments if one.split == "train"}
        found: list[SftExample] = []
        for example in each_record(path, SftExample, _REMEDY, most=_MOST_BYTES):
            if example.environment_id not in trained:
                raise StoreError(f"an example of {example.environment_id}, which is held out", where=str(path))
            found.append(example)
        return found


def read_training_set(folder: Path) -> OpenedTrainingSet:
    """Open a training set. Raises StoreError for files that are not as they were written, and for a leak."""
    path = folder / MANIFEST
    if not path.is_file():
        remedy = f"make one with: envforge prepare --out {folder}"
        raise StoreError("is no training set: there is no manifest.json", where=str(folder), remedy=remedy)
    value = read_json(path)
    validate("training_set", value, str(path))
    try:
        manifest = TrainingSet.model_validate(value)
    except ValidationError as error:
        raise StoreError(error.errors()[0]["msg"], where=str(path), remedy=_REMEDY) from error
    if (held := _hashes(folder)) != manifest.files:
        other = sorted(name for name in {*held, *manifest.files} if held.get(name) != manifest.files.get(name))
        raise StoreError(f"{other[0]} is not as it was written", where=str(folder), remedy=_REMEDY)
    tools = {one.family: one for one in each_record(folder / TOOLS, FamilyTools, _REMEDY)}
    return OpenedTrainingSet(folder, manifest, tools)


def _records_of(path: Path, manifest: TrainingSet, split: Split) -> Iterator[TrainingRow]:
    sides = {(one.environment_id, one.environment_hash): one.split for one in manifest.environments}
    for row in each_record(path, TrainingRow, _REMEDY, most=_MOST_BYTES):
        side = sides.get((row.environment_id, row.environment_hash))
        if not side == row.split == split:
            message = f"a row of {row.environment_id}, which is {side or 'not in the manifest'}"
            raise StoreError(message, where=str(path), remedy=_REMEDY)
        yield row


def _hashes(folder: Path) -> dict[str, str]:
    names = (TOOLS, EXAMPLES, *(rows_file(split) for split in SPLITS))
    try:
        return {name: sha256_bytes((folder / name).read_bytes()) for name in sorted(names)}
    except OSError as error:
        raise StoreError(f"could not be read: {error.strerror}", where=str(error.filename), remedy=_REMEDY) from error
