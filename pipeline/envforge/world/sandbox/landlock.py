"""Landlock: no path can be opened, no TCP port bound or reached, no process outside signalled.

The second lock behind seccomp and an empty root. Numbers from linux/landlock.h. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import struct

from envforge.world.sandbox import kernel

_CREATE, _RESTRICT = 444, 446
_VERSION_FLAG = 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Landlock version → how many file rights it knows; later versions know as many as the last."""


def version() -> int:
    """Landlock's version of this kernel; 0 when it has none."""
    if not kernel.machine():
        return 0
    try:
        return kernel.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG), what="landlock")
    except OSError:
        return 0


def attributes(known: int) -> bytes:
    """`struct landlock_ruleset_attr` that handles all that version `known` can handle, and grants none of it."""
    files = (1 << _FILE_RIGHTS[min(known, 5)]) - 1
    network = 0b11 if known >= 4 else 0
    scoped = 0b11 if known >= 6 else 0
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    return struct.pack("=QQQ", files, network, scoped)[:size]


def deny_all(known: int) -> None:
    """For this process, for ever. Raises OSError. Needs no_new_privs."""
    rules = attributes(known)
    ruleset = kernel.syscall(_CREATE, rules, ctypes.c_size_t(len(rules)), ctypes.c_uint32(0), what="landlock")
    try:
        kernel.syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0), what="landlock_restrict_self")
    finally:
        os.close(ruleset)
