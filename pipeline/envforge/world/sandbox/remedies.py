"""Why this machine cannot carry a better sandbox, and what a person can do about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from envforge.world.sandbox import kernel
from envforge.world.sandbox.backends import BACKENDS, CHOICE_VARIABLE, NEEDS_LINUX, UNSAFE_VARIABLE, on_linux, why_not

_SWITCHES = {
    "/proc/sys/user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=15000"),
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile that allows userns",
    ),
}
"""File of the kernel → the value that forbids user namespaces, and how to change it."""
_CONTAINER = (
    "in a container: allow unshare and mount in its seccomp profile (Docker: --security-opt seccomp=unconfined, or "
    "--cap-add SYS_ADMIN)"
)
_SETGID, _SETUID, _ADMIN = 6, 7, 21
"""Numbers of the capabilities CAP_SETGID, CAP_SETUID and CAP_SYS_ADMIN."""
_BEFORE_REASON = " cannot be had here: "


@dataclass(frozen=True)
class BackendState:
    """A backend as this machine sees it: `why_not` and `remedy` are empty where it can be had."""

    name: str
    summary: str
    safe: bool
    why_not: str
    remedy: str

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)


def read_kernel_file(path: str) -> str:
    """Text of a small file of the kernel, stripped; "" when it is not there."""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def backend_states() -> tuple[BackendState, ...]:
    """Every backend, best first: can it be had, and if not, why and what helps."""
    states: list[BackendState] = []
    for backend in BACKENDS.values():
        told = why_not(backend.name)
        reason = told.partition(_BEFORE_REASON)[2] or told
        remedy = remedy_for(backend.layers, reason) if reason else ""
        states.append(BackendState(backend.name, backend.summary, backend.safe, reason, remedy))
    return tuple(states)


def remedy_for(layers: tuple[str, ...], reason: str, read: Callable[[str], str] = read_kernel_file) -> str:
    """What helps against `reason`, why a backend of these layers did not start; `read` reads the kernel's files."""
    if not on_linux():
        return NEEDS_LINUX
    if "landlock" in reason:
        return "a kernel of version 5.13 or later with landlock among its security modules (lsm=landlock,…)"
    if "seccomp" in reason:
        return "a kernel with CONFIG_SECCOMP_FILTER, on x86-64 or 64-bit ARM"
    root = os.geteuid() == 0
    held = read("/proc/self/status")
    if root and not (_held(held, _SETUID) and _held(held, _SETGID)):
        return "root here cannot become another user (CAP_SETUID, CAP_SETGID): start envforge as an ordinary user"
    if "namespaces" not in layers:
        return "none is known"
    forbidden = [remedy for path, (value, remedy) in _SWITCHES.items() if read(path) == value]
    if forbidden:
        return "; ".join(forbidden)
    if root and not _held(held, _ADMIN):
        return f"root here lacks CAP_SYS_ADMIN; {_CONTAINER}"
    return _CONTAINER


def remedy_without_sandbox(environment: Mapping[str, str] = os.environ) -> str:
    """What to do where no kernel layer holds tool code."""
    if not on_linux():
        return NEEDS_LINUX
    chosen = environment.get(CHOICE_VARIABLE, "")
    if chosen:
        return f"{CHOICE_VARIABLE}={chosen} asks for it: unset it to get the best sandbox of this machine"
    where = "" if kernel.machine() else "; this kind of machine is not known to the sandbox"
    return f"mend one of the reasons above, or use --unsafe ({UNSAFE_VARIABLE}=1) for code that you trust{where}"


def _held(status: str, capability: int) -> bool:
    """True when the effective capabilities in the text of /proc/self/status hold this one."""
    for line in status.splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> capability & 1)
    return False
