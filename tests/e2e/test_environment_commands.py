"""check, show and call on an environment that was mined from files."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
NAME = "lighthouses"


@pytest.fixture
def workspace(lighthouses: Path, tmp_path: Path, few_mutants: Callable[[Path], None]) -> Path:
    """A workspace with a copy of the environment that a test may spoil."""
    shutil.copytree(lighthouses / "environments", tmp_path / "environments")
    few_mutants(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_an_untouched_environment_holds(envforge: Run, lighthouses: Path) -> None:
    done = envforge("check", NAME, cwd=lighthouses)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the certificate holds" in done.stdout


def _change_text(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


TAMPERED = [
    ("tools.py", "next_cursor", "next_curser"),
    ("data/lights.csv", "Head", "Heap"),
    ("data/inspections.csv", "5001,", "5002,"),
    ("environment.json", "Lighthouses", "Lighthauses"),
    ("tools.json", "search_lights", "search_light"),
    ("tests/test_tools.py", "has_more", "has_less"),
    ("schema.sql", "STRICT", "  "),
    ("provenance.jsonl", "34", "33"),
    ("sources.jsonl", "lights.csv", "lamps.csv"),
]


@pytest.mark.parametrize(("file", "old", "new"), TAMPERED, ids=[file for file, *_ in TAMPERED])
def test_a_tampered_file_is_named(envforge: Run, workspace: Path, file: str, old: str, new: str) -> None:
    _change_text(workspace / "environments" / NAME / file, old, new)
    done = envforge("check", NAME, cwd=workspace)
    assert done.returncode == 1, done.stdout + done.stderr
    assert file in done.stdout + done.stderr
    assert "does NOT hold" in done.stdout
    assert "Traceback" not in done.stderr


SPOILED = {
    "environment.json": ("{", 2),
    "tools.json": ("3", 1),
    "blueprint.json": ("{}", 1),
    "provenance.jsonl": ("{\n", 1),
    "sources.jsonl": ("[]\n", 1),
    "schema.sql": ("CREATE", 1),
    "tools.py": ("def x(:\n", 1),
    "tests/test_tools.py": ("def x(:\n", 1),
    "data/lights.csv": ("light_code,name\nL200\n", 1),
    "certificate.json": ("{}", 1),
}


@pytest.mark.parametrize("file", SPOILED)
def test_a_file_that_cannot_be_read_any_more_is_named(envforge: Run, workspace: Path, file: str) -> None:
    """Exit code 1; 2 where not even the environment's name can be read."""
    text, code = SPOILED[file]
    (workspace / "environments" / NAME / file).write_text(text, encoding="utf-8")
    done = envforge("check", NAME, cwd=workspace)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, done.stdout + done.stderr
    assert file in done.stdout + done.stderr


def test_a_certificate_that_says_otherwise_does_not_hold(envforge: Run, workspace: Path) -> None:
    path = workspace / "environments" / NAME / "certificate.json"
    value = json.loads(path.read_text(encoding="utf-8"))
    value["gates"][0]["passed"] = False
    path.write_text(json.dumps(value), encoding="utf-8")
    before = path.read_bytes()
    done = envforge("check", NAME, cwd=workspace)
    assert done.returncode == 1 and "gate integrity" in done.stdout
    assert path.read_bytes() == before, "only --write may rewrite it"


def test_write_stores_the_fresh_verdicts(envforge: Run, workspace: Path) -> None:
    path = workspace / "environments" / NAME / "certificate.json"
    path.unlink()
    assert envforge("check", NAME, "--quiet", cwd=workspace).returncode == 1
    assert not path.exists()
    assert envforge("check", NAME, "--write", "--quiet", cwd=workspace).returncode == 0
    assert json.loads(path.read_text(encoding="utf-8"))["certified"] is True
    assert envforge("check", NAME, "--quiet", cwd=workspace).returncode == 0


def test_write_does_not_certify_what_fails(envforge: Run, workspace: Path) -> None:
    _change_text(workspace / "environments" / NAME / "tools.py", "next_cursor", "next_curser")
    assert envforge("check", NAME, "--write", "--quiet", cwd=workspace).returncode == 1
    path = workspace / "environments" / NAME / "certificate.json"
    assert json.loads(path.read_text(encoding="utf-8"))["certified"] is False


def test_check_as_json(envforge: Run, workspace: Path) -> None:
    done = envforge("check", NAME, "--json", cwd=workspace)
    report = json.loads(done.stdout)[0]
    assert report["id"] == NAME and report["certified"] is True
    assert {gate["gate"] for gate in report["gates"]} >= {"integrity", "mutation", "deterministic"}


def test_show(envforge: Run, lighthouses: Path) -> None:
    done = envforge("show", NAME, cwd=lighthouses)
    assert done.returncode == 0
    for word in ("inspections", "120", "search_lights", "mined"):
        assert word in done.stdout
    assert json.loads(envforge("show", NAME, "--json", cwd=lighthouses).stdout)["id"] == NAME


def test_show_a_table(envforge: Run, lighthouses: Path) -> None:
    done = envforge("show", NAME, "--table", "lights", "--rows", "3", cwd=lighthouses)
    assert done.returncode == 0 and "L200" in done.stdout and "regions.region_code" in done.stdout
    rows = json.loads(envforge("show", NAME, "--table", "lights", "--rows", "3", "--json", cwd=lighthouses).stdout)
    assert len(rows) == 3 and rows[0]["light_code"] == "L200"


def test_show_a_tool(envforge: Run, lighthouses: Path) -> None:
    done = envforge("show", NAME, "--tool", "get_light", cwd=lighthouses)
    assert done.stdout.startswith("def get_light(world: World, light_code: str")
    spec = json.loads(envforge("show", NAME, "--tool", "get_light", "--json", cwd=lighthouses).stdout)
    assert spec["parameters"]["required"] == ["light_code"]


def test_show_where_a_row_comes_from(envforge: Run, lighthouses: Path) -> None:
    done = envforge("show", NAME, "--provenance", "inspections", "5001", cwd=lighthouses)
    assert done.returncode == 0 and "inspections.csv#" in done.stdout and "5001" in done.stdout
    entry = json.loads(envforge("show", NAME, "--provenance", "lights", "L203", "--json", cwd=lighthouses).stdout)
    assert entry["kind"] == "mined" and entry["count"] == 1 and "L203" in entry["locator"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--table", "lamps"], "lights"),
        (["--tool", "get_lamp"], "get_light"),
        (["--provenance", "lights", "L9"], "L9"),
        (["--provenance", "lights", "L200,x"], "light_code"),
        (["--provenance", "lamps", "1"], "lights"),
    ],
)
def test_show_what_is_not_there(envforge: Run, lighthouses: Path, arguments: list[str], word: str) -> None:
    done = envforge("show", NAME, *arguments, cwd=lighthouses)
    assert done.returncode == 2 and word in done.stderr and "Traceback" not in done.stderr


def _call(envforge: Run, workspace: Path, *arguments: str) -> tuple[int, Any]:
    done = envforge("call", NAME, *arguments, "--json", cwd=workspace)
    return done.returncode, json.loads(done.stdout)


def test_call(envforge: Run, lighthouses: Path) -> None:
    code, answer = _call(envforge, lighthouses, "get_light", "light_code=L200")
    assert code == 0 and answer["ok"] and answer["diff"] == {}
    assert answer["answer"]["light"]["light_code"] == "L200"
    shown = envforge("call", NAME, "get_light", "light_code=L200", cwd=lighthouses)
    assert shown.returncode == 0 and "changed nothing" in shown.stdout


def test_call_takes_values_as_the_schema_wants_them(envforge: Run, lighthouses: Path) -> None:
    code, answer = _call(envforge, lighthouses, "search_lights", "min_height_metres=40", "page_size=2")
    assert code == 0 and len(answer["answer"]["items"]) == 2
    assert all(item["height_metres"] >= 40 for item in answer["answer"]["items"])


def test_what_the_caller_got_wrong_is_an_answer(envforge: Run, lighthouses: Path) -> None:
    code, answer = _call(envforge, lighthouses, "get_light", "light_code=L999")
    assert code == 1 and not answer["ok"]
    error = answer["answer"]["error"]
    assert error["code"] == "not_found" and "L999" in error["message"] and error["hint"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["get_light", "light_code"], "key=value"),
        (["get_light", "=L200"], "key=value"),
        (["search_lights", "page_size=two"], "page_size"),
    ],
)
def test_arguments_that_cannot_be_read(envforge: Run, lighthouses: Path, arguments: list[str], word: str) -> None:
    done = envforge("call", NAME, *arguments, cwd=lighthouses)
    assert done.returncode == 2 and word in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["no_such_tool"], ["get_light"], ["get_light", "light_code=L200", "colour=red"]])
def test_a_call_against_the_schema_is_refused(envforge: Run, lighthouses: Path, arguments: list[str]) -> None:
    done = envforge("call", NAME, *arguments, cwd=lighthouses)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    assert any(word in done.stdout + done.stderr for word in ("no_such_tool", "light_code", "colour"))


@pytest.mark.slow
def test_a_writing_call_shows_what_it_changed_and_leaves_the_folder_alone(
    envforge: Run, ferry: Path, tree: Callable[[Path], dict[str, bytes]]
) -> None:
    folder = next(p for p in [ferry / "environments/ferry", *ferry.glob("runs/*/rejected/ferry")] if p.is_dir())
    before = tree(folder)
    with (folder / "data" / "customers.csv").open(encoding="utf-8", newline="") as stream:
        customer = next(csv.DictReader(stream))["customer_id"]
    arguments = ["update_customer", f"customer_id={customer}", "phone=+44 1632 960001"]
    done = envforge("call", str(folder), *arguments, "--json", cwd=ferry)
    answer = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert "customers" in json.dumps(answer["diff"]) and "1632 960001" in json.dumps(answer["diff"])
    assert tree(folder) == before
