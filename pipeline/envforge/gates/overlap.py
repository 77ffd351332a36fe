"""Overlap with known benchmarks: hashes of runs of words of their texts; the texts themselves are not kept.

The index (validators/benchmarks/ngrams.json) is made from installed packages by `python -m envforge.gates.overlap`;
it says which, in which version, and what is not covered.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from envforge.core.contracts import TaskCandidate
from envforge.core.errors import StoreError
from envforge.store.files import read_json, write_json

WORDS = 8
"""Length of a run. Shorter runs are common speech."""
_BYTES = 5
KEPT = 8
"""One in so many runs is kept, by its hash: a text that was copied holds several of these."""
_LEAST_TEXT, _LONGEST_TEXT = 30, 1500
"""Characters of a text that could be a task; longer ones are documents and code."""
_TEXT_FILES = (".json", ".jsonl", ".yaml", ".yml", ".csv", ".txt")
NOT_COVERED = (
    "AppWorld, ToolBench, WebArena, WorkArena, GAIA and others that are no Python packages or that their packages "
    "download when they run; texts of more than 1500 characters; a text that shares fewer than 8 words in a row"
)


class BenchmarkIndex:
    """Runs of words of known benchmarks."""

    def __init__(self, hashes: bytes) -> None:
        self._hashes = hashes

    @classmethod
    def read(cls, path: Path) -> BenchmarkIndex:
        """Raises StoreError for a file that is no index."""
        value = read_json(path)
        text: Any = cast("dict[str, Any]", value).get("hashes") if isinstance(value, dict) else None
        if not isinstance(text, str):
            raise StoreError("field hashes must be a text", where=str(path), remedy="make the index again")
        try:
            return cls(base64.b64decode(text, validate=True))
        except ValueError as error:
            raise StoreError("field hashes is not base64", where=str(path), remedy="make the index again") from error

    @classmethod
    def of(cls, texts: Iterable[str]) -> BenchmarkIndex:
        """An index of these texts."""
        return cls(b"".join(sorted({mark for text in texts for mark in _marks(text)})))

    @cached_property
    def known(self) -> frozenset[bytes]:
        """The hashes."""
        return frozenset(self._hashes[at : at + _BYTES] for at in range(0, len(self._hashes), _BYTES))

    @property
    def encoded(self) -> str:
        """As it stands in the file."""
        return base64.b64encode(self._hashes).decode("ascii")

    def problems(self, candidate: TaskCandidate) -> list[str]:
        """What the candidate's text shares with a benchmark."""
        return [f"a known benchmark has the words {run!r}" for run in self.shared(candidate.instruction)[:3]]

    def shared(self, text: str) -> list[str]:
        """The runs of words of a text that a benchmark has too."""
        return [run for run in runs_of(text) if _mark(run) in self.known]


def runs_of(text: str) -> Iterator[str]:
    """Every run of so many words as are compared, letters small, signs dropped."""
    words = re.findall(r"\w+", text.casefold())
    for at in range(len(words) - WORDS + 1):
        yield " ".join(words[at : at + WORDS])


def _mark(run: str) -> bytes:
    return hashlib.sha256(run.encode("utf-8")).digest()[:_BYTES]


def _marks(text: str) -> Iterator[bytes]:
    for run in runs_of(text):
        mark = _mark(run)
        if mark[-1] % KEPT == 0:
            yield mark


def texts_of(package: str) -> Iterator[str]:
    """Texts in the data files of an installed package: values in JSON, lines of other files."""
    for file in metadata.files(package) or ():
        if file.suffix in _TEXT_FILES and "dist-info" not in str(file):
            raw = Path(str(file.locate())).read_text(encoding="utf-8", errors="ignore")
            yield from (text for text in _texts_in(raw, file.suffix) if _LEAST_TEXT <= len(text) <= _LONGEST_TEXT)


def _texts_in(raw: str, suffix: str) -> Iterator[str]:
    if suffix == ".json":
        try:
            yield from _strings(json.loads(raw))
            return
        except ValueError:  # some packages call their JSON lines .json
            pass
    for line in raw.splitlines():
        try:
            yield from _strings(json.loads(line) if suffix.startswith(".json") else line)
        except ValueError:
            yield line


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        items = cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
        for item in items:
            yield from _strings(item)


def write_index(path: Path, packages: Iterable[str]) -> None:
    """Write the index of installed packages. Raises PackageNotFoundError."""
    sources: list[dict[str, Any]] = []
    texts: list[str] = []
    for package in packages:
        found = list(dict.fromkeys(texts_of(package)))
        sources.append({"package": package, "version": metadata.version(package), "texts": len(found)})
        texts += found
    index = BenchmarkIndex.of(texts)
    about = {"words": WORDS, "kept": f"1 in {KEPT}", "sources": sources, "not_covered": NOT_COVERED}
    write_json(path, {**about, "hashes": index.encoded})


if __name__ == "__main__":
    write_index(Path(sys.argv[1]), sys.argv[2:])
