"""robots.txt of the hosts that are visited: read once per run and origin, and obeyed."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from protego import Protego

from envforge.core.contracts import Exchange
from envforge.core.errors import SourceError
from envforge.web.guard import BlockedError, Target
from envforge.web.live.errors import RobotsError, StatusError

AGENT = "envforge"
"""The name under which robots.txt may speak of us."""


@dataclass(frozen=True)
class Rules:
    """What one robots.txt says to us; `exchange` is the answer it came in, if there was one."""

    _parsed: Protego | None
    exchange: Exchange | None = None
    unreadable: SourceError | None = None

    def check(self, target: Target, where: str) -> None:
        """Raise RobotsError if the URL may not be fetched."""
        if self.unreadable is not None:
            raise RobotsError(
                f"robots.txt of the host cannot be read, so nothing is fetched: {self.unreadable.message}",
                where=where,
                remedy="try again later, or take another source",
                retryable=True,
            ) from self.unreadable
        if self._parsed is not None and not self._parsed.can_fetch(target.url, AGENT):
            raise RobotsError(
                "robots.txt of the host does not allow it",
                where=where,
                remedy="ask the host's owner, or take another source",
            )

    @property
    def delay(self) -> float:
        """Seconds that the host wants between two requests (0: it does not say)."""
        if self._parsed is None:
            return 0.0
        rate = self._parsed.request_rate(AGENT)
        return max(self._parsed.crawl_delay(AGENT) or 0.0, rate.seconds / rate.requests if rate else 0.0)


class Robots:
    """The rules of each origin; `read` fetches a robots.txt (without asking any rules)."""

    def __init__(self, read: Callable[[str], Exchange]) -> None:
        self._read = read
        self._known: dict[str, Rules] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._guard = threading.Lock()

    def of(self, target: Target) -> Rules:
        """The rules for the origin of a URL.

        As RFC 9309 has it: a host without the file (4xx) allows all, one that fails or cannot be reached nothing.
        """
        with self._guard:
            lock = self._locks[target.origin]
        with lock:  # one thread reads, the others wait; a slow host holds up its own readers only
            if (known := self._known.get(target.origin)) is None:
                known = self._known[target.origin] = self._fresh(target)
            return known

    def _fresh(self, target: Target) -> Rules:
        try:
            exchange = self._read(f"{target.origin}/robots.txt")
        except BlockedError:
            raise
        except StatusError as error:
            if error.status >= 500 or error.status == 429:
                return Rules(None, error.exchange, error)
            return Rules(None, error.exchange)
        except SourceError as error:
            return Rules(None, None, error)
        return Rules(Protego.parse(exchange.body.decode("utf-8-sig", "replace")), exchange)
