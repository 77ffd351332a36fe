"""The worker's side of a solution program: it runs here, its tool calls are answered by the host.

Runs only in a process that has loaded no tools: the program sees what an agent sees, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envforge.world.api import ToolError
from envforge.world.sandbox import frames
from envforge.world.sandbox.lockdown import arm
from envforge.world.sandbox.tool_module import describe, guarded_import, load_module, where_it_broke

if TYPE_CHECKING:
    from envforge.world.sandbox.worker import Worker

FILE = "program.py"


def solution_of(worker: Worker, request: Mapping[str, Any]) -> bytes:
    """A frame of what `solve(call)` returned: {answer}, or {error, line} when it crashed."""
    if worker.tools:
        raise RuntimeError("a process that has loaded tools cannot run a solution")
    arm(True)
    try:
        namespace = load_module(str(request["source"]), "program", guarded_import(), FILE)
        return frames.pack_json({"answer": namespace["solve"](_caller(worker))})
    except ToolError as error:
        return frames.pack_json(
            {"error": f"ToolError: {error.code}: {error.message}", "line": where_it_broke(error, FILE)}
        )
    except BaseException as error:
        return frames.pack_json({"error": describe(error), "line": where_it_broke(error, FILE)})
    finally:
        arm(False)


def _caller(worker: Worker) -> Any:
    def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
        """One tool call. Raises ToolError with code, message and hint."""
        frame = frames.pack_json({"call": str(tool), "arguments": arguments})
        arm(False)
        try:
            worker.pipe.send(frame)
            reply, _ = worker.pipe.receive()
        finally:
            arm(True)
        if "error" in reply:
            told = reply["error"]
            raise ToolError(str(told["code"]), str(told["message"]), str(told.get("hint", "")))
        return reply["result"]

    return call
