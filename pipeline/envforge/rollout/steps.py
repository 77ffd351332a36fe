"""What each call of an episode changed, from what the episode had changed after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from envforge.core.records.trajectory import Turn
from envforge.world.changes import Row, TableChanges
from envforge.world.diff import StateDiff
from envforge.world.environment import Environment
from envforge.world.session import diff_of

_NOTHING = StateDiff({})


def step_changes(environment: Environment, turns: Sequence[Turn], after: Sequence[bytes | None]) -> Iterator[Turn]:
    """The turns with what each changed. None: the call cannot have changed anything.

    Raises SandboxError when a changeset does not fit the environment.
    """
    keys = {name: table.primary_key for name, table in environment.template.tables.items()}
    bytes_before, before = b"", _NOTHING
    for turn, changeset in zip(turns, after, strict=True):
        if changeset is None or changeset == bytes_before:
            yield turn.model_copy(update={"changed": {}})
            continue
        now = diff_of(environment, changeset)
        changed = between(before, now, keys)
        yield turn.model_copy(update={"changed": {} if changed.empty else changed.to_json()})
        bytes_before, before = changeset, now


def between(before: StateDiff, after: StateDiff, keys: Mapping[str, Sequence[str]]) -> StateDiff:
    """What leads from one state to a later one, both given as what changed since the start."""
    tables: dict[str, TableChanges] = {}
    for name in sorted({*before.tables, *after.tables}):
        found = _rows_between(before.tables.get(name), after.tables.get(name), keys[name])
        if found.inserted or found.updated or found.deleted:
            tables[name] = found
    documents = {
        path: (old, new)
        for path in sorted({*before.documents, *after.documents})
        for old, new in [_document(before, after, path)]
        if old != new
    }
    return StateDiff(tables, documents)


def _document(before: StateDiff, after: StateDiff, path: str) -> tuple[str | None, str | None]:
    start = (before.documents.get(path) or after.documents[path])[0]
    return before.documents.get(path, (None, start))[1], after.documents.get(path, (None, start))[1]


def _rows_between(before: TableChanges | None, after: TableChanges | None, key: Sequence[str]) -> TableChanges:
    was, now = _by_key(before, key), _by_key(after, key)
    changes = TableChanges()
    for place in sorted({*was, *now}, key=repr):
        start = (was.get(place) or now[place])[0]
        old, new = was.get(place, (start, start))[1], now.get(place, (start, start))[1]
        if old == new:
            continue
        if old is None and new is not None:
            changes.inserted.append(new)
        elif new is None and old is not None:
            changes.deleted.append(old)
        elif old is not None and new is not None:
            changes.updated.append((old, new))
    return changes


def _by_key(changes: TableChanges | None, key: Sequence[str]) -> dict[tuple[Any, ...], tuple[Row | None, Row | None]]:
    """Key of each changed row -> the row at the start and the row now."""
    if changes is None:
        return {}
    inserted = ((None, row) for row in changes.inserted)
    deleted = ((row, None) for row in changes.deleted)
    pairs = chain(inserted, deleted, changes.updated)
    return {_key(new if new is not None else old, key): (old, new) for old, new in pairs}


def _key(row: Row | None, key: Sequence[str]) -> tuple[Any, ...]:
    assert row is not None
    return tuple(row[column] for column in key)
