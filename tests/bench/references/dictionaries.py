"""State as Python objects: dicts that are deep-copied, and a JSON file parsed into models and scored by a replay."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from tests.bench.references.workload import TABLES, Changes, Instance, Row, Workload, paired, without_empty

State = dict[str, dict[str, Row]]


class DeepCopied:
    """Dict-copy style: table -> key -> row; a deep copy per reset, and two per comparison."""

    def __init__(self, initial: State, state: State | None = None) -> None:
        self._initial = initial
        self._state = copy.deepcopy(initial if state is None else state)

    def reset(self) -> None:
        self._state = copy.deepcopy(self._initial)

    def touch(self, key: int) -> Row:
        book = self._state["books"][str(key)]
        seen = dict(book)
        book["copies"] += 1
        return seen

    def add(self, row: Row) -> None:
        self._state["books"][str(row["id"])] = dict(row)

    def drop(self, key: int) -> None:
        del self._state["books"][str(key)]

    def changes(self) -> Changes:
        before, after = copy.deepcopy(self._initial), copy.deepcopy(self._state)
        changes: Changes = {}
        for table in TABLES:
            old, new = before[table], after[table]
            gone = [row for key, row in old.items() if new.get(key) != row]
            come = [row for key, row in new.items() if old.get(key) != row]
            changes[table] = paired(table, gone, come)
        return without_empty(changes)

    def fork(self) -> DeepCopied:
        return DeepCopied(self._initial, self._state)

    def rows(self, table: str) -> list[Row]:
        return sorted(self._state[table].values(), key=lambda row: row[TABLES[table]])

    def processes(self) -> list[int]:
        return []

    def close(self) -> None:
        self._state = {}


class Book(BaseModel):
    """A row of books."""

    id: int
    title: str
    author: str
    published: int | None
    copies: int
    note: str | None


class Member(BaseModel):
    """A row of members."""

    id: str
    name: str
    email: str | None
    level: str
    active: int


class Loan(BaseModel):
    """A row of loans."""

    id: str
    member_id: str
    book_id: int
    borrowed_at: str
    due_on: str
    returned_at: str | None
    fine: float | None


class Library(BaseModel):
    """The whole state."""

    books: dict[str, Book]
    members: dict[str, Member]
    loans: dict[str, Loan]

    def digest(self) -> str:
        """SHA-256 of everything."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()


class Replayed:
    """τ²-style: models from a JSON file per reset; scored by replaying the calls on a fresh copy, by hashes."""

    def __init__(self, path: Path, state: Library | None = None, calls: tuple[Any, ...] = ()) -> None:
        self._path = path
        self._state = _read(path) if state is None else state
        self._calls = list(calls)

    def reset(self) -> None:
        self._state = _read(self._path)
        self._calls = []

    def touch(self, key: int) -> Row:
        self._calls.append(("touch", key))
        return _touch(self._state, key)

    def add(self, row: Row) -> None:
        self._calls.append(("add", row))
        _add(self._state, row)

    def drop(self, key: int) -> None:
        self._calls.append(("drop", key))
        _drop(self._state, key)

    def changes(self) -> bool:
        replayed = _read(self._path)
        for name, argument in self._calls:
            _CALLS[name](replayed, argument)
        return replayed.digest() == self._state.digest()

    def fork(self) -> Replayed:
        return Replayed(self._path, self._state.model_copy(deep=True), tuple(self._calls))

    def rows(self, table: str) -> list[Row]:
        models: dict[str, BaseModel] = getattr(self._state, table)
        return sorted((model.model_dump() for model in models.values()), key=lambda row: row[TABLES[table]])

    def processes(self) -> list[int]:
        return []

    def close(self) -> None:
        self._state = Library(books={}, members={}, loans={})


def _read(path: Path) -> Library:
    return Library.model_validate_json(path.read_bytes())


def _touch(state: Library, key: int) -> Row:
    book = state.books[str(key)]
    seen = book.model_dump()
    book.copies += 1
    return seen


def _add(state: Library, row: Row) -> None:
    state.books[str(row["id"])] = Book.model_validate(row)


def _drop(state: Library, key: int) -> None:
    del state.books[str(key)]


_CALLS: dict[str, Any] = {"touch": _touch, "add": _add, "drop": _drop}


@contextmanager
def deep_copied(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances from one parsed state."""
    initial: State = json.loads(workload.json_file.read_bytes())
    yield lambda: DeepCopied(initial)


@contextmanager
def replayed(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances from the JSON file."""
    yield lambda: Replayed(workload.json_file)
