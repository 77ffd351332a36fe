"""What the host's kernel says about a worker, and what a worker can know about its host."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from envforge.core.errors import SandboxError, ToolFault
from envforge.world.environment import Environment
from envforge.world.sandbox.backends import available_backends
from envforge.world.sandbox.limits import Limits

from .arena import Arena, children_of
from .attacks.attack import Attack
from .attacks.environment import write_environment

BACKENDS = available_backends()
SEPARATE = ("ipc", "mnt", "net", "pid", "user", "uts")


def status_of(pid: int) -> dict[str, str]:
    """Fields of /proc/PID/status."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_worker_has_no_privilege(backend: str, hostile: Environment) -> None:
    with hostile.start(backend=backend) as session:
        status = status_of(session.worker_pid)
    assert "0" not in status["Uid"].split() and "0" not in status["Gid"].split()
    assert status["NoNewPrivs"] == "1"
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == int(status["CapAmb"], 16) == 0
    assert status["Threads"] == "1"
    assert status["Seccomp"] == ("0" if backend == "unsafe" else "2")


@pytest.mark.skipif("namespaces" not in BACKENDS, reason="this machine has no namespaces")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees the namespaces of a process that cannot be dumped")
def test_a_worker_stands_in_namespaces_of_its_own(hostile: Environment) -> None:
    with hostile.start(backend="namespaces") as session:
        shared = [
            kind
            for kind in SEPARATE
            if (Path(f"/proc/{session.worker_pid}/ns") / kind).readlink() == Path(f"/proc/self/ns/{kind}").readlink()
        ]
        root = [entry.name for entry in Path(f"/proc/{session.worker_pid}/root").iterdir()]
    assert shared in ([], ["user"])
    assert root == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees the descriptors of a process that cannot be dumped")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_worker_holds_null_and_its_own_pipe(backend: str, hostile: Environment) -> None:
    with hostile.start(backend=backend) as session, hostile.start(backend=backend) as other:
        held = [opened(session.worker_pid), opened(other.worker_pid)]
    for places in held:
        assert sorted(set(places))[0] == "/dev/null" and places.count("/dev/null") == 3
        assert len(places) == 4
    assert not {place for place in held[0] if place.startswith(("socket", "pipe"))} & set(held[1])


def opened(pid: int) -> list[str]:
    """What the descriptors of a process lead to."""
    return [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]


SECRETS = """
import json, sys
from envforge.world.environment import Environment
held = {"a secret of the host's memory": sys.argv[3]}
with Environment.open(sys.argv[1]).start(backend=sys.argv[2]) as session:
    answer = session.call("secrets_in_memory", {"host": {}})
    print(json.dumps(answer.to_json()))
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_of_the_host_is_left_in_a_worker(backend: str, hostile: Environment, arena: Arena) -> None:
    """In a fresh process that had the secret before it started its zygote: no copy came along."""
    command = [sys.executable, "-c", SECRETS, str(hostile.folder), backend, arena.secret]
    environment = {**os.environ, "A_SECRET": arena.secret}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    told = json.loads(done.stdout)["result"]
    assert told["got"] == {} and set(told["refused"]) == {"os.environ", "environ of libc", "objects"}
    assert arena.secret not in done.stdout


LOOK = Attack(
    "look_for_others",
    dedent("""
        gc = k.load("gc")
        seen, found, asked = set(), [], 0
        todo = [module.__dict__ for module in list(k.sys.modules.values()) if hasattr(module, "__dict__")]
        todo += gc.get_objects()
        while todo:
            thing = todo.pop()
            if k.builtins.id(thing) in seen:
                continue
            seen.add(k.builtins.id(thing))
            if type(thing) in (str, bytes):
                text = thing if type(thing) is str else thing.decode("latin-1")
                asked += "def look_for_others" in text
                if host["marker"] in text and len(text) > len(host["marker"]):
                    found.append(text[:60])
            elif type(thing).__name__ == "code":
                todo += list(thing.co_consts)
            else:
                todo += gc.get_referents(thing)
        k.attempt("own source not found", lambda: not asked)
        k.attempt("code of another environment", lambda: found)
        """).strip("\n"),
    "host",
    ("contained",),
    escaped=True,
)


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_of_another_environment_is_left_in_a_worker(backend: str, tmp_path: Path) -> None:
    """One zygote serves every environment; what it keeps of one does not reach the workers of another."""
    secret = '\n\ndef _secret():\n    return "an envforge-secret- of another environment"\n'
    other = Environment.open(write_environment(tmp_path / "other", (), more=secret))
    hostile = Environment.open(write_environment(tmp_path / "hostile", (LOOK,)))
    for _ in range(3):
        with other.start(backend=backend) as session:
            assert session.call("get_book", {"book_id": 101}).ok
    with hostile.start(backend=backend) as session:
        told = session.call("look_for_others", {"host": {"marker": "envforge-secret-"}})
    assert told.result is not None and told.result["got"] == {}
    assert set(told.result["refused"]) == {"own source not found", "code of another environment"}


@pytest.mark.parametrize("backend", BACKENDS)
def test_workers_end_with_their_host(backend: str, hostile: Environment) -> None:
    """Also a worker that never stops by itself, when the host is killed."""
    text = "from envforge.world.environment import Environment; import sys, time\n"
    text += "session = Environment.open(sys.argv[1]).start(backend=sys.argv[2])\n"
    text += "print(session.worker_pid, flush=True)\nsession.call('endless_loop', {'host': {}})"
    command = [sys.executable, "-c", text, str(hostile.folder), backend]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        worker = int(host.stdout.readline())
        family = [worker, *children_of(host.pid)]
        watched = [os.pidfd_open(pid) for pid in family]
        host.kill()
        for descriptor in watched:
            ended(descriptor)
            os.close(descriptor)


def ended(descriptor: int) -> None:
    """Wait for the end of a process. Fails when it goes on."""
    assert select.select([descriptor], [], [], 20.0)[0], "a process outlives its host"


IMPORTS = {
    "loop": ("while True:\n    pass\n", SandboxError),
    "memory": ("HELD = 'a' * 10**10\n", ToolFault),
    "recursion": ("def f():\n    return f()\nf()\n", ToolFault),
    "exit": ("raise SystemExit(0)\n", ToolFault),
    "os_exit": ("_escape().os._exit(0)\n", SandboxError),
    "crash": ("_escape().ct.string_at(1)\n", SandboxError),
    "import": ("import os\n", ToolFault),
    "open": ("import statistics\nstatistics.sys.modules['io'].open('/etc/passwd')\n", ToolFault),
    "error_for_ever": (
        "class Odd(Exception):\n    def __str__(self):\n        while True:\n            pass\n\n\nraise Odd\n",
        SandboxError,
    ),
    "forged": ("_escape().worker().pipe.send(bytes(99))\n", SandboxError),
    "deep_source": ("x = " + "(" * 5000 + ")" * 5000 + "\n", ToolFault),
    "crash_of_the_compiler": ("x = " + "-" * 300_000 + "1\n", (ToolFault, SandboxError)),
    "giant_source": ("x = [" + "1," * 900_000 + "]\n", (ToolFault, SandboxError)),
}


@pytest.mark.parametrize("name", IMPORTS)
def test_hostile_while_it_is_loaded(name: str, tmp_path: Path, hostile: Environment) -> None:
    source, expected = IMPORTS[name]
    environment = Environment.open(write_environment(tmp_path / "library", (), more=f"\n{source}"))
    with pytest.raises(expected):
        environment.start(limits=Limits(start_seconds=1.5, memory_mb=320))
    with hostile.start() as session:
        assert session.call("get_book", {"book_id": 101}).ok


ZYGOTE = """
import os, signal, sys
from envforge.core.errors import SandboxError
from envforge.world.environment import Environment
environment = Environment.open(sys.argv[1])
session = environment.start(backend=sys.argv[2])
stat = open(f"/proc/{session.worker_pid}/stat").read()
os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)
try:
    session.call("get_book", {"book_id": 101})
except SandboxError:
    print("lost")
session.restart()
print(session.call("get_book", {"book_id": 101}).ok, environment.start().call("get_book", {"book_id": 101}).ok)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_zygote_that_died_is_replaced(backend: str, hostile: Environment) -> None:
    command = [sys.executable, "-c", ZYGOTE, str(hostile.folder), backend]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["lost", "True", "True"], done.stderr
