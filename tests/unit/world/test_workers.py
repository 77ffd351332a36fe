"""A worker that starts, or says why it does not, and is gone afterwards. Attacks: tests/contracts/sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envforge.core.errors import ToolFault
from envforge.world.environment import Environment
from envforge.world.sandbox.features import sandbox_features


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
