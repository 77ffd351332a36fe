"""What this machine enforces for a worker."""

from __future__ import annotations

from typing import Any

import apsw

from envforge.core.ids import sha256_bytes
from envforge.world.changes import TableInfo
from envforge.world.live import WorldPlan
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess
from envforge.world.template import Template


def sandbox_features() -> dict[str, Any]:
    """Start a worker and ask it: {network, user, no_new_privileges, limits, audit}. Raises SandboxError."""
    connection = apsw.Connection(":memory:")
    connection.execute("PRAGMA page_size=4096; CREATE TABLE probe (id INTEGER PRIMARY KEY) STRICT")
    data = connection.serialize("main")
    tables = {"probe": TableInfo("probe", ("id",), ("INTEGER",), ("id",))}
    plan = WorldPlan(tables, {}, "2000-01-01T00:00:00Z", 1)
    process = WorkerProcess(plan, Template(data, tables, sha256_bytes(data)), "", Limits())
    try:
        return dict(process.load()["features"])
    finally:
        process.close()
