"""What leads from one state to the next, also where a later call takes back what an earlier one did."""

from __future__ import annotations

from envforge.rollout.steps import between
from envforge.world.changes import TableChanges
from envforge.world.diff import StateDiff

KEYS = {"t": ("id",)}
START = {"id": 1, "name": "a"}
LATER = {"id": 1, "name": "b"}
NEW = {"id": 2, "name": "x"}
NOTHING = StateDiff({})
UPDATED = StateDiff({"t": TableChanges(updated=[(START, LATER)])})
DELETED = StateDiff({"t": TableChanges(deleted=[START])})
INSERTED = StateDiff({"t": TableChanges(inserted=[NEW])})


def rows(before: StateDiff, after: StateDiff) -> TableChanges:
    return between(before, after, KEYS).tables.get("t", TableChanges())


def test_from_the_start() -> None:
    assert rows(NOTHING, UPDATED) == UPDATED.tables["t"]
    assert rows(NOTHING, INSERTED) == INSERTED.tables["t"]
    assert rows(NOTHING, DELETED) == DELETED.tables["t"]
    assert between(UPDATED, UPDATED, KEYS).empty


def test_what_is_taken_back_is_a_change_of_its_own() -> None:
    assert rows(UPDATED, NOTHING) == TableChanges(updated=[(LATER, START)])
    assert rows(INSERTED, NOTHING) == TableChanges(deleted=[NEW])
    assert rows(DELETED, NOTHING) == TableChanges(inserted=[START])


def test_one_change_upon_another() -> None:
    again = {"id": 1, "name": "c"}
    assert rows(UPDATED, StateDiff({"t": TableChanges(updated=[(START, again)])})).updated == [(LATER, again)]
    assert rows(UPDATED, DELETED) == TableChanges(deleted=[LATER])
    assert rows(DELETED, UPDATED) == TableChanges(inserted=[LATER])
    renamed = {"id": 2, "name": "y"}
    assert rows(INSERTED, StateDiff({"t": TableChanges(inserted=[renamed])})).updated == [(NEW, renamed)]


def test_documents() -> None:
    new, changed = StateDiff({}, {"a": (None, "1")}), StateDiff({}, {"a": (None, "2"), "b": ("x", None)})
    assert between(new, changed, KEYS).documents == {"a": ("1", "2"), "b": ("x", None)}
    assert between(changed, new, KEYS).documents == {"a": ("2", "1"), "b": (None, "x")}
