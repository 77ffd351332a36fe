"""Unit tests of tools, run inside the worker: fresh World per test, and the same against changed tools.

A test gets as much processor time (not wall clock, which a busy machine stretches) as the limits say.
"""

from __future__ import annotations

import ast
import base64
import functools
import inspect
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from envforge.world.sandbox.lockdown import arm
from envforge.world.sandbox.tool_module import (
    TEST_IMPORTS,
    TestedTools,
    describe,
    guarded_import,
    load_module,
    load_patched_tools,
    load_tools,
    where_it_broke,
)

if TYPE_CHECKING:
    from envforge.world.sandbox.worker import Worker

FILE = "test_tools.py"
LOADING_SECONDS = 10.0
"""Processor time for a test module to load."""
MUTANT_SECONDS = 0.5
"""Processor time of one test against changed tools: at least this, or twenty times what it took unchanged."""
_PATIENCE = 20
_SHOWN = 600


class OutOfTime(BaseException):
    """The test used up its processor time. No Exception, so that `except Exception` in a tool lets it through."""


class Trial:
    """A test module over the worker's tools."""

    def __init__(self, worker: Worker, source: str) -> None:
        import pytest

        self._worker = worker
        self._lines = source.splitlines()
        self._world = worker.world(0)
        self._tools = TestedTools("tools")
        self._tools.load(worker.namespace)
        self._seconds: dict[str, float] = {}
        self._raised = (pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception)
        self.tests: dict[str, Callable[..., Any]] = {}
        self.error = ""
        importer = guarded_import(TEST_IMPORTS, {"tools": self._tools, "pytest": pytest})
        signal.signal(signal.SIGPROF, _out_of_time)
        error = self._guarded(lambda: self._collect(load_module(source, "test_tools", importer, FILE)), LOADING_SECONDS)
        if error is not None:
            self.error = self._explain(error)

    def _collect(self, namespace: dict[str, Any]) -> None:
        for name, value in namespace.items():
            if not name.startswith("test_") or not inspect.isfunction(value):
                continue
            if getattr(value, "pytestmark", None) or list(inspect.signature(value).parameters) != ["world"]:
                raise TypeError(f"{name} must be a plain function of the one fixture `world`")
            self.tests[name] = value

    def report(self, names: Sequence[str] | None, *, changes: bool = False) -> dict[str, Any]:
        """Run the tests called `names`, or all; with `changes`, tell each one's changeset (Base64)."""
        chosen = list(self.tests) if names is None else [name for name in names if name in self.tests]
        unknown = [] if names is None else sorted(set(names) - set(self.tests))
        started = time.perf_counter()
        failed: list[tuple[str, str]] = []
        changed: dict[str, str] = {}
        for name in chosen if not self.error else ():
            error = self._run(name, self._worker.limits.test_seconds)
            if error is not None:
                failed.append((name, self._explain(error)))
            if changes:
                changed[name] = base64.b64encode(self._world.changeset()).decode("ascii")
        passed = [name for name in chosen if name not in dict(failed)]
        seconds = time.perf_counter() - started
        answer = {"error": self.error, "unknown": unknown, "passed": passed, "failed": failed, "seconds": seconds}
        return {**answer, "all": list(self.tests), "changes": changed}

    def verdicts(self, mutants: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """For every mutant {id, source, tests}: {id, by, error} - the first test that fails, and how; by "" if none."""
        needed = sorted({name for mutant in mutants for name in mutant["tests"]})
        broken = dict(self.report(needed)["failed"])
        for mutant in mutants:
            yield self._verdict(mutant, broken)

    def _verdict(self, mutant: dict[str, Any], broken: dict[str, str]) -> dict[str, Any]:
        strays = [name for name in mutant["tests"] if name in broken or name not in self.tests]
        if strays or self.error:
            reason = self.error or f"{strays[0]} fails or is not there without the mutation"
            return {"id": mutant["id"], "by": "", "error": "", "unusable": reason}
        error = self._guarded(lambda: self._tools.load(self._changed(mutant)), self._worker.limits.test_seconds)
        if error is not None:
            return {"id": mutant["id"], "by": "(import)", "error": self._explain(error)}
        for name in mutant["tests"]:
            allowed = max(MUTANT_SECONDS, _PATIENCE * self._seconds[name])
            error = self._run(name, allowed)
            if error is not None:
                return {"id": mutant["id"], "by": name, "error": self._explain(error)}
        return {"id": mutant["id"], "by": "", "error": ""}

    def _changed(self, mutant: dict[str, Any]) -> dict[str, Any]:
        if mutant["patch"]:
            return load_patched_tools(self._worker.source, mutant["patch"])
        return load_tools(mutant["source"])

    def _run(self, name: str, seconds: float) -> BaseException | None:
        self._world.reset(0)
        started = time.process_time()
        error = self._guarded(lambda: self.tests[name](self._world), seconds)
        self._seconds[name] = time.process_time() - started
        return error

    def _guarded(self, action: Callable[[], Any], seconds: float) -> BaseException | None:
        """Run untrusted code; whatever it raised, SystemExit too."""
        signal.setitimer(signal.ITIMER_PROF, seconds)
        arm(True)
        try:
            action()
        except BaseException as error:
            return error
        finally:
            arm(False)
            signal.setitimer(signal.ITIMER_PROF, 0)
        return None

    def _explain(self, error: BaseException) -> str:
        """Type, message, line in the test and in the tools; for a bare assert also its text and values."""
        kind = type(error).__name__
        text = (
            "used up its processor time" if isinstance(error, OutOfTime) else describe(error).removeprefix(f"{kind}: ")
        )
        line = where_it_broke(error, FILE)
        parts = [f"{kind}: {text}" if text else kind]
        if isinstance(error, AssertionError) and not text:
            parts = [f"AssertionError: {self._assertion(error, line)}"]
        at = [
            f"{file}:{found}"
            for file, found in ((FILE, line), ("tools.py", where_it_broke(error, "tools.py")))
            if found
        ]
        return f"{parts[0][:_SHOWN]} ({', '.join(at)})" if at else parts[0][:_SHOWN]

    def _assertion(self, error: BaseException, line: int) -> str:
        """The text of the assert statement at `line`, and both sides of its comparison when they are plain to see."""
        step, frame = error.__traceback__, None
        while step is not None:
            if step.tb_frame.f_code.co_filename == FILE:
                frame = step.tb_frame
            step = step.tb_next
        statement = self._statement(line)
        if statement is None or frame is None:
            return "an assert without a message"
        text = ast.unparse(statement.test)
        if not isinstance(statement.test, ast.Compare):
            return text
        sides = [statement.test.left, *statement.test.comparators]
        values = [_value(side, frame.f_globals, frame.f_locals) for side in sides]
        return f"{text} -- {' | '.join(values)}"

    def _statement(self, line: int) -> ast.Assert | None:
        return next((one for one in self._asserts if one.lineno <= line <= (one.end_lineno or one.lineno)), None)

    @functools.cached_property
    def _asserts(self) -> list[ast.Assert]:
        # Once for all failures: a long test module takes longer to parse than its tests to run.
        return [node for node in ast.walk(ast.parse("\n".join(self._lines))) if isinstance(node, ast.Assert)]


def _value(side: ast.expr, globals_: dict[str, Any], locals_: dict[str, Any]) -> str:
    """What one side of a comparison is. Sides that call something are not computed again: calls may change rows."""
    if any(isinstance(node, (ast.Call, ast.NamedExpr, ast.Await)) for node in ast.walk(side)):
        return "…"
    arm(True)
    try:
        code = compile(ast.fix_missing_locations(ast.Expression(side)), FILE, "eval")
        return repr(eval(code, globals_, locals_))[:200]  # noqa: S307
    except BaseException:
        return "…"
    finally:
        arm(False)


def _out_of_time(*_: Any) -> None:
    raise OutOfTime
