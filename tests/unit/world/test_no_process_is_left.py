"""When a host ends, however it does, every process of its sandbox ends too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from envforge.world.sandbox.backends import BACKENDS, why_not

LIBRARY = Path(__file__).parents[2] / "fixtures" / "environments" / "library"
HOST = f"""
import sys
from envforge.world.environment import Environment
with Environment.open({str(LIBRARY)!r}).start(backend=sys.argv[1]) as session:
    assert session.call("get_book", {{"book_id": 101}}).ok
    print("up", flush=True)
    input()
"""
ENDS: dict[str, Callable[[subprocess.Popen[str]], object]] = {
    "by itself": lambda process: process.communicate("\n", timeout=30),
    "killed": lambda process: process.kill(),
    "terminated": lambda process: process.terminate(),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
@pytest.mark.parametrize("backend", [name for name, found in BACKENDS.items() if found.safe])
def test_no_process_is_left(backend: str, end: Callable[[subprocess.Popen[str]], object]) -> None:
    if why_not(backend):
        pytest.skip(f"this machine does not carry {backend}")
    command = [sys.executable, "-c", HOST, backend]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        end(process)
        process.wait(timeout=30)
        _, alive = psutil.wait_procs(children, timeout=20)
        assert not alive, [one.status() for one in alive]
