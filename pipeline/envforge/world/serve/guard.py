"""Who may ask: against pages that a browser shows (DNS rebinding), and for those who hold the token."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from envforge.world.serve.exchange import Exchange, Refusal
from envforge.world.serve.keys import Token


class Guard:
    """Checks Host and Origin of every request, and the bearer token of some."""

    def __init__(self, token: str, *, host: str) -> None:
        """`host`: the address that is listened on."""
        self._token = Token(token)
        self._loopback = is_loopback(host)

    def check(self, exchange: Exchange) -> None:
        """Raises Refusal for a request that a foreign page sends, or that is meant for another host.

        Browsers alone send Origin; programs never do. A page whose name was bound to this machine's address sends its
        own name as Host: on loopback only loopback's names are taken.
        """
        origin = exchange.header(b"origin")
        if origin is not None and not is_loopback(_host_of(origin)):
            raise Refusal(403, "foreign_origin", "pages of other sites may not ask this server")
        host = exchange.header(b"host") or ""
        if self._loopback and not is_loopback(_host_of(f"//{host}")):
            raise Refusal(421, "foreign_host", "the Host header names another host than this one")

    def check_token(self, exchange: Exchange) -> None:
        """Raises Refusal unless the request brings the token."""
        scheme, _, given = (exchange.header(b"authorization") or "").partition(" ")
        if scheme.lower() != "bearer" or not self._token.fits(given.strip()):
            what = "the server's token is wrong or missing"
            remedy = "send the header Authorization: Bearer TOKEN"
            raise Refusal(401, "no_token", what, remedy=remedy, headers={"www-authenticate": "Bearer"})


def is_loopback(host: str) -> bool:
    """True for the names and addresses by which a machine calls itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
