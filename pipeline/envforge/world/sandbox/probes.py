"""What a worker can do that it must not: tried, not believed. `envforge doctor` shows it.

Each probe is a tool that switches the Python layer off first, so that the kernel answers for what follows. Nothing is
harmed where nothing holds: signals are 0, programs and system calls are called with arguments that do nothing.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from textwrap import dedent, indent
from typing import Any

from envforge.core.errors import SandboxError
from envforge.world.sandbox import kernel
from envforge.world.sandbox.features import probe_worker
from envforge.world.sandbox.limits import Limits

_KIT = '''
import statistics


class _Outside:
    """What an attacker has once the Python layer is off."""

    def __init__(self):
        modules = statistics.sys.modules
        lockdown = modules["envforge.world.sandbox.lockdown"]
        lockdown.arm(False)
        self.load = modules["builtins"].__import__
        self.os = self.load("os")
        self.kernel = lockdown.kernel
        self.ct, self.libc = self.kernel.ctypes, self.kernel._libc
        self.done, self.tried = [], 0
        for number in (0, 1, 2):
            try:
                self.os.close(number)  # a limit on open files shall not answer for the rest
            except OSError:
                pass

    def attempt(self, label, action):
        self.tried += 1
        try:
            value = action()
        except BaseException:
            return
        if value:
            self.done.append(label)

    def reached(self, label, number, *arguments):
        """Done when the kernel looked at the arguments at all."""
        def call():
            try:
                self.kernel.syscall(number, *arguments, what=label)
            except OSError as error:
                if error.errno in (1, 13, 38):
                    raise
            return True

        self.attempt(label, call)


'''


@dataclass(frozen=True)
class Probe:
    """One thing that a worker must not be able to do: its name, in words, and how it is tried."""

    name: str
    tries: str
    body: str


@dataclass(frozen=True)
class Finding:
    """What came of a probe. `held` is None when it could not be tried."""

    name: str
    tries: str
    held: bool | None
    told: str

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)


PROBES = (
    Probe(
        "files",
        "read /etc/passwd, list folders",
        """
        for path in ("/etc/passwd", "/etc/hostname", "/proc/self/environ"):
            out.attempt(path, lambda: out.os.read(out.os.open(path, 0), 1))
        for path in ("/", "/etc", "/tmp"):
            out.attempt("list " + path, lambda: out.os.listdir(path))
        """,
    ),
    Probe(
        "writing",
        "create a file",
        """
        for place in ("/tmp", "/dev/shm", "/var/tmp", "/"):
            path = f"{place}/envforge-doctor-{host['pid']}"
            def create():
                out.os.close(out.os.open(path, out.os.O_CREAT | out.os.O_WRONLY, 0o600))
                out.os.unlink(path)
                return True

            out.attempt(path, create)
        """,
    ),
    Probe(
        "environment",
        "read environment variables of the host",
        """
        out.attempt("os.environ", lambda: [name for name in out.os.environ if name in host["names"]])
        """,
    ),
    Probe(
        "network",
        "connect to a port of this machine, make a socket",
        """
        def connect():
            found = out.libc.socket(2, 1, 0)
            address = (2).to_bytes(2, "little") + host["port"].to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
            return found >= 0 and out.libc.connect(found, address, 16) == 0

        out.attempt("connect to 127.0.0.1", connect)
        for name, family in (("unix", 1), ("inet6", 10), ("netlink", 16), ("vsock", 40)):
            out.attempt(f"{name} socket", lambda: out.libc.socket(family, 1 if family != 16 else 3, 0) >= 0)
        """,
    ),
    Probe(
        "processes",
        "start a process",
        """
        def fork():
            pid = out.os.fork()
            if not pid:
                out.os._exit(0)
            out.os.waitpid(pid, 0)
            return True

        out.attempt("fork", fork)
        out.attempt("thread", lambda: out.load("_thread").start_new_thread(len, ((),)))
        """,
    ),
    Probe(
        "programs",
        "run a program",
        """
        empty = (out.ct.c_char_p * 1)()
        out.reached("execve", host["execve"], b"/no/such/program", empty, empty)
        out.reached("memfd_create", host["memfd_create"], b"doctor", 0)
        """,
    ),
    Probe(
        "signals",
        "see or signal its parent and its host",
        """
        for name, pid in (("parent", out.os.getppid()), ("host", host["pid"])):
            if pid > 1:
                out.attempt(f"signal to its {name}", lambda: out.os.kill(pid, 0) is None)
        """,
    ),
    Probe(
        "limits",
        "raise its own limits, take 8 GB",
        """
        forever = (out.ct.c_ulong * 2)(2**64 - 1, 2**64 - 1)
        for name, kind in (("memory", 9), ("processes", 6), ("file size", 1)):
            out.attempt(name, lambda: out.libc.setrlimit(kind, forever) == 0)
        out.libc.malloc.restype = out.ct.c_void_p
        out.attempt("8 GB", lambda: out.libc.malloc(out.ct.c_size_t(8 << 30)))
        """,
    ),
    Probe(
        "privileges",
        "become root, make namespaces",
        """
        out.attempt("setuid(0)", lambda: out.os.setuid(0) is None)
        out.attempt("user namespace", lambda: out.kernel.unshare(0x10000000) is None)
        out.attempt("mount namespace", lambda: out.kernel.unshare(0x00020000) is None)
        """,
    ),
    Probe(
        "machine code",
        "run code of its own making",
        """
        out.libc.mmap.restype = out.ct.c_void_p
        out.attempt("executable memory", lambda: out.libc.mmap(None, 4096, 7, 0x22, -1, 0) != 2**64 - 1)
        """,
    ),
    Probe(
        "kernel surface",
        "reach system calls that no tool needs",
        """
        for name, number in host["calls"].items():
            out.reached(name, number, -1, -1, -1, -1, -1)
        """,
    ),
)

_CALLS: dict[str, dict[str, int]] = {
    "x86_64": {
        "execve": 59, "memfd_create": 319, "ptrace": 101, "keyctl": 250, "add_key": 248, "bpf": 321,
        "userfaultfd": 323, "perf_event_open": 298, "shmget": 29, "inotify_init1": 294,
    },
    "aarch64": {
        "execve": 221, "memfd_create": 279, "ptrace": 117, "keyctl": 219, "add_key": 217, "bpf": 280,
        "userfaultfd": 282, "perf_event_open": 241, "shmget": 194, "inotify_init1": 26,
    },
}  # fmt: skip
_FOR_PROGRAMS = ("execve", "memfd_create")
_GIVEN_BY_US = {"LANG", "LC_CTYPE", "HOME", "PATH", "PYTHONHASHSEED", "PYTHONUTF8"}


def run_probes(backend: str | None = None) -> tuple[Finding, ...]:
    """Try everything in workers of the best (or the named) backend. Raises SandboxError when none starts."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        facts = _facts(listener.getsockname()[1])
        return (_python_layer(backend), *(_try(probe, facts, backend) for probe in PROBES))


def _facts(port: int) -> dict[str, Any]:
    """What the probes are told about the outside."""
    calls = _CALLS.get(kernel.machine(), {})
    surface = {name: number for name, number in calls.items() if name not in _FOR_PROGRAMS}
    return {
        "pid": os.getpid(),
        "port": port,
        "names": sorted(set(os.environ) - _GIVEN_BY_US),
        "calls": {**surface, "io_uring_setup": 425},
        **{name: calls.get(name, -1) for name in _FOR_PROGRAMS},
    }


def _python_layer(backend: str | None) -> Finding:
    """The layer that the other probes switch off: does it answer as long as it is on?"""
    source = "import statistics\n\n\ndef probe(world, host):\n"
    source += "    return {'done': [str(statistics.sys.modules['io'].open('/etc/passwd'))]}\n"
    told = _call(source, {}, backend)
    held = "not allowed" in told.get("error", {}).get("message", "")
    tries = "open a file by Python's own means"
    return Finding("python", tries, held, "refused" if held else f"not refused: {told}"[:200])


def _try(probe: Probe, facts: Mapping[str, Any], backend: str | None) -> Finding:
    body = f"out = _Outside()\n{dedent(probe.body)}\nreturn {{'done': out.done, 'tried': out.tried}}\n"
    source = f"{_KIT}def probe(world, host):\n{indent(body, '    ')}"
    try:
        told = _call(source, facts, backend)
    except SandboxError as error:
        # The filter of another machine may end the worker instead of refusing the call.
        held = True if "SIGSYS" in error.message else None
        return Finding(probe.name, probe.tries, held, error.message)
    if "error" in told:
        return Finding(probe.name, probe.tries, None, f"could not be tried: {told['error']['message']}"[:300])
    done, tried = told["result"]["done"], int(told["result"]["tried"])
    what = f"did: {', '.join(done)}" if done else f"none of {tried} attempts succeeded"
    return Finding(probe.name, probe.tries, not done if tried else None, what)


def _call(source: str, facts: Mapping[str, Any], backend: str | None) -> dict[str, Any]:
    """Load the probe in a fresh worker and call it. Raises SandboxError."""
    process = probe_worker(source, backend, limits=Limits(call_seconds=5.0))
    try:
        loaded = process.load()
        if "error" in loaded:
            return {"error": {"message": str(loaded["error"])}}
        process.ask({"do": "open", "world": 1, "seed": 0})
        return process.ask({"do": "call", "world": 1, "tool": "probe", "arguments": {"host": dict(facts)}})[0]
    finally:
        process.close()
