"""A plain client of `envforge serve`: HTTP by the standard library, one kept-open connection per episode.

server = EpisodeServer("http://127.0.0.1:8765", token)
with server.start(seed=7) as episode:
    seen = episode.call("find_orders", {"customer_id": 31})
    episode.finish({"orders": seen.result["total"]})
"""

from __future__ import annotations

import http.client
import json
import select
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast
from urllib.parse import urlsplit

from envforge.core.errors import ConfigError, SandboxError, StoreError
from envforge.world.pool.failures import EpisodeGone, PoolFull

TIMEOUT = 60.0


@dataclass(frozen=True)
class RemoteObservation:
    """What an agent sees of a call: {"result" or "error": …}, and "truncated" when it was cut."""

    body: Mapping[str, Any]

    @property
    def ok(self) -> bool:
        """False when the call was refused."""
        return "error" not in self.body

    @property
    def result(self) -> dict[str, Any] | None:
        """The result."""
        return self.body.get("result")

    @property
    def error(self) -> dict[str, Any] | None:
        """Code, message, and hint, field and allowed values where there are any."""
        return self.body.get("error")


class EpisodeServer:
    """A server and the token of those who may start episodes there.

    Every method raises SandboxError when the server cannot be reached or failed (`retryable` says whether the same
    may be tried again), PoolFull when it has no room, EpisodeGone for an episode that has ended, ConfigError for what
    the server does not take, StoreError when it could not record what was finished.
    """

    def __init__(self, url: str, token: str = "", *, timeout: float = TIMEOUT) -> None:
        """Raises ConfigError for a URL that is none."""
        self._wire = _Wire(url, token, timeout)

    def start(
        self,
        environment: str | None = None,
        *,
        task: str | None = None,
        seed: int = 0,
        ttl_seconds: float | None = None,
    ) -> RemoteEpisode:
        """A new episode. The environment may be left out when the server has one only."""
        asked = {"environment": environment, "task": task, "seed": seed, "ttl_seconds": ttl_seconds}
        told = self._wire.ask("POST", "/episodes", {name: one for name, one in asked.items() if one is not None})
        return RemoteEpisode(self._wire.twin(), told)

    def tasks(self) -> dict[str, list[dict[str, Any]]]:
        """Tasks that may be asked for, by environment."""
        return self._wire.ask("GET", "/tasks")

    def health(self) -> dict[str, Any]:
        """How many episodes are open."""
        return self._wire.ask("GET", "/health")

    def metrics(self) -> str:
        """Figures, as Prometheus reads them."""
        return self._wire.read("GET", "/metrics")[1].decode()

    def close(self) -> None:
        """Close the connection; episodes go on."""
        self._wire.close()

    def __enter__(self) -> EpisodeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RemoteEpisode:
    """A live episode on a server, for one thread. It raises as `EpisodeServer`."""

    def __init__(self, wire: _Wire, told: Mapping[str, Any]) -> None:
        self.key: str = told["episode"]
        self.mcp_url: str = told["mcp_url"]
        self.environment: str = told["environment"]
        self.seed: int = told["seed"]
        self.now: str = told["now"]
        """The World's time when it began."""
        self.instruction: str | None = told.get("instruction")
        self.answer_schema: dict[str, Any] | None = told.get("answer_schema")
        self._wire = wire
        self._over = False

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> RemoteObservation:
        """Call a tool. What the caller or the tool did wrong is in the observation."""
        self._check()
        asked = {"tool": tool, "arguments": dict(arguments or {})}
        return RemoteObservation(self._wire.ask("POST", f"/e/{self.key}/call", asked))

    def tools(self) -> list[dict[str, Any]]:
        """Name, description, parameters and annotations of every tool."""
        self._check()
        return self._wire.ask("GET", f"/e/{self.key}")["tools"]

    def finish(self, answer: Any) -> bool:
        """Hand in the answer and end the episode; True when the server recorded it."""
        self._check()
        told = self._wire.ask("POST", f"/episodes/{self.key}/finish", {"answer": answer})
        self._over = True
        self._wire.close()
        return bool(told["recorded"])

    def close(self) -> None:
        """End the episode without an answer. Nothing happens when it has ended."""
        if not self._over:
            self._over = True
            try:
                self._wire.ask("DELETE", f"/episodes/{self.key}")
            except EpisodeGone:
                pass
            finally:
                self._wire.close()

    def _check(self) -> None:
        if self._over:
            raise EpisodeGone("the episode is closed", remedy="start a new one")

    def __enter__(self) -> RemoteEpisode:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class _Wire:
    """One connection, opened when it is needed."""

    def __init__(self, url: str, token: str, timeout: float) -> None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or 80
        except ValueError as error:
            raise ConfigError(f"{url!r} is no URL", where="url", remedy="e.g. http://127.0.0.1:8765") from error
        if parts.scheme != "http" or not host:
            raise ConfigError(f"{url!r} is no http URL", where="url", remedy="e.g. http://127.0.0.1:8765")
        self._given = (url, token, timeout)
        self._connection = http.client.HTTPConnection(host, port, timeout=timeout)
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"

    def twin(self) -> _Wire:
        """A second connection to the same server."""
        return _Wire(*self._given)

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON that is answered. Raises as `EpisodeServer`."""
        status, raw, retry = self.read(method, path, body)
        try:
            told = json.loads(raw)
        except ValueError as error:
            raise SandboxError(f"the server answered {status} without JSON", retryable=status >= 500) from error
        if status >= 400:
            raise _error(status, told, retry)
        return told

    def read(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, bytes, str]:
        """Status, bytes and Retry-After of the answer. Raises SandboxError, and ConfigError for what JSON lacks."""
        try:
            data = None if body is None else json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise ConfigError(f"what is to be sent is no JSON: {error}", where=path.rpartition("/")[2]) from error
        try:
            self._ready()
            self._connection.request(method, path, data, self._headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read(), answer.headers.get("retry-after", "")
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            what = f"the server could not be asked: {error or type(error).__name__}"
            raise SandboxError(what, remedy="see whether it runs", retryable=True) from error

    def _ready(self) -> None:
        """Connected, and not to a side that has hung up: a call must not be sent twice to find out."""
        held = cast("socket.socket | None", self._connection.sock)
        if held is not None and select.select([held], [], [], 0)[0]:
            self._connection.close()
            held = None
        if held is None:
            self._connection.connect()

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def _error(status: int, told: Any, retry: str) -> ConfigError | SandboxError | StoreError:
    given = cast("dict[str, Any]", told).get("failure") if isinstance(told, dict) else None
    failure = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    message, remedy = str(failure.get("message", f"the server answered {status}")), str(failure.get("remedy", ""))
    retryable = bool(failure.get("retryable", status >= 500))
    if failure.get("code") == "no_episode":
        return EpisodeGone(message, remedy=remedy)
    if status == 429:
        return PoolFull(message, remedy=f"{remedy} ({retry} s)" if retry else remedy, retryable=True)
    if status == 507:
        return StoreError(message, remedy=remedy, retryable=True)
    return (
        ConfigError(message, remedy=remedy)
        if status < 500
        else SandboxError(message, remedy=remedy, retryable=retryable)
    )
