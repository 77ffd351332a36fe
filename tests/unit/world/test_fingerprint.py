"""The fingerprint of a tool module: equal when nothing was left behind, different when something was."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.world.environment import Environment
from envforge.world.sandbox.fingerprint import fingerprint
from envforge.world.sandbox.tool_module import Namespace, load_tools
from envforge.world.session import Session

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library" / "tools.py"

LEFT_BEHIND: dict[str, tuple[str, str]] = {
    "a number": ("_N = 0\ndef f():\n    global _N\n    _N += 1", "_N"),
    "a dict": ("_C = {}\ndef f():\n    _C['a'] = 1", "_C"),
    "order of a dict": ("_C = {'a': 1, 'b': 2}\ndef f():\n    _C['a'] = _C.pop('a')", "_C"),
    "deep inside": ("_C = {'a': [({},)]}\ndef f():\n    _C['a'][0][0]['x'] = 1", "_C"),
    "a set": ("_C = {1, 2}\ndef f():\n    _C.add(3)", "_C"),
    "one for true": ("_C = [1]\ndef f():\n    _C[0] = True", "_C"),
    "a default": ("def f(seen=[]):\n    seen.append(1)", "f"),
    "a keyword default": ("def f(*, n=0):\n    f.__kwdefaults__['n'] += 1", "f"),
    "a function's attribute": ("def f():\n    f.n = 1", "f"),
    "a new global": ("import statistics\ndef f():\n    f.__globals__['new'] = 1", "new"),
    "a global that is gone": ("_N = 1\ndef f():\n    del f.__globals__['_N']", "_N"),
    "a closure": ("def make():\n    n = [0]\n    def f():\n        n[0] += 1\n    return f\nf = make()", "f"),
    "a cache": ("import functools\n@functools.cache\ndef g(n):\n    return n\ndef f():\n    g(1)", "g"),
    "a counter": ("import itertools\n_N = itertools.count()\ndef f():\n    next(_N)", "_N"),
    "a list iterator": ("_N = iter([1, 2])\ndef f():\n    next(_N)", "_N"),
    "a generator": ("_N = (n for n in (1, 2))\ndef f():\n    next(_N)", "_N"),
    "a class": ("class A:\n    n = 0\ndef f():\n    A.n = 1", "A"),
    "an object": ("class A:\n    pass\n_A = A()\ndef f():\n    _A.n = 1", "_A"),
    "a circle": ("_L = []\n_L.append(_L)\ndef f():\n    _L.append(1)", "_L"),
    "a deque": ("import collections\n_D = collections.deque()\ndef f():\n    _D.append(1)", "_D"),
    "a function replaced": ("def g():\n    return 1\ndef f():\n    f.__globals__['g'] = lambda: 2", "g"),
    "code replaced": ("def g():\n    return 1\ndef f():\n    g.__code__ = (lambda: 2).__code__", "g"),
}


time.strptime("2024", "%Y")
"""Loads a module at its first use; a worker has it before any tool runs."""


def _one_call(source: str) -> tuple[dict[str, str], dict[str, str]]:
    namespace: Namespace = load_tools(source)
    before = fingerprint(namespace)
    assert fingerprint(namespace) == before, "looking changes nothing"
    namespace["f"]()
    return before, fingerprint(namespace)


@pytest.mark.parametrize(("source", "name"), LEFT_BEHIND.values(), ids=LEFT_BEHIND.keys())
def test_what_a_call_leaves_behind_shows(source: str, name: str) -> None:
    before, after = _one_call(source)
    assert [key for key in before | after if before.get(key) != after.get(key)] == [name]


@pytest.mark.parametrize(
    "source",
    [
        "_C = {'a': 1}\ndef f():\n    return dict(_C, b=2)",
        "import re\n_R = re.compile('a')\ndef f():\n    return _R.match('a'), re.sub('b', 'c', 'd')",
        "import datetime\ndef f():\n    return datetime.datetime.strptime('2024', '%Y')",
        "import statistics, fractions, json, decimal\n"
        "def f():\n    return statistics.mean([1, 2]), json.dumps({'a': 1}, indent=1), decimal.Decimal(1) / 3",
        "_L = []\n_L.append(_L)\ndef f():\n    return len(_L)",
        "def f(seen=[]):\n    return len(seen)",
    ],
)
def test_a_call_that_leaves_nothing_changes_nothing(source: str) -> None:
    before, after = _one_call(source)
    assert before == after


def test_a_replaced_method_shows_however_often_it_is_replaced(with_tool: Callable[..., Session]) -> None:
    session = with_tool("type(world).documents = lambda self, prefix='': []\nreturn {}")
    before = session.module_state()
    for _ in range(10):
        assert session.call("probe").ok
        assert session.module_state()["(LiveWorld)"] != before["(LiveWorld)"]


def test_data_has_one_fingerprint_in_every_process() -> None:
    script = (
        "import sys, json\nfrom envforge.world.sandbox.fingerprint import fingerprint\n"
        "from envforge.world.sandbox.tool_module import load_tools\n"
        "sets = \"\\n_S = {'a', 'b', 'c', 'd'}\\n_F = frozenset('efgh')\\n_D = {'k': {'x', 'y'}}\\n\"\n"
        "source = open(sys.argv[1]).read() + sets\n"
        "state = fingerprint(load_tools(source))\n"
        "print(json.dumps({k: v for k, v in state.items() if not k.startswith('(')}))\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script, str(LIBRARY)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1 and "_MAX_LOANS" in told.pop()


def test_a_session_tells_it(library: Environment) -> None:
    with library.start() as session:
        before = session.module_state()
        assert {"borrow_book", "_MAX_LOANS", "(modules)", "(LiveWorld)"} <= before.keys()
        assert session.call("borrow_book", {"member_id": "M-HHJ5", "book_id": 108}).ok
        assert session.call("search_books", {"query": "e"}).ok
        assert session.module_state() == before


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("import statistics\nstatistics.sys.modules['mine'] = 1\nreturn {}", "(modules)"),
        ("import json\njson.load = None\nreturn {}", "(module json)"),
        ("type(world).now = lambda self: '2024-03-01T09:00:00Z'\nreturn {}", "(LiveWorld)"),
        ("ToolError.extra = 1\nreturn {}", "(ToolError)"),
        ("import statistics\nstatistics.sys.modules['builtins'].extra = 1\nreturn {}", "(builtins)"),
        ("_MAX_LOANS['guest'] = 1\nreturn {}", "_MAX_LOANS"),
    ],
)
def test_what_a_tool_changes_around_it_shows(body: str, name: str, with_tool: Callable[..., Session]) -> None:
    session = with_tool(body)
    before = session.module_state()
    assert session.call("probe").ok
    after = session.module_state()
    assert [key for key in before | after if before.get(key) != after.get(key)] == [name]
