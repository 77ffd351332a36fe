"""Guard: decides which URLs may be fetched and which address is dialled for a host, before a byte leaves.

Whoever opens a connection asks `check` for each URL (redirects too) and `address` for the host, once, and dials
what it returns. As nothing is resolved a second time, a name that changes its answer gains nothing.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import idna

from envforge.core.errors import SourceError
from envforge.core.scrub import scrub
from envforge.web.addresses import dialled, parse_address, why_not_public

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""All addresses of a host (and port), as text. Raises OSError when there is none."""
Dial: TypeAlias = Callable[[str, int, float | None], socket.socket]
"""A connected TCP socket for (address, port, seconds). Raises OSError. Tests hand in one that stays on loopback."""

PORTS = (80, 443)
MAX_URL = 4096
_DEFAULT_PORT = {"http": 80, "https": 443}

_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.DOTALL)
_AUTHORITY = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]*))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# As browsers see it: a host whose last label is a number is an address, however short, octal or hexadecimal.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that mean something inside a house only.
_INSIDE = {
    *("localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan"),
    *("arpa", "onion", "i2p"),
}


class BlockedError(SourceError):
    """The guard does not let this through. `rule` says which of its rules, in a word."""

    def __init__(self, message: str, *, rule: str, where: str, remedy: str) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.rule = rule


@dataclass(frozen=True)
class Target:
    """Where a URL leads. `host` is in its ASCII form, lower case; `rest` is path and query without a fragment."""

    scheme: str
    host: str
    port: int
    rest: str = "/"

    @property
    def origin(self) -> str:
        """Scheme, host and port; the port only where it is not the scheme's own."""
        port = "" if self.port == _DEFAULT_PORT[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    @property
    def url(self) -> str:
        """The URL to ask for, in the one spelling under which it was judged."""
        return self.origin + self.rest


def system_resolve(host: str, port: int) -> Sequence[str]:
    """All addresses that the system's resolver has for a host, IPv4 first."""
    found = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_ADDRCONFIG
    )
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def system_dial(address: str, port: int, timeout: float | None) -> socket.socket:
    """Connect to an address (never a name)."""
    connection = socket.create_connection((address, port), timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Guard:
    """Lets through http and https URLs of public hosts on the given ports; everything else is a BlockedError."""

    def __init__(self, ports: Sequence[int] = PORTS, resolve: Resolve = system_resolve) -> None:
        self._ports = tuple(ports)
        self._resolve = resolve

    def check(self, url: str) -> Target:
        """Where the URL leads. Nothing is resolved here.

        Raises:
            BlockedError: it is no plain http or https URL of a named host on an allowed port.
        """
        where = _shown(url)
        if len(url) > MAX_URL:
            raise _blocked("length", f"the URL is longer than {MAX_URL} characters", where, "take a shorter one")
        if bad := next((sign for sign in url if not sign.isprintable() or sign.isspace() or sign == "\\"), None):
            raise _blocked(
                "characters", f"the URL holds {bad!r}", where, "write it percent-encoded, without blanks or controls"
            )
        found = _URL.fullmatch(url)
        scheme = found["scheme"].lower() if found else ""
        if found is None or scheme not in _DEFAULT_PORT:
            raise _blocked("scheme", "only http:// and https:// URLs are fetched", where, "give such a URL")
        authority = found["authority"]
        if "@" in authority:
            raise _blocked("credentials", "the URL holds credentials", where, "leave them out")
        parts = _AUTHORITY.fullmatch(authority)
        if parts is None:
            raise _blocked("port", "the host is followed by no port number", where, "write host or host:port")
        host = self._host(parts["host"], where)
        port = self._port(int(parts["port"][:6]) if parts["port"] else _DEFAULT_PORT[scheme], where)
        rest = found["rest"].partition("#")[0]
        return Target(scheme, host, port, rest if rest.startswith("/") else "/" + rest)

    def address(self, host: str, port: int) -> str:
        """The address to dial for a host: resolved once, and only if every answer is public.

        Raises:
            BlockedError: the host or port is none that `check` lets through, or an answer is not public.
            SourceError: the host has no address.
        """
        where = _shown(f"{host}:{port}")
        host, port = self._host(host, where), self._port(port, where)
        try:
            answers = list(self._resolve(host, port))
        except (OSError, UnicodeError) as error:
            raise _unresolved(where, getattr(error, "strerror", None) or str(error)) from error
        if not answers:
            raise _unresolved(where, "the resolver has no answer")
        addresses = [_public(answer, where) for answer in answers]
        return addresses[0]

    def _host(self, host: str, where: str) -> str:
        """The host in its ASCII form."""
        if not host:
            raise _blocked("host", "the URL names no host", where, "give a full URL")
        if host.startswith("[") or ":" in host or parse_address(host) is not None:
            raise _blocked("number", "the host is written as a number", where, "give the host's name")
        name = _ascii(host, where)
        if name.endswith("."):
            raise _blocked("dot", "the host ends in a dot", where, "leave the dot out")
        labels = name.split(".")
        if _NUMBER.fullmatch(labels[-1]):
            raise _blocked("number", "the host is written as a number", where, "give the host's name")
        if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
            raise _blocked("host", "that is not the name of a host", where, "check the spelling of the URL")
        if len(labels) == 1 or labels[-1] in _INSIDE:
            raise _blocked("inside", "the host is not one of the public web", where, "give a full public host name")
        return name

    def _port(self, port: int, where: str) -> int:
        if port not in self._ports:
            allowed = ", ".join(map(str, self._ports))
            raise _blocked("port", f"port {port} is not allowed", where, f"allowed are {allowed}")
        return port


def _ascii(host: str, where: str) -> str:
    """Lower case and, where it is not plain ASCII, as it is registered (UTS 46, IDNA 2008)."""
    lower = host.lower()
    if lower.isascii() and "xn--" not in lower:
        return lower
    try:
        return idna.encode(host, uts46=True, std3_rules=True).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError) as error:
        raise _blocked("idna", "that is not a valid international host name", where, "check its spelling") from error


def _public(answer: str, where: str) -> str:
    address = parse_address(answer)
    if address is None:
        raise _blocked(
            "address", f"it resolves to {answer[:60]!r}, which is no plain address", where, "take another host"
        )
    if reason := why_not_public(address):
        raise _blocked("address", f"it resolves to {address}: {reason}", where, "only public hosts are fetched")
    return str(dialled(address))


def _blocked(rule: str, message: str, where: str, remedy: str) -> BlockedError:
    return BlockedError(message, rule=rule, where=where, remedy=remedy)


def _unresolved(where: str, why: str) -> SourceError:
    return SourceError(
        f"the host has no address: {why}", where=where, remedy="check its spelling and the network", retryable=True
    )


def _shown(text: str) -> str:
    """For a message: without secrets, control characters or endless tails."""
    short = scrub(text[:400])
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in short)[:200]
