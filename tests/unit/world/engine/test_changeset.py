"""The changeset format: what SQLite writes is read, what we write SQLite takes, and no bytes do harm."""

from __future__ import annotations

import sqlite3
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envforge.world.engine.changeset import NO_CHANGE, Change, read_changeset, write_changeset

SCHEMA = """
CREATE TABLE one (a TEXT, b INTEGER, c ANY, PRIMARY KEY (b, a)) STRICT;
CREATE TABLE "two ""words"" ü" (id INTEGER PRIMARY KEY, x);
INSERT INTO one VALUES ('x', 1, 2.5), ('y', 2, NULL), ('z', 3, x'00');
INSERT INTO "two ""words"" ü" VALUES (5, 'a'), (6, NULL);
"""
WRITES = """
UPDATE one SET c = 'new' WHERE b = 1; DELETE FROM one WHERE b = 2; UPDATE one SET a = 'key' WHERE b = 3;
INSERT INTO one VALUES ('é', -9223372036854775808, 1e300), ('', 0, zeroblob(300));
UPDATE "two ""words"" ü" SET x = hex(zeroblob(9000)) WHERE id = 5; DELETE FROM "two ""words"" ü" WHERE id = 6;
"""
_VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=200),
    st.binary(max_size=200),
)
_KEYS = st.integers(-(2**63), 2**63 - 1)


def _database() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute(SCHEMA)
    return connection


def _recorded() -> tuple[apsw.Connection, bytes]:
    connection = _database()
    session = apsw.Session(connection, "main")
    session.attach()
    connection.execute(WRITES)
    data = session.changeset()
    session.close()
    return connection, data


def test_sqlites_own_bytes_are_read_and_written_again() -> None:
    _, data = _recorded()
    changes = list(read_changeset(data))
    assert write_changeset(changes) == data
    theirs: list[Any] = [(found.name, found.op, found.old, found.new) for found in apsw.Changeset.iter(data)]
    ours = [(change.table, change.operation, _as_apsw(change.old), _as_apsw(change.new)) for change in changes]
    assert ours == theirs and len(ours) == 8


def _as_apsw(record: tuple[Any, ...]) -> tuple[Any, ...] | None:
    return tuple(apsw.no_change if value is NO_CHANGE else value for value in record) or None


def test_sqlite_applies_what_we_write() -> None:
    live, data = _recorded()
    other = _database()
    apsw.Changeset.apply(write_changeset(read_changeset(data)), other)
    for table in ("one", '"two ""words"" ü"'):
        sql = f"SELECT * FROM {table} ORDER BY 1, 2"
        assert list(other.execute(sql)) == list(live.execute(sql))


@given(rows=st.lists(st.tuples(_KEYS, _VALUES, _VALUES), max_size=6))
def test_any_values_travel(rows: list[tuple[Any, ...]]) -> None:
    changes = [Change("t", b"\1\0\0", "INSERT", (), row) for row in rows]
    changes += [Change("t", b"\1\0\0", "DELETE", row, ()) for row in rows]
    changes += [Change("t", b"\1\0\0", "UPDATE", (key, a, NO_CHANGE), (NO_CHANGE, b, NO_CHANGE)) for key, a, b in rows]
    read = list(read_changeset(write_changeset(changes)))
    assert repr(read) == repr(changes)
    theirs = [change.op for change in apsw.Changeset.iter(write_changeset(changes))]
    assert theirs == [change.operation for change in changes]


@pytest.mark.parametrize("size", [0, 127, 128, 16383, 16384, 2_100_000])
def test_lengths_of_any_size(size: int) -> None:
    changes = [Change("t", b"\1\0", "INSERT", (), (1, "x" * size))]
    assert list(read_changeset(write_changeset(changes))) == changes


_HEADER = b"T\2\1\0t\0"
_INSERT = _HEADER + b"\x12\0\1" + bytes(7) + b"\1\5"
BROKEN = {
    "no table": b"\x12\0\1" + bytes(8),
    "a patchset": b"P" + _INSERT[1:],
    "no columns": b"T\0t\0",
    "too many columns": b"T\x8f\x51" + b"\1" * 2001 + b"t\0",
    "a length without end": b"T\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    "columns that are not there": b"T\x7f\1",
    "no key": b"T\2\0\0t\0",
    "a name without end": b"T\2\1\0table",
    "a name that is no text": b"T\2\1\0\xff\0",
    "an unknown operation": _HEADER + b"\x13\0\1",
    "only an operation": _HEADER + b"\x12",
    "a strange flag": _HEADER + b"\x12\2\1" + bytes(7) + b"\1\5",
    "no values": _HEADER + b"\x12\0",
    "a cut number": _INSERT[:-4],
    "a cut row": _INSERT[:-1],
    "an unknown type": _INSERT[:-1] + b"\6",
    "a giant text": _INSERT[:-1] + b"\3\x8f\xff\xff\xff\x7fabc",
    "a text without bytes": _INSERT[:-1] + b"\3\5abcd",
    "text that is no UTF-8": _INSERT[:-1] + b"\3\2\xc3\x28",
    "not a number": _INSERT[:-1] + b"\2\x7f\xf8" + bytes(6),
    "an insert without a value": _INSERT[:-1] + b"\0",
    "a NULL key": _HEADER + b"\x12\0\5\5",
    "an update of the key": _HEADER + b"\x17\0\1" + bytes(7) + b"\1\0\1" + bytes(7) + b"\2\0",
    "an update without a key": _HEADER + b"\x17\0\0\5\0\5",
    "half an update": _HEADER + b"\x17\0\1" + bytes(7) + b"\1\5\0\0",
    "something behind": _INSERT + b"\0",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_broken_bytes_are_a_value_error(data: bytes) -> None:
    assert len(list(read_changeset(_INSERT))) == 1
    with pytest.raises(ValueError, match=r"changeset|codec"):
        list(read_changeset(data))


@given(data=st.binary(max_size=300))
@settings(max_examples=500)
def test_any_bytes_are_changes_or_a_value_error(data: bytes) -> None:
    _read(data)
    _read(_HEADER + data)


@given(at=st.integers(0, 10_000), byte=st.integers(0, 255), cut=st.integers(0, 10_000))
@settings(max_examples=500)
def test_a_spoiled_byte_is_read_or_refused(at: int, byte: int, cut: int) -> None:
    _, whole = _recorded()
    data = bytearray(whole)
    data[at % len(data)] = byte
    _read(bytes(data))
    _read(bytes(data[: cut % len(data)]))


def _read(data: bytes) -> None:
    """Either refused, or whole changes that are written back to bytes which say the same."""
    try:
        changes = list(read_changeset(data))
    except ValueError:
        return
    assert repr(list(read_changeset(write_changeset(changes)))) == repr(changes)


WRONG = {
    "no column": Change("t", b"", "INSERT", (), ()),
    "no key": Change("t", b"\0", "INSERT", (), (1,)),
    "a NUL in the name": Change("a\0b", b"\1", "INSERT", (), (1,)),
    "too few values": Change("t", b"\1\0", "INSERT", (), (1,)),
    "both sides": Change("t", b"\1", "INSERT", (1,), (1,)),
    "too large a number": Change("t", b"\1", "INSERT", (), (2**63,)),
    "another type": Change("t", b"\1", "INSERT", (), ([],)),
    "one side of an update": Change("t", b"\1\0", "UPDATE", (1, 2), (NO_CHANGE, NO_CHANGE)),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_what_has_no_bytes_is_refused(change: Change) -> None:
    with pytest.raises(ValueError, match="changeset"):
        write_changeset([change])


def test_the_standard_library_reads_the_same_database() -> None:
    """The fallback engine opens what the other one has written."""
    data = _database().serialize("main")
    connection = sqlite3.connect(":memory:")
    connection.deserialize(data)
    assert connection.execute("SELECT count(*) FROM one").fetchone() == (3,)
    connection.close()
