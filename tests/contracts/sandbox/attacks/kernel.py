"""Attacks on privileges and on the kernel: every system call a tool has no use for."""

from __future__ import annotations

from .attack import escaped
from .kit import NUMBERS

_REACHES: dict[str, str] = {
    "io_uring_setup": "4, bytes(120)",
    "bpf": "0, bytes(64), 64",
    "perf_event_open": "bytes(112), 0, -1, -1, 0",
    "keyctl": "0, -3, 0, 0, 0",
    "add_key": "b'user', b'attack', b'x', 1, -3",
    "userfaultfd": "1",
    "shmget": "0, 4096, 0o1600",
    "msgget": "0, 0o1600",
    "semget": "0, 1, 0o1600",
    "mq_open": "b'attack', 0o102, 0o600, 0",
    "inotify_init1": "0",
    "fanotify_init": "0, 0",
    "sched_setaffinity": "0, 8, (1).to_bytes(8, 'little')",
    "sched_setscheduler": "0, 0, bytes(4)",
    "setpriority": "0, 0, 5",
    "personality": "0xffffffff",
    "modify_ldt": "0, bytes(16), 16",
    "syslog": "3, bytes(64), 64",
    "init_module": "bytes(8), 8, b''",
    "kexec_load": "0, 0, 0, 0x7fffffff",
    "reboot": "0, 0, 0, 0",
    "swapon": "b'/none', 0",
    "acct": "b'/none'",
    "quotactl": "0x80000100, 0, 0, 0",
    "settimeofday": "0, (k.ct.c_int * 2)(99999, 0)",
    "sethostname": "b'x' * 99, 99",
    "ioperm": "0, 0, 9",
}
"""System call → its arguments, wrong on purpose where it would do harm: what counts is that the kernel looked."""

CALLS = tuple(
    escaped(f"call_{name}", "calls", f"k.attempt('{name}', lambda: k.reached('{name}', {arguments}))")
    for name, arguments in _REACHES.items()
    if name in NUMBERS
)

PRIVILEGES = (
    escaped(
        "mounts",
        "privileges",
        """
        k.attempt("mount a tmpfs", lambda: k.syscall("mount", b"none", b"/tmp", b"tmpfs", 0, 0) == 0)
        k.attempt("mount proc", lambda: k.syscall("mount", b"proc", b"/", b"proc", 0, 0) == 0)
        k.attempt("bind", lambda: k.syscall("mount", b"/", b"/mnt", 0, 4096, 0) == 0)
        k.attempt("umount", lambda: k.syscall("umount2", b"/tmp", 2) == 0)
        k.attempt("fsopen", lambda: [k.syscall("fsopen", b"tmpfs", 0)])
        k.attempt("pivot_root", lambda: k.syscall("pivot_root", b"/", b"/") == 0)
        k.attempt("mount_setattr", lambda: k.reached("mount_setattr", -100, b"/", 0, bytes(32), 32))
        """,
    ),
    escaped(
        "chroot",
        "privileges",
        """
        k.attempt("chroot", lambda: k.syscall("chroot", b"/") == 0)
        k.attempt("chroot up", lambda: k.syscall("chroot", b"../../../..") == 0)
        """,
    ),
    escaped(
        "new_namespaces",
        "privileges",
        """
        kinds = {"user": 0x10000000, "mount": 0x20000, "net": 0x40000000, "pid": 0x20000000, "files": 0x400}
        for name, flag in kinds.items():
            k.attempt(name, lambda: k.syscall("unshare", flag) == 0)
        k.attempt("setns", lambda: k.reached("setns", 999, 0))
        """,
    ),
    escaped(
        "become_root",
        "privileges",
        """
        for name in ("setuid", "setgid", "seteuid", "setegid"):
            k.attempt(name, lambda: getattr(k.os, name)(0) is None)
        k.attempt("setresuid", lambda: k.os.setresuid(0, 0, 0) is None)
        k.attempt("setgroups", lambda: k.os.setgroups([0]) is None)
        k.attempt("already root", lambda: 0 in (k.os.getuid(), k.os.geteuid(), k.os.getgid(), k.os.getegid()))
        k.attempt("groups of root", lambda: 0 in k.os.getgroups())
        """,
    ),
    escaped(
        "capabilities",
        "privileges",
        """
        def held():
            head = (k.ct.c_uint * 2)(0x20080522, 0)
            data = (k.ct.c_uint * 6)()
            k.syscall("capget", head, data)
            return [hex(one) for one in data if one]

        k.attempt("held", held)
        full = (k.ct.c_uint * 6)(*[0xffffffff] * 6)
        k.attempt("capset", lambda: k.syscall("capset", (k.ct.c_uint * 2)(0x20080522, 0), full) == 0)
        k.attempt("ambient", lambda: k.call("prctl", 47, 2, 21, 0, 0) == 0)
        """,
    ),
    escaped(
        "no_new_privileges",
        "privileges",
        """
        def may_gain():
            return k.call("prctl", 39, 0, 0, 0, 0) == 0 and "new privileges may be gained"

        k.attempt("no_new_privs is off", may_gain)
        k.attempt("switch it off", lambda: k.call("prctl", 38, 0, 0, 0, 0) == 0)
        k.attempt("dumpable", lambda: k.call("prctl", 3, 0, 0, 0, 0) == 1)
        """,
    ),
    escaped(
        "raise_limits",
        "limits",
        """
        def limit(kind, new=None):
            old = k.ct.create_string_buffer(16)
            k.syscall("prlimit64", 0, kind, 0 if new is None else new, old)
            return [int.from_bytes(old.raw[at : at + 8], "little") for at in (0, 8)]

        def raised(kind, value):
            before = limit(kind)
            limit(kind, value.to_bytes(8, "little") * 2)
            return before != limit(kind) and f"{before} became {limit(kind)}"

        for name, kind in {"AS": 9, "NPROC": 6, "FSIZE": 1, "NOFILE": 7, "CORE": 4, "MEMLOCK": 8}.items():
            k.attempt(name, lambda: raised(kind, 4096 if name == "NOFILE" else 2**64 - 1))
            k.attempt(f"no limit on {name}", lambda: limit(kind)[1] == 2**64 - 1)
        """,
    ),
)

MEMORY = (
    escaped(
        "machine_code",
        "calls",
        """
        libc = k.libc
        libc.mmap.restype = k.ct.c_void_p
        libc.mmap.argtypes = [k.ct.c_void_p, k.ct.c_size_t] + [k.ct.c_int] * 3 + [k.ct.c_long]
        libc.mprotect.argtypes = [k.ct.c_void_p, k.ct.c_size_t, k.ct.c_int]

        def map_memory(protection):
            place = libc.mmap(None, 4096, protection, 0x22, -1, 0)
            if place in (None, k.ct.c_void_p(-1).value):
                raise OSError(k.ct.get_errno(), "mmap")
            return place

        def run(place):
            if libc.mprotect(place, 4096, 5):
                raise OSError(k.ct.get_errno(), "mprotect")
            return k.ct.CFUNCTYPE(k.ct.c_int)(place)()

        def written_then_run():
            place = map_memory(3)
            k.ct.memmove(place, _RETURN_42, len(_RETURN_42))
            return run(place) == 42

        k.attempt("writable and executable", lambda: map_memory(7))
        k.attempt("written, then executable", written_then_run)
        k.attempt("executable", lambda: map_memory(5))
        """,
    ),
    escaped(
        "secrets_in_memory",
        "host",
        """
        pattern = k.load("re").compile("envforge-secret-[0-9a-f]{32}")

        def in_objects():
            seen = []
            for thing in k.load("gc").get_objects():
                if type(thing) in (dict, list, tuple, set):
                    values = thing.values() if type(thing) is dict else thing
                    seen += [one for one in list(values) if type(one) is str and pattern.fullmatch(one)]
            return seen

        def in_environment():
            libc_environ = k.ct.POINTER(k.ct.c_char_p).in_dll(k.libc, "environ")
            found, place = [], 0
            while libc_environ and libc_environ[place]:
                found.append(libc_environ[place].decode("utf-8", "replace"))
                place += 1
            return [one for one in found if pattern.search(one)]

        k.attempt("os.environ", lambda: [one for one in k.os.environ.values() if pattern.search(one)])
        k.attempt("environ of libc", in_environment)
        k.attempt("objects", in_objects)
        """,
    ),
)
