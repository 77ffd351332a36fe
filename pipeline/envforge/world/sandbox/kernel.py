"""Calls into the Linux kernel that Python has no name for. Standard library only; used before tool code runs.

Every function raises OSError with the call's name; constants are from the kernel's uapi headers.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from typing import Any

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 0x4000, 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522
_MOST_CAPABILITIES = 64


def machine() -> str:
    """The processor's name as the kernel says it, or "" where system call numbers are not known here."""
    name = platform.machine()
    return name if sys.platform == "linux" and name in _PIVOT_ROOT else ""


_libc: Any = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: Any, what: str) -> int:
    """A system call by number."""
    return _check(_libc.syscall(ctypes.c_long(number), *arguments), what)


def prctl(option: int, *arguments: Any, what: str = "prctl") -> int:
    """prctl(2)."""
    padded = [*arguments, 0, 0, 0, 0][:4]
    return _check(_libc.prctl(option, *(ctypes.c_ulong(a) if isinstance(a, int) else a for a in padded)), what)


def unshare(flags: int) -> None:
    """unshare(2)."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """mount(2)."""
    text = [part.encode() for part in (source, target, kind, options)]
    _check(_libc.mount(text[0], text[1], text[2], ctypes.c_ulong(flags), text[3] or None), f"mount {target}")


def pivot_root_here() -> None:
    """Make the working directory (a mount of its own) the root; the old root is unmounted and gone."""
    here = ctypes.c_char_p(b".")
    syscall(_PIVOT_ROOT[machine()], here, here, what="pivot_root")
    _check(_libc.umount2(b".", MNT_DETACH), "umount the old root")


def drop_capabilities() -> None:
    """No capability is left, and none can come back."""
    for number in range(_MOST_CAPABILITIES):
        if _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(number), 0, 0, 0) < 0:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    nothing = (ctypes.c_uint32 * 6)()
    syscall(_CAPSET[machine()], header, nothing, what="capset")
