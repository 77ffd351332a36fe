"""What a worker gives up before it runs tool code, after the zygote has given up the rest. Standard library only.

Order matters: everything that will be needed is imported before, the system call filter comes last.
"""

from __future__ import annotations

import gc
import math
import resource
import signal
import sys
import time
from typing import Any

from envforge.world.sandbox import kernel, landlock
from envforge.world.sandbox.seccomp import Filter

HELD_FILES = 4
"""Null as standard input, output and error, and the worker's own pipe. No further one can be opened."""
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
_granted = [0]
"""Seconds of processor time after which the kernel ends this process."""
_looked = [0.0, -math.inf]
"""Processor time when it was last looked at, and the monotonic time then."""
_SLACK_SECONDS = 2.0


def arm(on: bool) -> None:
    """While armed, Python operations on files, processes, sockets and the interpreter are refused."""
    _armed[0] = on


def allow_processor_time(seconds: float) -> None:
    """From now on, to within two seconds; the kernel ends a worker that uses more, also when its host is gone."""
    used_then, at_then = _looked
    # One thread uses no more processor time than goes by: as long as that fits too, the kernel need not be asked.
    latest = used_then + (time.monotonic() - at_then) + seconds
    if latest <= _granted[0] <= used_then + seconds + _SLACK_SECONDS:
        return
    used = time.process_time()
    _looked[:] = used, time.monotonic()
    wanted = used + seconds
    if wanted <= _granted[0] <= wanted + _SLACK_SECONDS:
        return  # a limit is set in whole seconds: most calls find one that fits
    _granted[0] = math.ceil(wanted) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (_granted[0], hard))


def install_audit() -> None:
    """Once, in the zygote: its children inherit the hook."""
    sys.addaudithook(_audit)


def _audit(event: str, _: tuple[Any, ...]) -> None:
    if _armed[0] and event.startswith(_REFUSED_EVENTS):
        raise PermissionError(f"{event} is not allowed here")


class Lockdown:
    """Prepared in the zygote, applied in each worker. `layers` are those of the backend (see backends.py)."""

    def __init__(self, layers: tuple[str, ...]) -> None:
        """Raises OSError when this machine lacks a layer."""
        self._seccomp = Filter() if "seccomp" in layers else None
        self._landlock = landlock.version()
        if "landlock" in layers and "namespaces" not in layers and not self._landlock:
            raise OSError(0, "landlock: this kernel has none")
        if "landlock" not in layers:
            self._landlock = 0

    def apply(self, *, memory_mb: int) -> dict[str, Any]:
        """For this process, for ever: limits, Landlock, seccomp. Raises OSError. What holds now."""
        kernel.prctl(kernel.PR_SET_PDEATHSIG, int(signal.SIGKILL))
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        features: dict[str, Any] = {"no_new_privileges": True, "limits": _limit(memory_mb)}
        if self._landlock:
            landlock.deny_all(self._landlock)
        features["landlock"] = self._landlock
        resource.setrlimit(resource.RLIMIT_NOFILE, (HELD_FILES, HELD_FILES))
        features["limits"] += ["open_files", "processor_time"]
        if self._seccomp is not None:
            self._seccomp.install()
        features["seccomp"] = self._seccomp is not None
        features["audit"] = True
        return features


def forget_the_kernel() -> None:
    """The modules that reach the kernel leave `sys.modules`; the filter holds also against who finds them again."""
    for name in ("ctypes", "_ctypes", "resource", "envforge.world.sandbox.kernel"):
        sys.modules.pop(name, None)


def settle() -> None:
    """Before the first fork: what is loaded stays out of the garbage collector's reach, so that pages stay shared."""
    gc.collect()
    gc.freeze()


def _limit(memory_mb: int) -> list[str]:
    """Resource limits; what could be set."""
    memory = memory_mb * 1024 * 1024
    wanted = {
        "core": (resource.RLIMIT_CORE, 0),
        "file_size": (resource.RLIMIT_FSIZE, 0),
        "locked_memory": (resource.RLIMIT_MEMLOCK, 0),
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
