"""What is remembered from the first request for a URL to its answer, and forgotten after it."""

from __future__ import annotations

import dataclasses
import re

from envforge.core.contracts import Exchange
from envforge.web.guard import Target

_COOKIE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,256})=([!#-+\--:<-\[\]-~]{0,4096})")
_MOST_COOKIES = 50


class Visit:
    """The headers for the first origin, the answers on the way, and cookies: each for the very host that set it."""

    def __init__(self, headers: dict[str, str]) -> None:
        self._headers = headers
        self._origin: str | None = None
        self._cookies: dict[str, dict[str, str]] = {}
        self.trail: list[Exchange] = []

    def asks_for_changes(self, target: Target) -> bool:
        """True if what is sent to a URL asks for changes only."""
        return target.origin == self._origin and any(
            name.lower() in ("if-none-match", "if-modified-since") for name in self._headers
        )

    def headers_for(self, target: Target) -> dict[str, str]:
        """What is sent to a URL beside the usual."""
        self._origin = self._origin or target.origin
        sent = dict(self._headers) if target.origin == self._origin else {}
        if cookies := self._cookies.get(target.origin):
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        return sent

    def keep_cookies(self, target: Target, lines: list[str]) -> None:
        """Remember what an answer sets, until the visit is over; a malformed cookie is left out."""
        jar = self._cookies.setdefault(target.origin, {})
        for line in lines:
            found = _COOKIE.fullmatch(line.partition(";")[0].strip())
            if found and (found[1] in jar or len(jar) < _MOST_COOKIES):
                jar[found[1]] = found[2]

    def ended(self, exchange: Exchange) -> Exchange:
        """The last answer, with those on the way to it."""
        return dataclasses.replace(exchange, trail=tuple(self.trail))
