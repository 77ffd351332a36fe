"""An environment's unit tests in both modes: all in one warm process, and each in a process of its own."""

from __future__ import annotations

import ast
import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from envforge.core.errors import SandboxError, StoreError
from envforge.world.replay import first_difference
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess
from envforge.world.session import diff_of
from envforge.world.workers import start_worker

if TYPE_CHECKING:
    from envforge.world.environment import Environment

TEST_FILE = Path("tests", "test_tools.py")
_REPORT_SECONDS = 600.0
_REMEDY = "build the environment again"


@dataclass(frozen=True)
class TestRun:
    """Names of tests that passed, error by name of those that failed, and each test's changeset."""

    __test__ = False

    passed: tuple[str, ...]
    failed: Mapping[str, str]
    changesets: Mapping[str, bytes]


@dataclass(frozen=True)
class TestDifference:
    """A test that does not end alike in both modes; `detail` names outcome, or table and row."""

    __test__ = False

    test: str
    detail: str


def run_together(environment: Environment, *, limits: Limits | None = None, backend: str | None = None) -> TestRun:
    """All tests in one process, one after the other. Raises StoreError, SandboxError, ToolFault."""
    return run_warm(environment, rounds=1, limits=limits, backend=backend)[0]


def run_warm(
    environment: Environment, *, rounds: int, limits: Limits | None = None, backend: str | None = None
) -> list[TestRun]:
    """As `run_together`, again and again in the same process: a later round finds there what a former one left."""
    tests = tests_of(environment)
    process = start_worker(environment, limits or Limits(), testing=True, backend=backend)
    try:
        return [_ask(environment, process, tests, None) for _ in range(rounds)]
    finally:
        process.close()


def run_apart(
    environment: Environment,
    *,
    limits: Limits | None = None,
    backend: str | None = None,
    after_each: Callable[[int, int], None] | None = None,
) -> TestRun:
    """Each test in a fresh process. A test that costs its process has failed; raises as `run_together` otherwise."""
    passed: list[str] = []
    failed: dict[str, str] = {}
    changesets: dict[str, bytes] = {}
    parts = _parts(environment, tests_of(environment))
    for number, (name, source) in enumerate(parts.items()):
        process = start_worker(environment, limits or Limits(), testing=True, backend=backend)
        try:
            run = _ask(environment, process, source, [name])
        except SandboxError as error:
            run = TestRun((), {name: error.message}, {})
        finally:
            process.close()
        passed += run.passed
        failed |= run.failed
        changesets |= run.changesets
        if after_each is not None:
            after_each(number + 1, len(parts))
    return TestRun(tuple(passed), failed, changesets)


def differences(environment: Environment, together: TestRun, apart: TestRun) -> list[TestDifference]:
    """Tests that pass, fail or change rows otherwise in one process than in a process of their own."""
    found: list[TestDifference] = []
    for test in sorted({*together.passed, *together.failed, *apart.passed, *apart.failed}):
        shared, forked = _outcome(together, test), _outcome(apart, test)
        if shared != forked:
            found.append(TestDifference(test, f"shared: {shared}; forked: {forked}"))
        elif together.changesets.get(test) != apart.changesets.get(test):
            states = [diff_of(environment, run.changesets.get(test, b"")) for run in (together, apart)]
            table, row, detail = first_difference(environment, states[0], states[1])
            if table:
                found.append(TestDifference(test, f"{table} {row}: {detail}"))
    return found


def _outcome(run: TestRun, test: str) -> str:
    return "passes" if test in run.passed else run.failed.get(test, "is not there")


def tests_of(environment: Environment) -> str:
    """Source of the unit tests. Raises StoreError."""
    path = environment.folder / TEST_FILE
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot be read: {error}", where=str(path), remedy=_REMEDY) from error


def _parts(environment: Environment, source: str) -> dict[str, str]:
    """Test → the module without the other tests: a process that runs one test need not load them all."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = str(environment.folder / TEST_FILE)
        raise StoreError(f"does not load: {error}", where=where, remedy=_REMEDY) from error
    lines = source.splitlines(keepends=True)
    tests = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")}
    shared = list(lines)
    for test in tests.values():
        first, last = _span(test)
        shared[first:last] = ["\n"] * (last - first)  # line numbers stay what they are
    parts: dict[str, str] = {}
    for name, test in tests.items():
        first, last = _span(test)
        parts[name] = "".join([*shared[:first], *lines[first:last], *shared[last:]])
    return parts


def _span(test: ast.FunctionDef) -> tuple[int, int]:
    first = min([test.lineno, *(decorator.lineno for decorator in test.decorator_list)])
    return first - 1, test.end_lineno or test.lineno


def _ask(environment: Environment, process: WorkerProcess, tests: str, names: list[str] | None) -> TestRun:
    request = {"do": "tests", "tests": tests, "names": names, "changes": True}
    answer, _ = process.ask(request, seconds=_REPORT_SECONDS)
    if answer.get("error"):
        where = str(environment.folder / TEST_FILE)
        raise StoreError(f"does not load: {answer['error']}", where=where, remedy=_REMEDY)
    try:
        changes = {name: base64.b64decode(text) for name, text in cast("dict[str, Any]", answer["changes"]).items()}
        failed = {str(name): str(error) for name, error in answer["failed"]}
        return TestRun(tuple(str(name) for name in answer["passed"]), failed, changes)
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise process.garbage() from error
