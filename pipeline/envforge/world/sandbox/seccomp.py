"""The system calls that are left to a worker: computing, memory, and its own pipe. Everything else is refused.

A classic BPF program over `struct seccomp_data` (linux/seccomp.h). A refused call fails with EPERM, so that Python
raises and the worker lives; a call in another architecture's numbers ends the process. Standard library only.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass

from envforge.world.sandbox import kernel

_LOAD, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4
_PROT_EXEC = 4
_RLIMIT_CPU = 0
_MODE_FILTER = 2


@dataclass(frozen=True)
class _Machine:
    """Architecture mark and system call numbers of a processor."""

    mark: int
    plain: tuple[int, ...]
    """Allowed with any arguments."""
    map: int
    protect: int
    limits: int


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        # read write close fstat lseek munmap brk rt_sigaction rt_sigprocmask rt_sigreturn sched_yield mremap madvise
        (0, 1, 3, 5, 8, 11, 12, 13, 14, 15, 24, 25, 28)
        # getitimer setitimer getpid exit gettimeofday getrusage sigaltstack gettid futex restart_syscall
        + (36, 38, 39, 60, 96, 98, 131, 186, 202, 219)
        # clock_gettime clock_getres exit_group getrandom membarrier rseq
        + (228, 229, 231, 318, 324, 334),
        map=9,
        protect=10,
        limits=302,
    ),
    "aarch64": _Machine(
        0xC00000B7,
        (63, 64, 57, 80, 62, 215, 214, 134, 135, 139, 124, 216, 233)
        + (102, 103, 172, 93, 169, 165, 132, 178, 98, 128)
        + (113, 114, 94, 278, 283, 293),
        map=222,
        protect=226,
        limits=261,
    ),
}


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def _argument(index: int) -> int:
    """Offset of the low half of an argument (little endian)."""
    return 16 + 8 * index


def program() -> bytes:
    """The filter for this machine. Raises OSError where the system call numbers are not known."""
    found = _MACHINES.get(kernel.machine())
    if found is None:
        raise OSError(0, "seccomp: system call numbers of this machine are not known")
    allow, refuse = _step(_RETURN, _ALLOW), _step(_RETURN, _REFUSE)
    steps = [_step(_LOAD, _ARCHITECTURE), _step(_EQUAL, found.mark, 1, 0), _step(_RETURN, _KILL)]
    steps += [_step(_LOAD, _NUMBER)]
    # x86-64 has a second set of numbers (x32) under the same mark.
    steps += [_step(_AT_LEAST, 0x40000000, 0, 1), refuse]
    for number in found.plain:
        steps += [_step(_EQUAL, number, 0, 1), allow]
    for number in (found.map, found.protect):
        # No memory that can be executed: native code cannot be brought in.
        steps += [
            _step(_EQUAL, number, 0, 4),
            _step(_LOAD, _argument(2)),
            _step(_BITS, _PROT_EXEC, 0, 1),
            refuse,
            allow,
        ]
    # prlimit64 of the own process (0), the processor time only: each call is given its own.
    steps += [_step(_EQUAL, found.limits, 0, 5), _step(_LOAD, _argument(0)), _step(_EQUAL, 0, 0, 3)]
    steps += [_step(_LOAD, _argument(1)), _step(_EQUAL, _RLIMIT_CPU, 0, 1), allow]
    return b"".join([*steps, refuse])


class Filter:
    """The filter, laid out in memory before the fork."""

    def __init__(self) -> None:
        self._steps = ctypes.create_string_buffer(program())
        size = (len(self._steps) - 1) // 8
        self._header = ctypes.create_string_buffer(struct.pack("@HP", size, ctypes.addressof(self._steps)))

    def install(self) -> None:
        """For this process, for ever. Raises OSError. Needs no_new_privs."""
        kernel.prctl(kernel.PR_SET_SECCOMP, _MODE_FILTER, self._header, what="seccomp")
