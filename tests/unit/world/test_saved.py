"""A state that is saved here goes on elsewhere: the same rows, time and future ids."""

from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError
from envforge.core.records.saved_state import Minted, SavedState
from envforge.store.schemas import problems
from envforge.world.engine.changeset import Change, write_changeset
from envforge.world.environment import Environment
from envforge.world.saved import read_saved, write_saved
from envforge.world.session import Session

BORROW = {"member_id": "M-HHJ5", "book_id": 108}
_SAVE = """
import sys
from pathlib import Path
from envforge.world.environment import Environment
from envforge.world.saved import write_saved
with Environment.open(sys.argv[1]).start(seed=5) as session:
    assert session.call("add_member", {"name": "Zoë", "level": "junior"}).ok
    assert session.call("borrow_book", {"member_id": "M-HHJ5", "book_id": 108}).ok
    assert session.call("post_notice", {"name": "closing", "text": "Open again."}).ok
    write_saved(Path(sys.argv[2]), session.save_state())
    print(session.digest(), session.now())
"""


def _played(session: Session) -> Session:
    session.reset(5)
    assert session.call("add_member", {"name": "Zoë", "level": "junior"}).ok
    assert session.call("borrow_book", BORROW).ok
    assert session.call("post_notice", {"name": "closing", "text": "Open again."}).ok
    return session


def _future(session: Session) -> Any:
    added = session.call("add_member", {"name": "Later", "level": "adult"})
    other = session.call("borrow_book", {"member_id": "M-4KQ7", "book_id": 108})
    return added.result, other.result, session.now(), session.digest()


@pytest.mark.parametrize("engine", ["copy-on-write", "deserialize"])
def test_a_state_of_another_process_goes_on_here(
    library: Environment, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVFORGE_ENGINE", engine)
    path = tmp_path / "state.json"
    command = [sys.executable, "-c", _SAVE, str(library.folder), str(path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    monkeypatch.delenv("ENVFORGE_ENGINE")
    with library.start() as here, library.start() as original:
        here.load_state(read_saved(path))
        assert [here.digest(), here.now()] == told and here.seed == 5
        assert _future(here) == _future(_played(original))
        here.reset()
        assert here.diff().empty and here.now() == "2024-03-01T09:00:00Z"


def test_a_file_is_the_record(session: Session, tmp_path: Path) -> None:
    saved = _played(session).save_state()
    write_saved(tmp_path / "state.json", saved)
    assert read_saved(tmp_path / "state.json") == saved
    assert problems("saved_state", saved.to_json()) == []
    assert saved.to_json()["version"] == 1


def test_loading_replaces_what_was_there(session: Session) -> None:
    start = session.save_state()
    saved = _played(session).save_state()
    digest = session.digest()
    assert session.call("return_book", {"loan_id": "1b0a7f5e-2f0e-4a35-9a0c-3d1c2f7c1002"}).ok
    session.load_state(saved)
    assert session.digest() == digest and session.save_state() == saved
    fork = session.fork()
    session.load_state(start)
    assert session.diff().empty and fork.digest() == digest
    fork.close()


_BOOKS, _LOANS = b"\1" + bytes(5), b"\1" + bytes(6)
CHANGES: dict[str, tuple[str, Change]] = {
    "an unknown table": ("does not fit", Change("strangers", b"\1", "INSERT", (), (1,))),
    "an unknown row": ("does not fit", Change("books", _BOOKS, "DELETE", (500, "a", "b", None, 1, None), ())),
    "a refused value": (
        "changeset: .*(fit the rows|CHECK)",
        Change("books", _BOOKS, "INSERT", (), (500, "a", "b", None, -1, None)),
    ),
    "a broken reference": (
        "changeset: .*(onstraint|refers to nothing)",
        Change("loans", _LOANS, "INSERT", (), ("x", "nobody", 101, "", "", None, None)),
    ),
}
UPDATES: dict[str, tuple[str, dict[str, Any]]] = {
    "another environment": ("environment_hash", {"environment_hash": "0" * 64}),
    "ids of an unknown table": ("minted", {"minted": {"strangers": Minted(count=1, last=0)}}),
    "no base64": ("changeset: .*ASCII", {"changeset": "é"}),
    "no changeset": ("changeset: does not fit", {"changeset": "Zm9v"}),
}


def _spoiled(saved: SavedState, how: str) -> tuple[str, SavedState]:
    """What the refusal says, and the state."""
    if how in UPDATES:
        message, update = UPDATES[how]
        return message, saved.model_copy(update=update)
    message, change = CHANGES[how]
    data = base64.b64encode(write_changeset([change])).decode("ascii")
    return message, saved.model_copy(update={"changeset": data})


@pytest.mark.parametrize("how", [*UPDATES, *CHANGES])
def test_a_broken_state_is_refused(session: Session, how: str) -> None:
    saved = _played(session).save_state()
    message, spoiled = _spoiled(saved, how)
    with pytest.raises(StoreError, match=message):
        session.load_state(spoiled)
    session.load_state(saved)
    assert session.save_state() == saved


FIELDS = {
    "version": {"version": 2},
    "writes": {"writes": -1},
    "minted": {"minted": {"loans": {"count": "x", "last": 0}}},
    "more": {"more": 1},
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_file_with_a_wrong_field_is_refused(session: Session, tmp_path: Path, field: str) -> None:
    from envforge.store.files import write_json

    write_json(tmp_path / "state.json", {**session.save_state().to_json(), **FIELDS[field]})
    with pytest.raises(StoreError, match=rf"state\.json: {field}"):
        read_saved(tmp_path / "state.json")
