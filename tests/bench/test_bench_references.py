"""The World beside small honest implementations of how others hold state: one workload, one run, one table.

Rows: a new instance, a reset, a call (select + update), the exact difference after five writes, a fork in mid-episode,
memory of one more instance. All of them do the thing: rows and differences are compared with what they must be.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from tests.bench.references.table import IMPLEMENTATIONS, NOTES, printed
from tests.bench.references.workload import (
    TABLES,
    Implementation,
    Instance,
    Row,
    Workload,
    expected_changes,
    five_writes,
)

ROOT = Path(__file__).parents[2]
SECONDS = 0.1
"""Spent on a measurement, where one round does not take longer."""
Measured = dict[int, dict[str, dict[str, float]]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Both sizes when something is measured; the small one is enough to see that all of it works."""
    if "subject" in metafunc.fixturenames:
        measuring = not metafunc.config.getoption("benchmark_disable")
        sizes = [1, 50] if measuring else [1]
        names = [name for name, found in IMPLEMENTATIONS.items() if _has(found, metafunc.function.__name__)]
        metafunc.parametrize("subject", names, indirect=True, scope="module")
        metafunc.parametrize("megabytes", sizes, ids=[f"{size}MB" for size in sizes], scope="module")


def _has(implementation: Implementation, test: str) -> bool:
    """Whether an implementation is measured in a row of the table."""
    return test == "test_call" or not (implementation.calls_only or (test == "test_fork" and not implementation.forks))


@pytest.fixture(scope="module")
def workloads(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[Workload, dict[int, Row]]]:
    """The workload of a size and its books, built once."""

    @lru_cache
    def build(megabytes: int) -> tuple[Workload, dict[int, Row]]:
        workload = Workload.build(tmp_path_factory.mktemp(f"library{megabytes}"), megabytes)
        rows: dict[str, Row] = json.loads(workload.json_file.read_bytes())["books"]
        return workload, {row["id"]: row for row in rows.values()}

    return build


@pytest.fixture(scope="module")
def table() -> Iterator[Measured]:
    """Collects the medians and prints them at the end."""
    measured: Measured = {}
    yield measured
    for megabytes, found in sorted(measured.items()):
        sys.stdout.write("\n\n" + printed(megabytes, found))
    if measured:
        sys.stdout.write(f"\n\n{NOTES}\n")


@dataclass
class Subject:
    """An implementation under test: what makes instances, and one instance."""

    implementation: Implementation
    new: Callable[[], Instance]
    instance: Instance
    workload: Workload
    books: dict[int, Row]
    written: bool = False
    """True in the state after the five writes."""
    spoiled: bool = False
    """True after other calls."""

    @property
    def slow(self) -> bool:
        """One round is enough."""
        return self.implementation.heavy and len(self.books) > 100_000

    def write(self) -> None:
        """To the state after the five writes; each call must see what it saw in the others."""
        if self.spoiled:
            self.reset()
        if not self.written:
            seen = five_writes(self.instance)
            assert seen == [before for before, _ in expected_changes(self.books)["books"]["updated"]]
            self.written = True

    def reset(self) -> None:
        """Back to the start."""
        self.instance.reset()
        self.written = self.spoiled = False


@pytest.fixture(scope="module")
def subject(request: pytest.FixtureRequest, workloads: Any, megabytes: int) -> Iterator[Subject]:
    implementation = IMPLEMENTATIONS[request.param]
    workload, books = workloads(megabytes)
    with implementation.open(workload) as new:
        instance = new()
        yield Subject(implementation, new, instance, workload, books)
        instance.close()


@pytest.fixture
def measure(
    benchmark: BenchmarkFixture, subject: Subject, megabytes: int, table: Measured, request: pytest.FixtureRequest
) -> Callable[..., Any]:
    """measure(row, function, before): the median of some rounds goes into the table; the last answer comes back."""

    def run(row: str, function: Callable[[], Any], before: Callable[[], None] = lambda: None) -> Any:
        benchmark.group = f"{row}, {megabytes} MB"
        rounds = 1
        if not subject.slow and not request.config.getoption("benchmark_disable"):
            before()
            start = time.perf_counter()
            function()
            rounds = max(1, min(300, int(SECONDS / (time.perf_counter() - start))))
        answer: Any = cast("Any", benchmark.pedantic)(function, setup=before, rounds=rounds, iterations=1)
        keep(row, cast("Any", benchmark.stats).stats.median if benchmark.stats else None)
        return answer

    def keep(row: str, value: float | None) -> None:
        if value is not None:
            table.setdefault(megabytes, {}).setdefault(subject.implementation.name, {})[row] = value

    return run


def test_new_instance(subject: Subject, measure: Callable[..., Any]) -> None:
    made: list[Instance] = []

    def close() -> None:
        while made:
            made.pop().close()

    measure("new", lambda: made.append(subject.new()), before=close)
    made[-1].touch(101)
    close()


def test_reset(subject: Subject, measure: Callable[..., Any]) -> None:
    measure("reset", subject.reset, before=subject.write)
    assert not subject.written
    subject.write()


def test_diff_of_five_writes(subject: Subject, measure: Callable[..., Any]) -> None:
    subject.write()
    answer = measure("diff", subject.instance.changes)
    assert answer == (expected_changes(subject.books) if subject.implementation.exact else True)


def test_fork(subject: Subject, measure: Callable[..., Any]) -> None:
    subject.write()
    made: list[Instance] = []

    def close() -> None:
        while made:
            made.pop().close()

    measure("fork", lambda: made.append(subject.instance.fork()), before=close)
    subject.spoiled = True
    assert made[-1].touch(1_002) == subject.instance.touch(1_002)
    close()


def test_call(subject: Subject, measure: Callable[..., Any]) -> None:
    subject.spoiled = True
    before = subject.instance.touch(1_002)["copies"]
    after = measure("call", lambda: subject.instance.touch(1_002))["copies"]
    assert after > before


def test_memory(benchmark: BenchmarkFixture, subject: Subject, megabytes: int, table: Measured) -> None:
    name = subject.implementation.name
    count = 1 if subject.slow else 4 if subject.instance.processes() else 20
    command = [sys.executable, "-m", "tests.bench.references.memory", name, str(subject.workload.folder), str(count)]
    benchmark.group = f"memory, {megabytes} MB"

    def ask() -> float:
        return float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)

    found = cast("Any", benchmark.pedantic)(ask, rounds=1, iterations=1)
    benchmark.extra_info["bytes"] = found
    table.setdefault(megabytes, {}).setdefault(name, {})["memory"] = found
    assert found > 0


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_they_agree(name: str, tmp_path: Path) -> None:
    workload = Workload.build(tmp_path, 1)
    initial = {table: _sorted(workload, table) for table in TABLES}
    with IMPLEMENTATIONS[name].open(workload) as new:
        instance, untouched = new(), new()
        assert {table: instance.rows(table) for table in TABLES} == initial
        five_writes(instance)
        assert instance.rows("books") == _after_five_writes(initial["books"])
        assert untouched.rows("books") == initial["books"]
        if not IMPLEMENTATIONS[name].forks:
            with pytest.raises(NotImplementedError):
                instance.fork()
        instance.reset()
        assert {table: instance.rows(table) for table in TABLES} == initial
        for one in (instance, untouched):
            one.close()


def _after_five_writes(books: list[Row]) -> list[Row]:
    rows = {row["id"]: row for row in books}
    changes = expected_changes(rows)["books"]
    for row in changes["deleted"]:
        del rows[row["id"]]
    rows |= {after["id"]: after for _, after in changes["updated"]} | {row["id"]: row for row in changes["inserted"]}
    return [rows[key] for key in sorted(rows)]


def _sorted(workload: Workload, table: str) -> list[Row]:
    rows: dict[str, Row] = json.loads(workload.json_file.read_bytes())[table]
    return sorted(rows.values(), key=lambda row: row[TABLES[table]])
