"""For any calls: reset equals fresh, forks are apart, snapshots repeat, diffs lead to the live state."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envforge.world.environment import Environment
from envforge.world.live import LiveWorld
from envforge.world.session import diff_of

Step = tuple[str, Mapping[str, Any]]

_MEMBERS = st.sampled_from(["M-4KQ7", "M-7TQ2", "M-9WRD", "M-B3XE", "M-HHJ5"])
_TEXT = st.text(max_size=8)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("borrow"), st.fixed_dictionaries({"member": _MEMBERS, "book": st.integers(100, 109)})),
        st.tuples(st.just("member"), st.fixed_dictionaries({"name": _TEXT})),
        st.tuples(st.just("rename"), st.fixed_dictionaries({"member": _MEMBERS, "name": _TEXT})),
        st.tuples(
            st.just("rekey"), st.fixed_dictionaries({"old": st.integers(100, 112), "new": st.integers(100, 112)})
        ),
        st.tuples(st.just("forget"), st.fixed_dictionaries({"number": st.integers(0, 6)})),
        st.tuples(st.just("swap"), st.fixed_dictionaries({"one": _MEMBERS, "other": _MEMBERS})),
        st.tuples(st.just("note"), st.fixed_dictionaries({"path": st.sampled_from(["a.md", "b/c.md"]), "text": _TEXT})),
        st.tuples(st.just("unnote"), st.fixed_dictionaries({"path": st.sampled_from(["a.md", "rules.md"])})),
    ),
    max_size=12,
)
_SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _borrow(world: LiveWorld, member: str, book: int) -> Any:
    key = world.new_id("loans")
    world.execute("INSERT INTO loans VALUES (?, ?, ?, ?, '2024-04-01', NULL, NULL)", (key, member, book, world.now()))
    return key


def _member(world: LiveWorld, name: str) -> Any:
    key = world.new_id("members")
    world.execute("INSERT INTO members VALUES (?, ?, NULL, 'adult', 1)", (key, name))
    return key


def _swap(world: LiveWorld, one: str, other: str) -> Any:
    world.execute("UPDATE members SET id = 'M-swap' WHERE id = ?", (one,))
    world.execute("UPDATE members SET id = ? WHERE id = ?", (one, other))
    return world.execute("UPDATE members SET id = ? WHERE id = 'M-swap'", (other,))


def _rename(world: LiveWorld, member: str, name: str) -> Any:
    return world.execute("UPDATE members SET name = ? WHERE id = ?", (name, member))


def _rekey(world: LiveWorld, old: int, new: int) -> Any:
    return world.execute("UPDATE books SET id = ? WHERE id = ?", (new, old))


def _forget(world: LiveWorld, number: int) -> Any:
    return world.execute("DELETE FROM loans WHERE id LIKE ?", (f"{number}%",))


_ACTIONS: dict[str, Any] = {
    "borrow": _borrow,
    "member": _member,
    "swap": _swap,
    "rename": _rename,
    "rekey": _rekey,
    "forget": _forget,
    "note": LiveWorld.put_document,
    "unnote": LiveWorld.delete_document,
}


def _play(world: LiveWorld, steps: list[Step]) -> list[Any]:
    """What each step answered; broken keys and missing documents are answers too."""
    seen: list[Any] = []
    for name, arguments in steps:
        try:
            seen.append(world.run(_ACTIONS[name], arguments))
        except Exception as error:
            seen.append(type(error).__name__)
    return seen


def _rows(world: LiveWorld) -> list[Any]:
    """Everything, in the order in which the database itself gives it."""
    tables = [world.query(f"SELECT rowid AS _rowid, * FROM {name}") for name in ("members", "books", "loans")]
    return [*tables, [(path, world.document(path)) for path in world.documents()], world.now()]


@pytest.fixture(scope="module")
def world(library: Environment) -> Iterator[LiveWorld]:
    live = LiveWorld(library.plan, library.fresh_engine())
    yield live
    live.close()


@given(steps=_STEPS, more=_STEPS)
@_SETTINGS
def test_reset_equals_fresh(library: Environment, world: LiveWorld, steps: list[Step], more: list[Step]) -> None:
    _play(world, steps)
    world.reset()
    fresh = LiveWorld(library.plan, library.fresh_engine())
    assert world.changes() == {} and _rows(world) == _rows(fresh)
    assert _play(world, more) == _play(fresh, more)
    assert _rows(world) == _rows(fresh) and world.changeset() == fresh.changeset()
    fresh.close()
    world.reset()


@given(steps=_STEPS, left=_STEPS, right=_STEPS)
@_SETTINGS
def test_forks_are_apart(world: LiveWorld, steps: list[Step], left: list[Step], right: list[Step]) -> None:
    _play(world, steps)
    fork = world.fork()
    held = _rows(world)
    assert _rows(fork) == held
    _play(fork, right)
    assert _rows(world) == held
    moved = _rows(fork)
    _play(world, left)
    assert _rows(fork) == moved
    fork.close()
    world.reset()


@given(before=_STEPS, between=_STEPS, after=_STEPS)
@_SETTINGS
def test_a_snapshot_repeats(world: LiveWorld, before: list[Step], between: list[Step], after: list[Step]) -> None:
    _play(world, before)
    state = world.state()
    first = (_play(world, after), _rows(world), world.changes())
    for steps in (between, []):
        world.reset()
        _play(world, steps)
        world.restore(state)
        assert (_play(world, after), _rows(world), world.changes()) == first
    world.reset()


@given(steps=_STEPS, more=_STEPS)
@_SETTINGS
def test_the_diff_leads_to_the_live_state(
    library: Environment, world: LiveWorld, steps: list[Step], more: list[Step]
) -> None:
    _play(world, steps)
    world.restore(world.state())
    _play(world, more)
    changeset = world.changeset()
    engine = library.fresh_engine()
    engine.apply(changeset)
    for name, table in library.template.tables.items():
        sql = f'SELECT * FROM "{name}" ORDER BY {", ".join(table.primary_key)}'
        applied = engine.own(sql)
        live = world._documents(sql.replace('"envforge_documents"', "{}"), ())  # pyright: ignore[reportPrivateUsage]
        assert applied == live
    # The host reads the changeset from the template's side, the worker from the live side.
    assert diff_of(library, changeset).to_json() == _as_diff(world)
    engine.close()
    world.reset()


def _as_diff(world: LiveWorld) -> Any:
    from envforge.world.diff import StateDiff

    return StateDiff.of(world.changes()).to_json()


def test_the_database_stays_whole(world: LiveWorld) -> None:
    _play(world, [("member", {"name": str(number) * 900}) for number in range(60)])
    state = world.state()
    world.reset()
    world.restore(state)
    found = world.engine.own("PRAGMA integrity_check")
    assert found == [("ok",)]
    world.reset()


def test_a_diff_of_odd_values_is_json(world: LiveWorld) -> None:
    """An infinite number is no JSON; it must not keep an episode from being scored."""

    def enrich(world: LiveWorld) -> int:
        return world.execute("UPDATE loans SET fine = 9e999")

    world.run(enrich, {})
    told = _as_diff(world)
    assert told["tables"]["loans"]["updated"][0]["after"]["fine"] == {"real": "inf"}
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    world.reset()
