"""Gates on the tools and their unit tests. All code of the environment runs in the sandbox."""

from __future__ import annotations

import ast
import json
from collections import Counter
from typing import Any

from envforge.core.contracts import GateContext
from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.environment import GateResult, ToolSpec
from envforge.gates.calls import TestCall, literal_calls, test_functions, tests_by_tool
from envforge.gates.folder import Folder
from envforge.gates.gate import number, verdict
from envforge.gates.mutants import ToolMutant, mutants
from envforge.gates.tool_rules import call_graph, public_functions, violations, writers
from envforge.world.environment import Environment
from envforge.world.test_runner import Mutant, run_mutants, run_tests


class Compiles:
    """tools.py keeps the AST rules, and its functions and tools.json tell the same story."""

    name = "compiles"

    def check(self, context: GateContext) -> GateResult:
        """Parse, apply the rules, compare names and parameters with tools.json."""
        folder = Folder(context.folder)
        reasons = violations(folder.module)
        if not reasons:
            reasons = _signature_mismatches(folder)
        return verdict(self.name, reasons, measured={"tools": len(folder.tools), "lines": folder.module.count("\n")})


def _signature_mismatches(folder: Folder) -> list[str]:
    functions = {f.name: [a.arg for a in f.args.args[1:]] for f in public_functions(ast.parse(folder.module))}
    specs = {tool.name: list(tool.parameters.get("properties", {})) for tool in folder.tools}
    reasons = [f"{name} is in tools.json but not in tools.py" for name in specs if name not in functions]
    reasons += [f"{name} is in tools.py but not in tools.json" for name in functions if name not in specs]
    for name, parameters in specs.items():
        if name in functions and sorted(functions[name]) != sorted(parameters):
            reasons.append(f"{name}: parameters {functions[name]} in tools.py, {parameters} in tools.json")
    return reasons


class TestsPass:
    """All unit tests pass (the paper keeps a tool at more than half)."""

    __test__ = False
    name = "tests_pass"

    def check(self, context: GateContext) -> GateResult:
        """Run tests/test_tools.py in the sandbox."""
        report = run_tests(context.folder)
        reasons = [f"{name}: {error}" for name, error in report.failed]
        if not report.passed and not report.failed:
            reasons.append("there are no tests")
        return verdict(self.name, reasons, measured={"passed": len(report.passed), "failed": len(report.failed)})


class TestCoverage:
    """Each tool has a test of success, and one for each error code that it declares."""

    __test__ = False
    name = "test_coverage"

    def check(self, context: GateContext) -> GateResult:
        """Read the test module: which tool is called in which test, and which codes are asserted there."""
        folder = Folder(context.folder)
        functions = {function.name: function for function in test_functions(folder.tests)}
        by_tool = tests_by_tool(folder.tests, [tool.name for tool in folder.tools])
        reasons: list[str] = []
        for tool in folder.tools:
            tests = [functions[name] for name in by_tool[tool.name]]
            reasons += _uncovered(tool, tests)
        errors = sum(len({error.code for error in tool.errors}) for tool in folder.tools)
        return verdict(self.name, reasons, measured={"tests": len(functions), "error_codes": errors})


def _uncovered(tool: ToolSpec, tests: list[ast.FunctionDef]) -> list[str]:
    texts = {test.name: ast.unparse(test) for test in tests}
    calling = {name: text for name, text in texts.items() if f"tools.{tool.name}(" in text}
    reasons: list[str] = []
    if not any("raises(" not in text and "assert" in text for text in calling.values()):
        reasons.append(f"{tool.name} has no test of success")
    codes = sorted({error.code for error in tool.errors})
    for code in codes:
        if not any("raises(" in text and repr(code) in text for text in calling.values()):
            reasons.append(f"{tool.name}: no test expects {code}")
    if not codes:
        reasons.extend([] if not tool.parameters.get("properties") else [f"{tool.name} declares no error"])
    return reasons


class Mutation:
    """The unit tests notice small faults planted in tools.py."""

    name = "mutation"

    def check(self, context: GateContext) -> GateResult:
        """Plant up to `most` faults, one at a time, and run the tests of the tools that each can affect."""
        folder = Folder(context.folder)
        least = number(context.thresholds, self.name, "killed_share")
        most = int(number(context.thresholds, self.name, "most"))
        tables = {table.name: [column.name for column in table.columns] for table in folder.tables}
        made = mutants(folder.module, tables, most=most, seed=context.seed)
        by_tool = tests_by_tool(folder.tests, [tool.name for tool in folder.tools])
        verdicts = run_mutants(context.folder, [_runnable(mutant, by_tool) for mutant in made])
        killed = {v.id for v in verdicts if v.killed}
        survivors = [mutant for mutant in made if mutant.id not in killed]
        share = len(killed) / len(made) if made else 0.0
        operators = Counter(mutant.operator for mutant in made)
        dead = Counter(mutant.operator for mutant in made if mutant.id in killed)
        reasons: list[str] = []
        if share < least:
            reasons = [f"{len(killed)} of {len(made)} mutants were noticed ({share:.0%}), {least:.0%} are needed"]
            reasons += [f"survived: {mutant.id}" for mutant in survivors]
        return verdict(
            self.name,
            reasons,
            measured={
                "mutants": len(made),
                "killed": len(killed),
                "share": round(share, 4),
                "by_operator": {name: f"{dead[name]}/{operators[name]}" for name in sorted(operators)},
            },
            threshold={"killed_share": least},
        )


def _runnable(mutant: ToolMutant, by_tool: dict[str, list[str]]) -> Mutant:
    tests = tuple(name for tool in mutant.tools for name in by_tool.get(tool, []))
    return Mutant(mutant.id, "", tests, patch=mutant.patch)


class ReadsDoNotWrite:
    """A tool that declares no writes has none: by its call graph, and when it is called."""

    name = "reads_do_not_write"

    def check(self, context: GateContext) -> GateResult:
        """Static: no path to a writing World method. Dynamic: the tests' own calls leave an empty diff."""
        folder = Folder(context.folder)
        tree = ast.parse(folder.module)
        reach, writing = call_graph(tree), writers(tree)
        reads = [tool.name for tool in folder.tools if not tool.writes]
        reasons = [
            f"{name} reaches {', '.join(sorted(reach[name] & writing))}" for name in reads if reach[name] & writing
        ]
        reasons += [
            f"{tool.name} writes, but is annotated readOnlyHint"
            for tool in folder.tools
            if bool(tool.writes) == tool.annotations.read_only
        ]
        calls = [call for call in literal_calls(folder.tests) if call.tool in reads]
        reasons += _dirty(context, calls)
        return verdict(self.name, reasons, measured={"reading_tools": len(reads), "calls": len(calls)})


def _dirty(context: GateContext, calls: list[TestCall]) -> list[str]:
    reasons: list[str] = []
    with Environment.open(context.folder).start(context.seed) as session:
        for call in calls:
            session.call(call.tool, call.arguments)
            if not session.diff().empty:
                reasons.append(f"{call.tool}({json.dumps(call.arguments)}) changed the database")
                session.reset()
    return reasons


class Deterministic:
    """Two builds give one hash, and two runs of the same calls give the same bytes."""

    name = "deterministic"

    def check(self, context: GateContext) -> GateResult:
        """Replay the tests' calls in two fresh processes; rebuild when a rebuild is handed in."""
        folder = Folder(context.folder)
        calls = literal_calls(folder.tests)
        runs = [_transcript(context, calls) for _ in range(2)]
        reasons = [] if runs[0] == runs[1] else ["the same calls gave other results in a second process"]
        measured: dict[str, Any] = {"calls": len(calls), "transcript": runs[0][:16]}
        if context.rebuild is not None:
            again = context.rebuild()
            measured["rebuilt"] = True
            if again != folder.manifest.environment_hash:
                reasons.append(f"a second build gave {again[:16]} instead of {folder.manifest.environment_hash[:16]}")
        return verdict(self.name, reasons, measured=measured)


def _transcript(context: GateContext, calls: list[TestCall]) -> str:
    lines: list[str] = []
    # Workers of one zygote share its memory layout: an address in an answer would be the same in both.
    with Environment.open(context.folder).start(context.seed, apart=True) as session:
        for call in calls:
            observation = session.call(call.tool, call.arguments)
            lines.append(canonical_json([call.tool, observation.to_json(limit=None)]))
        lines.append(canonical_json(session.diff().to_json()))
    return sha256_text("\n".join(lines))
