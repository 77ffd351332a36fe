"""The text of test_tools.py."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from envforge.build.unit_tests.astray import ASTRAY, astray_helper, can_go_astray
from envforge.build.unit_tests.candidates import Candidates
from envforge.build.unit_tests.checks import Lines, change_checks, named_ids, result_checks
from envforge.build.unit_tests.ensures import HELPER as VALUE
from envforge.build.unit_tests.ensures import postconditions
from envforge.build.unit_tests.independent import independent_checks
from envforge.build.unit_tests.literals import Names, call_text, literal, one_line, text
from envforge.build.unit_tests.paging import HELPER as ALL_PAGES
from envforge.build.unit_tests.paging import paging_test, wrapped_call
from envforge.build.unit_tests.probe import Arranged, Call, Probed, probe
from envforge.build.unit_tests.rare import probe_rare
from envforge.build.unit_tests.reference import Reference
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import Operation
from envforge.core.records.domain import Column, Table
from envforge.core.records.environment import ToolSpec
from envforge.world.engine.guard import DOCUMENTS_TABLE

HEAD = '''"""Unit tests of the tools: one module for the environment in the folder above.

Expected values come from the rows, read with SQL that the tools do not use, and from what the tools are meant to do.
Every test gets a fresh World.
"""

import pytest
import tools

from envforge.world.api import ToolError
from envforge.world.testing import changes
'''
HELPERS = {
    "_all_pages": ALL_PAGES,
    "_changed": '''def _changed(before, after):
    """The columns that differ, with their new values."""
    return {name: after[name] for name in before if before[name] != after[name]}
''',
    "_columns": '''def _columns(row, *names, flags=()):
    """Columns of a row as results show them: flags are true or false."""
    return {name: row[name] if name not in flags or row[name] is None else row[name] == 1 for name in names}
''',
    "_counts": '''def _counts(made):
    """table -> how many rows were inserted, updated and deleted."""
    return {table: tuple(len(made[table][kind]) for kind in ("inserted", "updated", "deleted")) for table in made}
''',
    "_value": VALUE,
}


_DOCSTRING = 108
DOCUMENTS = Table(
    name=DOCUMENTS_TABLE,
    entity="document",
    label="document",
    columns=(Column(name="path", type="text", nullable=False), Column(name="text", type="text", nullable=False)),
    primary_key=("path",),
)
"""Documents as changes show them: rows of a table of the World's own."""


def module_text(reference: Reference, specs: Sequence[ToolSpec]) -> str:
    """All tests of all tools. Raises BuildError for a tool whose steps crash."""
    candidates = Candidates(reference)
    probed = [probe(reference, candidates, operation) for operation in reference.blueprint.operations]
    for one in probed:
        _refuse_faults(one)
    declared = {spec.name: {error.code for error in spec.errors} for spec in specs}
    probe_rare(reference, probed, declared)
    tests = [test for one in probed for test in tests_of(reference, one)]
    helpers = HELPERS | {ASTRAY: astray_helper(reference.blueprint)}
    used = [body for name, body in helpers.items() if any(f"{name}(" in test for test in tests)]
    return "\n\n".join([HEAD, *used, *tests])


def _refuse_faults(probed: Probed) -> None:
    """A tool that crashes on arguments that its schema admits is no tool. Raises BuildError."""
    for call in probed.faults[:1]:
        raise BuildError(
            f"the steps crash on {one_line(dict(call.arguments))}: {call.told.fault}",
            where=f"operation {probed.operation.name}",
            remedy="check the arguments with a require step, or narrow the parameters' schemas",
        )


def tests_of(reference: Reference, probed: Probed) -> list[str]:
    """The tests of one tool: each way to succeed, then each way to fail."""
    taken: set[str] = set()
    tests = [_success(reference, call, taken) for call in probed.successes]
    paging = paging_test(reference, probed)
    if paging:
        tests.append(_function(probed.operation, "paging", *paging, taken))
    refused = [call for call in probed.errors if _is_argument(call)]
    tests += [_refusal(call, taken) for call in probed.errors if not _is_argument(call)]
    if refused:
        tests.append(_bad_arguments(probed.operation, refused, taken))
    return tests


def _is_argument(call: Call) -> bool:
    return call.told.code == "invalid_argument" and call.told.message is None


def _success(reference: Reference, call: Call, taken: set[str]) -> str:
    tables = {table.name: table for table in (*reference.blueprint.tables, DOCUMENTS)}
    operation, told = call.operation, call.told
    assert told.result is not None
    name = _result_name(operation)
    lines = [line for one in call.arranged for line in _arranging(one)]
    lines.append(f"{name} = {call_text(operation, call.arguments, indent=4, before=len(name) + 3)}")
    if told.changes:
        names, naming = named_ids(told, tables)
        checks = [*change_checks(told, tables, names), *result_checks(name, told.result, names)]
        clock = ["now = world.now()"] if told.now in names.used else []
        used = [line for line in naming if any(name in " ".join(checks) for name in re.findall(r"new_\w+", line))]
        before, after = postconditions(call, name)
        lines = [*before, *clock, *lines, "made = changes(world)", *used, *checks, *after]
        lines += [f"assert not {ASTRAY}(world)"] if can_go_astray(reference.blueprint, call) else []
    else:
        checks, settled = independent_checks(reference, call, name)
        lines += [*checks, *result_checks(name, told.result, Names(), settled)]
        lines.append("assert not changes(world)")
    return _function(operation, _case(call), _about(call), lines, taken)


def _result_name(operation: Operation) -> str:
    return {"list": "page", "search": "page", "filter": "page"}.get(operation.verb, "result")


def _case(call: Call) -> str:
    required = {parameter.name for parameter in call.operation.parameters if parameter.required}
    extra = [name for name in call.arguments if name not in required]
    if not extra:
        return "success"
    return "with_" + "_and_".join(extra) if len(extra) <= 2 else "with_several"


def _about(call: Call) -> str:
    """What the test is about, in one line."""
    told, given = call.told, _listed(list(call.arguments))
    with_ = f"With {given}: " if given else ""
    if told.changes:
        kinds = (("adds", "inserted"), ("changes", "updated"), ("deletes", "deleted"))
        done = [
            f"{verb} {count} of {table}"
            for table, change in told.changes.items()
            for verb, kind in kinds
            if (count := len(getattr(change, kind)))
        ]
        return _sentence(f"{with_}{_listed(done)}, and nothing else changes.")
    if told.total is not None:
        rows = "no row fits" if not told.total else "one row fits" if told.total == 1 else f"{told.total} rows fit"
        return _sentence(f"{with_}{rows}.")
    return _sentence(f"{with_}the result is what the rows say.")


def _sentence(words: str) -> str:
    whole = words[:1].upper() + words[1:]
    return whole if len(whole) <= _DOCSTRING else whole[:_DOCSTRING].rsplit(" ", 1)[0].rstrip(",") + " …"


def _listed(words: Sequence[str]) -> str:
    if len(words) > 4:
        return f"{', '.join(words[:3])} and more"
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def _refusal(call: Call, taken: set[str]) -> str:
    told = call.told
    lines = [line for one in call.arranged for line in _arranging(one)]
    lines += [call_text(operation, arguments, indent=4, before=0) for operation, arguments in call.before]
    lines += ["before = changes(world)"] if lines else []
    lines += raising(call.operation, call.arguments)
    lines.append(f'assert caught.value.code == "{told.code}"')
    if told.message is not None:
        lines.append(f"assert caught.value.message == {literal(told.message, before=31)}")
    if told.hint:
        lines.append("assert caught.value.hint")
    lines.append("assert changes(world) == before" if call.before or call.arranged else "assert not changes(world)")
    about = (told.message or "").rstrip(".") or f"Some argument leads to {told.code}"
    return _function(call.operation, told.code, f"{_short(about)}: nothing changes.", lines, taken)


def _arranging(one: Arranged) -> Lines:
    """The state that the test needs, made by hand."""
    where = " AND ".join(f"{name} = ?" for name in one.key)
    sql = f"UPDATE {one.table} SET {one.column} = ? WHERE {where}"  # noqa: S608 - names of a checked blueprint
    value = int(one.value) if isinstance(one.value, bool) else one.value
    return wrapped_call("world.execute", [text(sql), literal([value, *one.key.values()])])


def raising(operation: Operation, arguments: Mapping[str, Any]) -> Lines:
    """The call inside of pytest.raises."""
    return ["with pytest.raises(ToolError) as caught:", "    " + call_text(operation, arguments, indent=8, before=0)]


def _short(message: str) -> str:
    flat = " ".join(message.split()).replace("\\", "/").replace('"', "'")
    return flat if len(flat) <= 80 else flat[:80].rsplit(" ", 1)[0] + " …"


def _bad_arguments(operation: Operation, calls: Sequence[Call], taken: set[str]) -> str:
    lines: Lines = []
    for call in calls:
        lines += raising(operation, call.arguments)
        lines.append('assert caught.value.code == "invalid_argument"')
        lines.append("assert caught.value.hint")
    lines.append("assert not changes(world)")
    return _function(operation, "invalid_argument", "Arguments that do not fit are refused with a hint.", lines, taken)


def _function(operation: Operation, case: str, about: str, lines: Sequence[str], taken: set[str]) -> str:
    name, number = case, 1
    while name in taken:
        number += 1
        name = f"{case}_{number}"
    taken.add(name)
    body = "\n".join(f"    {line}" for line in lines)
    return f'def test_{operation.name}__{name}(world):\n    """{about}"""\n{body}\n'
