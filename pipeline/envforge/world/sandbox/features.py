"""What this machine enforces for a worker."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from envforge.core.ids import sha256_bytes
from envforge.world.changes import TableInfo
from envforge.world.live import WorldPlan
from envforge.world.sandbox.backends import BACKENDS
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess
from envforge.world.template import Template

_TABLE = TableInfo("probe", ("id",), ("INTEGER",), ("id",))


@dataclass(frozen=True)
class Features:
    """Layers that hold a worker.

    Args:
        backend: the sandbox's name.
        namespaces: kinds of namespace that the worker has for itself; empty when it shares the host's.
        root: the file system that it would see if it could open a path.
        user: who it is, e.g. "uid 65534".
        landlock: the kernel's Landlock version; 0 when it is not applied.
        seccomp: True when only the listed system calls are left.
        no_new_privileges: True when no program it started could gain rights.
        limits: resources that are bounded.
        audit: True when Python's own operations on files and processes are refused.
    """

    backend: str
    namespaces: tuple[str, ...]
    root: str
    user: str
    landlock: int
    seccomp: bool
    no_new_privileges: bool
    limits: tuple[str, ...]
    audit: bool

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)

    @property
    def safe(self) -> bool:
        """True when the kernel holds code that you do not trust."""
        return BACKENDS[self.backend].safe


def sandbox_features(backend: str | None = None) -> Features:
    """Start a worker of the best (or the named) backend and ask it. Raises SandboxError."""
    process = probe_worker("", backend)
    try:
        told = process.load()["features"]
    finally:
        process.close()
    lists: dict[str, Any] = {name: tuple(told[name]) for name in ("namespaces", "limits")}
    return Features(backend=process.backend, **{**told, **lists})


def probe_worker(source: str, backend: str | None = None, limits: Limits | None = None) -> WorkerProcess:
    """A worker over a database of one empty table, with `source` as its tools.py. Raises SandboxError."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("PRAGMA page_size=4096; CREATE TABLE probe (id INTEGER PRIMARY KEY) STRICT")
        data = connection.serialize()
    plan = WorldPlan({"probe": _TABLE}, {}, "2000-01-01T00:00:00Z", 1)
    return WorkerProcess(
        plan, Template(data, {"probe": _TABLE}, sha256_bytes(data)), source, limits or Limits(), backend=backend
    )
