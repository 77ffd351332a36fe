"""For any calls, on every engine: reset equals fresh, forks are apart, snapshots repeat, diffs lead to the state."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings

from envforge.world.engine import COPY_ON_WRITE, available_engines, new_engine
from envforge.world.engine.contract import StateEngine

from .conftest import ENGINES, Start
from .steps import CALLS, Call, meaning, play, rows, sorted_rows

_SETTINGS = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_CASCADE: list[Call] = [
    (("DELETE FROM people WHERE id = ?", ("ada",)),),
    (("UPDATE teams SET id = 9 WHERE id = 1", ()),),
]
_SWAP: list[Call] = [
    (("UPDATE people SET place = -place", ()), ("UPDATE people SET place = 4 + place", ())),
    (("UPDATE people SET id = 'x' WHERE id = 'ada'", ()), ("UPDATE people SET id = 'ada' WHERE id = 'bo'", ())),
]


@given(calls=CALLS, more=CALLS)
@_SETTINGS
def test_reset_equals_fresh(start: Start, calls: list[Call], more: list[Call]) -> None:
    used, fresh = start(), start()
    play(used, calls)
    used.reset()
    assert used.changeset() == b"" and rows(used) == rows(fresh)
    assert play(used, more) == play(fresh, more)
    assert rows(used) == rows(fresh) and used.changeset() == fresh.changeset()


@given(calls=CALLS, left=CALLS, right=CALLS)
@_SETTINGS
def test_forks_are_apart(start: Start, calls: list[Call], left: list[Call], right: list[Call]) -> None:
    one = start()
    play(one, calls)
    other = one.fork()
    held = rows(one)
    assert rows(other) == held and meaning(other.changeset()) == meaning(one.changeset())
    play(other, right)
    assert rows(one) == held
    moved = rows(other)
    play(one, left)
    assert rows(other) == moved
    other.close()


@given(before=CALLS, between=CALLS, after=CALLS)
@_SETTINGS
def test_a_snapshot_repeats(start: Start, before: list[Call], between: list[Call], after: list[Call]) -> None:
    engine = start()
    play(engine, before)
    image = engine.snapshot()
    first = (play(engine, after), rows(engine), meaning(engine.changeset()))
    play(engine, between)
    engine.restore(image)
    assert (play(engine, after), rows(engine), meaning(engine.changeset())) == first
    other = start()
    other.restore(image)
    assert (play(other, after), rows(other), meaning(other.changeset())) == first


@given(calls=CALLS, more=CALLS)
@example(calls=_SWAP, more=_CASCADE)
@_SETTINGS
def test_the_diff_leads_to_the_live_state(start: Start, calls: list[Call], more: list[Call]) -> None:
    live, applied = start(), start()
    play(live, calls)
    live.restore(live.snapshot())
    play(live, more)
    applied.apply(live.changeset())
    assert sorted_rows(applied) == sorted_rows(live)
    assert meaning(applied.changeset()) == meaning(live.changeset())


@given(calls=CALLS)
@_SETTINGS
def test_two_instances_never_see_each_other(start: Start, calls: list[Call]) -> None:
    one, other = start(), start()
    held = rows(other)
    for call in calls:
        play(one, [call])
        assert rows(other) == held and other.changeset() == b""


@pytest.mark.skipif(COPY_ON_WRITE not in available_engines(), reason="there is one engine only without apsw")
@given(calls=CALLS)
@example(calls=_SWAP)
@example(calls=_CASCADE)
@_SETTINGS
def test_engines_agree(template: bytes, calls: list[Call]) -> None:
    """The same answers, rows and changes; and each takes over the other's snapshot and changeset."""
    one, other = (new_engine(template, engine=name) for name in ENGINES)
    try:
        assert play(one, calls) == play(other, calls)
        assert rows(one) == rows(other) and meaning(one.changeset()) == meaning(other.changeset())
        _exchange(template, one, other)
    finally:
        one.close()
        other.close()


def _exchange(template: bytes, one: StateEngine, other: StateEngine) -> None:
    images, changesets = (one.snapshot(), other.snapshot()), (one.changeset(), other.changeset())
    for engine, image, changeset in zip((other, one), images, changesets, strict=True):
        held = rows(engine)
        engine.restore(image)
        assert rows(engine) == held and meaning(engine.changeset()) == meaning(changeset)
        engine.reset()
        engine.apply(changeset)
        assert {table: sorted(found, key=repr) for table, found in held.items()} == sorted_rows(engine)
