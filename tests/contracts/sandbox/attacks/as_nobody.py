"""A program: run a command as an unprivileged user who may read what the command needs. Needs root.

Arguments: uid, folders that must be readable (separated by colons), the command. Where a folder lies below one that
only root may enter, a mount namespace of the program's own shows it all the same; the machine stays as it is.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from pathlib import Path

BIND, PRIVATE, RECURSIVE, NEW_MOUNTS = 4096, 1 << 18, 16384, 0x20000


def mount(source: str, target: str, kind: str, flags: int, options: str | None = None) -> None:
    """mount(2). Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    given = options.encode() if options else None
    if libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), given):
        raise OSError(ctypes.get_errno(), f"mount {target}")


def closed_above(folder: Path) -> Path | None:
    """The first folder on the way that others may not enter."""
    way = [*reversed(folder.parents), folder]
    return next((place for place in way if not place.stat().st_mode & 0o001), None)


def show(folders: list[Path]) -> None:
    """Make the folders reachable for everybody, in this process's view only."""
    ctypes.CDLL(None).unshare(NEW_MOUNTS)
    mount("none", "/", "", PRIVATE | RECURSIVE)
    aside = Path(tempfile.mkdtemp())
    hidden: dict[Path, list[Path]] = {}
    for number, folder in enumerate(folders):
        closed = closed_above(folder)
        if closed is not None:
            (aside / str(number)).mkdir()
            mount(str(folder), str(aside / str(number)), "", BIND)
            hidden.setdefault(closed, []).append(folder)
    for closed in hidden:
        mount("tmpfs", str(closed), "tmpfs", 0, "mode=0755")
    for number, folder in enumerate(folders):
        if any(folder in shown for shown in hidden.values()):
            folder.mkdir(parents=True, exist_ok=True)
            mount(str(aside / str(number)), str(folder), "", BIND)
            mount("none", str(aside / str(number)), "tmpfs", 0)


def main() -> None:
    """Entry point."""
    uid, folders, command = int(sys.argv[1]), sys.argv[2].split(":"), sys.argv[3:]
    show([Path(folder) for folder in folders])
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
