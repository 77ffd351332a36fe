"""The browser's only way out: a proxy on loopback that denies whatever no page was given leave to ask for."""

from __future__ import annotations

import asyncio
import base64
import hmac
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress

from envforge.core.records.browse import BrowseLimits, ProxyDecision
from envforge.web.browser.decisions import DecisionLog
from envforge.web.browser.proxy_request import MAX_HEAD, BadRequest, ProxyRequest, answer_head, parse_request
from envforge.web.browser.relay import Budget, OverBudget, relay
from envforge.web.guard import Dial
from envforge.web.sources import Clock

MARK = "X-Envforge-Proxy"
"""Header of answers that come from the proxy itself; its value is the run's secret, which no site knows."""
USER = "envforge"
_HEAD_SECONDS = 10.0


class Proxy:
    """Dials the address that `route(host, port, tunnel=…)` gives, and nothing without one.

    Tunnels (CONNECT) are opaque: what is in them is between the page and the site. Plain requests are passed on one a
    connection, without the headers that are meant for the proxy. A connection without the run's secret, or to a host
    that no page asked for, gets an answer and no more; the browser's own traffic is all of that kind.
    """

    def __init__(
        self,
        route: Callable[..., str | None],
        dial: Dial,
        log: DecisionLog,
        *,
        clock: Clock,
        limits: BrowseLimits,
        secret: Callable[[], str] = lambda: secrets.token_hex(24),
    ) -> None:
        self._route = route
        self._dial = dial
        self._log = log
        self._clock = clock
        self._limits = limits
        self.secret = secret()
        self._budget = Budget(limits.total_bytes)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Listen on a free port of loopback; returns host:port."""
        # With protocol 0 asyncio would leave Nagle's delay on.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.bind(("127.0.0.1", 0))
        self._server = await asyncio.start_server(self._serve, sock=listener, limit=MAX_HEAD)
        host, port = listener.getsockname()
        return f"{host}:{port}"

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    @property
    def exhausted(self) -> bool:
        """True when the run has used up its bytes."""
        return self._budget.left <= 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._handle(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, OverBudget):
            pass  # the page is told by the connection that ends; what was decided is in the log
        except asyncio.CancelledError:
            pass  # only `stop` cancels, and it waits for nothing but the end
        finally:
            self._open.discard(task)
            writer.close()
            with suppress(ConnectionError, TimeoutError):
                await writer.wait_closed()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                request = parse_request(await reader.readuntil(b"\r\n\r\n"))
        except (BadRequest, asyncio.LimitOverrunError) as error:
            self._note("denied", "request", ProxyRequest("?", "?", 0))
            await self._answer(writer, 400, f"this is no request for a proxy: {error}")
            return
        address = await self._judge(request, writer)
        if address is None:
            return
        try:
            connection = await asyncio.to_thread(self._dial, address, request.port, self._limits.dial_seconds)
        except OSError as error:
            self._note("failed", "dial", request)
            await self._answer(writer, 502, f"the site cannot be reached: {error.strerror or type(error).__name__}")
            return
        connection.setblocking(False)
        there, back = await asyncio.open_connection(sock=connection, limit=MAX_HEAD)
        self._note("allowed", "", request)
        try:
            await self._pass_on(request, (reader, writer), (there, back))
        finally:
            back.close()
            with suppress(ConnectionError, TimeoutError):
                await back.wait_closed()

    async def _judge(self, request: ProxyRequest, writer: asyncio.StreamWriter) -> str | None:
        """The address to dial; None when the request was answered here."""
        address = self._route(request.host, request.port, tunnel=request.tunnel)
        if address is None:
            self._note("denied", "unasked", request)
            await self._answer(writer, 403, "no page was given leave to ask this host")
        elif request.authorization is None:
            # The browser sends the secret when it is asked for it; pages are the only ones that have it.
            self._note("challenged", "secret", request)
            await self._answer(writer, 407, "say the secret", {"Proxy-Authenticate": 'Basic realm="envforge"'})
        elif not self._knows(request.authorization):
            self._note("denied", "secret", request)
            await self._answer(writer, 403, "that is not the secret of this run")
        elif self.exhausted or len(self._open) > self._limits.connections:
            self._note("denied", "limit", request)
            await self._answer(writer, 503, "the run has used up its bytes or connections")
        else:
            return address
        return None

    def _knows(self, authorization: str) -> bool:
        expected = "Basic " + base64.b64encode(f"{USER}:{self.secret}".encode()).decode()
        return hmac.compare_digest(authorization.encode(), expected.encode())

    async def _pass_on(
        self,
        request: ProxyRequest,
        page: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        site: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        idle = self._limits.idle_seconds
        if request.tunnel:
            page[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            # Silence counts downwards only: a page may have nothing to say for as long as the site sends.
            up = asyncio.create_task(relay(page[0], site[1], None, self._budget))
            down = asyncio.create_task(relay(site[0], page[1], idle, self._budget))
            try:
                await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            finally:
                up.cancel()
                down.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
            return
        site[1].write(request.head())
        await relay(page[0], site[1], idle, self._budget, exactly=request.length)
        async with asyncio.timeout(idle):
            head = await site[0].readuntil(b"\r\n\r\n")
        page[1].write(answer_head(head))
        await relay(site[0], page[1], idle, self._budget)

    async def _answer(
        self, writer: asyncio.StreamWriter, status: int, text: str, headers: dict[str, str] | None = None
    ) -> None:
        body = (text + "\n").encode()
        lines = [f"HTTP/1.1 {status} envforge", f"{MARK}: {self.secret}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        lines += ["Content-Type: text/plain; charset=utf-8", f"Content-Length: {len(body)}", "", ""]
        writer.write("\r\n".join(lines).encode() + body)
        await writer.drain()

    def _note(self, verdict: str, rule: str, request: ProxyRequest) -> None:
        decision = {"verdict": verdict, "rule": rule, "method": request.method, "host": request.host}
        self._log.note(ProxyDecision.model_validate({**decision, "port": request.port, "at": self._clock()}))
