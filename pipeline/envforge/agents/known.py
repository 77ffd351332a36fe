"""Addresses that a search, a page or a person named: only those are opened, so that no model makes one up."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from envforge.store.files import read_json_list, write_json


class KnownAddresses:
    """One file per step in a folder; `given` are the person's."""

    def __init__(self, folder: Path, given: Iterable[str] = ()) -> None:
        self._folder, self._given = folder, tuple(given)

    def add(self, step: int, addresses: Iterable[str]) -> None:
        """Those that a step brought up."""
        write_json(self._folder / f"{step:04d}.json", list(dict.fromkeys(addresses)))

    @property
    def all(self) -> tuple[str, ...]:
        """All of them, each once, in the order they came up."""
        found = list(self._given)
        for path in sorted(self._folder.glob("*.json")):
            found += [str(one) for one in read_json_list(path)]
        return tuple(dict.fromkeys(found))
