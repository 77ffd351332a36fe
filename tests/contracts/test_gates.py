"""Every gate passes a good environment and rejects one that was broken in the way it is there for.

A new gate adds what it must reject to BREAKS; the environment is a ferry timetable, mined like any other. The gate on
histories and figures, of which the ferry has none, judges the small workbench of the unit tests.
"""

from __future__ import annotations

import ast
import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.build.unit_tests.conftest import draft
from tests.unit.build.unit_tests.workbench import workbench

from envforge.build.unit_tests import write_tests
from envforge.core.contracts import Gate, GateContext
from envforge.core.errors import ConfigError
from envforge.core.records.environment import GateResult
from envforge.gates.certificate import (
    DERIVED,
    ENVIRONMENT_GATES,
    certificate_of,
    gates_for,
    load_thresholds,
    run_gates,
)
from envforge.gates.folder import Folder
from envforge.store.hashing import environment_hash, file_hashes

GATES: dict[str, Gate] = {gate.name: gate for gate in (*ENVIRONMENT_GATES, DERIVED)}
Rows = list[dict[str, str]]
Break = Callable[[Path], None]


# ---- ways to change an environment folder -------------------------------------------------------------------------


def _json(folder: Path, name: str, change: Callable[[Any], object]) -> None:
    value = json.loads((folder / name).read_text(encoding="utf-8"))
    change(value)
    (folder / name).write_text(json.dumps(value), encoding="utf-8")


def _lines(folder: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    path = folder / "provenance.jsonl"
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in change(entries)), encoding="utf-8")


def _rows(folder: Path, table: str, change: Callable[[Rows], object]) -> None:
    path = folder / "data" / f"{table}.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        rows = list(reader)
        names = list(reader.fieldnames or ())
    change(rows)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _module(folder: Path, change: Callable[[str], str], name: str = "tools.py") -> None:
    text = (folder / name).read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text, "the fault was not planted"
    (folder / name).write_text(changed, encoding="utf-8")


def _at_the_start(tool: str, line: str) -> Callable[[str], str]:
    """Puts a line before the first statement of a tool."""

    def change(text: str) -> str:
        function = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == tool)
        lines = text.splitlines(keepends=True)
        lines.insert(function.body[1].lineno - 1, f"    {line}\n")
        return "".join(lines)

    return change


def _without_tests(matching: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        tree = ast.parse(text)
        tree.body = [n for n in tree.body if not (isinstance(n, ast.FunctionDef) and re.search(matching, n.name))]
        return ast.unparse(tree)

    return change


class _Asserts(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        # The calls stay, so that coverage and recorded calls are as before; only what they must give is gone.
        del node
        return ast.parse("assert True").body[0]


def _assert_free(text: str) -> str:
    return ast.unparse(ast.fix_missing_locations(_Asserts().visit(ast.parse(text))))


def _keep_tools(folder: Path, keep: Callable[[dict[str, Any]], bool]) -> None:
    _json(folder, "tools.json", lambda tools: tools.__setitem__(slice(None), [t for t in tools if keep(t)]))


def _reseal(folder: Path) -> None:
    """Make hashes and manifest agree with what the files now hold."""
    files = file_hashes(folder)
    digest = environment_hash(Folder(folder).manifest, files)
    _json(folder, "environment.json", lambda value: value.update(files=files, environment_hash=digest))


def _table_with(folder: Path, fits: Callable[[Any, Any], bool]) -> tuple[str, str]:
    """(table, column) of a synthetic table of many rows, by its column."""
    synthetic = {e.table for e in Folder(folder).provenance if e.kind == "synthetic" and e.count >= 10}
    return next(
        (table.name, column.name)
        for table in Folder(folder).tables
        if table.name in synthetic
        for column in table.columns
        if fits(table, column)
    )


# ---- what each gate must reject -----------------------------------------------------------------------------------


def _byte_in_tools(folder: Path) -> None:
    _module(folder, lambda text: text.replace("page", "pave", 1))


def _byte_in_data(folder: Path) -> None:
    _module(folder, lambda text: text.replace("Skua Ferries", "Skua Fairies"), "data/lines.csv")


def _title_in_manifest(folder: Path) -> None:
    _json(folder, "environment.json", lambda value: value.update(title="Another title"))


def _stray_file(folder: Path) -> None:
    (folder / "data" / "notes.csv").write_text("a\n1\n", encoding="utf-8")


def _removed_file(folder: Path) -> None:
    (folder / "data" / "bags.csv").unlink()


def _tool_without_field(folder: Path) -> None:
    _json(folder, "tools.json", lambda tools: tools[0].pop("verb"))
    _reseal(folder)


def _sibling_with_other_tools(folder: Path) -> None:
    sibling = folder.with_name(f"{folder.name}--s9")
    shutil.copytree(folder, sibling)
    _module(sibling, lambda text: text + "\n# another version\n")
    _json(sibling, "environment.json", lambda value: value.update(id=sibling.name, database_seed=9))
    _reseal(sibling)


def _import_os(folder: Path) -> None:
    _module(folder, lambda text: text.replace("import re\n", "import os\nimport re\n", 1))


def _clock_call(folder: Path) -> None:
    tool = Folder(folder).tools[0].name
    _module(folder, lambda text: text.replace("import re\n", "import datetime as dt\nimport re\n", 1))
    _module(folder, _at_the_start(tool, "dt.datetime.now()"))


def _other_parameter(folder: Path) -> None:
    _json(folder, "tools.json", lambda tools: tools[0]["parameters"]["properties"].update(colour={"type": "string"}))


def _syntax_error(folder: Path) -> None:
    _module(folder, lambda text: text + "\ndef broken(:\n")


def _dangling_reference(folder: Path) -> None:
    _rows(folder, "sailings", lambda rows: rows[0].update(origin="XXX"))


def _same_key_twice(folder: Path) -> None:
    _rows(folder, "ports", lambda rows: rows[1].update(port_code=rows[0]["port_code"]))


def _text_in_a_number(folder: Path) -> None:
    _rows(folder, "vessels", lambda rows: rows[0].update(capacity="many"))


def _loose_table(folder: Path) -> None:
    _module(folder, lambda text: text.replace(") STRICT;", ");", 1), "schema.sql")


def _key_that_may_be_null(folder: Path) -> None:
    # In a STRICT table the key is never NULL; in another it may be, unless each column says so.
    def loosen(text: str) -> str:
        return text.replace("line_code TEXT NOT NULL,", "line_code TEXT,", 1).replace(") STRICT;", ");", 1)

    _module(folder, loosen, "schema.sql")


def _provenance_gap(folder: Path) -> None:
    _lines(folder, lambda entries: [entry for entry in entries if entry["table"] != "ports"])


def _provenance_overlap(folder: Path) -> None:
    _lines(folder, lambda entries: [*entries, next(entry for entry in entries if entry["table"] == "ports")])


def _provenance_count(folder: Path) -> None:
    _lines(folder, lambda entries: [{**e, "count": e["count"] + (e["table"] == "ports")} for e in entries])


def _unknown_source(folder: Path) -> None:
    _lines(folder, lambda entries: [{**e, "source": "src-0000000000000000"} for e in entries])


def _ordered_pair(folder: Path) -> tuple[str, str, str]:
    for life in Folder(folder).knowledge.lifecycles:
        if len(life.ordered) >= 2:
            return life.table, life.ordered[0], life.ordered[1]
    raise AssertionError("no lifecycle orders timestamps")


def _times_out_of_order(folder: Path) -> None:
    table, first, second = _ordered_pair(folder)

    def swap(rows: Rows) -> None:
        row = next(row for row in rows if row[first] and row[second] and row[first] < row[second])
        row[first], row[second] = row[second], row[first]

    _rows(folder, table, swap)


def _after_the_clock(folder: Path) -> None:
    table, column = _table_with(folder, lambda _, c: c.role in {"created_at", "updated_at"} and c.type == "timestamp")
    _rows(folder, table, lambda rows: rows[-1].update({column: "2099-01-01T00:00:00Z"}))


def _unknown_state(folder: Path) -> None:
    def forget(value: dict[str, Any]) -> None:
        # The schema's CHECK refuses other words in the rows, so it is the archetype that knows one word less.
        life = next(life for life in value["lifecycles"] if life["table"] == "bookings")
        del life["states"]["confirmed"]

    _json(folder, "blueprint.json", forget)


def _title_of_customers(folder: Path) -> str:
    """A column of the ferry's own archetype that stands in for a title, which none of its tables has."""

    def change(value: dict[str, Any]) -> None:
        table = next(table for table in value["blueprint"]["tables"] if table["name"] == "customers")
        next(column for column in table["columns"] if column["name"] == "email")["role"] = "title"

    _json(folder, "blueprint.json", change)
    return "email"


def _repeated_titles(folder: Path) -> None:
    column = _title_of_customers(folder)
    _rows(folder, "customers", lambda rows: [row.update({column: f"Untitled {n % 9}"}) for n, row in enumerate(rows)])


def _template_marks(folder: Path) -> None:
    column = _title_of_customers(folder)
    _rows(folder, "customers", lambda rows: rows[3].update({column: "Dear {first_name}"}))


def _plant_out_of_rate(folder: Path) -> None:
    _json(folder, "blueprint.json", lambda value: value["plants"][0].update(rate=[0.98, 0.99]))


def _nine_tools(folder: Path) -> None:
    kept = {tool.name for tool in Folder(folder).tools[:9]}
    _keep_tools(folder, lambda tool: tool["name"] in kept)


def _one_verb_for_half(folder: Path) -> None:
    _json(folder, "tools.json", lambda tools: [tool.update(verb="get") for tool in tools[::2]])


def _three_tables(folder: Path) -> None:
    _json(folder, "blueprint.json", lambda value: value["blueprint"].update(tables=value["blueprint"]["tables"][:3]))


def _writable_but_unwritten(folder: Path) -> None:
    _json(folder, "blueprint.json", lambda value: value["blueprint"].update(writable=["vessel"]))


def _unreachable_id(folder: Path) -> None:
    _json(
        folder,
        "tools.json",
        lambda tools: [
            tool.update(produces={}) for tool in tools if "ticket.ticket_id" in tool.get("produces", {}).values()
        ],
    )


def _no_error_test(folder: Path) -> None:
    tool = next(t.name for t in Folder(folder).tools if any(e.code == "not_found" for e in t.errors))
    _module(folder, _without_tests(rf"^test_{tool}__not_found"), "tests/test_tools.py")


def _no_success_test(folder: Path) -> None:
    tool = Folder(folder).tools[0].name
    text = (folder / "tests" / "test_tools.py").read_text(encoding="utf-8")
    failing = re.findall(rf"def (test_{tool}__(?:invalid|not_|conflict|limit)\w*)", text)
    names = [n for n in re.findall(rf"def (test_{tool}__\w+)", text) if n not in failing]
    _module(folder, _without_tests("^(" + "|".join(names) + ")$"), "tests/test_tools.py")


def _assertion_that_fails(folder: Path) -> None:
    _module(
        folder, lambda text: text + "\n\ndef test_x__y(world):\n    assert not world.now()\n", "tests/test_tools.py"
    )


def _no_tests(folder: Path) -> None:
    (folder / "tests" / "test_tools.py").write_text("import pytest\nimport tools\n", encoding="utf-8")


def _a_reader(folder: Path) -> str:
    return next(tool.name for tool in Folder(folder).tools if tool.name == "search_ports")


def _read_that_writes(folder: Path) -> None:
    _module(folder, _at_the_start(_a_reader(folder), "world.execute(\"UPDATE ports SET name = 'x'\", [])"))


def _read_that_writes_by_a_back_door(folder: Path) -> None:
    _module(folder, _at_the_start(_a_reader(folder), "door = world"))


def _annotation_that_lies(folder: Path) -> None:
    def change(tools: list[dict[str, Any]]) -> None:
        next(tool for tool in tools if tool["writes"])["annotations"]["readOnlyHint"] = True

    _json(folder, "tools.json", change)


# State that a call leaves behind. Where the lint sees it, it is enough; the other gate must find it by running.

_COUNTER = """

def _count(seen=[]):
    seen.append(1)
    return len(seen)
"""
_CLOSURE = """

def _make():
    seen = [0]

    def count():
        seen[0] += 1
        return seen[0]

    return count


_COUNT = _make()
"""


def _with_state(folder: Path, line: str, addition: str = "") -> None:
    _module(folder, _at_the_start(_a_reader(folder), line))
    if addition:
        _module(folder, lambda text: text + addition)


def _counter_in_a_default(folder: Path) -> None:
    _with_state(folder, "_count()", _COUNTER)


def _counter_that_is_told(folder: Path) -> None:
    _with_state(folder, 'return {"items": [], "next_cursor": None, "has_more": _count() > 9}', _COUNTER)


def _cache(folder: Path) -> None:
    _with_state(folder, '_CACHE["x"] = world.now()', "\n\n_CACHE: dict = {}\n")


def _alias_of_a_table(folder: Path) -> None:
    _with_state(folder, 'for table in [_TABLE]: table.setdefault("seen", []).append(1)', "\n\n_TABLE: dict = {}\n")


def _monkeypatched_world(folder: Path) -> None:
    _with_state(folder, 'type(world).now = lambda self: "2001-01-01T00:00:00Z"')


def _counter_in_keyword_defaults(folder: Path) -> None:
    addition = "\n\ndef _count(*, seen=0):\n    return seen\n"
    _with_state(folder, '_count.__kwdefaults__["seen"] += 1', addition)


def _counter_in_a_closure(folder: Path) -> None:
    _with_state(folder, "_COUNT()", _CLOSURE)


def _counter_behind_a_module(folder: Path) -> None:
    door = 'import statistics; seen = statistics.sys.__dict__.setdefault("seen", []); seen.append(1)'
    _with_state(folder, f'{door}; return {{"items": [], "seen": len(seen)}}')


def _module_that_was_added(folder: Path) -> None:
    _with_state(folder, 'import statistics; statistics.sys.modules["seen"] = 1')


def _late_write(folder: Path) -> None:
    """Only the calls of a warm process come so far; the answers stay as they were."""
    tool = next(tool.name for tool in Folder(folder).tools if tool.name == "update_customer")
    _module(folder, _at_the_start(tool, "_count() > 9 and world.execute(\"UPDATE ports SET name = 'x'\", [])"))
    _module(folder, lambda text: text + _COUNTER)


def _tool_without_literal_calls(folder: Path) -> None:
    def hide(text: str) -> str:
        return re.sub(r"tools\.search_ports\(world\b", "tools.search_ports(world, **{}", text)

    _module(folder, hide, "tests/test_tools.py")


def _weak_tests(folder: Path) -> None:
    _module(folder, _assert_free, "tests/test_tools.py")


def _address_in_the_answer(folder: Path) -> None:
    _module(folder, _at_the_start(_a_reader(folder), 'return {"items": [], "token": str(object())}'))


def _without_note(folder: Path) -> None:
    """A tool changes the state and tells the history nothing."""
    _module(folder, lambda text: text.replace('    _note_job_history(world, held["job_id"])\n', "", 1))


def _without_count(folder: Path) -> None:
    """The function that every tool calls for a figure does nothing."""
    _module(folder, lambda text: text.replace("SET open_jobs = (", "SET open_jobs = open_jobs + 0 * (", 1))


def _entry_into_another_state(folder: Path) -> None:
    _rows(folder, "job_history", lambda rows: rows[-1].update(to_state="begun"))


def _figure_out_of_line(folder: Path) -> None:
    _rows(folder, "workshops", lambda rows: rows[0].update(hours="999"))


BREAKS: dict[str, tuple[tuple[Break, str], ...]] = {
    "integrity": (
        (_byte_in_tools, "tools.py"),
        (_byte_in_data, "data/lines.csv"),
        (_title_in_manifest, "environment"),
        (_stray_file, "data/notes.csv"),
        (_removed_file, "data/bags.csv"),
        (_tool_without_field, "verb"),
        (_sibling_with_other_tools, "family"),
    ),
    "compiles": (
        (_import_os, "import os"),
        (_clock_call, "clock"),
        (_other_parameter, "colour"),
        (_syntax_error, "line"),
    ),
    "no_module_state": (
        (_counter_in_a_default, "the default of _count's seen is changed by .append()"),
        (_cache, "_CACHE is changed"),
        (_alias_of_a_table, "_TABLE is changed by .setdefault()"),
        (_monkeypatched_world, "type(world).now is set"),
        (_counter_in_keyword_defaults, "__kwdefaults__"),
        (_counter_in_a_closure, "_COUNT is _make()"),
        (_counter_behind_a_module, "statistics.sys"),
    ),
    "foreign_keys": (
        (_dangling_reference, "sailings"),
        (_same_key_twice, "ports"),
        (_text_in_a_number, "vessels"),
    ),
    "tracked_changes": ((_loose_table, "STRICT"), (_key_that_may_be_null, "may be NULL")),
    "provenance": (
        (_provenance_gap, "ports"),
        (_provenance_overlap, "ports"),
        (_provenance_count, "ports"),
        (_unknown_source, "unknown source"),
    ),
    "realism": (
        (_times_out_of_order, "after"),
        (_after_the_clock, "clock"),
        (_unknown_state, "confirmed"),
        (_repeated_titles, "Untitled"),
        (_template_marks, "first_name"),
        (_plant_out_of_rate, "planted condition"),
    ),
    "minimal_validity": (
        (_nine_tools, "9 tools"),
        (_one_verb_for_half, "verb get"),
        (_three_tables, "3 tables"),
        (_writable_but_unwritten, "vessel"),
    ),
    "reachability": ((_unreachable_id, "ticket.ticket_id"),),
    "test_coverage": ((_no_error_test, "not_found"), (_no_success_test, "no test of success")),
    "tests_pass": ((_assertion_that_fails, "test_x__y"), (_no_tests, "no tests")),
    "reads_do_not_write": (
        (_read_that_writes, "search_ports"),
        (_read_that_writes_by_a_back_door, "search_ports"),
        (_annotation_that_lies, "readOnlyHint"),
    ),
    "derived_tables": (
        (_without_note, "the last change does not lead to the present state"),
        (_without_count, "workshops.open_jobs is not what jobs come to"),
        (_entry_into_another_state, "at first: job_history"),
        (_figure_out_of_line, "at first: workshops.hours"),
    ),
    "modes_agree": (
        (_counter_in_a_default, "_count is not what it was"),
        (_counter_that_is_told, "(search_ports)"),
        (_cache, "_CACHE is not what it was"),
        (_alias_of_a_table, "_TABLE is not what it was"),
        (_monkeypatched_world, "(LiveWorld) is not what it was"),
        (_counter_in_keyword_defaults, "_count is not what it was"),
        (_counter_in_a_closure, "_COUNT is not what it was"),
        (_counter_behind_a_module, "(search_ports)"),
        (_module_that_was_added, "(modules) is not what it was"),
        (_late_write, "ports"),
        (_tool_without_literal_calls, "search_ports is called in no episode"),
    ),
    "mutation": ((_weak_tests, "mutants were noticed"),),
    "deterministic": ((_address_in_the_answer, "second process"),),
}
CASES = [
    pytest.param(GATES[gate], break_it, word, id=f"{gate}-{break_it.__name__.strip('_')}")
    for gate, breaks in BREAKS.items()
    for break_it, word in breaks
]


@pytest.fixture(scope="session")
def good(ferry: Path) -> Path:
    """The ferry environment; what its gates say of it has its own test."""
    places = [ferry / "environments" / "ferry", *sorted(ferry.glob("runs/*/rejected/ferry"))]
    return next(place for place in places if place.is_dir())


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Jobs in workshops, with a history and two figures."""
    one = draft(workbench(), tmp_path_factory.mktemp("kept") / "workbench")
    tests = write_tests(one.blueprint, one.specs, one.database, one.folder)
    (one.folder / "tests").mkdir(exist_ok=True)
    (one.folder / "tests" / "test_tools.py").write_text(tests, encoding="utf-8")
    return one.folder


@pytest.fixture
def thresholds(ferry: Path) -> dict[str, Any]:
    return dict(load_thresholds(ferry / "validators/gates/environment.json"))


@pytest.fixture
def copy(good: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "environments" / "ferry"
    shutil.copytree(good, folder)
    return folder


def test_every_gate_has_something_that_it_must_reject() -> None:
    assert BREAKS.keys() == GATES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("gate", GATES.values(), ids=GATES)
def test_it_passes_the_good_environment(gate: Gate, good: Path, kept: Path, thresholds: dict[str, Any]) -> None:
    result = gate.check(GateContext(kept if gate is DERIVED else good, thresholds))
    assert result.passed, result.reasons
    assert result.gate == gate.name and result.reasons == ()


@pytest.mark.slow
@pytest.mark.parametrize(("gate", "break_it", "word"), CASES)
def test_it_rejects_what_it_is_there_for(
    gate: Gate, break_it: Break, word: str, good: Path, kept: Path, tmp_path: Path, thresholds: dict[str, Any]
) -> None:
    folder = tmp_path / "environments" / "ferry"
    shutil.copytree(kept if gate is DERIVED else good, folder)
    break_it(folder)
    result = gate.check(GateContext(folder, thresholds))
    assert not result.passed
    assert any(word in reason for reason in result.reasons), result.reasons


def test_who_declares_histories_or_figures_is_judged_on_them(good: Path, kept: Path) -> None:
    assert [gate.name for gate in gates_for(GateContext(good, {}))] == [gate.name for gate in ENVIRONMENT_GATES]
    names = [gate.name for gate in gates_for(GateContext(kept, {}))]
    assert sorted(names) == sorted(GATES) and names.index("derived_tables") + 1 == names.index("modes_agree")
    verdicts = [GateResult(gate=name, passed=True) for name in names]
    assert certificate_of(kept, verdicts).certified
    assert not certificate_of(kept, [one for one in verdicts if one.gate != "derived_tables"]).certified


def test_declarations_that_cannot_be_read_fail_the_usual_gates(kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "workbench"
    shutil.copytree(kept, folder)
    (folder / "blueprint.json").write_text("{", encoding="utf-8")
    results = run_gates(GateContext(folder, {}))
    assert [result.gate for result in results] == [gate.name for gate in ENVIRONMENT_GATES]
    assert any("blueprint.json" in reason for result in results for reason in result.reasons)
    assert not certificate_of(folder, results).certified


def test_a_second_build_with_another_hash_is_rejected(copy: Path, thresholds: dict[str, Any]) -> None:
    _module(copy, lambda _: "import pytest\nimport tools\n", "tests/test_tools.py")
    digest = Folder(copy).manifest.environment_hash
    gate = GATES["deterministic"]
    assert gate.check(GateContext(copy, thresholds, rebuild=lambda: digest)).passed
    result = gate.check(GateContext(copy, thresholds, rebuild=lambda: "0" * 64))
    assert not result.passed and "second build" in result.reasons[0]


def test_a_dirty_read_is_found_by_calling_it_too(copy: Path, thresholds: dict[str, Any]) -> None:
    tool = next(tool.name for tool in Folder(copy).tools if tool.name == "update_customer")
    _keep_tools(copy, lambda entry: entry["name"] == tool)
    _json(copy, "tools.json", lambda tools: [entry.update(writes=[]) for entry in tools])
    result = GATES["reads_do_not_write"].check(GateContext(copy, thresholds))
    assert any(f"{tool} reaches" in reason for reason in result.reasons)
    assert any(reason.startswith(f"{tool}(") and "changed the database" in reason for reason in result.reasons)


def test_after_code_that_does_not_compile_nothing_runs(copy: Path, thresholds: dict[str, Any]) -> None:
    _syntax_error(copy)
    results = {result.gate: result for result in run_gates(GateContext(copy, thresholds))}
    assert not results["compiles"].passed
    assert all("not run" in results[name].reasons[0] for name in ("tests_pass", "mutation", "deterministic"))
    certificate = certificate_of(copy, list(results.values()))
    assert not certificate.certified


def test_a_certificate_needs_every_gate(copy: Path, thresholds: dict[str, Any]) -> None:
    passed = [GATES[name].check(GateContext(copy, thresholds)) for name in ("compiles", "reachability")]
    assert all(result.passed for result in passed)
    assert not certificate_of(copy, passed).certified


@pytest.mark.parametrize("missing", ["minimal_validity", "modes_agree", "mutation", "realism"])
def test_a_missing_threshold_is_an_error_that_names_the_field(
    copy: Path, thresholds: dict[str, Any], missing: str
) -> None:
    del thresholds[missing]
    with pytest.raises(ConfigError, match=missing) as caught:
        GATES[missing].check(GateContext(copy, thresholds))
    assert caught.value.remedy and "environment.json" in caught.value.where
