"""Attacks on other processes, and attempts to become more than one."""

from __future__ import annotations

from .attack import escaped, plain

_OTHERS = """
others = {"parent": k.os.getppid(), "host": host["pid"], "neighbour": host["neighbour"]}
others = {name: pid for name, pid in others.items() if pid > 1 and pid != k.os.getpid()} or {"host": host["pid"]}
"""


def _with_others(body: str) -> str:
    return f"{_OTHERS}\n{body}"


PLAIN = (
    plain("import_subprocess", "python", "import subprocess\nreturn {}", says="import of 'subprocess'"),
    plain("import_threading", "python", "import threading\nreturn {}", says="import of 'threading'"),
    plain("import_ctypes", "python", "import ctypes\nreturn {}", says="import of 'ctypes'"),
    *(
        plain(
            f"{name}_through_modules",
            "python",
            f"""
            import statistics
            os = statistics.sys.modules['os']
            return {{'x': {call}}}
            """,
            says="not allowed",
        )
        for name, call in {
            "system": "os.system('true')",
            "fork": "os.fork()",
            "kill": "os.kill(os.getppid(), 18)",
            "exec": "os.execv('/bin/true', ['true'])",
            "putenv": "os.putenv('A', 'b')",
        }.items()
    ),
)

ESCAPED = (
    escaped(
        "fork_and_clone",
        "processes",
        """
        def child(pid):
            if pid == 0:
                k.os._exit(0)
            k.os.waitpid(pid, 0)
            return pid

        k.attempt("fork", lambda: child(k.os.fork()))
        k.attempt("clone", lambda: child(k.syscall("clone", 17, 0, 0, 0, 0)))
        arguments = bytes(32) + (17).to_bytes(8, "little") + bytes(24)
        k.attempt("clone3", lambda: child(k.syscall("clone3", arguments, 64)))
        k.attempt("new user", lambda: child(k.syscall("clone", 17 | 0x10000000, 0, 0, 0, 0)))
        k.attempt("spawn", lambda: k.os.posix_spawn(k.sys.executable or "/bin/true", ["x", "-c", ""], {}))
        k.attempt("forkpty", lambda: child(k.os.forkpty()[0]))
        """,
    ),
    escaped(
        "fork_bomb",
        "processes",
        """
        def bomb():
            made = 0
            for _ in range(50):
                pid = k.os.fork()
                if pid == 0:
                    k.load("time").sleep(5)
                    k.os._exit(0)
                made += 1
                k.os.kill(pid, 9)
                k.os.waitpid(pid, 0)
            return made

        k.attempt("bomb", bomb)
        """,
    ),
    escaped(
        "execute",
        "processes",
        """
        for path in ("/bin/true", "/bin/sh", k.sys.executable or "/usr/bin/python3"):
            k.attempt(path, lambda: k.os.execv(path, ["x", "-c", ""]))
        empty = (k.ct.c_char_p * 1)()
        k.attempt("execveat of nothing", lambda: k.reached("execveat", -1, b"/none", empty, empty, 0))
        k.attempt("execve of nothing", lambda: k.reached("execve", b"/none", empty, empty))
        """,
        bite="replaced",
    ),
    escaped(
        "execute_memory_file",
        "processes",
        """
        def memory_file():
            number = k.syscall("memfd_create", b"attack", 0)
            k.os.write(number, b"#!/bin/true")
            return [number]

        k.attempt("memfd_create", memory_file)
        k.attempt("memfd_secret", lambda: [k.syscall("memfd_secret", 0)])
        """,
    ),
    escaped(
        "thread",
        "processes",
        """
        def later():
            while True:
                k.got["still here"] = True
                k.load("time").sleep(0.01)

        k.attempt("thread", lambda: k.load("_thread").start_new_thread(later, ()))
        stack = k.ct.create_string_buffer(65536)
        flags = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000
        k.attempt("clone of a thread", lambda: k.syscall("clone", flags, 0, 0, 0, 0) and False)
        """,
    ),
    escaped(
        "signal_others",
        "processes",
        _with_others("""
for name, pid in others.items():
    k.attempt(f"kill {name}", lambda: k.os.kill(pid, 0) is None)
    k.attempt(f"CONT {name}", lambda: k.os.kill(pid, 18) is None)
    k.attempt(f"tkill {name}", lambda: k.syscall("tkill", pid, 0) == 0)
    k.attempt(f"tgkill {name}", lambda: k.syscall("tgkill", pid, pid, 0) == 0)
    k.attempt(f"queue {name}", lambda: k.reached("rt_sigqueueinfo", pid, 18, 0))
    k.attempt(f"pidfd {name}", lambda: k.syscall("pidfd_send_signal", k.syscall("pidfd_open", pid, 0), 0, 0, 0) == 0)
    k.attempt(f"group of {name}", lambda: k.os.killpg(pid, 0) is None)
k.attempt("everybody", lambda: k.os.kill(-1, 0) is None)

def siblings():
    found = []
    for pid in range(1, 500):
        try:
            k.os.kill(pid, 0)
            found += [pid] if pid != k.os.getpid() else []
        except (ProcessLookupError, PermissionError):
            pass
    return found

k.attempt("siblings", siblings)
"""),
    ),
    escaped(
        "trace_others",
        "processes",
        _with_others("""
for name, pid in others.items():
    def seize():
        k.syscall("ptrace", 0x4206, pid, 0, 0)
        return True

    k.attempt(f"ptrace {name}", seize)
    local = (k.ct.c_size_t * 2)(k.ct.addressof(k.ct.create_string_buffer(8)), 8)
    remote = (k.ct.c_size_t * 2)(k.builtins.id(k), 8)
    k.attempt(f"read memory of {name}", lambda: k.reached("process_vm_readv", pid, local, 1, remote, 1, 0))
    k.attempt(f"write memory of {name}", lambda: k.reached("process_vm_writev", pid, local, 0, remote, 0, 0))
    k.attempt(f"compare {name}", lambda: k.reached("kcmp", pid, pid, 0, 0, 0))
    k.attempt(f"take a descriptor of {name}", lambda: k.syscall("pidfd_getfd", k.syscall("pidfd_open", pid, 0), 0, 0))
    k.attempt(f"limits of {name}", lambda: k.syscall("prlimit64", pid, 7, 0, bytes(16)) == 0)
    k.attempt(f"move pages of {name}", lambda: k.reached("move_pages", pid, 0, 0, 0, 0, 0))
k.attempt("be traced", lambda: k.syscall("ptrace", 0, 0, 0, 0) == 0)
"""),
    ),
    escaped(
        "leave_the_group",
        "calls",
        """
        k.attempt("setsid", lambda: k.os.setsid() is None)
        k.attempt("setpgid", lambda: k.os.setpgid(0, 0) is None)
        k.attempt("death signal", lambda: k.call("prctl", 1, 0, 0, 0, 0) == 0)
        k.attempt("subreaper", lambda: k.call("prctl", 36, 1, 0, 0, 0) == 0)
        """,
    ),
)
