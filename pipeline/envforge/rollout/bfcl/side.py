"""The other side: a process in bfcl-eval's own environment, asked one thing at a time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

from envforge.core.errors import ConfigError, SandboxError
from envforge.store.files import parse_json

PROGRAM = Path(__file__).parent / "program.py"
LOG = "bfcl.log"
_REMEDY = "make it as docs/benchmarks.md says, and name its interpreter with --bench-python"
_MOST_LINE = 1 << 28
_PASSED = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE")


class Side:
    """Asks the process. Raises SandboxError for whatever it answers but what was asked for."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log
        self._turn = asyncio.Lock()

    async def ask(self, do: str, **what: Any) -> Any:
        """What it answers. Raises SandboxError, with its last words, when it fails or is gone."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        async with self._turn:
            try:
                process.stdin.write(json.dumps({"do": do, **what}).encode() + b"\n")
                await process.stdin.drain()
                line = await process.stdout.readline()
            except (BrokenPipeError, ConnectionResetError):
                line = b""
        if not line:
            raise SandboxError(f"ended while it was asked for {do}: {self._last()}", where="bfcl-eval", remedy=_REMEDY)
        told: Any = parse_json(line.decode())
        if "error" in told:
            raise SandboxError(f"{do}: {told['error']}", where="bfcl-eval", remedy=f"its words are in {self._log}")
        return told["ok"]

    def _last(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1][-300:] if lines else "it said nothing"


@asynccontextmanager
async def opened_side(python: Path, folder: Path, extra: Mapping[str, str]) -> AsyncGenerator[Side]:
    """The process with `folder` as its project; ended afterwards. `extra`: variables for its own loop.

    Raises ConfigError for an interpreter that is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    environment = {name: os.environ[name] for name in _PASSED if name in os.environ}
    environment |= {"BFCL_PROJECT_ROOT": str(folder.resolve()), **extra}
    with (folder / LOG).open("ab") as log:
        process = await _started(python, environment, log)
        try:
            yield Side(process, folder / LOG)
        finally:
            if process.returncode is None:
                # Not process.kill(): that may take the exit code from whoever waits for it, who then complains.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
            await process.wait()


async def _started(python: Path, environment: Mapping[str, str], log: IO[bytes]) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            str(python), "-I", str(PROGRAM), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            env=dict(environment), limit=_MOST_LINE,
        )  # fmt: skip
    except OSError as error:
        raise ConfigError(f"cannot be started: {error.strerror}", where=str(python), remedy=_REMEDY) from error


def own_python() -> Path:
    """Where docs/benchmarks.md puts it: beside the environment that envforge runs in."""
    return Path(sys.prefix).parent / ".venv-bfcl" / "bin" / "python"
