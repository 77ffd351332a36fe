"""What a child of the census may do: crash, hang, take too much; each is an outcome, and the census goes on."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PLACE = Path(__file__).resolve().parents[2] / "bench" / "openapi_directory" / "census.py"


@pytest.fixture(scope="module")
def census() -> ModuleType:
    spec = importlib.util.spec_from_file_location("census", PLACE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["census"] = module
    spec.loader.exec_module(module)
    return module


def crash(file: Path, path: str) -> dict[str, Any]:
    raise KeyError("no such place")


def die(file: Path, path: str) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGXCPU)
    return {}


@pytest.mark.parametrize(
    ("work", "outcome", "reason"),
    [(crash, "crash", "KeyError in test_census.py"), (die, "hang", "ended by SIGXCPU")],
)
def test_what_ends_a_child_is_its_outcome(
    census: ModuleType, tmp_path: Path, work: Any, outcome: str, reason: str
) -> None:
    (tmp_path / "api.json").write_text("{}")
    found = list(census.read_all(tmp_path, tmp_path / "done.jsonl", work=work))
    assert found[0]["outcome"] == outcome
    assert reason in found[0]["reason"]


def test_a_line_that_a_kill_cut_short_is_read_again(census: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "done.jsonl").write_text('{"path": "a.json"}\n{"path": "b.js')
    assert census.records(tmp_path / "done.jsonl") == [{"path": "a.json"}]
