"""All implementations that are measured, and the printed table."""

from __future__ import annotations

from collections.abc import Mapping

from tests.bench.references.dictionaries import deep_copied, replayed
from tests.bench.references.duck import loaded, rolled_back
from tests.bench.references.ours import in_process, own_process, shared_worker
from tests.bench.references.served import served
from tests.bench.references.sqlalchemy_calls import core, mapper
from tests.bench.references.sqlite_copies import backed_up, copied_file, deserialized
from tests.bench.references.workload import Implementation

SHARED, OWN = "World, shared worker", "World, own process"
IMPLEMENTATIONS = {
    found.name: found
    for found in (
        Implementation("World, in process", in_process),
        Implementation(SHARED, shared_worker, beside=SHARED),
        Implementation(OWN, own_process, beside=OWN),
        Implementation("AWM-style server", served, beside=OWN),
        Implementation("dict copies", deep_copied, heavy=True),
        Implementation("τ²-style replay", replayed, exact=False, heavy=True),
        Implementation("DuckDB, loaded", loaded, heavy=True),
        Implementation("DuckDB, rolled back", rolled_back, forks=False, heavy=True),
        Implementation("sqlite3 deserialize", deserialized, heavy=True),
        Implementation("sqlite3 backup", backed_up, heavy=True),
        Implementation("sqlite3 file copy", copied_file),
        Implementation("SQLAlchemy Core", core, calls_only=True),
        Implementation("SQLAlchemy ORM", mapper, calls_only=True),
    )
}

ROWS = ("new", "reset", "call", "diff", "fork", "memory")
_TITLES = {
    "new": "new instance",
    "reset": "reset",
    "call": "select + update",
    "diff": "diff of 5 writes",
    "fork": "fork",
    "memory": "memory",
}
NOTES = """× is the ratio to "World, in process"; of the AWM-style server to "World, own process".
Memory is private memory of one more instance; a server and a file copy also hold a file as large as the database.
The AWM-style server loads the standard library only; a web framework and an ORM start many times slower.
The τ²-style score compares hashes: it says whether states are equal, not what changed.
DuckDB, rolled back: the episode is one transaction; a call that fails cannot be undone alone."""


def printed(megabytes: int, measured: Mapping[str, Mapping[str, float]]) -> str:
    """The table of one size: seconds or bytes, and how many times the World's."""
    lines = [f"{megabytes} MB of data".ljust(22) + "".join(_TITLES[row].rjust(22) for row in ROWS)]
    for name, found in IMPLEMENTATIONS.items():
        if name in measured:
            ours: Mapping[str, float] = {} if found.beside == name else measured.get(found.beside, {})
            cells = [_cell(row, measured[name].get(row), ours.get(row)) for row in ROWS]
            lines.append(name.ljust(22) + "".join(cell.rjust(22) for cell in cells))
    return "\n".join(lines)


def _cell(row: str, value: float | None, ours: float | None) -> str:
    if value is None:
        return "—"
    shown = f"{value / 1e6:,.2f} MB" if row == "memory" else _seconds(value)
    return f"{shown} {_times(value / ours):>8}" if ours else f"{shown} {'':>8}"


def _seconds(value: float) -> str:
    return f"{value * 1e6:,.1f} µs" if value < 1e-3 else f"{value * 1e3:,.1f} ms" if value < 1 else f"{value:,.2f} s"


def _times(ratio: float) -> str:
    return f"×{ratio:,.2g}" if ratio < 10 else f"×{ratio:,.0f}"
