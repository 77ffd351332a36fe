"""The transport: one connection per request, to the address that the guard named, within one time limit."""

from __future__ import annotations

import contextlib
import socket
import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from functools import cache
from threading import Thread
from typing import Any

import httpcore2
import httpx2

from envforge.core.records.fetching import FetchSettings
from envforge.core.scrub import scrub
from envforge.web.guard import BlockedError, Dial, Guard, Target, system_dial
from envforge.web.live.errors import FetchError, LimitError


class GuardedTransport(httpx2.BaseTransport):
    """Sends a request only if the guard lets its URL through, and only to the address that the guard names.

    Nothing is kept open: the next request is judged, resolved and dialled anew. TLS checks the certificate against the
    host's name, not the address. Raises BlockedError, LimitError and FetchError.
    """

    def __init__(
        self,
        settings: FetchSettings | None = None,
        *,
        guard: Guard | None = None,
        dial: Dial = system_dial,
        tls: Callable[[], ssl.SSLContext] | None = None,
    ) -> None:
        self._settings = settings or FetchSettings()
        self._guard = guard or Guard()
        self._dial = dial
        self._tls = tls or _system_tls

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer; its stream must be closed."""
        target = self._guard.check(str(request.url))
        if request.url.raw_host.decode("ascii") != target.host:
            raise BlockedError(
                "the host can be read in two ways", rule="host", where=target.host, remedy="check its spelling"
            )
        where = scrub(target.url)
        deadline = Deadline(self._settings.total_seconds, where)
        address = _looked_up(self._guard, target, deadline.room(self._settings.connect_seconds))
        pool = httpcore2.ConnectionPool(
            ssl_context=self._tls() if target.scheme == "https" else None,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=_Pinned(target.host, address, self._dial, deadline),
        )
        idle, connect = self._settings.idle_seconds, self._settings.connect_seconds
        asked = httpcore2.Request(
            request.method,
            httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=request.url.raw_path),
            headers=request.headers.raw,
            content=request.stream if isinstance(request.stream, Iterable) else None,
            extensions={"timeout": {"connect": connect, "read": idle, "write": idle, "pool": connect}},
        )
        try:
            with _reported(where, deadline):
                answer = pool.handle_request(asked)
        except BaseException:
            pool.close()
            raise
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer, pool, where, deadline),
            request=request,
        )


def _looked_up(guard: Guard, target: Target, seconds: float) -> str:
    """The address to dial. The system's resolver knows no time limit: its thread is left behind where it hangs."""
    answer: Future[str] = Future()

    def ask() -> None:
        try:
            answer.set_result(guard.address(target.host, target.port))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=ask, name="resolver", daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError as error:
        message = f"the host's address was not found within {seconds:g} seconds"
        raise LimitError(message, limit="connect_seconds", where=scrub(target.url), retryable=True) from error


@cache
def _system_tls() -> ssl.SSLContext:
    # Certificates of the environment's choosing (SSL_CERT_FILE) are not trusted: a run must not depend on them.
    return httpx2.create_ssl_context(trust_env=False)


class Deadline:
    """The moment by which an answer must be whole, however busily its bytes drip."""

    def __init__(self, seconds: float, where: str) -> None:
        self._seconds, self._where = seconds, where
        self._end = time.monotonic() + seconds

    def room(self, wanted: float | None) -> float:
        """Seconds that the next step may take. Raises LimitError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left if wanted is None else min(wanted, left)

    @property
    def is_over(self) -> bool:
        """True from the moment on."""
        return time.monotonic() >= self._end

    def passed(self) -> LimitError:
        """The error that says so."""
        message = f"the answer was not whole within {self._seconds:g} seconds"
        return LimitError(message, limit="total_seconds", where=self._where, retryable=True)


class _Pinned(httpcore2.NetworkBackend):
    """Dials one address, whatever the name resolves to by now."""

    def __init__(self, host: str, address: str, dial: Dial, deadline: Deadline) -> None:
        self._host, self._address = host, address
        self._dial, self._deadline = dial, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002 - the backend's signature
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002 - as above
    ) -> httpcore2.NetworkStream:
        if host != self._host:
            raise httpcore2.ConnectError("a connection to another host was asked for")
        try:
            connection = self._dial(self._address, port, self._deadline.room(timeout))
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout("no connection in time") from error
        except OSError as error:
            raise httpcore2.ConnectError(error.strerror or str(error)) from error
        return _Stream(connection, self._deadline)


class _Stream(httpcore2.NetworkStream):
    """A socket of which no call outlasts the deadline."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = connection, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._socket.settimeout(self._deadline.room(timeout))
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout("no byte came in time") from error
        except OSError as error:
            raise httpcore2.ReadError(error.strerror or str(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._socket.settimeout(self._deadline.room(timeout))
        try:
            self._socket.sendall(buffer)
        except TimeoutError as error:
            raise httpcore2.WriteTimeout("the request was not taken in time") from error
        except OSError as error:
            raise httpcore2.WriteError(error.strerror or str(error)) from error

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        self._socket.settimeout(self._deadline.room(timeout))
        try:
            return _Stream(ssl_context.wrap_socket(self._socket, server_hostname=server_hostname), self._deadline)
        except TimeoutError as error:
            self.close()
            raise httpcore2.ConnectTimeout("no secure connection in time") from error
        except OSError as error:  # a wrong certificate too: ssl.SSLError is an OSError
            self.close()
            raise httpcore2.ConnectError(getattr(error, "verify_message", "") or str(error)) from error

    def close(self) -> None:
        self._socket.close()

    def get_extra_info(self, info: str) -> Any:  # noqa: ARG002 - HTTP/1.1 without reuse needs to know nothing
        return None


class _Body(httpx2.SyncByteStream):
    """The bytes of an answer; closing it ends the connection."""

    def __init__(
        self, answer: httpcore2.Response, pool: httpcore2.ConnectionPool, where: str, deadline: Deadline
    ) -> None:
        self._answer, self._pool = answer, pool
        self._where, self._deadline = where, deadline

    def __iter__(self) -> Iterator[bytes]:
        with _reported(self._where, self._deadline):
            yield from self._answer.iter_stream()

    def close(self) -> None:
        with contextlib.suppress(httpcore2.NetworkError, httpcore2.ProtocolError, RuntimeError):
            self._answer.close()
        self._pool.close()


@contextlib.contextmanager
def _reported(where: str, deadline: Deadline) -> Generator[None]:
    """Turn the errors of the connection into ours."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        if deadline.is_over:
            raise deadline.passed() from error
        limit = "connect_seconds" if isinstance(error, httpcore2.ConnectTimeout) else "idle_seconds"
        raise LimitError(f"the host is too slow: {error}", limit=limit, where=where, retryable=True) from error
    except httpcore2.LocalProtocolError as error:
        raise FetchError(f"cannot be asked for: {error}", where=where, remedy="check the URL and headers") from error
    except (httpcore2.NetworkError, httpcore2.RemoteProtocolError) as error:
        raise FetchError(
            f"the connection failed: {error}", where=where, remedy="try again, or check the host", retryable=True
        ) from error
