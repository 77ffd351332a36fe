"""Pins: the hosts that pages were allowed to ask for, each with the one address that is dialled for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from envforge.web.browser.errors import RefusedError
from envforge.web.guard import Guard, Target


class Pins:
    """Judges the URLs of pages by the guard and resolves each host once for the whole run.

    The proxy asks `address` only: a host for which no page was given leave is not dialled at all.
    """

    def __init__(self, guard: Guard, hosts: Iterable[str] = ()) -> None:
        self._guard = guard
        self._hosts = tuple(host.lower() for host in hosts)
        self._resolving: dict[tuple[str, int], asyncio.Task[str]] = {}
        self._pinned: dict[tuple[str, int, bool], str] = {}

    async def admit(self, url: str) -> Target:
        """Pin the host of a URL.

        Raises:
            BlockedError: the guard does not let it through.
            RefusedError: the run is for other hosts only.
            SourceError: the host has no address.
        """
        target = self._guard.check(url)
        if self._hosts and not any(_covers(host, target.host) for host in self._hosts):
            raise RefusedError(
                "this run is for other hosts",
                rule="hosts",
                where=target.origin,
                remedy=f"allowed are {', '.join(self._hosts)}",
            )
        key = (target.host, target.port)
        if key not in self._resolving:
            # Names are resolved by the system, which blocks.
            self._resolving[key] = asyncio.create_task(asyncio.to_thread(self._guard.address, *key))
        try:
            address = await asyncio.shield(self._resolving[key])
        except Exception:
            self._resolving.pop(key, None)  # the next page may find the resolver in better health
            raise
        self._pinned[(*key, target.scheme == "https")] = address
        return target

    def address(self, host: str, port: int, *, tunnel: bool) -> str | None:
        """What to dial for a tunnel (https) or a plain request (http); None when no page was given leave."""
        return self._pinned.get((host.lower(), port, tunnel))


def _covers(allowed: str, host: str) -> bool:
    """`*.shop.example` covers shop.example and all below it, any other entry itself."""
    if allowed.startswith("*."):
        return host == allowed[2:] or host.endswith(allowed[1:])
    return host == allowed
