"""The module as a text: style, imports, embedded helpers, stability and speed."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envforge.build.lower import lower
from envforge.core.records.environment import ToolSpec
from envforge.gates.tool_rules import violations

Lowered = tuple[str, tuple[ToolSpec, ...]]


def test_the_module_keeps_the_rules(lowered: Lowered) -> None:
    assert violations(lowered[0]) == []


def test_the_same_blueprint_gives_the_same_text(conftest: Any, lowered: Lowered) -> None:
    assert lower(conftest.blueprint_of(conftest.OPERATIONS), adapters={"patience": conftest.PATIENCE}) == lowered


def test_lines_are_short_and_clean(lowered: Lowered) -> None:
    lines = lowered[0].split("\n")
    assert [line for line in lines if len(line) > 110] == []
    assert [line for line in lines if line != line.rstrip() or "\t" in line] == []


def test_a_formatter_finds_nothing_to_do(lowered: Lowered, tmp_path: Path) -> None:
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if ruff is None:
        pytest.skip("needs ruff: pip install -e .[dev]")
    path = tmp_path / "tools.py"
    path.write_text(lowered[0], encoding="utf-8")
    style = ["--isolated", "--no-cache", "--target-version", "py311", str(path)]
    form = subprocess.run([ruff, "format", "--diff", "--line-length", "110", *style], capture_output=True, text=True)
    assert form.stdout == ""
    lint = subprocess.run(
        [ruff, "check", "--select", "E,F,W,I,B,C4,UP,SIM,RET,PIE,D1", "--line-length", "110", *style],
        capture_output=True,
        text=True,
    )
    assert lint.returncode == 0, lint.stdout


def test_only_helpers_that_are_used_are_there(conftest: Any) -> None:
    module, _ = lower(conftest.blueprint_of([conftest.RETURN_BOOK]))
    names = {node.name for node in ast.parse(module).body if isinstance(node, ast.FunctionDef)}
    assert names == {"_invalid", "_check_integer", "_check_range", "_days_between", "_date_of", "return_book"}
    assert "import json" not in module


def test_every_private_function_is_called(lowered: Lowered) -> None:
    tree = ast.parse(lowered[0])
    private = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("_")}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert private - used == set()


def test_a_look_up_that_several_tools_make_is_shared(lowered: Lowered) -> None:
    assert lowered[0].count("def _get_book(world: World, book_id: str) -> dict:") == 1
    assert lowered[0].count("    book = _get_book(world, book_id)") == 3
    assert lowered[0].count('"SELECT * FROM books WHERE id = ?"') == 1


def test_required_parameters_come_first(conftest: Any) -> None:
    shuffled = {**conftest.UPDATE_MEMBER, "parameters": list(reversed(conftest.UPDATE_MEMBER["parameters"]))}
    module, specs = lower(conftest.blueprint_of([shuffled]))
    function = next(n for n in ast.parse(module).body if isinstance(n, ast.FunctionDef) and n.name == "update_member")
    names = [argument.arg for argument in function.args.args]
    assert names == ["world", "member_id", "settings", "blocked", "email", "name"]
    assert list(specs[0].parameters["properties"]) == names[1:]


def test_docstrings_state_every_parameter_and_error(lowered: Lowered) -> None:
    for node in ast.parse(lowered[0]).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            text = ast.get_docstring(node) or ""
            spec = next(spec for spec in lowered[1] if spec.name == node.name)
            assert [a.arg for a in node.args.args[1:] if f"\n    {a.arg}: " not in text] == []
            assert [error.code for error in spec.errors if f"{error.code}: " not in text] == []


def test_nothing_is_compiled_or_parsed_again_in_every_call(lowered: Lowered) -> None:
    for node in ast.parse(lowered[0]).body:
        if isinstance(node, ast.FunctionDef):
            called = {ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
            assert not called & {"re.compile", "re.match", "re.search", "re.fullmatch", "compile"}, node.name
