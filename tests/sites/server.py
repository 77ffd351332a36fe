"""A whole little web on loopback: hosts, name server and dial function, for everything that fetches or browses.

Nothing here ever dials an address that it is given: `dial` leads to this server whatever the address, and writes the
address down. `resolve` makes the hosts look public, so that the real guard decides.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.sites import pages

PUBLIC = "93.184.215.14"
OTHER = "151.101.1.69"
_HUGE = 300 << 20

_REDIRECTS = {
    "/to-boats": "/boats.html",
    "/to-other": "http://other.test/hello.html",
    "/to-unasked": "http://other.test/unasked",
    "/to-loopback": "http://127.0.0.1/",
    "/to-loopback-in-hex": "http://0x7f000001/",
    "/to-private": "http://10.0.0.5/admin",
    "/to-metadata": "http://169.254.169.254/latest/",
    "/to-ipv6": "http://[::1]/",
    "/to-inside": "http://inside.test/",
    "/to-file": "file:///etc/passwd",
    "/to-port": "http://other.test:6379/",
    "/to-credentials": "http://admin:admin@other.test/",
    "/to-private-page": "/private/log.html",
    "/to-nonsense": "http://[",
    "/to-secret": "http://other.test/hello.html?access_token=abcdef123456",
    "/loop": "/loop",
    **{f"/chain/{n}": f"/chain/{n - 1}" for n in range(1, 12)},
    "/chain/0": "/boats.html",
}


class Site:
    """The server and its name server. `asked` are the requests (host, path), `dialled` the addresses."""

    def __init__(self, tls: ssl.SSLContext, trusting: ssl.SSLContext) -> None:
        self.trusting = trusting
        """Trusts the certificate of shop.test."""
        self.answers: dict[str, list[Sequence[str]]] = {}
        """host → answers of the name server, one after another; the last one stays."""
        self.asked: list[tuple[str, str]] = []
        self.headers: list[dict[str, str]] = []
        self.resolved: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        self.counts: Counter[str] = Counter()
        self.robots: Callable[[], tuple[int, bytes]] = _usual_robots
        self.robots_packing = ""
        """What robots.txt says of how it is packed."""
        self.extra: dict[str, tuple[str, bytes]] = {}
        """Further pages: path and query → type and bytes."""
        self.gone = threading.Event()
        self._plain = self._started(None)
        self._tls = self._started(tls)

    def _started(self, tls: ssl.SSLContext | None) -> ThreadingHTTPServer:
        site = self

        class Handler(_Handler):
            the_site = site

        server = _Server(("127.0.0.1", 0), Handler)
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return server

    @property
    def port(self) -> int:
        """Where the plain server listens on loopback."""
        return self._plain.server_port

    def reset(self) -> None:
        """Forget everything, as if nobody had asked."""
        self.answers = {
            "shop.test": [[PUBLIC]],
            "other.test": [[OTHER]],
            "inside.test": [["10.0.0.5"]],
            "half.test": [[PUBLIC, "127.0.0.1"]],
            "flip.test": [[PUBLIC], ["127.0.0.1"]],
        }
        for kept in (self.asked, self.headers, self.resolved, self.dialled, self.counts, self.extra):
            kept.clear()
        self.robots, self.robots_packing = _usual_robots, ""

    def resolve(self, host: str, port: int) -> Sequence[str]:
        """The next answer for a host."""
        self.resolved.append(host)
        if host not in self.answers:
            raise OSError(-2, "Name or service not known")
        given = self.answers[host]
        return given.pop(0) if len(given) > 1 else given[0]

    def dial(self, address: str, port: int, timeout: float | None) -> socket.socket:
        """A connection to this server, whatever the address."""
        self.dialled.append((address, port))
        server = self._tls if port == 443 else self._plain
        if address not in (PUBLIC, OTHER):
            raise ConnectionRefusedError(111, "Connection refused")
        return socket.create_connection(("127.0.0.1", server.server_port), timeout)

    def close(self) -> None:
        """End the servers and every answer that is still on its way."""
        self.gone.set()
        for server in (self._plain, self._tls):
            server.shutdown()
            server.server_close()


def _usual_robots() -> tuple[int, bytes]:
    return 200, pages.ROBOTS


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up in the middle are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    the_site: Site
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site, host = self.the_site, (self.headers["Host"] or "").partition(":")[0]
        site.asked.append((host, self.path))
        site.headers.append(dict(self.headers.items()))
        site.counts[self.path] += 1
        path = urlsplit(self.path).path
        if path == "/robots.txt":
            status, body = site.robots()
            packing = {"Content_Encoding": site.robots_packing} if site.robots_packing else {}
            self.answer(status, body, "text/plain", **packing)
        elif page := (site.extra.get(self.path) or pages.PAGES.get(self.path)):
            kind, body = page
            self.answer(200, body, kind)
        elif path in _REDIRECTS:
            self.answer(302, b"", "", Location=_REDIRECTS[path])
        elif path.startswith("/status/"):
            self.answer(int(path[8:]), b"<p>An error page.</p>", pages.HTML)
        elif trouble := getattr(self, "do_" + path.strip("/").replace("-", "_").replace(".", "_"), None):
            trouble()
        else:
            self.answer(404, b"not here", "text/plain")

    def answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def stream(self, kind: str, chunks: Iterator[bytes], **headers: str) -> None:
        """An answer without a length, until the client is gone."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(OSError):
            for chunk in chunks:
                if self.the_site.gone.is_set():
                    return
                self.wfile.write(chunk)

    def do_echo(self) -> None:
        self.answer(200, json.dumps(dict(self.headers.items())).encode(), "application/json", Set_Cookie="seen=yes")

    def do_slow(self) -> None:
        """Drips for ever: never idle for long, never done."""
        self.stream("text/html", self._dripping())

    def _dripping(self) -> Iterator[bytes]:
        while True:
            yield b"."
            time.sleep(0.02)

    def do_slow_headers(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
            for chunk in self._dripping():
                if self.the_site.gone.is_set():
                    return
                self.wfile.write(chunk)

    def do_silent(self) -> None:
        self.close_connection = True
        self.the_site.gone.wait(20)

    def do_endless(self) -> None:
        self.stream("text/csv", iter(lambda: b"1,2,3\n" * 10_000, b""))

    def do_huge_csv(self) -> None:
        self.stream("text/csv", self._huge(), Content_Length=str(_HUGE))

    def do_huge_unsaid_csv(self) -> None:
        self.stream("text/csv", self._huge())

    def _huge(self) -> Iterator[bytes]:
        part = b"1,Otter\n" * 8192
        return (part for _ in range(_HUGE // len(part)))

    def do_bomb(self) -> None:
        self.answer(200, pages.gzip_bomb(), pages.HTML, Content_Encoding="gzip")

    def do_bomb_twice(self) -> None:
        self.answer(200, gzip.compress(pages.gzip_bomb()), pages.HTML, Content_Encoding="gzip, gzip")

    def do_bomb_br(self) -> None:
        self.answer(200, bytes(999), pages.HTML, Content_Encoding="br")

    def do_bomb_zip(self) -> None:
        self.answer(200, pages.zip_bomb(), "application/zip")

    def do_boats_zip(self) -> None:
        self.answer(200, pages.zipped(), "application/zip")

    def do_gzipped(self) -> None:
        body = gzip.compress(pages.PAGES["/boats.html"][1], mtime=0)
        self.answer(200, body, pages.HTML, Content_Encoding="gzip")

    def do_gzip_cut(self) -> None:
        self.answer(200, gzip.compress(bytes(5000))[:-20], pages.HTML, Content_Encoding="gzip")

    def do_gzip_lie(self) -> None:
        self.answer(200, b"plain", pages.HTML, Content_Encoding="gzip")

    def do_cut(self) -> None:
        self.stream(pages.HTML, iter([b"<p>half"]), Content_Length="5000")

    def do_part(self) -> None:
        self.answer(206, b"half", pages.HTML)

    def do_switched(self) -> None:
        self.close_connection = True
        self.wfile.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n<p>other</p>"
        )

    def do_cookie_wall(self) -> None:
        if "consent=yes" in (self.headers["Cookie"] or ""):
            self.answer(200, b"<p>Behind the wall.</p>", pages.HTML)
        else:
            self.answer(302, b"", "", Location=self.path, Set_Cookie="consent=yes; Domain=test; Path=/; HttpOnly")

    def do_remembered(self) -> None:
        page = b"<p id=p></p><script>p.textContent = document.cookie</script>"
        self.answer(200, page, pages.HTML, Set_Cookie="berth=B1; Path=/")

    def do_wall_then_other(self) -> None:
        self.answer(302, b"", "", Location="http://other.test/echo", Set_Cookie="consent=yes; Domain=test")

    def do_busy_once(self) -> None:
        if self.the_site.counts[self.path] == 1:
            self.answer(429, b"later", "text/plain", Retry_After="7")
        else:
            self.answer(200, b"<p>Now.</p>", pages.HTML)

    def do_busy_until(self) -> None:
        self.answer(503, b"later", "text/plain", Retry_After="Wed, 01 May 2024 08:30:00 GMT")

    def do_tagged(self) -> None:
        if self.headers["If-None-Match"] == '"v1"':
            self.answer(304, b"", "", ETag='"v1"')
        else:
            self.answer(200, b"<p>Version 1.</p>", pages.HTML, ETag='"v1"')

    def do_dated(self) -> None:
        date = "Wed, 01 May 2024 00:00:00 GMT"
        if self.headers["If-Modified-Since"] == date:
            self.answer(304, b"", "", Last_Modified=date)
        else:
            self.answer(200, b"<p>Of May.</p>", pages.HTML, Last_Modified=date)

    def do_unasked(self) -> None:
        self.answer(304, b"", "")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        return
