"""SQLite's changeset format, read and written in plain Python (https://www.sqlite.org/session/changesetfmt.html).

    changeset  = table*
    table      = "T", number of columns (varint), a byte per column (its place in the key, or 0), name, NUL, change*
    change     = operation (INSERT 18, DELETE 9, UPDATE 23), indirect byte, old record (DELETE, UPDATE),
                 new record (INSERT, UPDATE)
    record     = a value per column: type byte (0 undefined, 1 integer, 2 real, 3 text, 4 blob, 5 NULL), then 8 bytes
                 big-endian (integer, real) or a length (varint) and that many bytes (text, blob)

The bytes may come from hostile code: whatever is wrong with them is a ValueError, in time and memory linear in their
length. Standard library only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Operation: TypeAlias = Literal["INSERT", "UPDATE", "DELETE"]
Record: TypeAlias = tuple[Any, ...]


class _NoChange:
    """The one value of this type stands where an UPDATE says nothing of a column."""

    def __repr__(self) -> str:
        return "NO_CHANGE"


NO_CHANGE: Final = _NoChange()

_OPERATIONS: dict[int, Operation] = {18: "INSERT", 9: "DELETE", 23: "UPDATE"}
_CODES: dict[Operation, int] = {name: code for code, name in _OPERATIONS.items()}
_TABLE = ord("T")
_MOST_COLUMNS = 2000
_INTEGER = struct.Struct(">q")
_REAL = struct.Struct(">d")


class Change(NamedTuple):
    """One changed row. `key_flags`: a number per column, 0 where the column is no part of the key."""

    table: str
    key_flags: bytes
    operation: Operation
    old: Record
    new: Record
    indirect: bool = False


def read_changeset(data: bytes) -> Iterator[Change]:
    """The changes, as they stand in `data`. Raises ValueError at the first byte that is not as it must be."""
    at, end = 0, len(data)
    table, flags = "", b""
    while at < end:
        code = data[at]
        if code == _TABLE:
            table, flags, at = _header(data, at + 1)
            continue
        operation = _OPERATIONS.get(code)
        if operation is None or not flags or at + 2 > end:
            raise ValueError(f"changeset: byte {at} starts no change")
        indirect = data[at + 1]
        if indirect > 1:
            raise ValueError(f"changeset: byte {at + 1} is no flag")
        at += 2
        old: Record = ()
        new: Record = ()
        if operation != "INSERT":
            old, at = _record(data, at, len(flags))
        if operation != "DELETE":
            new, at = _record(data, at, len(flags))
        change = Change(table, flags, operation, old, new, bool(indirect))
        _check(change)
        yield change


def write_changeset(changes: Iterable[Change]) -> bytes:
    """The bytes of `changes`; those of one table must follow each other. Raises ValueError for what has no bytes."""
    out = bytearray()
    table: tuple[str, bytes] | None = None
    for change in changes:
        if table != (change.table, change.key_flags):
            table = (change.table, change.key_flags)
            _write_header(out, *table)
        _check(change)
        out.append(_CODES[change.operation])
        out.append(change.indirect)
        for value in (*change.old, *change.new):
            _write_value(out, value)
    return bytes(out)


def _header(data: bytes, at: int) -> tuple[str, bytes, int]:
    columns, at = _varint(data, at)
    flags = data[at : at + columns]
    stop = data.find(b"\0", at + columns)
    if not 0 < columns <= _MOST_COLUMNS or len(flags) != columns or not any(flags) or stop < 0:
        raise ValueError(f"changeset: the table before byte {at} is not described")
    return data[at + columns : stop].decode("utf-8"), flags, stop + 1


def _record(data: bytes, at: int, columns: int) -> tuple[Record, int]:
    values: list[Any] = []
    append = values.append
    try:
        for _ in range(columns):
            kind = data[at]
            at += 1
            if kind == 0:
                append(NO_CHANGE)
            elif kind == 5:
                append(None)
            elif kind == 1:
                append(_INTEGER.unpack_from(data, at)[0])
                at += 8
            elif kind == 2:
                append(_real(data, at))
                at += 8
            elif kind in (3, 4):
                size, start = _varint(data, at)
                at = start + size
                if at > len(data):
                    raise ValueError(f"changeset: the value at byte {start} ends behind the end")
                raw = data[start:at]
                append(raw.decode("utf-8") if kind == 3 else raw)
            else:
                raise ValueError(f"changeset: byte {at - 1} is no type of a value")
    except (IndexError, struct.error) as error:
        raise ValueError("changeset: ends in the middle of a row") from error
    return tuple(values), at


def _real(data: bytes, at: int) -> float:
    value: float = _REAL.unpack_from(data, at)[0]
    if value != value:
        raise ValueError(f"changeset: the real number at byte {at} is not one")
    return value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A length: SQLite's varint, at most five bytes here. Returns it and where it ends."""
    value = 0
    for count in range(5):
        if at + count >= len(data):
            break
        byte = data[at + count]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + count + 1
    raise ValueError(f"changeset: the length at byte {at} has no end")


def _check(change: Change) -> None:
    """INSERT and DELETE know every value; an UPDATE knows the key, and of each column both sides or none."""
    _, flags, operation, old, new, _ = change
    if operation == "UPDATE":
        fits = len(old) == len(new) == len(flags) and all(map(_may_be_updated, flags, old, new))
    else:
        values = new if operation == "INSERT" else old
        fits = len(values) == len(flags) and not (old and new) and NO_CHANGE not in values
        fits = fits and (None not in values or all(value is not None for value in compress(values, flags)))
    if not fits:
        raise ValueError(f"changeset: a change of {change.table!r} is not a whole {operation}")


def _may_be_updated(flag: int, old: Any, new: Any) -> bool:
    if flag:
        return old is not None and old is not NO_CHANGE and new is NO_CHANGE
    return (old is NO_CHANGE) == (new is NO_CHANGE)


def _write_header(out: bytearray, table: str, flags: bytes) -> None:
    if not 0 < len(flags) <= _MOST_COLUMNS or not any(flags) or "\0" in table:
        raise ValueError(f"changeset: the table {table!r} cannot be described")
    out.append(_TABLE)
    _write_varint(out, len(flags))
    out += flags
    out += table.encode("utf-8")
    out.append(0)


def _write_value(out: bytearray, value: Any) -> None:
    if value is NO_CHANGE:
        out.append(0)
    elif value is None:
        out.append(5)
    elif isinstance(value, int):
        out.append(1)
        try:
            out += _INTEGER.pack(value)
        except struct.error as error:
            raise ValueError(f"changeset: {value} has more than 64 bits") from error
    elif isinstance(value, float):
        out.append(2)
        out += _REAL.pack(value)
    elif isinstance(value, (str, bytes)):
        raw = value.encode("utf-8") if isinstance(value, str) else value
        out.append(3 if isinstance(value, str) else 4)
        _write_varint(out, len(raw))
        out += raw
    else:
        raise ValueError(f"changeset: a {type(value).__name__} is no value of SQLite")


def _write_varint(out: bytearray, value: int) -> None:
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F | 0x80)
    out += bytes(reversed(groups))
