"""States that solutions share are made once, and are what a fresh World would be in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from envforge.gates import branches as module
from envforge.gates.branches import Branch, Branches
from envforge.world.diff import StateDiff
from envforge.world.environment import Environment
from envforge.world.session import diff_of

BORROW: tuple[str, dict[str, Any]] = ("borrow_book", {"member_id": "M-HHJ5", "book_id": 108})
MEMBERS: list[tuple[str, dict[str, Any]]] = [
    ("add_member", {"name": f"Person {number}", "level": "adult"}) for number in range(9)
]


@pytest.fixture
def tree(library: Environment) -> Iterator[Branches]:
    with Branches(library) as started:
        yield started


def afresh(library: Environment, calls: list[tuple[str, dict[str, Any]]]) -> StateDiff:
    """What the calls change in a World of their own."""
    with library.start() as session:
        for tool, arguments in calls:
            session.call(tool, arguments)
        return session.diff()


def changed(branch: Branch, library: Environment) -> StateDiff:
    return diff_of(library, branch.changeset())


def test_what_was_called_is_remembered(tree: Branches) -> None:
    first, second = tree.start(), tree.start()
    seen = [first.call("get_book", {"book_id": 108}), first.call(*BORROW), first.call("get_book", {"book_id": 108})]
    assert [second.call("get_book", {"book_id": 108}), second.call(*BORROW)] == seen[:2]
    assert second.call("get_book", {"book_id": 108}) == seen[2] != seen[0]
    assert (tree.calls_made, tree.calls_asked) == (3, 6)
    assert first.changeset() == second.changeset() != b""


def test_branches_do_not_see_each_other(tree: Branches, library: Environment) -> None:
    one, other = tree.start(), tree.start()
    one.call(*BORROW)
    other.call(*MEMBERS[0])
    assert changed(one, library) == afresh(library, [BORROW])
    assert changed(other, library) == afresh(library, [MEMBERS[0]])
    assert tree.start().changeset() == b""


@pytest.mark.parametrize("keep_every", [0, 1, 4])
@pytest.mark.parametrize("most_live", [2, 96])
def test_a_branch_off_any_state_is_what_a_fresh_world_is(
    tree: Branches, library: Environment, monkeypatch: pytest.MonkeyPatch, keep_every: int, most_live: int
) -> None:
    monkeypatch.setattr(module, "MOST_LIVE", most_live)
    whole = tree.start(keep_every=keep_every)
    for call in MEMBERS:
        assert whole.call(*call).ok
    for cut in (8, 3, 5, 1, 0):
        branch = tree.start()
        calls = [*MEMBERS[:cut], BORROW, *MEMBERS[cut:]]
        for call in calls:
            assert branch.call(*call).ok
        assert changed(branch, library) == afresh(library, calls)
    assert changed(whole, library) == afresh(library, MEMBERS)


def test_what_fails_leaves_no_trace(tree: Branches, library: Environment) -> None:
    branch = tree.start()
    assert not branch.call("borrow_book", {"member_id": "M-9WRD", "book_id": 108}).ok
    assert branch.changeset() == b""
    branch.call(*BORROW)
    assert changed(branch, library) == afresh(library, [BORROW])


def test_another_task_starts_from_the_beginning(tree: Branches) -> None:
    branch = tree.start()
    branch.call("get_book", {"book_id": 108})
    branch.call(*BORROW)
    tree.forget()
    made = tree.calls_made
    again = tree.start()
    again.call("get_book", {"book_id": 108})
    assert tree.calls_made == made, "reads of the initial state are kept"
    again.call(*BORROW)
    assert tree.calls_made == made + 1


# ---- bounds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0, 3000, 1 << 20])
def test_what_is_remembered_is_bounded_and_made_again(
    tree: Branches, library: Environment, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(module, "MOST_REMEMBERED", most)
    calls = [*MEMBERS, *(("get_book", {"book_id": number}) for number in range(101, 109)), BORROW]
    first = tree.start(keep_every=4)
    seen = [first.call(*call) for call in calls]
    for _ in range(2):
        again = tree.start()
        assert [again.call(*call) for call in calls] == seen
        assert changed(again, library) == afresh(library, calls)
        assert tree.remembered <= most
    assert (tree.calls_made == len(calls)) == (most == 1 << 20)


def test_what_was_asked_for_last_is_kept(tree: Branches, monkeypatch: pytest.MonkeyPatch) -> None:
    branch = tree.start()
    old, new = ("get_book", {"book_id": 101}), ("get_book", {"book_id": 102})
    branch.call(*old)
    branch.call(*new)
    branch.call(*old)
    monkeypatch.setattr(module, "MOST_REMEMBERED", tree.remembered)
    branch.call("get_book", {"book_id": 103})
    made = tree.calls_made
    branch.call(*old)
    assert tree.calls_made == made
    branch.call(*new)
    assert tree.calls_made == made + 1


def test_sizes_of_what_is_forgotten_are_forgotten(tree: Branches) -> None:
    branch = tree.start()
    branch.call("get_book", {"book_id": 101})
    kept = tree.remembered
    branch.call(*BORROW)
    branch.changeset()
    assert tree.remembered > kept
    tree.forget()
    assert tree.remembered == kept
