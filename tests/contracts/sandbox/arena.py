"""The outside that attacks aim at, and the evidence that none of them arrived."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
from pathlib import Path
from typing import Any

from .attacks.environment import LIBRARY

MARKER = "envforge-secret-"


class Arena:
    """A file, a folder and sockets of the host that anybody may reach, and a secret in its environment."""

    def __init__(self, folder: Path) -> None:
        self.secret = MARKER + secrets.token_hex(16)
        self.folder = folder / "reach"
        self.folder.mkdir()
        self.canary = self.folder / "canary.txt"
        self.canary.write_text(self.secret, encoding="utf-8")
        self.link = self.folder / "link"
        self.link.symlink_to("/etc/passwd")
        for place, mode in ((folder, 0o755), (self.folder, 0o777), (self.canary, 0o666)):
            place.chmod(mode)
        self._abstract = f"envforge-{secrets.token_hex(8)}"
        self._listeners = {
            "tcp": self._listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": self._listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "abstract": self._listener(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self._abstract}"),
            "unix": self._listener(socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / "s")),
        }
        (self.folder / "s").chmod(0o777)
        os.environ["ENVFORGE_TEST_SECRET"] = self.secret
        self._before = self._look()

    def facts(self, neighbour: int) -> dict[str, Any]:
        """What the attacker is told: where everything is, never the secret itself."""
        return {
            "marker": MARKER,
            "canary": str(self.canary),
            "folder": str(self.folder),
            "link": str(self.link),
            "checkout": str(LIBRARY / "environment.json"),
            "pid": os.getpid(),
            "neighbour": neighbour,
            "tcp": self._listeners["tcp"].getsockname()[1],
            "udp": self._listeners["udp"].getsockname()[1],
            "abstract": self._abstract,
            "unix": str(self.folder / "s"),
        }

    def traces(self) -> list[str]:
        """What an attack left outside; empty when nothing arrived."""
        found = [f"{name}: somebody came" for name, one in self._listeners.items() if _visited(one)]
        return found + ([] if self._look() == self._before else [f"the folder is changed: {self._look()}"])

    def close(self) -> None:
        """Take it down."""
        os.environ.pop("ENVFORGE_TEST_SECRET", None)
        for one in self._listeners.values():
            one.close()

    @staticmethod
    def _listener(family: int, kind: int, address: Any) -> socket.socket:
        listener = socket.socket(family, kind)
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen(8)
        listener.setblocking(False)
        return listener

    def _look(self) -> dict[str, tuple[Any, ...]]:
        """Every file of the folder: kind and mode, owner, size, times, content."""
        seen: dict[str, tuple[Any, ...]] = {}
        for path in sorted(self.folder.iterdir()):
            status = path.lstat()
            content = path.read_bytes() if path == self.canary else b""
            times = (status.st_mtime_ns, status.st_ctime_ns)
            seen[path.name] = (status.st_mode, status.st_uid, status.st_size, status.st_nlink, times, content)
        return seen


def _visited(listener: socket.socket) -> bool:
    with contextlib.suppress(BlockingIOError):
        if listener.type == socket.SOCK_DGRAM:
            listener.recv(64)
        else:
            listener.accept()[0].close()
        return True
    return False


def children_of(pid: int) -> list[int]:
    """Processes whose parent is `pid`."""
    found: list[int] = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError):
                # The name in brackets may hold anything; the parent is the second field behind it.
                fields = (place / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                if int(fields[1]) == pid:
                    found.append(int(place.name))
    return found


def running(pid: int) -> bool:
    """True while a process has that number, zombies aside."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in ("Z", "X")
