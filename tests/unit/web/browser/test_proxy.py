"""The proxy without a browser: what it passes on, and all that it does not."""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from envforge.core.records.browse import BrowseLimits, ProxyDecision
from envforge.store.record_lines import read_records
from envforge.web.browser.decisions import PROXY_NAME, DecisionLog
from envforge.web.browser.proxy import MARK, Proxy
from envforge.web.browser.proxy_request import MAX_HEAD, BadRequest, answer_head, parse_request

NOW = "2024-05-01T08:00:00Z"
PINNED = {("shop.test", 80, False): "93.184.215.14", ("shop.test", 443, True): "93.184.215.14"}
Talk = Callable[["Held"], Awaitable[None]]


def _route(host: str, port: int, *, tunnel: bool) -> str | None:
    return PINNED.get((host, port, tunnel))


class Held:
    """A proxy whose connections all lead to an echoing site on loopback."""

    def __init__(self, folder: Path, **limits: float) -> None:
        self.log = DecisionLog(folder / PROXY_NAME)
        self.dialled: list[tuple[str, int]] = []
        self.got: list[bytes] = []
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi"
        self.folder = folder
        self.site_port = 0
        self.proxy = Proxy(
            _route,
            self.dial,
            self.log,
            clock=lambda: NOW,
            limits=BrowseLimits.model_validate({"idle_seconds": 5, **limits}),
            secret=lambda: "s3cret",
        )
        self.at = ""

    def dial(self, address: str, port: int, timeout: float | None) -> socket.socket:
        self.dialled.append((address, port))
        return socket.create_connection(("127.0.0.1", self.site_port), timeout)

    async def site(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            self.got.append(await reader.read(1 << 16))
            writer.write(self.answer)
            await writer.drain()

    async def say(self, request: bytes) -> bytes:
        host, _, port = self.at.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(request)
        try:
            return await asyncio.wait_for(reader.read(), 5)
        finally:
            writer.close()
            await writer.wait_closed()

    def decisions(self) -> list[tuple[str, str]]:
        records = read_records(self.folder / PROXY_NAME, ProxyDecision, "")
        return [(record.verdict, record.rule) for record in records]


def _with(held: Held, talk: Talk) -> None:
    async def run() -> None:
        site = await asyncio.start_server(held.site, "127.0.0.1", 0)
        held.site_port = site.sockets[0].getsockname()[1]
        held.at = await held.proxy.start()
        try:
            await talk(held)
        finally:
            await held.proxy.stop()
            site.close()
            await site.wait_closed()

    asyncio.run(run())


def _secret(word: str = "s3cret") -> str:
    return "Proxy-Authorization: Basic " + base64.b64encode(f"envforge:{word}".encode()).decode() + "\r\n"


def test_a_plain_request_goes_on_without_what_is_meant_for_the_proxy(tmp_path: Path) -> None:
    held = Held(tmp_path)

    async def talk(held: Held) -> None:
        said = await held.say(
            b"POST http://shop.test/a?b=1 HTTP/1.1\r\nHost: evil.test\r\nProxy-Connection: keep-alive\r\n"
            b"Content-Length: 3\r\nX-Own: yes\r\n"
            + _secret().encode()
            + b"\r\nabcGET http://second.test/ HTTP/1.1\r\n\r\n"
        )
        assert said == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"

    _with(held, talk)
    (got,) = held.got
    assert got == (
        b"POST /a?b=1 HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 3\r\nX-Own: yes\r\nConnection: close\r\n\r\nabc"
    ), "its own host, no secret, no second request"
    assert held.dialled == [("93.184.215.14", 80)] and held.decisions() == [("allowed", "")]


def test_a_tunnel_is_opaque(tmp_path: Path) -> None:
    held = Held(tmp_path)
    held.answer = b"\x16\x03\x01 not ours to read"

    async def talk(held: Held) -> None:
        host, _, port = held.at.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"CONNECT shop.test:443 HTTP/1.1\r\n{_secret()}\r\n".encode())
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"
        writer.write(b"\x16\x03\x01 hello")
        assert await reader.read() == held.answer
        writer.close()
        await writer.wait_closed()

    _with(held, talk)
    assert held.got == [b"\x16\x03\x01 hello"] and held.dialled == [("93.184.215.14", 443)]


@pytest.mark.parametrize(
    ("request_line", "secret", "status", "decision"),
    [
        ("CONNECT news.test:443", "s3cret", 403, ("denied", "unasked")),
        ("GET http://news.test/", None, 403, ("denied", "unasked")),
        ("CONNECT shop.test:80", "s3cret", 403, ("denied", "unasked")),
        ("GET http://shop.test:443/", "s3cret", 403, ("denied", "unasked")),
        ("GET http://127.0.0.1/", "s3cret", 403, ("denied", "unasked")),
        ("CONNECT [::1]:443", "s3cret", 403, ("denied", "unasked")),
        ("GET http://shop.test/", "guessed", 403, ("denied", "secret")),
        ("GET http://shop.test/", None, 407, ("challenged", "secret")),
        ("GET /", "s3cret", 400, ("denied", "request")),
        ("GET https://shop.test/", "s3cret", 400, ("denied", "request")),
        ("GET http://a@shop.test/", "s3cret", 400, ("denied", "request")),
        ("CONNECT shop.test", "s3cret", 400, ("denied", "request")),
    ],
)
def test_everything_else_is_denied_and_written_down(
    tmp_path: Path, request_line: str, secret: str | None, status: int, decision: tuple[str, str]
) -> None:
    held = Held(tmp_path)
    head = f"{request_line} HTTP/1.1\r\nHost: shop.test\r\n" + (_secret(secret) if secret else "") + "\r\n"

    async def talk(held: Held) -> None:
        said = await held.say(head.encode())
        assert said.startswith(f"HTTP/1.1 {status} ".encode()) and f"{MARK}: s3cret".encode() in said

    _with(held, talk)
    assert not held.dialled and held.decisions() == [decision]
    assert sum(held.log.denied.values()) == (decision[0] == "denied")


def test_a_site_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    held = Held(tmp_path)

    async def talk(held: Held) -> None:
        held.site_port = 1  # nobody listens there
        said = await held.say(f"GET http://shop.test/ HTTP/1.1\r\n{_secret()}\r\n".encode())
        assert said.startswith(b"HTTP/1.1 502 ") and b"cannot be reached: Connection refused" in said

    _with(held, talk)
    assert held.decisions() == [("failed", "dial")]


def test_a_run_has_so_many_bytes(tmp_path: Path) -> None:
    held = Held(tmp_path, total_bytes=200)
    held.answer = b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000

    async def talk(held: Held) -> None:
        request = f"GET http://shop.test/ HTTP/1.1\r\n{_secret()}\r\n".encode()
        assert len(await held.say(request)) < 5000
        assert (await held.say(request)).startswith(b"HTTP/1.1 503 ")

    _with(held, talk)
    assert held.decisions() == [("allowed", ""), ("denied", "limit")]


def test_a_site_whose_head_has_no_end_costs_its_connection_only(tmp_path: Path) -> None:
    held = Held(tmp_path)
    held.answer = b"HTTP/1.1 200 OK\r\nX: " + b"x" * (MAX_HEAD + 1024)
    unhandled: list[object] = []

    async def talk(held: Held) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
        assert await held.say(f"GET http://shop.test/ HTTP/1.1\r\n{_secret()}\r\n".encode()) == b""

    _with(held, talk)
    assert not unhandled


def test_a_silent_site_is_not_waited_for(tmp_path: Path) -> None:
    held = Held(tmp_path, idle_seconds=0.05)

    async def talk(held: Held) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()  # until the proxy hangs up
            writer.close()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        held.site_port = server.sockets[0].getsockname()[1]
        assert await held.say(f"GET http://shop.test/ HTTP/1.1\r\n{_secret()}\r\n".encode()) == b""
        server.close()

    _with(held, talk)


@pytest.mark.parametrize(
    "head",
    [
        "GET http://shop.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET http://shop.test/ HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        "GET http://shop.test/ HTTP/1.1\r\nContent-Length: +3\r\n\r\n",
        "GET http://shop.test/ HTTP/1.1\r\nno colon\r\n\r\n",
        "GET http://shop.test/ HTTP/1.1\r\n folded: x\r\n\r\n",
        "GET http://shop.test/#x HTTP/1.1\r\n\r\n",
        "GET http://shop.test/ a HTTP/1.1\r\n\r\n",
        "GET http://shop.test/ HTTP/2\r\n\r\n",
        "get http://shop.test/ HTTP/1.1\r\n\r\n",
        "GET http://shop.test:99999999/ HTTP/1.1\r\n\r\n",
        "\r\n\r\n",
    ],
)
def test_what_can_be_read_in_two_ways_is_not_read(head: str) -> None:
    with pytest.raises(BadRequest):
        parse_request(head.encode())


def test_the_secret_is_shown_nowhere() -> None:
    request = parse_request(f"GET http://shop.test HTTP/1.1\r\n{_secret()}\r\n".encode())
    assert request.path == "/" and "Basic" not in repr(request) and b"Basic" not in request.head()
    assert answer_head(b"HTTP/1.1 200 OK\r\nKeep-Alive: 5\r\nA: b\r\n\r\n") == (
        b"HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n\r\n"
    )
