"""The library environment, opened once; hostile variants of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envforge.world.environment import Environment
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"


@pytest.fixture(scope="session")
def library() -> Environment:
    return Environment.open(LIBRARY)


@pytest.fixture
def session(library: Environment) -> Iterator[Session]:
    with library.start() as started:
        yield started


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the folder that a test may spoil."""
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    return folder


@pytest.fixture
def with_tool(copy: Path) -> Iterator[Callable[[str], Session]]:
    """Start a session whose tool `probe` has the given body."""
    started: list[Session] = []

    def start(body: str) -> Session:
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        source = (copy / "tools.py").read_text(encoding="utf-8")
        source += f'\n\ndef probe(world: World) -> dict:\n    """Probe."""\n{lines}\n'
        (copy / "tools.py").write_text(source, encoding="utf-8")
        tools = json.loads((copy / "tools.json").read_text(encoding="utf-8"))
        hints = {**tools[0]["annotations"], "readOnlyHint": False}
        empty: dict[str, Any] = {"type": "object", "properties": {}}
        tools.append({**tools[0], "name": "probe", "parameters": empty, "annotations": hints})
        (copy / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
        limits = Limits(call_seconds=2.0, sql_seconds=0.5, memory_mb=512, output_bytes=20_000)
        session = Environment.open(copy).start(limits=limits)
        started.append(session)
        return session

    yield start
    for session in started:
        session.close()
