"""Solution programs: `solve(call)` in a sandboxed process of its own; every tool call comes back to the host."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias, cast

from envforge.core.errors import ProgramError, SandboxError
from envforge.core.ids import sha256_text
from envforge.world.argument_values import NotPlain, refuse_strange_values
from envforge.world.observation import Observation
from envforge.world.sandbox.features import probe_worker
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess

ToolCall: TypeAlias = Callable[[str, dict[str, Any]], Observation]
"""call(tool, arguments) -> what was seen; wrap it to count, record or change calls."""
MOST_CALLS = 2000
MOST_ASKED = 4_000_000
"""Characters of JSON of all calls that one program asks for: whoever plays it keeps them."""
PROGRAM_SECONDS = 120.0
"""Wall clock of one program, its calls included."""


@dataclass(frozen=True)
class ToolRequest:
    """A call that a program asks for."""

    tool: str
    arguments: dict[str, Any]


class ProgramRunner:
    """A process that runs solution programs, one after the other. It is started again when a program breaks it."""

    def __init__(self, limits: Limits | None = None, backend: str | None = None) -> None:
        self._limits = limits or Limits()
        self._backend = backend
        self._process: WorkerProcess | None = None

    def run(
        self, source: str, call: ToolCall, *, most_calls: int = MOST_CALLS, seconds: float = PROGRAM_SECONDS
    ) -> Any:
        """The answer that `solve` of `source` returns, with its calls answered by `call`.

        Raises ProgramError when it does not load, crashes (a ToolError that it lets through is a crash), answers no
        JSON, asks for what is no call, for more than `most_calls` or at more length than MOST_ASKED; SandboxError when
        it ran over its time; whatever `call` raises.
        """
        steps = self.steps(source, most_calls=most_calls, seconds=seconds)
        seen: Observation | None = None
        try:
            while True:
                try:
                    request = next(steps) if seen is None else steps.send(seen)
                except StopIteration as done:
                    return done.value
                seen = call(request.tool, request.arguments)
        finally:
            steps.close()

    def steps(
        self, source: str, *, most_calls: int = MOST_CALLS, seconds: float = PROGRAM_SECONDS
    ) -> Generator[ToolRequest, Observation, Any]:
        """The same, step by step: yields each call, is sent what was seen, returns the answer. One program at a time.

        Closing it before its end ends the process. Raises as `run`.
        """
        deadline = time.monotonic() + seconds
        process = self._running()
        try:
            told, _ = process.ask({"do": "solve", "source": source}, seconds=seconds)
            calls = asked = 0
            while "call" in told:
                request = _request(told, source)
                calls += 1
                asked += len(json.dumps(told))
                if calls > most_calls:
                    raise ProgramError(f"made more than {most_calls} calls", where=_name(source))
                if asked > MOST_ASKED:
                    raise ProgramError(f"asked for calls of more than {MOST_ASKED} characters", where=_name(source))
                seen = yield request
                reply = {"result": seen.result} if seen.error is None else {"error": seen.error.to_json()}
                told, _ = process.ask(reply, seconds=max(0.01, deadline - time.monotonic()))
        except BaseException:
            self.close()  # it waits for an answer that nobody will give
            raise
        if "error" in told:
            at = f", line {told['line']}" if told.get("line") else ""
            raise ProgramError(str(told["error"]), where=f"{_name(source)}{at}")
        if "answer" not in told:
            raise process.garbage()
        return told["answer"]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def __enter__(self) -> ProgramRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _running(self) -> WorkerProcess:
        if self._process is None or not self._process.alive:
            self._process = probe_worker("", self._backend, self._limits)
            self._process.load()
        return self._process


def _request(told: Mapping[str, Any], source: str) -> ToolRequest:
    arguments = told.get("arguments")
    if not isinstance(told["call"], str) or not isinstance(arguments, dict):
        raise SandboxError("the program's process asked for a call that is none")
    try:
        refuse_strange_values(dict(told))
    except NotPlain as error:
        raise ProgramError(f"asked for a call that no World takes ({error.message})", where=_name(source)) from error
    return ToolRequest(told["call"], cast("dict[str, Any]", arguments))


def _name(source: str) -> str:
    return f"program {sha256_text(source)[:12]}"
