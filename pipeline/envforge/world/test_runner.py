"""Running an environment's unit tests, and mutants against them, in a sandboxed worker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from envforge.core.errors import ConfigError, SandboxError, StoreError
from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.sandbox.process import WorkerProcess
from envforge.world.workers import start_worker

_REPORT_SECONDS = 600.0
_BATCH = 40


@dataclass(frozen=True)
class TestReport:
    """Names of tests that passed, (name, error) of those that failed, seconds in the worker."""

    __test__ = False

    passed: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    seconds: float

    @property
    def ok(self) -> bool:
        """True when there are tests and none failed."""
        return bool(self.passed) and not self.failed


@dataclass(frozen=True)
class Mutant:
    """A changed tools.py and the tests that should notice: a whole `source`, or a `patch` of some functions."""

    id: str
    source: str
    tests: tuple[str, ...]
    patch: str = ""


@dataclass(frozen=True)
class MutantVerdict:
    """`killed`: a test noticed; `by`: which one, "(import)" or "(worker)"; `error`: how it failed."""

    id: str
    killed: bool
    by: str
    error: str


def run_tests(folder: Path, *, names: Iterable[str] | None = None, limits: Limits | None = None) -> TestReport:
    """Run tests/test_tools.py of an environment, or the tests called `names`.

    Raises StoreError when there is no test file or it does not load, ConfigError for an unknown name, ToolFault when
    tools.py does not load, SandboxError when the worker died (a test killed it).
    """
    environment, tests = _open(folder)
    chosen = None if names is None else list(dict.fromkeys(names))
    process = start_worker(environment, limits or Limits(), testing=True)
    try:
        answer, _ = process.ask({"do": "tests", "tests": tests, "names": chosen}, seconds=_REPORT_SECONDS)
    finally:
        process.close()
    if not _is_report(answer):
        raise process.garbage()
    _refuse(environment, answer)
    failed = tuple((name, error) for name, error in answer["failed"])
    return TestReport(tuple(answer["passed"]), failed, float(answer["seconds"]))


def run_mutants(folder: Path, mutants: Sequence[Mutant], *, limits: Limits | None = None) -> list[MutantVerdict]:
    """Run each mutant's tests until the first one fails; verdicts in the order of `mutants`.

    A mutant that does not load, loops or kills its worker is killed. Raises StoreError when a named test fails
    or is not there without any mutation; else as `run_tests`.
    """
    environment, tests = _open(folder)
    limits = limits or Limits()
    verdicts: list[MutantVerdict] = []
    process: WorkerProcess | None = None
    try:
        while len(verdicts) < len(mutants):
            if process is None:
                process = start_worker(environment, limits, testing=True)
            batch = mutants[len(verdicts) : len(verdicts) + _BATCH]
            found, died = _run_batch(process, tests, batch, environment)
            verdicts += found
            if died:
                process.close()
                process = None
    finally:
        if process is not None:
            process.close()
    return verdicts


def _run_batch(
    process: WorkerProcess, tests: str, batch: Sequence[Mutant], environment: Environment
) -> tuple[list[MutantVerdict], bool]:
    """Verdicts of a batch, and whether its last one cost the worker."""
    entries = [
        {"id": mutant.id, "source": mutant.source, "patch": mutant.patch, "tests": list(mutant.tests)}
        for mutant in batch
    ]
    request = {"do": "mutants", "tests": tests, "mutants": entries}
    verdicts: list[MutantVerdict] = []
    seconds = process.limits.call_seconds + process.limits.test_seconds
    try:
        # The first answer waits for the unchanged tests too.
        answer, _ = process.ask(request, seconds=seconds * 4, processor_seconds=_REPORT_SECONDS)
        while not answer.get("done"):
            if answer.get("unusable"):
                where = str(environment.folder / "tests" / "test_tools.py")
                raise StoreError(str(answer["unusable"]), where=where, remedy="mutants need tests that pass")
            by, error = answer.get("by"), answer.get("error")
            expected = batch[len(verdicts)].id if len(verdicts) < len(batch) else None
            if answer.get("id") != expected or not isinstance(by, str) or not isinstance(error, str):
                raise process.garbage()
            verdicts.append(MutantVerdict(batch[len(verdicts)].id, bool(by), by, error))
            answer = process.next_answer(seconds)
        if len(verdicts) < len(batch):
            raise process.garbage()
    except SandboxError as error:
        if len(verdicts) < len(batch):
            verdicts.append(MutantVerdict(batch[len(verdicts)].id, True, "(worker)", error.message))
        return verdicts, True
    return verdicts, False


def _open(folder: Path) -> tuple[Environment, str]:
    environment = Environment.open(folder)
    path = environment.folder / "tests" / "test_tools.py"
    try:
        return environment, path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot be read: {error}", where=str(path), remedy="build the environment again") from error


def _is_report(answer: dict[str, Any]) -> bool:
    """Is it one? Tools run in the same process as their tests and may have written it."""
    failed, seconds = answer.get("failed"), answer.get("seconds")
    return (
        isinstance(answer.get("error"), str)
        and all(_are_texts(answer.get(name)) for name in ("unknown", "passed", "all"))
        and isinstance(failed, list)
        and all(_are_texts(pair) and len(pair) == 2 for pair in cast("list[Any]", failed))
        and isinstance(seconds, int | float)
        and 0 <= seconds < _REPORT_SECONDS * 10
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[Any]", value))


def _refuse(environment: Environment, answer: dict[str, Any]) -> None:
    where = str(environment.folder / "tests" / "test_tools.py")
    if answer["error"]:
        raise StoreError(f"does not load: {answer['error']}", where=where, remedy="build the environment again")
    if answer["unknown"]:
        remedy = f"there are: {', '.join(answer['all'][:20])}"
        raise ConfigError(f"no test is called {answer['unknown'][0]}", where=where, remedy=remedy)
