"""Runs the user's own package clients: bounded in time, with nothing secret in what they say."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envforge.core.errors import SourceError
from envforge.core.scrub import scrub

_NETWORK = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH"
    r"|EHOSTUNREACH|ENOTCACHED|\bE(?:429|5\d\d)\b|network (?:request|error|is unreachable)"
    r"|Retrying \(|NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionError|Max retries exceeded"
    r"|Temporary failure in name resolution|timed out|HTTP error (?:429|5\d\d)|\b(?:429|5\d\d) (?:Client|Server) Error"
)


@dataclass(frozen=True)
class ClientResult:
    """How a client ended. `stdout` is as it came and only to be parsed; `stderr` and `said` hold no secrets."""

    code: int
    stdout: str = field(repr=False)
    stderr: str

    @property
    def network_failed(self) -> bool:
        """True if the client says that it could not reach its registry."""
        return bool(_NETWORK.search(self.stderr) or (self.code and _NETWORK.search(self.stdout)))

    @property
    def said(self) -> str:
        """The first telling lines of the client's complaint, for a message."""
        lines = [line.strip() for line in self.stderr.splitlines()]
        telling = [line for line in lines if re.search(r"error|cannot|could not|not found|failed", line, re.IGNORECASE)]
        return " ".join((telling or [line for line in lines if line])[:3])[:400]


def run_client(
    command: Sequence[str], *, cwd: Path, timeout: float, what: str, env: Mapping[str, str] | None = None
) -> ClientResult:
    """Run a client to its end, in its own process group, without input.

    Raises:
        SourceError: it could not be started, or took longer than `timeout` seconds (then it is killed).
    """
    try:
        process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise SourceError(f"the client could not be started: {error.strerror}", where=what) from error
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        _kill(process)
        raise SourceError(
            f"the client gave no answer within {timeout:g} seconds",
            where=what,
            remedy="try again, or look at the network and proxy settings",
            retryable=True,
        ) from error
    except BaseException:  # Ctrl-C must not leave a client behind
        _kill(process)
        raise
    return ClientResult(process.returncode, stdout, scrub(stderr))


def _kill(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
    process.communicate()
