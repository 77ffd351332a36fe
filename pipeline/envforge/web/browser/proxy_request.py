"""The head of what a browser sends to a proxy, read strictly, and what of it is passed on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_HEAD = 128 << 10
_LINE = re.compile(r"([A-Z]{1,20}) (\S{1,32768}) HTTP/1\.[01]")
_TUNNEL = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s\[\]/?#@:]+):([0-9]{1,5})")
_PLAIN = re.compile(r"http://(\[[0-9a-fA-F:.]+\]|[^\s\[\]/?#@:]+)(?::([0-9]{1,5}))?(/[^\s#]*|\?[^\s#]*)?")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\x00]*)")
_HOP = {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer", "upgrade", "host"}


class BadRequest(Exception):
    """The bytes are no request that a proxy passes on."""


@dataclass(frozen=True)
class ProxyRequest:
    """A request for a tunnel, or a plain one with the headers that go on to the site."""

    method: str
    host: str
    port: int
    path: str = "/"
    headers: tuple[tuple[str, str], ...] = ()
    authorization: str | None = field(default=None, repr=False)
    length: int = 0

    @property
    def tunnel(self) -> bool:
        """True for CONNECT."""
        return self.method == "CONNECT"

    def head(self) -> bytes:
        """The head as the site gets it: its own host, one request a connection."""
        host = self.host if self.port == 80 else f"{self.host}:{self.port}"
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: {host}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1")


def parse_request(head: bytes) -> ProxyRequest:
    """Read a head.

    Raises:
        BadRequest: it is none, or one that could be read in two ways.
    """
    line, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    found = _LINE.fullmatch(line)
    if found is None:
        raise BadRequest("the request line cannot be read")
    headers = [_header(text) for text in rest]
    names = [name.lower() for name, _ in headers]
    if "transfer-encoding" in names:
        raise BadRequest("a body without a stated length is not passed on")
    authorization = next((value for name, value in headers if name.lower() == "proxy-authorization"), None)
    method, target = found.groups()
    if method == "CONNECT":
        place = _TUNNEL.fullmatch(target)
        if place is None:
            raise BadRequest("CONNECT takes host:port")
        return ProxyRequest(method, place[1].lower(), int(place[2]), authorization=authorization)
    place = _PLAIN.fullmatch(target)
    if place is None:
        raise BadRequest("the address is not http://host/path")
    path = place[3] or "/"
    return ProxyRequest(
        method,
        place[1].lower(),
        int(place[2] or 80),
        path if path.startswith("/") else "/" + path,
        tuple((name, value) for name, value in headers if name.lower() not in _HOP),
        authorization,
        _length([value for name, value in headers if name.lower() == "content-length"]),
    )


def answer_head(head: bytes) -> bytes:
    """The head of a site's answer as the page gets it: one answer a connection."""
    line, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    kept = [text for text in rest if text.partition(":")[0].strip().lower() not in _HOP]
    return "\r\n".join([line, *kept, "Connection: close", "", ""]).encode("latin-1")


def _header(text: str) -> tuple[str, str]:
    found = _HEADER.fullmatch(text)
    if found is None:
        raise BadRequest("a header cannot be read")
    return found[1], found[2]


def _length(values: list[str]) -> int:
    if len(set(values)) > 1 or not all(re.fullmatch(r"[0-9]{1,12}", value) for value in values):
        raise BadRequest("the length of the body is not one number")
    return int(values[0]) if values else 0
