"""What a worker gives up before it runs tool code. Standard library only; best effort, and it says what held.

Order matters: everything that will be needed is imported before, limits come last. `features` is what this machine
enforces; the host shows it (`sandbox_features`).
"""

from __future__ import annotations

import ctypes
import math
import os
import resource
import sys
from typing import Any

NOBODY = 65534
OPEN_FILES = 16
_CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x08000000, 0x10000000, 0x40000000
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38
_REFUSED_EVENTS = (
    "code.__new__",
    "cpython.",
    "ctypes.",
    "fcntl.",
    "gc.",
    "glob.",
    "marshal.",
    "mmap.",
    "open",
    "os.",
    "pathlib.",
    "pickle.",
    "pty.",
    "resource.",
    "setopencodehook",
    "shutil.",
    "signal.",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "sys._current_frames",
    "sys.addaudithook",
    "sys.setprofile",
    "sys.settrace",
    "syslog.",
    "tempfile.",
)

_armed = [False]


def arm(on: bool) -> None:
    """While armed, Python operations on files, processes, sockets and the interpreter are refused."""
    _armed[0] = on


def allow_processor_time(seconds: float) -> None:
    """From now on; the kernel ends a worker that uses more, also when its host is gone."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = usage.ru_utime + usage.ru_stime
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + seconds) + 1, hard))


def _audit(event: str, _: tuple[Any, ...]) -> None:
    if _armed[0] and event.startswith(_REFUSED_EVENTS):
        raise PermissionError(f"{event} is not allowed here")


def lock_down(*, memory_mb: int) -> dict[str, Any]:
    """Give up network, files, privileges and new processes. What this machine enforces."""
    libc = ctypes.CDLL(None, use_errno=True)
    features: dict[str, Any] = {"network": _leave_network(libc)}
    features["user"] = _become_nobody()
    features["no_new_privileges"] = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    features["limits"] = _limit(memory_mb)
    sys.addaudithook(_audit)
    features["audit"] = True
    for name in ("ctypes", "_ctypes", "resource"):
        sys.modules.pop(name, None)
    return features


def _leave_network(libc: Any) -> str:
    """An empty network of our own: by privilege, else through a user namespace."""
    for flags, how in (
        (_CLONE_NEWNET | _CLONE_NEWIPC, "own namespace"),
        (_CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC, "own namespace (user)"),
    ):
        if libc.unshare(flags) == 0:
            return how
    return f"shared with the host ({os.strerror(ctypes.get_errno())})"


def _become_nobody() -> str:
    if os.geteuid() != 0:
        return f"uid {os.geteuid()}"
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        return f"root ({error.strerror})"
    return f"uid {NOBODY}"


def _limit(memory_mb: int) -> list[str]:
    """Resource limits; what could be set."""
    memory = memory_mb * 1024 * 1024
    wanted = {
        "core": (resource.RLIMIT_CORE, 0),
        "file_size": (resource.RLIMIT_FSIZE, 0),
        "open_files": (resource.RLIMIT_NOFILE, OPEN_FILES),
        "memory": (resource.RLIMIT_AS, memory),
        "processes": (resource.RLIMIT_NPROC, 0),
    }
    held: list[str] = []
    for name, (kind, value) in wanted.items():
        try:
            resource.setrlimit(kind, (value, value))
        except (OSError, ValueError):
            continue
        held.append(name)
    return sorted(held)
