"""Hostile and broken tool code is contained, and the next session is healthy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from envforge.core.errors import SandboxError, ToolFault
from envforge.world.environment import Environment
from envforge.world.sandbox.features import sandbox_features
from envforge.world.session import Session

OS = "import statistics\nos = statistics.sys.modules['os']\n"
"""The way around the import guard that pure Python always leaves; what comes behind it must hold too."""

REFUSED = {
    "open": "return {'x': open('/etc/passwd').read()}",
    "import os": "import os\nreturn {'x': os.getcwd()}",
    "import socket": "import socket\nreturn {}",
    "import subprocess": "import subprocess\nreturn {}",
    "import engine": "from envforge.world import engine\nreturn {}",
    "exec": "exec('x = 1')\nreturn {}",
    "eval": "return {'x': eval('1')}",
    "sys.exit": "raise SystemExit(0)",
    "giant output": "return {'x': 'a' * 30_000}",
    "no dict": "return [1]",
    "not JSON": "return {'x': float('nan')}",
    "lone surrogate": "return {'x': chr(0xD800)}",
    "memory": "return {'x': len('a' * 10**10)}",
    "recursion": "def f():\n    return f()\nreturn {'x': f()}",
    "slow SQL": "return world.query('WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)'\n"
    "    ' SELECT max(n) AS m FROM t')[0]",
    "ATTACH": "world.execute(\"ATTACH ':memory:' AS x\")\nreturn {}",
    "PRAGMA": "world.query('PRAGMA foreign_keys = off')\nreturn {}",
    "COMMIT": "world.execute('COMMIT')\nreturn {}",
    "second statement": "world.execute('DELETE FROM loans; COMMIT')\nreturn {}",
    "rollback by conflict": "world.execute('DELETE FROM loans')\ntry:\n"
    "    world.execute(\"INSERT OR ROLLBACK INTO books VALUES (101, '', '', NULL, 1, NULL)\")\n"
    "except Exception:\n    pass\nworld.execute('DELETE FROM loans')\nreturn {}",
    "schema": "world.execute('CREATE TABLE x (a)')\nreturn {}",
    "random": "return world.query('SELECT random() AS r')[0]",
    "documents table": "return {'x': world.query('SELECT * FROM envforge_documents')}",
    "write in query": "world.query('DELETE FROM loans RETURNING id')\nreturn {}",
    "os open": OS + "return {'x': os.open('/etc/passwd', 0)}",
    "os system": OS + "return {'x': os.system('true')}",
    "os fork": OS + "return {'x': os.fork()}",
    "os kill": OS + "os.kill(os.getppid(), 9)\nreturn {}",
    "socket": OS + "import statistics\nstatistics.sys.modules['builtins'].__import__('socket').socket()\nreturn {}",
    "path of a document": "world.put_document('../x', '')\nreturn {}",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused_inside(body: str, with_tool: Callable[[str], Session]) -> None:
    session = with_tool(body)
    answer = session.call("probe")
    assert answer.error is not None and not answer.ok
    assert session.diff().empty
    assert session.call("get_book", {"book_id": 101}).ok


FATAL = {
    "infinite loop": "while True:\n    pass",
    "stubborn loop": "while True:\n    try:\n        while True:\n            pass\n"
    "    except BaseException:\n        pass",
    "regular expression": "import re\nre.match('(a+)+$', 'a' * 60 + 'b')\nreturn {}",
    "exit": OS + "os._exit(3)",
    "garbage on the pipe": OS + "for i in range(3, 9):\n    try:\n        os.write(i, b'garbage!' * 4)\n"
    "    except OSError:\n        pass\nreturn {}",
}


@pytest.mark.parametrize("body", FATAL.values(), ids=FATAL.keys())
def test_costs_the_worker_only(body: str, with_tool: Callable[[str], Session]) -> None:
    session = with_tool(body)
    with pytest.raises(SandboxError):
        session.call("probe")
    assert not session.alive
    with pytest.raises(SandboxError, match="gone"):
        session.call("get_book", {"book_id": 101})
    session.restart()
    assert session.call("get_book", {"book_id": 101}).ok and session.diff().empty
    with session.environment.start() as other:
        assert other.call("borrow_book", {"member_id": "M-HHJ5", "book_id": 108}).ok


def test_the_environment_of_the_host_is_not_visible(
    with_tool: Callable[[str], Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "value")
    answer = with_tool(OS + "return {'names': sorted(os.environ)}").call("probe")
    assert answer.result is not None and "SECRET" not in answer.result["names"]


def test_the_worker_is_gone_after_close(library: Environment) -> None:
    session = library.start()
    pid = session.worker_pid
    os.kill(pid, 0)
    session.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize("line", ["import os", "open('/etc/passwd')", "x = = 1", "1 // 0"])
def test_tools_that_do_not_load_are_a_fault(copy: Path, line: str) -> None:
    source = copy / "tools.py"
    source.write_text(f"{source.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    with pytest.raises(ToolFault, match=r"tools\.py"):
        Environment.open(copy).start()


def test_a_function_missing_in_tools_is_a_fault(copy: Path) -> None:
    source = copy / "tools.py"
    source.write_text(source.read_text(encoding="utf-8").replace("def get_book", "def got_book"), encoding="utf-8")
    with pytest.raises(ToolFault, match="get_book"):
        Environment.open(copy).start()


def test_features_say_what_is_enforced() -> None:
    features = sandbox_features()
    assert features.safe and features.audit and features.seccomp
    assert {"file_size", "memory", "open_files", "core", "processor_time"} <= set(features.limits)
    assert features.user != "uid 0"
