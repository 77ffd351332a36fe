"""What tools.json says of a written tool is read off its code; what cannot be read is refused with every reason."""

from __future__ import annotations

import pytest

from envforge.build.added.reading import spec_of
from envforge.core.errors import BuildError
from envforge.core.records.domain import Column, Table

BOOKS = Table(
    name="books",
    entity="book",
    label="book",
    columns=(Column(name="id", type="integer"), Column(name="title", type="text"), Column(name="shelf", type="text")),
    primary_key=("id",),
)
MOVE = '''def move_book(world: World, book_id: int, shelf: str, note: str | None = None) -> dict:
    """Put a book on another shelf.

    Args:
        book_id: the book's id.
        shelf: where it goes.
        note: why.
    """
    if not world.execute("UPDATE books SET shelf = :shelf WHERE id = :id", {"id": book_id, "shelf": shelf}):
        raise ToolError("not_found", f"There is no book {book_id}.", "Search the books.")
    return {"id": book_id, "shelf": shelf, "note": note}
'''


def test_a_writing_tool() -> None:
    spec = spec_of(MOVE, [BOOKS], [], "agent:m")
    assert (spec.name, spec.verb, spec.entity, spec.writes, spec.reads) == (
        "move_book",
        "update",
        "book",
        ("books",),
        (),
    )
    assert spec.description == "Put a book on another shelf."
    assert spec.parameters["required"] == ["book_id", "shelf"]
    assert spec.parameters["properties"]["note"] == {"type": ["string", "null"], "description": "why.", "default": None}
    assert spec.consumes == {"book_id": "book.id"} and spec.source == "agent:m"
    told = spec.annotations
    assert (told.read_only, told.destructive, told.idempotent) == (False, False, True)
    assert sorted(spec.returns["properties"]) == ["id", "note", "shelf"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("UPDATE books SET shelf = :shelf WHERE id = :id", "UPDATE books SET shelf = :shelf", "touches every row"),
        ("WHERE id = :id", "WHERE id = id", "touches every row"),
        ("WHERE id = :id", "WHERE :id", "touches every row"),
        ('"UPDATE books SET shelf = :shelf WHERE id = :id"', '"DELETE FROM books WHERE id = :id; SELECT 1"', "single"),
        ('"UPDATE books SET shelf = :shelf WHERE id = :id"', '"PRAGMA writable_schema = 1"', "PRAGMA"),
        ('"UPDATE books SET shelf', 'f"UPDATE books SET {shelf}', "plain string"),
        ("UPDATE books", "UPDATE members", "no table 'members'"),
        ("shelf: str", "shelf: dict", "shelf has to be str, int, float or bool"),
        ("note: str | None = None", "*note: str", "plain names"),
        ("note: str | None = None", "note: str = chr(1)", "defaults are plain values"),
        ('raise ToolError("not_found"', 'raise ValueError("not_found"', "no ToolError"),
        ("def move_book", "x = 1\n\ndef move_book", "one function"),
        ("def move_book", "def _move_book", "one function"),
    ],
)
def test_what_is_refused(old: str, new: str, told: str) -> None:
    assert old in MOVE
    with pytest.raises(BuildError, match=told):
        spec_of(MOVE.replace(old, new, 1), [BOOKS], [], "a")


def test_a_name_that_is_taken() -> None:
    known = spec_of(MOVE, [BOOKS], [], "a")
    with pytest.raises(BuildError, match="there is a tool move_book already"):
        spec_of(MOVE, [BOOKS], [known], "a")
