"""An empty world around a process: own network, mounts, processes, IPC and host name; an empty read-only root.

Standard library only. `enter` raises OSError naming what this machine refused; the process is of no use then.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from envforge.world.sandbox import kernel

NOBODY = 65534
_ALL = kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWPID
_NAMES = ["ipc", "mount", "net", "pid", "uts"]
_ROOT_OPTIONS = "size=64k,nr_inodes=8,mode=0755"
_PLACES = ("/tmp", "/var/tmp", "/mnt", "/run", "/home")  # noqa: S108 - only a place to mount over, in our own view


def enter() -> dict[str, Any]:
    """Leave the host's namespaces and its files; the caller becomes nobody without a capability.

    Returns what holds now: {namespaces, root, user}. Children, not the caller itself, are in the new process
    namespace; an idle first child keeps it alive and ends with the caller, and all others with it.
    """
    held = _leave()
    _hold_processes()
    root = _empty_root()
    user = become_nobody()
    kernel.drop_capabilities()
    return {"namespaces": held, "root": root, "user": user}


def _leave() -> list[str]:
    if os.geteuid() == 0:
        try:
            kernel.unshare(_ALL)
            return _NAMES
        except PermissionError:
            # Root of a container without CAP_SYS_ADMIN: as nobody a user namespace may still be had.
            become_nobody()
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(_ALL | kernel.CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {uid} 1"), ("gid_map", f"{NOBODY} {gid} 1")):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")
    return [*_NAMES, "user"]


def _hold_processes() -> None:
    """The first child is process 1 of the new namespace: with it the namespace ends."""
    if os.fork():
        return
    # A parent that is nobody may not signal a child that is still root, not even by dying.
    become_nobody()
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, int(signal.SIGKILL))
    os.closerange(0, 1024)
    while True:
        signal.pause()


def _empty_root() -> str:
    kernel.mount("", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    place = next((place for place in _PLACES if Path(place).is_dir()), "/")
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    kernel.mount("tmpfs", place, "tmpfs", flags, _ROOT_OPTIONS)
    os.chdir(place)
    kernel.pivot_root_here()
    os.chdir("/")
    kernel.mount("tmpfs", "/", "tmpfs", flags | kernel.MS_REMOUNT | kernel.MS_RDONLY, _ROOT_OPTIONS)
    return "empty, read-only"


def become_nobody() -> str:
    """Give up root; in a user namespace the caller is nobody already. Who the process is now."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    return f"uid {os.geteuid()}"
