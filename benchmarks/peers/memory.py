"""Memory of this process and of all that it started, each shared page counted once (PSS)."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from pathlib import Path

_PROC = Path("/proc")


def proportional_set_size() -> int:
    """Bytes. Raises OSError where the kernel does not tell."""
    gc.collect()
    return sum(_pss(pid) for pid in (os.getpid(), *descendants(os.getpid())))


def descendants(pid: int) -> list[int]:
    """Processes below a process, however deep."""
    children: dict[int, list[int]] = defaultdict(list)
    for stat in _PROC.glob("[0-9]*/stat"):
        try:
            told = stat.read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended while we looked
        children[int(told.rpartition(")")[2].split()[1])].append(int(stat.parent.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children[waiting.pop()]
        found += below
        waiting += below
    return found


def _pss(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0  # ended while we looked
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
