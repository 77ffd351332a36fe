"""The attacks are real: without a sandbox each of them achieves something, or leaves traces. Needs root.

An attack that fails everywhere would prove nothing about a sandbox that it fails in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envforge.world.environment import Environment

from .arena import Arena
from .attacks.attack import Attack
from .attacks.registry import ATTACKS

PROGRAM = Path(__file__).parent / "attacks" / "unprotected.py"
BITING = [attack for attack in ATTACKS if attack.bite]


@pytest.fixture
def own_arena(tmp_path: Path) -> Iterator[Arena]:
    """An outside that may be spoilt."""
    built = Arena(tmp_path)
    yield built
    built.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="standing aside from the real machine takes root")
@pytest.mark.parametrize("attack", BITING, ids=[attack.name for attack in BITING])
def test_achieves_something_without_a_sandbox(attack: Attack, own_arena: Arena, hostile: Environment) -> None:
    facts = json.dumps(own_arena.facts(os.getpid()))
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(hostile.folder / "tools.py"), attack.name, facts],
        env={**os.environ, "ENVFORGE_TEST_SECRET": own_arena.secret},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert not done.stderr
    if not done.stdout:
        assert attack.bite == "replaced", done
        return
    told = json.loads(done.stdout.splitlines()[-1])
    if missing := lacking(told):
        pytest.skip(f"this kernel has no {missing}")
    assert told["got"] or own_arena.traces(), told


def lacking(told: dict[str, dict[str, str]]) -> str:
    """Name of the system call that this kernel does not know, when that is all the attack is about."""
    refused = told["refused"]
    return ", ".join(refused) if refused and all("[Errno 38]" in reason for reason in refused.values()) else ""
