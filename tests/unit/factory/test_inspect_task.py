"""Tasks of Inspect, handed to Inspect: what it is started with, and what its log says. Inspect itself is a stand-in."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import ConfigError, SandboxError
from envforge.core.model_errors import CallRefusedError
from envforge.factory.inspect_task import InspectConfig, inspect_task
from envforge.llm.connect import ModelSettings

SETTINGS = ModelSettings("small", base_url="http://127.0.0.1:9/v1", key_variable="A_KEY")
STAND_IN = """
import json, os, pathlib, sys
told = dict(zip(sys.argv[5::2], sys.argv[6::2]))
logs = pathlib.Path(told["--log-dir"])
secret = os.environ["ENVFORGE_API_KEY"]
(logs / "said.txt").write_text(json.dumps([sys.argv[1:], os.environ["ENVFORGE_BASE_URL"], secret]))
"""
LOG: dict[str, Any] = {
    "status": "success",
    "eval": {"task": "arith", "packages": {"inspect_ai": "0.3"}},
    "results": {"completed_samples": 2, "scores": [{"name": "match", "metrics": {"accuracy": {"value": 0.5}}}]},
}


def stand_in(folder: Path, then: str) -> Path:
    program, python = folder / "inspect.py", folder / "python"
    program.write_text(STAND_IN + then, encoding="utf-8")
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{program}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return python


def writes(log: dict[str, Any]) -> str:
    return f"(logs / 'a.json').write_text({json.dumps(json.dumps(log))})"


def silent(label: str, done: int, total: int | None) -> None:
    del label, done, total


def test_it_is_started_and_its_log_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "not-so-secret")
    task = tmp_path / "arith.py"
    task.touch()
    config = InspectConfig(f"{task}@one", 2, stand_in(tmp_path, writes(LOG)), tmp_path / "run", temperature=0.0)
    report = inspect_task(config, SETTINGS, silent)
    assert (report.task, report.samples, report.scores, report.log) == (
        "arith",
        2,
        {"match": {"accuracy": 0.5}},
        "a.json",
    )
    said, address, key = json.loads((tmp_path / "run" / "logs" / "said.txt").read_text(encoding="utf-8"))
    assert said[:4] == ["-m", "inspect_ai", "eval", "arith.py@one"], "Inspect takes no absolute names"
    told = dict(zip(said[4::2], said[5::2], strict=True))
    assert (told["--model"], told["--limit"], told["--temperature"]) == ("openai-api/envforge/small", "2", "0.0")
    assert (address, key) == (SETTINGS.base_url, "not-so-secret"), "the key goes by the environment"
    assert "not-so-secret" not in " ".join(said)
    assert json.loads((tmp_path / "run" / "report.json").read_text(encoding="utf-8"))["samples"] == 2


@pytest.mark.parametrize(
    ("then", "error", "said"),
    [
        (writes({**LOG, "status": "error", "error": {"message": "no model"}}), SandboxError, "error: no model"),
        ("sys.exit('it broke')", SandboxError, "it broke"),
        ("sys.exit('No module named inspect_ai')", ConfigError, "has no Inspect"),
        ("", SandboxError, "wrote no log"),
    ],
)
def test_what_goes_wrong_is_told(tmp_path: Path, then: str, error: type[Exception], said: str) -> None:
    config = InspectConfig("arith.py", None, stand_in(tmp_path, then), tmp_path / "run")
    with pytest.raises(error, match=said):
        inspect_task(config, SETTINGS, silent)
    assert not (tmp_path / "run" / "report.json").exists()


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        (ModelSettings("m.gguf", provider="local"), ConfigError, "endpoints only"),
        (ModelSettings("m", base_url=SETTINGS.base_url, budget_usd=1.0), ConfigError, "no budget"),
        (ModelSettings("m", base_url="https://models.example/v1"), CallRefusedError, "refused"),
    ],
)
def test_what_it_cannot_be_given(tmp_path: Path, settings: ModelSettings, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        inspect_task(InspectConfig("arith.py", None, None, tmp_path), settings, silent)
