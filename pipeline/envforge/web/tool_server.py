"""ToolServerFetcher: asks a server of the Model Context Protocol which tools it has.

Starting a server runs a stranger's program. So only commands that the user wrote on the command line are started,
never those of a catalogue; the program gets no secrets of ours, a scratch home, a time limit and an end.
Tools are listed, none is ever called.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Collection, Generator, Sequence
from pathlib import Path
from typing import Any, cast

from envforge.core.contracts import Fetched
from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.source import Anchor, Licence
from envforge.core.scrub import scrub
from envforge.web.sources import Clock, make_fetched, utc_now
from envforge.web.spec import parse_spec

TIMEOUT = 60.0
"""Seconds in which a server must have answered everything."""
MAX_OUTPUT = 32 * 2**20
MAX_PAGES = 200
_PROTOCOL = "2025-06-18"
_REMEDY = "run the command yourself to see what it says; a server that needs a key cannot be read this way"


class ToolServerFetcher:
    """Fetches `mcp:COMMAND LINE` for the specs in `allowed`, which are those the user named himself."""

    def __init__(self, allowed: Collection[str], *, clock: Clock = utc_now, timeout: float = TIMEOUT) -> None:
        self._allowed = frozenset(allowed)
        self._clock = clock
        self._timeout = timeout

    def accepts(self, spec: str) -> bool:
        """True for mcp: specs; whether one may be started is decided when it is fetched."""
        try:
            return parse_spec(spec).kind == "mcp"
        except ConfigError:
            return False

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """The tool list as one JSON file.

        Raises:
            ConfigError: the command was not named by the user.
            SourceError: it cannot be started, does not answer in time, or answers garbage. No process stays behind.
        """
        where = scrub(anchor.spec)[:200]
        if anchor.spec not in self._allowed:
            raise ConfigError(
                "a catalogue may not start a program", where=where, remedy="name the server yourself: --source 'mcp:…'"
            )
        command = shlex.split(parse_spec(anchor.spec).name)
        with (
            tempfile.TemporaryDirectory(prefix="envforge-mcp-") as home,
            _started(command, Path(home), where) as process,
        ):
            conversation = _Conversation(process, time.monotonic() + self._timeout, self._timeout, where)
            server, tools = _listed(conversation)
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", str(server.get("name") or "server")).strip("-.")[:80] or "server"
        version = str(server.get("version") or "")[:40]
        body = json.dumps({"server": {"name": name, "version": version}, "tools": tools}, indent=1, ensure_ascii=False)
        return [
            make_fetched(
                (body + "\n").encode("utf-8", "replace"),
                url=f"mcp:{name}" + (f"@{version}" if version else ""),
                url_status="none: told by a running server",
                retrieved_at=self._clock(),
                mime="application/json",
                path=f"{name}.tools.json",
                title=f"Tools of {name}",
                licence=anchor.licence or Licence(status="unstated", evidence="a tool list states no licence"),
            )
        ]


@contextlib.contextmanager
def _started(command: Sequence[str], home: Path, where: str) -> Generator[subprocess.Popen[bytes]]:
    """The server's process in a group of its own; the group, and what left it, is killed at the end."""
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LANG": "C.UTF-8"}
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or str(error)
        raise SourceError(
            f"the server cannot be started: {what}", where=where, remedy="give the command as a shell would find it"
        ) from error
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for pid in _strays(home):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        process.wait()


def _strays(home: Path) -> list[int]:
    """Processes that left the group: they still have our scratch home in their environment (Linux)."""
    mark = b"HOME=" + str(home).encode()
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


class _Conversation:
    """JSON-RPC over the pipes of a process, within one time limit and one limit of bytes."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float, allowed: float, where: str) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._deadline, self._allowed, self.where = deadline, allowed, where
        self._room = MAX_OUTPUT
        self._rest = bytearray()
        self._number = 0
        os.set_blocking(self._out.fileno(), False)
        os.set_blocking(self._in.fileno(), False)

    def tell(self, method: str, parameters: dict[str, Any] | None = None, number: int | None = None) -> None:
        """Send a message; one without a number awaits no answer."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if number is not None:
            message["id"] = number
        if parameters is not None:
            message["params"] = parameters
        data = json.dumps(message).encode() + b"\n"
        while data:
            self._wait(self._in, selectors.EVENT_WRITE)
            try:
                data = data[os.write(self._in.fileno(), data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise self._ended() from error

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result; what else the server says meanwhile is passed over."""
        self._number += 1
        self.tell(method, parameters, self._number)
        while True:
            line = self._line()
            try:
                message: Any = json.loads(line)
            except (ValueError, RecursionError):
                continue  # servers log on their standard output although they must not
            if not isinstance(message, dict) or cast("dict[str, Any]", message).get("id") != self._number:
                continue
            answer = cast("dict[str, Any]", message)
            if "method" in answer:
                continue
            if "error" in answer or not isinstance(answer.get("result"), dict):
                told = scrub(json.dumps(answer.get("error"))[:200])
                raise SourceError(f"the server refuses {method}: {told}", where=self.where, remedy=_REMEDY)
            return answer["result"]

    def _line(self) -> bytes:
        end, looked = self._rest.find(b"\n"), len(self._rest)
        while end < 0:
            self._wait(self._out, selectors.EVENT_READ)
            try:
                chunk = os.read(self._out.fileno(), 65_536)
            except BlockingIOError:
                continue
            if not chunk:
                raise self._ended()
            self._room -= len(chunk)
            if self._room < 0:
                raise SourceError(f"the server says more than {MAX_OUTPUT:,} bytes", where=self.where, remedy=_REMEDY)
            self._rest += chunk
            end, looked = self._rest.find(b"\n", looked), len(self._rest)
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return line

    def _wait(self, stream: Any, event: int) -> None:
        left = self._deadline - time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(stream, event)
            if left <= 0 or not selector.select(left):
                raise SourceError(
                    f"the server did not answer within {self._allowed:g} seconds and was ended",
                    where=self.where,
                    remedy=_REMEDY,
                    retryable=True,
                )

    def _ended(self) -> SourceError:
        return SourceError("the server ended before it answered", where=self.where, remedy=_REMEDY)


def _listed(conversation: _Conversation) -> tuple[dict[str, Any], list[Any]]:
    """What the server calls itself, and its tools over all pages."""
    client = {"name": "envforge", "version": "1"}
    hello = conversation.ask("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client})
    conversation.tell("notifications/initialized")
    tools: list[Any] = []
    asked: dict[str, Any] = {}
    for _ in range(MAX_PAGES):
        page = conversation.ask("tools/list", asked)
        listed: Any = page.get("tools")
        tools += cast("list[Any]", listed) if isinstance(listed, list) else []
        cursor: Any = page.get("nextCursor")
        if not isinstance(cursor, str) or not cursor:
            server: Any = hello.get("serverInfo")
            return (cast("dict[str, Any]", server) if isinstance(server, dict) else {}), tools
        asked = {"cursor": cursor}
    raise SourceError(f"the list of tools has more than {MAX_PAGES} pages", where=conversation.where, remedy=_REMEDY)
