"""pytest plugin: the fixture `world`, and `import tools`, for the tests of an environment folder.

For a person who runs `pytest environments/<id>/tests`. The tools then run in pytest's own process, without a sandbox:
that is the person's choice. Gates use `envforge.world.test_runner`, which does not.

Loaded in every pytest run through its entry point, so it imports nothing heavy and leaves other tests alone.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_loaded: dict[Path, Any] = {}


def _environment_of(path: Path | None) -> Path | None:
    """The environment folder that a test file belongs to."""
    if path is None or path.parent.name != "tests":
        return None
    folder = path.parent.parent
    return folder if (folder / "environment.json").is_file() and (folder / "tools.py").is_file() else None


@contextmanager
def _tools_of(folder: Path | None) -> Generator[None]:
    """`import tools` means this folder's tools.py, inside this block only."""
    if folder is None:
        yield
        return
    held = sys.modules.get("tools")
    sys.modules["tools"] = _tools(folder)
    try:
        yield
    finally:
        if held is None:
            sys.modules.pop("tools", None)
        else:
            sys.modules["tools"] = held


def _tools(folder: Path) -> Any:
    if folder not in _loaded:
        from envforge.world.sandbox.tool_module import TestedTools, load_tools

        module = TestedTools("tools")
        path = folder / "tools.py"
        module.load(load_tools(path.read_text(encoding="utf-8"), str(path)))
        _loaded[folder] = module
    return _loaded[folder]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Importing a test module of an environment finds its own tools."""
    with _tools_of(_environment_of(collector.path) if isinstance(collector, pytest.Module) else None):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Running a test of an environment finds its own tools."""
    with _tools_of(_environment_of(item.path)):
        return (yield)


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A fresh World of the environment that the test belongs to."""
    folder = _environment_of(request.path)
    if folder is None:
        pytest.fail("the fixture `world` is for tests/ in an environment folder (environment.json, tools.py)")
    from envforge.world.environment import Environment
    from envforge.world.live import LiveWorld

    environment = Environment.open(folder)
    live = LiveWorld(environment.plan, environment.fresh_engine())
    yield live
    live.close()
