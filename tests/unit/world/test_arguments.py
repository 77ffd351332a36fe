"""Argument schemas of strangers are judged in the host's process: nothing is fetched, nothing hangs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from envforge.core.errors import StoreError
from envforge.world.environment import Environment

HANGING = "a" * 60 + "!"


def _spoiled(folder: Path, name: dict[str, Any] | bool, **more: Any) -> Environment:
    tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    tools[0]["parameters"] = {"type": "object", "properties": {"name": name}, **more}
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return Environment.open(folder)


def test_a_pattern_that_is_fast_is_checked(copy: Path) -> None:
    check = _spoiled(copy, {"type": "string", "pattern": "^[a-z]+$"}).checks["search_books"]
    assert check.problem({"name": "ab"}) is None
    problem = check.problem({"name": "AB"})
    assert problem is not None and "of the form" in problem.message


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^(a+)+$"},
        {"type": "object", "patternProperties": {"^(a+)+$": {"type": "string"}}},
    ],
)
def test_a_pattern_that_may_hang_is_left_to_the_sandbox(copy: Path, schema: dict[str, Any]) -> None:
    check = _spoiled(copy, schema).checks["search_books"]
    started = time.process_time()
    assert check.problem({"name": HANGING if schema["type"] == "string" else {HANGING: "x"}}) is None
    assert time.process_time() - started < 1


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/x.json", "file:///etc/hostname", "#/nowhere"])
def test_a_reference_is_never_fetched(copy: Path, target: str) -> None:
    with pytest.raises(StoreError, match=r"tools\.json.*leads nowhere"):
        _ = _spoiled(copy, {"$ref": target}).checks


def test_a_reference_in_a_circle_is_named(copy: Path) -> None:
    environment = _spoiled(copy, {"$ref": "#/$defs/a"}, **{"$defs": {"a": {"$ref": "#/$defs/a"}}})
    with pytest.raises(StoreError, match="circles"):
        _ = environment.checks


def test_properties_and_required_have_their_shapes(copy: Path) -> None:
    with pytest.raises(StoreError, match="properties is no object"):
        _spoiled(copy, True)
    with pytest.raises(StoreError, match="required is no list"):
        _spoiled(copy, {}, required=5)
