"""The worker's side of a verification: rows before and after an episode, read-only, and the verifier over them.

Runs only in a process that has loaded no tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envforge.world.sandbox import frames
from envforge.world.sandbox.lockdown import arm
from envforge.world.sandbox.tool_module import describe, guarded_import, load_module, where_it_broke

if TYPE_CHECKING:
    from envforge.world.live import LiveWorld
    from envforge.world.sandbox.worker import Worker

FILE = "verifier.py"


class StateView:
    """One state of the database and its documents; nothing can be changed."""

    __slots__ = ("document", "documents", "query")

    def __init__(self, world: LiveWorld) -> None:
        def query(sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
            return world.query(sql, params)

        self.query = query
        self.document = world.document
        self.documents = world.documents


def verdict_of(worker: Worker, request: Mapping[str, Any], changeset: bytes) -> bytes:
    """A frame of what the verifier says: {checks}, or {error, line} when it crashed."""
    if worker.tools:
        raise RuntimeError("a process that has loaded tools cannot verify")
    before, after = StateView(worker.view(b"")), StateView(worker.view(changeset))
    arm(True)
    try:
        namespace = load_module(str(request["source"]), "verifier", guarded_import(), FILE)
        checks = namespace["verify"](before, after, request["diff"], request["answer"])
        return frames.pack_json({"checks": checks})
    except BaseException as error:
        return frames.pack_json({"error": describe(error), "line": where_it_broke(error, FILE)})
    finally:
        arm(False)
