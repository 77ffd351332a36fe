"""Unit tests and mutants in the sandboxed worker, and the same tests under real pytest."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envforge.core.errors import ConfigError, StoreError
from envforge.world.sandbox.limits import Limits
from envforge.world.test_runner import Mutant, run_mutants, run_tests

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"


def _with_test(folder: Path, text: str) -> None:
    path = folder / "tests" / "test_tools.py"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n\n{text}", encoding="utf-8")


def test_all_pass() -> None:
    report = run_tests(LIBRARY)
    assert report.ok and len(report.passed) == 18


def test_names_choose() -> None:
    assert run_tests(LIBRARY, names=["test_get_book__success"]).passed == ("test_get_book__success",)
    with pytest.raises(ConfigError, match="test_nothing"):
        run_tests(LIBRARY, names=["test_nothing"])


FAILING = {
    "values": ("x = tools.get_book(world, book_id=101)\n    assert x['copies'] == 3", "2 | 3 (test_tools.py:"),
    "no raise": ("with pytest.raises(ToolError):\n        tools.get_book(world, book_id=101)", "DID NOT RAISE"),
    "tool error": ("tools.get_book(world, book_id=1)", "There is no book 1"),
    "state": ("tools.add_member(world, name='A', level='adult')\n    assert changes(world) == {}", "changes(world)"),
    "skip": ("pytest.skip('later')", "later"),
    "loop": ("while True:\n        pass", "processor time"),
    "exit": ("raise SystemExit", "SystemExit"),
    "file": ("open('/etc/passwd')", "NameError"),
}


@pytest.mark.parametrize(("body", "says"), FAILING.values(), ids=FAILING.keys())
def test_failures_say_what_and_where(copy: Path, body: str, says: str) -> None:
    _with_test(copy, f"def test_bad(world):\n    {body}\n")
    names = ["test_bad", "test_get_book__success"]
    report = run_tests(copy, names=names, limits=Limits(test_seconds=0.3))
    ((name, error),) = report.failed
    assert name == "test_bad" and says in error and "test_tools.py:" in error
    assert report.passed == ("test_get_book__success",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import os\n", "'os' is not allowed"),
        ("@pytest.mark.parametrize('x', [1])\ndef test_bad(world):\n    pass\n", "plain function"),
        ("def test_bad(world, tmp_path):\n    pass\n", "plain function"),
        ("def test_bad(world) pass\n", "SyntaxError"),
    ],
)
def test_a_test_file_that_does_not_load_is_refused(copy: Path, text: str, says: str) -> None:
    _with_test(copy, text)
    with pytest.raises(StoreError, match=says):
        run_tests(copy)


def test_a_failing_tool_leaves_no_trace_in_a_test(copy: Path) -> None:
    source = (copy / "tools.py").read_text(encoding="utf-8")
    broken = source.replace("    member = _one(", '    world.execute("DELETE FROM loans")\n    member = _one(')
    (copy / "tools.py").write_text(broken, encoding="utf-8")
    assert run_tests(copy, names=["test_borrow_book__not_found"]).ok


def test_mutants_are_killed_or_survive() -> None:
    source = (LIBRARY / "tools.py").read_text(encoding="utf-8")
    start = "    member = _one("
    os = 'import statistics; statistics.sys.modules["os"]'
    changes = {
        "same": (start, start, False, ""),
        "fine": ("_FINE_PER_DAY = 0.2", "_FINE_PER_DAY = 0.3", True, "test_return_book__success"),
        "loop": (start, f"    while True: pass\n{start}", True, "test_borrow_book__success"),
        "syntax": (start, "    member = = _one(", True, "(import)"),
        "memory": (start, f'    x = "a" * 10**11\n{start}', True, "test_borrow_book__success"),
        "death": (start, f"    {os}._exit(1)\n{start}", True, "(worker)"),
        "untested": ('ToolError("not_allowed"', 'ToolError("conflict"', False, ""),
    }
    tests = ("test_return_book__success", "test_borrow_book__success")
    mutants = [Mutant(name, source.replace(old, new), tests) for name, (old, new, _, _) in changes.items()]
    verdicts = run_mutants(LIBRARY, [*mutants, *mutants[:2]])
    expected = [(name, killed, by) for name, (_, _, killed, by) in changes.items()]
    assert [(verdict.id, verdict.killed, verdict.by) for verdict in verdicts] == [*expected, *expected[:2]]


def test_mutants_need_tests_that_pass(copy: Path) -> None:
    _with_test(copy, "def test_bad(world):\n    assert 0\n")
    source = (copy / "tools.py").read_text(encoding="utf-8")
    for name in ("test_bad", "test_absent"):
        with pytest.raises(StoreError, match=name):
            run_mutants(copy, [Mutant("m", source, (name,))])


def test_real_pytest_runs_several_environments_at_once(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        shutil.copytree(LIBRARY, folder)
    source = (folders[1] / "tools.py").read_text(encoding="utf-8")
    (folders[1] / "tools.py").write_text(source.replace("_FINE_PER_DAY = 0.2", "_FINE_PER_DAY = 0.4"), encoding="utf-8")
    other = "import sys\ndef test_x():\n    assert 'tools' not in sys.modules\n"
    (tmp_path / "test_other.py").write_text(other, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)
    assert done.returncode == 1 and "1 failed, 36 passed" in done.stdout, done.stdout
    assert "assert 3.2 == 1.6" in done.stdout
