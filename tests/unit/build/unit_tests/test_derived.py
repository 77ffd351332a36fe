"""Histories and figures: tools keep them; tests and the gate notice one that does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from envforge.build.adapters.spec import AdapterSpec
from envforge.build.lower import lower
from envforge.build.unit_tests import write_tests
from envforge.core.contracts import Database, GateContext
from envforge.core.derived import faults
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Adapter, Blueprint, Insert, Operation, Return, Update
from envforge.core.records.environment import ToolSpec
from envforge.gates.derived import DerivedTables
from envforge.gates.folder import Folder
from envforge.store.files import write_text
from envforge.world.environment import Environment
from envforge.world.test_runner import run_tests

from .conftest import Draft, draft
from .workbench import SET_STATE, workbench


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    one = draft(workbench(), tmp_path_factory.mktemp("bench") / "bench")
    write_text(one.folder / "tests" / "test_tools.py", write_tests(one.blueprint, one.specs, one.database, one.folder))
    return one


def planted(one: Draft, folder: Path, change: Callable[[str], str]) -> Path:
    """A copy of the environment whose tools.py is another."""
    for path in sorted(one.folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            write_text(folder / path.relative_to(one.folder), path.read_text(encoding="utf-8"))
    module = (folder / "tools.py").read_text(encoding="utf-8")
    changed = change(module)
    assert changed != module, "the fault was not planted"
    write_text(folder / "tools.py", changed)
    return folder


def without_call(tool: str, helper: str) -> Callable[[str], str]:
    """The module whose `tool` does not call `helper`."""

    def change(module: str) -> str:
        head, mark, rest = module.partition(f"def {tool}(")
        body, end, tail = rest.partition("\n\n\ndef ")
        lines = [line for line in body.split("\n") if f"{helper}(" not in line and "for one in changing:" not in line]
        return head + mark + "\n".join(lines) + end + tail

    return change


def after(one: Draft, tool: str, arguments: Mapping[str, Any], query: str) -> list[dict[str, Any]]:
    """The rows of a query after a call that succeeds, and that leaves histories and figures as they must be."""
    queries = faults(one.blueprint.histories, one.blueprint.figures)
    with Environment.open(one.folder).start(0) as session:
        seen = session.call(tool, arguments)
        assert seen.ok, seen
        assert [words for words, sql in queries.items() if session.query(sql)] == []
        return session.query(query)


def first(database: Database, **wanted: Any) -> dict[str, Any]:
    return next(row for row in database.rows["jobs"] if all(row[name] == value for name, value in wanted.items()))


def test_the_tests_pass_and_state_that_all_follows(bench: Draft) -> None:
    report = run_tests(bench.folder)
    assert report.failed == ()
    text = (bench.folder / "tests" / "test_tools.py").read_text(encoding="utf-8")
    assert text.count("assert not _astray(world)") >= 6
    assert max(map(len, text.splitlines())) <= 120
    assert max(map(len, (bench.folder / "tools.py").read_text(encoding="utf-8").splitlines())) <= 120


def test_the_gate_passes_tools_that_keep_everything(bench: Draft) -> None:
    gate = DerivedTables()
    context = GateContext(bench.folder, {})
    assert gate.applies(context)
    result = gate.check(context)
    assert result.passed, result.reasons
    assert result.measured["histories"] == 1 and result.measured["figures"] == 2 and result.measured["calls"] >= 6


@pytest.mark.parametrize(
    ("tool", "helper", "words"),
    [
        ("set_job_state", "_note_job_history", "the last change does not lead to the present state"),
        ("open_job", "_note_job_history", "the last change does not lead to the present state"),
        ("finish_all_begun", "_note_job_history", "the last change does not lead to the present state"),
        ("set_job_state", "_keep_workshops_open_jobs", "workshops.open_jobs is not what jobs come to"),
        ("move_job", "_keep_workshops_open_jobs", "workshops.open_jobs is not what jobs come to"),
        ("set_job_hours", "_keep_workshops_hours", "workshops.hours is not what jobs come to"),
        ("delete_job", "_keep_workshops_hours", "workshops.hours is not what jobs come to"),
    ],
)
def test_a_tool_that_forgets_is_rejected(bench: Draft, tmp_path: Path, tool: str, helper: str, words: str) -> None:
    folder = planted(bench, tmp_path / "bench", without_call(tool, helper))
    result = DerivedTables().check(GateContext(folder, {}))
    assert not result.passed
    assert any(f"after {tool}(" in reason and words in reason for reason in result.reasons), result.reasons
    failed = {name for name, _ in run_tests(folder).failed}
    assert any(name.startswith(f"test_{tool}__") for name in failed)


@pytest.mark.parametrize(
    ("table", "column", "value", "words"),
    [
        ("job_history", "to_state", "begun", "does not lead to the present state"),
        ("job_history", "changed_at", "2025-01-01T00:00:00Z", "a change lies before the creation"),
        ("job_history", "entry", "7", "does not begin where the one before ended"),
        ("workshops", "hours", "999", "workshops.hours is not what jobs come to"),
    ],
)
def test_first_rows_that_do_not_follow_are_rejected(
    bench: Draft, tmp_path: Path, table: str, column: str, value: str, words: str
) -> None:
    folder = planted(bench, tmp_path / "bench", lambda text: text + "\n")
    path = folder / "data" / f"{table}.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    cells = lines[-1].split(",")
    cells[lines[0].split(",").index(column)] = value
    write_text(path, "\n".join([*lines[:-1], ",".join(cells)]) + "\n")
    result = DerivedTables().check(GateContext(folder, {}))
    assert not result.passed
    assert any(reason.startswith("at first: ") and words in reason for reason in result.reasons), result.reasons


def test_an_environment_without_any_is_not_judged(flights: Draft) -> None:
    assert not DerivedTables().applies(GateContext(flights.folder, {}))
    assert Folder(flights.folder).knowledge.blueprint.histories == ()


def test_a_change_of_state_is_an_entry_with_the_one_who_acts(bench: Draft) -> None:
    job = first(bench.database, state="begun")
    mine = f"SELECT * FROM job_history WHERE job_id = {job['job_id']} ORDER BY entry"
    rows = after(bench, "set_job_state", {"job_id": job["job_id"], "state": "done"}, mine)
    assert [row["entry"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1] == {
        "job_id": job["job_id"],
        "entry": len(rows),
        "from_state": "begun",
        "to_state": "done",
        "changed_at": "2025-06-02T09:00:00Z",
        "changed_by": job["hand"],
    }


def test_many_rows_that_change_at_once_have_an_entry_each(bench: Draft) -> None:
    begun = [row for row in bench.database.rows["jobs"] if row["state"] == "begun" and row["workshop_id"] == 2]
    assert len(begun) > 1
    today = "SELECT job_id FROM job_history WHERE changed_at = '2025-06-02T09:00:00Z' ORDER BY job_id"
    rows = after(bench, "finish_all_begun", {"workshop_id": 2}, today)
    assert [row["job_id"] for row in rows] == [row["job_id"] for row in begun]


def test_a_new_row_has_an_entry_and_a_deleted_one_takes_its_own_along(bench: Draft) -> None:
    newest = "SELECT entry, from_state, to_state, changed_by FROM job_history WHERE job_id = 31"
    made = after(bench, "open_job", {"workshop_id": 4, "amount": 5}, newest)
    assert made == [{"entry": 1, "from_state": None, "to_state": "waiting", "changed_by": None}]
    assert after(bench, "delete_job", {"job_id": 5}, "SELECT * FROM job_history WHERE job_id = 5") == []


def test_figures_follow_a_row_from_one_to_another(bench: Draft) -> None:
    before = {row["workshop_id"]: row["hours"] for row in bench.database.rows["workshops"]}
    job = first(bench.database, workshop_id=1)
    rows = after(bench, "move_job", {"job_id": job["job_id"], "workshop_id": 4}, "SELECT * FROM workshops")
    now = {row["workshop_id"]: row["hours"] for row in rows}
    assert (now[1], now[4]) == (before[1] - job["hours"], before[4] + job["hours"])


def test_tools_say_what_they_write(bench: Draft) -> None:
    writes = {spec.name: spec.writes for spec in bench.specs}
    assert writes["set_job_state"] == ("job_history", "jobs", "workshops")
    assert writes["set_job_hours"] == ("jobs", "workshops")
    assert writes["list_job_history"] == ()


def lowered(*operations: Operation, adapter: AdapterSpec | None = None) -> tuple[str, tuple[ToolSpec, ...]]:
    database = workbench()
    return lower(
        Blueprint(
            theme="t",
            title="T",
            tables=database.domain.tables,
            histories=database.histories,
            figures=database.figures,
            operations=operations,
        ),
        adapters={adapter.name: adapter} if adapter else None,
    )


def with_step(step: Any) -> Operation:
    return SET_STATE.model_copy(update={"steps": (step, Return(value={"job_id": "job_id"}))})


def test_no_operation_writes_a_history_or_a_figure_itself() -> None:
    entry = {"job_id": "job_id", "entry": "9", "to_state": "state", "changed_at": "now()"}
    with pytest.raises(BuildError, match="writes the history job_history"):
        lowered(with_step(Insert(name="made", table="job_history", values=entry)))
    with pytest.raises(BuildError, match=r"writes the figure workshops\.hours"):
        lowered(with_step(Update(table="workshops", where={"workshop_id": "job_id"}, set={"hours": "0"})))


def stamp(name: str, table: str) -> tuple[Operation, AdapterSpec]:
    """A tool that calls an adapter of this name, which writes into the table."""
    text = f'def _stamp(world):\n    world.execute("UPDATE {table} SET hours = 1", ())\n'
    return with_step(Adapter(adapter=name)), AdapterSpec(
        name, "_stamp", lambda _: {"_stamp": text}, writes=lambda _: (table,)
    )


def test_no_adapter_writes_what_a_history_or_figure_follows_from() -> None:
    for name, table in (("stamp", "hands"), ("touch_container", "jobs")):
        operation, harmless = stamp(name, table)
        assert table in lowered(operation, adapter=harmless)[1][0].writes
    operation, wrong = stamp("stamp", "jobs")
    with pytest.raises(BuildError, match="the adapter stamp writes jobs and keeps nothing"):
        lowered(operation, adapter=wrong)


def test_a_history_is_listed_by_row_state_person_and_day(bench: Draft) -> None:
    job = first(bench.database, state="done")
    asked = {"to_state": "done", "changed_by": job["hand"], "changed_from": "2025-05-10"}
    with Environment.open(bench.folder).start(0) as session:
        of_one = session.call("list_job_history", {"job_id": job["job_id"]}).result
        into = session.call("list_job_history", asked).result
        nobody = session.call("list_job_history", {"job_id": 999})
    assert of_one is not None and into is not None
    assert [item["to_state"] for item in of_one["items"]] == ["waiting", "begun", "done"]
    assert {(item["to_state"], item["changed_by"]) for item in into["items"]} == {("done", job["hand"])}
    assert min(item["changed_at"] for item in into["items"]) >= "2025-05-10"
    assert nobody.error is not None and nobody.error.code == "not_found"
