"""The worker: the process in which tool code runs. Forked by the zygote; talks to its host in frames on one socket.

Kept light (standard library and the engine). One worker serves one environment and holds any number of instances of it,
known by number.
"""

from __future__ import annotations

import marshal
import mmap
import os
import time
from collections.abc import Callable
from typing import Any

from envforge.world.api import ToolError
from envforge.world.engine import new_engine
from envforge.world.engine.budget import CacheBudget
from envforge.world.engine.contract import SQLError
from envforge.world.images import pack_state, unpack_state
from envforge.world.live import LiveWorld, WorldPlan
from envforge.world.sandbox import frames
from envforge.world.sandbox.fingerprint import fingerprint
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.lockdown import allow_processor_time, arm
from envforge.world.sandbox.solution import solution_of
from envforge.world.sandbox.tool_module import (
    Namespace,
    describe,
    give_code,
    load_tools,
    public_functions,
    where_it_broke,
)
from envforge.world.sandbox.verdict import verdict_of

LARGEST_FRAME = 256 * 1024 * 1024
_CHUNK = 1 << 16
_LONGEST_PART = 4000
_LONGEST_LAIN = 0.002
"""Seconds that an answer may lie here while further requests are worked on."""
_encode = frames.text_encoder(ensure_ascii=False)


class WorkerPipe:
    """The worker's end of its socket: the one open file it has."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = b""
        self._start = 0
        self._token = b""
        self._answers = bytearray()
        self._flushed = 0.0

    @property
    def asked(self) -> bool:
        """True once a request was received."""
        return bool(self._token)

    def read_exactly(self, size: int) -> bytes:
        """The next `size` bytes; the process ends when the host is gone or done."""
        end = self._start + size
        while len(self._held) < end:
            self._held = self._held[self._start :] + self._read(end - len(self._held))
            self._start, end = 0, size
        taken = self._held[self._start : end]
        self._start = end
        if end == len(self._held):
            self._held, self._start = b"", 0  # nothing of a request lies about while its tool runs
        return taken

    def _read(self, least: int) -> bytes:
        self.flush()  # whoever waits for an answer asks nothing more
        part = os.read(self._descriptor, max(_CHUNK, least))
        if not part:
            os._exit(0)
        return part

    def receive(self) -> tuple[Any, bytes]:
        """The next request and its blob."""
        held, start = self._held, self._start
        body = start + frames.TOKEN + frames.HEAD.size
        if len(held) >= body:
            # Several requests came at once: most lie here whole.
            text_size, blob_size = frames.sizes_of(held[start + frames.TOKEN : body], LARGEST_FRAME)
            end = body + text_size + blob_size
            if end <= len(held):
                self._token = held[start : start + frames.TOKEN]
                self._held, self._start = (held, end) if end < len(held) else (b"", 0)
                return frames.value_of(held[body : body + text_size]), held[body + text_size : end]
        return self._received()

    def _received(self) -> tuple[Any, bytes]:
        head = self.read_exactly(frames.TOKEN + frames.HEAD.size)
        self._token = head[: frames.TOKEN]
        text_size, blob_size = frames.sizes_of(head[frames.TOKEN :], LARGEST_FRAME)
        body = self.read_exactly(text_size + blob_size)
        return frames.value_of(body[:text_size] if blob_size else body), body[text_size:]

    def answer(self, frame: bytes) -> None:
        """An answer to the last request: on its way once no further request lies here, or much or old answers do."""
        self._answers += self._token + frame
        if len(self._answers) > _CHUNK or time.monotonic() - self._flushed > _LONGEST_LAIN:
            self.flush()

    def send(self, frame: bytes) -> None:
        """An answer to the last request, at once."""
        self.answer(frame)
        self.flush()

    def flush(self) -> None:
        """Send the answers that lie here."""
        view = memoryview(bytes(self._answers))
        self._answers.clear()
        self._flushed = time.monotonic()
        while view:
            view = view[os.write(self._descriptor, view) :]


class Worker:
    """Holds the environment and its instances; answers one request after the other."""

    def __init__(self, pipe: WorkerPipe, template: mmap.mmap, features: dict[str, Any], code: bytes = b"") -> None:
        self.pipe = pipe
        self.template = template
        setup, source = pipe.receive()
        self.limits = Limits.from_json(setup["limits"])
        self.plan = WorldPlan.from_json(setup["plan"])
        self.source = source.decode("utf-8")
        if code:
            give_code(self.source, "tools.py", marshal.loads(code))  # noqa: S302 - written by our zygote
        self.tools: dict[str, Callable[..., Any]] = {}
        self.worlds: dict[int, LiveWorld] = {}
        self.caches = CacheBudget()
        self.namespace: Namespace = {}
        allow_processor_time(self.limits.start_seconds)
        pipe.send(frames.pack_json({**self._load(setup["names"]), "features": features}))

    def _load(self, names: list[str]) -> dict[str, Any]:
        """Load tools.py; says which of `names` it lacks, or why it did not load."""
        if not self.source:
            return {"missing": names}
        arm(True)
        try:
            self.namespace = load_tools(self.source)
        except BaseException as error:
            return {"error": describe(error), "line": where_it_broke(error, "tools.py")}
        finally:
            arm(False)
        self.tools = public_functions(self.namespace)
        return {"missing": sorted(set(names) - set(self.tools))}

    def world(self, seed: int) -> LiveWorld:
        """A new instance."""
        engine = new_engine(self.template, engine=self.plan.engine)
        return LiveWorld(self.plan, engine, seed=seed, sql_seconds=self.limits.sql_seconds)

    def view(self, changeset: bytes) -> LiveWorld:
        """A read-only instance in the state that a changeset leads to. Raises SQLError when it does not fit."""
        engine = new_engine(self.template, read_only=True, engine=self.plan.engine)
        if changeset:
            engine.apply(changeset)
        return LiveWorld(self.plan, engine)

    def serve(self) -> None:
        """Answer requests until the pipe closes."""
        while True:
            request, blob = self.pipe.receive()
            allow_processor_time(float(request.get("seconds", self.limits.call_seconds)))
            self.pipe.answer(getattr(self, f"on_{request['do']}")(request, blob))

    def on_open(self, request: Any, _: bytes) -> bytes:
        """A new instance under the given number."""
        self.worlds[request["world"]] = self.world(request["seed"])
        return frames.pack_json({})

    def on_close(self, request: Any, _: bytes) -> bytes:
        """Free an instance. One that never came to life is free already: that must not cost the others their worker."""
        world = self.worlds.pop(request["world"], None)
        if world is not None:
            self.caches.forget(world.engine)
            world.close()
        return frames.pack_json({})

    def on_call(self, request: Any, _: bytes) -> bytes:
        """Call a tool."""
        world = self.worlds[request["world"]]
        function = self.tools[request["tool"]]
        arm(True)
        try:
            reads_only = bool(request.get("reads_only"))
            body = world.run(function, request["arguments"], self._seal, reads_only=reads_only)
        except ToolError as error:
            return _refusal("caller", _part(error, "code"), _part(error, "message"), _part(error, "hint"))
        except BaseException as error:
            line = where_it_broke(error, "tools.py")
            at = f" at tools.py line {line}" if line else ""
            return _refusal("fault", "internal_error", f"{describe(error)}{at}"[:2000], "")
        finally:
            arm(False)
            self.caches.touched(world.engine)
        return frames.pack('{"now": "' + world.now() + '", "result": ' + body + "}")

    def _seal(self, result: Any) -> str:
        """The result as JSON text. Raises when it is not an object of JSON values, or too large."""
        if not isinstance(result, dict):
            raise TypeError(f"a tool returns a dict, not {type(result).__name__}")
        text = _encode(result)
        if len(text) > self.limits.output_bytes:
            hint = "Ask for fewer rows: a filter, a smaller page."
            message = f"The result is {len(text)} bytes long; the limit is {self.limits.output_bytes}."
            raise ToolError("limit_exceeded", message, hint)
        text.encode("utf-8")
        return text

    def on_reset(self, request: Any, _: bytes) -> bytes:
        """Back to the start."""
        self.worlds[request["world"]].reset(request.get("seed"))
        return frames.pack_json({})

    def on_changeset(self, request: Any, _: bytes) -> bytes:
        """What changed since the start."""
        world = self.worlds[request["world"]]
        return frames.pack_json({"now": world.now()}, world.changeset())

    def on_state(self, request: Any, _: bytes) -> bytes:
        """The instance's whole state."""
        world = self.worlds[request["world"]]
        return frames.pack_json({"now": world.now()}, pack_state(world.state()))

    def on_restore(self, request: Any, blob: bytes) -> bytes:
        """Back to a state."""
        self.worlds[request["world"]].restore(unpack_state(blob))
        return frames.pack_json({})

    def on_save(self, request: Any, _: bytes) -> bytes:
        """The instance's state without its pages."""
        world = self.worlds[request["world"]]
        return frames.pack_json(world.saved(), world.changeset())

    def on_load(self, request: Any, blob: bytes) -> bytes:
        """To a saved state; says why when its changeset does not fit."""
        try:
            self.worlds[request["world"]].load(blob, request["saved"], seed=request["seed"])
        except SQLError as error:
            return frames.pack_json({"refused": str(error)})
        return frames.pack_json({})

    def on_fork(self, request: Any, _: bytes) -> bytes:
        """A second instance in the same state."""
        self.worlds[request["other"]] = self.worlds[request["world"]].fork()
        return frames.pack_json({})

    def on_module_state(self, _: Any, __: bytes) -> bytes:
        """What tool code could have left in this process: name → hash."""
        arm(True)  # values of tools have methods of their own
        try:
            return frames.pack_json({"state": fingerprint(self.namespace)})
        finally:
            arm(False)

    def on_verify(self, request: Any, blob: bytes) -> bytes:
        """Judge an episode by its changeset."""
        return verdict_of(self, request, blob)

    def on_solve(self, request: Any, _: bytes) -> bytes:
        """Run a solution program; its calls go to the host."""
        return solution_of(self, request)

    def on_tests(self, request: Any, _: bytes) -> bytes:
        """Run unit tests."""
        from envforge.world.sandbox.trial import Trial  # needs pytest, which only a testing worker has loaded

        report = Trial(self, request["tests"]).report(request["names"], changes=bool(request.get("changes")))
        return frames.pack_json(report)

    def on_mutants(self, request: Any, _: bytes) -> bytes:
        """Run unit tests against changed tools; a frame per mutant, then an empty one."""
        from envforge.world.sandbox.trial import Trial

        trial = Trial(self, request["tests"])
        for verdict in trial.verdicts(request["mutants"]):
            self.pipe.send(frames.pack_json(verdict))
        return frames.pack_json({"done": True})


def _part(error: ToolError, name: str) -> str:
    """A part of the error as text of bounded length, whatever the tool made of it."""
    try:
        return str(getattr(error, name))[:_LONGEST_PART]
    except Exception:
        return ""


def _refusal(kind: str, code: str, message: str, hint: str) -> bytes:
    error = {"kind": kind, "code": code, "message": message, "hint": hint}
    return frames.pack_json({"error": error})


def map_template(descriptor: int) -> mmap.mmap:
    """The template's bytes, shared with every other process that maps them."""
    return mmap.mmap(descriptor, os.fstat(descriptor).st_size, access=mmap.ACCESS_READ)
