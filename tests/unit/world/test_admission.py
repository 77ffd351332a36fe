"""Shared mode asks for proof: the lint, then a certificate that fits or the unit tests in both modes."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError, ToolFault
from envforge.store.hashing import environment_hash, file_hashes
from envforge.world import admission
from envforge.world.environment import Environment

LOOK_UP = '    book = _one(world, "books", book_id)\n    return {'


def nothing_found(source: str) -> list[str]:
    """A lint that was fooled."""
    return []


def counting(folder: Path, lines: str) -> Environment:
    """The library, with a value of the module that remembers which books were looked up, and `lines` after that."""
    path = folder / "tools.py"
    head, found, rest = path.read_text(encoding="utf-8").partition(LOOK_UP)
    assert found
    remembers = "    _SEEN[len(_SEEN)] = book_id\n"
    path.write_text(f"{head}{remembers}{lines}{found}{rest}\n\n_SEEN = {{}}\n", encoding="utf-8")
    return Environment.open(folder)


def certify(folder: Path, **changed: Any) -> Environment:
    """Write the hash that fits, and a certificate for it."""
    manifest = Environment.open(folder).manifest
    value = {**json.loads((folder / "environment.json").read_text(encoding="utf-8"))}
    value["environment_hash"] = environment_hash(manifest, file_hashes(folder))
    (folder / "environment.json").write_text(json.dumps(value), encoding="utf-8")
    certificate = {
        "environment_id": manifest.id,
        "environment_hash": value["environment_hash"],
        "gates": [{"gate": "modes_agree", "passed": True}],
        "certified": True,
        **changed,
    }
    (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    return Environment.open(folder)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A process that has proven nothing yet, and what it runs to prove something."""
    seen: list[str] = []

    def noted(name: str) -> Callable[..., Any]:
        run = getattr(admission, name)

        def noting(*arguments: Any, **options: Any) -> Any:
            seen.append(name)
            return run(*arguments, **options)

        return noting

    for name in ("run_warm", "run_apart"):
        monkeypatch.setattr(admission, name, noted(name))
    monkeypatch.setattr(admission, "_proven", set[tuple[str, str, str, str]]())
    return seen


BOTH = ["run_warm", "run_apart"]


def test_tools_without_state_are_admitted_and_proven_once(library: Environment, runs: list[str]) -> None:
    for _ in range(2):
        with library.share() as group, group.start() as session:
            assert session.call("get_book", {"book_id": 101}).ok
    assert runs == BOTH


def test_what_changed_is_proven_again(copy: Path, runs: list[str]) -> None:
    admission.admit(Environment.open(copy))
    tests = copy / "tests" / "test_tools.py"
    tests.write_text(tests.read_text(encoding="utf-8") + "\n\nMORE = 1\n", encoding="utf-8")
    admission.admit(Environment.open(copy))
    admission.admit(Environment.open(copy))
    assert runs == BOTH * 2


ANSWERS = '    if len(_SEEN) > 1:\n        raise ToolError("worn_out", "worn out", "")\n'
CHANGES = '    if len(_SEEN) > 2:\n        world.execute("UPDATE books SET copies = 9 WHERE id = 108")\n'


@pytest.mark.parametrize(("lines", "told"), [(ANSWERS, "worn_out"), (CHANGES, "books.*108")])
def test_a_count_that_the_lint_missed_is_refused(
    lines: str, told: str, copy: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = counting(copy, lines)
    with pytest.raises(ToolFault, match=r"line \d+: _SEEN"):
        environment.share()
    assert not runs
    monkeypatch.setattr(admission, "findings", nothing_found)
    with pytest.raises(ToolFault, match=f"one process: test_get_book__.*{told}"):
        environment.share()
    assert runs == BOTH


def test_no_test_file_is_a_clear_refusal(copy: Path) -> None:
    (copy / "tests" / "test_tools.py").unlink()
    with pytest.raises(ToolFault, match="no unit test") as caught:
        Environment.open(copy).share()
    assert "forked" in caught.value.remedy and "test_tools.py" in caught.value.where


@pytest.mark.parametrize("source", ["", "VALUE = 1\n", "def test_wrong(world):\n    assert False\n"])
def test_tests_that_prove_nothing_are_a_clear_refusal(source: str, copy: Path) -> None:
    (copy / "tests" / "test_tools.py").write_text(source, encoding="utf-8")
    with pytest.raises(ToolFault, match="no unit test passes"):
        Environment.open(copy).share()


def test_tests_that_do_not_load_are_named(copy: Path) -> None:
    (copy / "tests" / "test_tools.py").write_text("def test_(:\n", encoding="utf-8")
    with pytest.raises(StoreError, match=r"test_tools\.py"):
        Environment.open(copy).share()


def test_a_certificate_that_fits_is_proof(copy: Path, runs: list[str]) -> None:
    certify(copy).share().close()
    assert not runs


@pytest.mark.parametrize(
    "changed",
    [
        {"certified": False},
        {"environment_hash": "0" * 64},
        {"gates": []},
        {"gates": [{"gate": "modes_agree", "passed": False}]},
        {"gates": [{"gate": "tests_pass", "passed": True}]},
        {"gates": "broken"},
    ],
)
def test_another_certificate_is_none(changed: dict[str, Any], copy: Path, runs: list[str]) -> None:
    admission.admit(certify(copy, **changed))
    assert runs == BOTH


@pytest.mark.parametrize("file", ["tools.py", "data/books.csv", "tests/test_tools.py", "certificate.json"])
def test_a_certificate_of_other_bytes_is_none(file: str, copy: Path, runs: list[str]) -> None:
    certify(copy)
    path = copy / file
    path.write_text(path.read_text(encoding="utf-8") + ("" if file.endswith(".csv") else "\n"), encoding="utf-8")
    if file.endswith(".csv"):
        path.write_text(path.read_text(encoding="utf-8").replace("Atlas", "Chart"), encoding="utf-8")
    if file == "certificate.json":
        path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    admission.admit(Environment.open(copy))
    assert runs == BOTH


def test_a_certificate_is_none_for_what_was_opened_before(copy: Path, runs: list[str]) -> None:
    path = copy / "tools.py"
    written = path.read_text(encoding="utf-8")
    certify(copy)
    path.write_text(written + "\nOTHER = 1\n", encoding="utf-8")
    opened = Environment.open(copy)
    path.write_text(written, encoding="utf-8")
    admission.admit(opened)
    assert runs == BOTH


def test_many_threads_may_ask_at_once(library: Environment) -> None:
    """Python 3.11 fails in the parser when two threads parse at once."""
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(admission.admit, [library] * 40))
