"""GuardedClient: GET over the live web, with every rule of the house; the one way in which anything is fetched."""

from __future__ import annotations

import copy
import ssl
from collections.abc import Callable, Mapping
from urllib.parse import urljoin, urlsplit

import httpx2

from envforge import __version__
from envforge.core.contracts import Exchange
from envforge.core.records.fetching import FetchSettings
from envforge.core.scrub import scrub
from envforge.web.guard import Dial, Guard, Target, system_dial
from envforge.web.live.body import ACCEPT_ENCODING, BodyReader, check_type
from envforge.web.live.errors import FetchError, LimitError, StatusError, retry_after_of
from envforge.web.live.network import GuardedTransport
from envforge.web.live.pace import HostQueues, Pace
from envforge.web.live.robots import AGENT, Robots, Rules
from envforge.web.live.visit import Visit
from envforge.web.sources import Clock, utc_now

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AGAIN = frozenset({429, 502, 503, 504})


class GuardedClient:
    """Fetches URLs one by one; may be shared by threads. Asynchronous callers run `get` in a thread.

    Every URL on the way is judged by the guard and by robots.txt, hosts are asked one request at a time, and what an
    answer may cost is limited by the settings. Nothing of the environment (proxies, netrc, certificates) is used.
    """

    def __init__(
        self,
        settings: FetchSettings | None = None,
        *,
        guard: Guard | None = None,
        dial: Dial = system_dial,
        tls: Callable[[], ssl.SSLContext] | None = None,
        pace: Pace | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self.settings = settings or FetchSettings()
        self._guard = guard or Guard()
        self._transport = GuardedTransport(self.settings, guard=self._guard, dial=dial, tls=tls)
        self._queues = HostQueues(pace or Pace())
        self._clock = clock
        self._robots = Robots(self._robots_txt)
        self._permit: Callable[[str], object] | None = None

    def within(self, permit: Callable[[str], object]) -> GuardedClient:
        """The same client, at the same pace, for somebody who may not ask everybody.

        `permit` is told each URL before it is asked, those that redirects lead to as well, and raises what it has
        against it.
        """
        narrowed = copy.copy(self)
        narrowed._permit = permit
        narrowed._robots = Robots(narrowed._robots_txt)
        return narrowed

    @property
    def user_agent(self) -> str:
        """Who we say we are."""
        contact = f" (+{self.settings.contact})" if self.settings.contact else ""
        return f"{AGENT}/{__version__}{contact}"

    def get(self, url: str, *, headers: Mapping[str, str] | None = None, robots: bool = True) -> Exchange:
        """The answer to a GET: of status 200 to 299, or 304 if the headers asked for that.

        `headers` (a key, a condition) go to the URL's own origin only, never to where it redirects. `robots=False` is
        for interfaces that the user has an agreement with (a key); pages are always fetched with it.

        Raises:
            BlockedError: the URL, or one on the way, is not of the public web.
            RobotsError: robots.txt does not allow one of them.
            StatusError: the answer's status is 400 or more, or no success.
            LimitError: it is too large, too slow, packed too tightly, or on too long a way.
            FetchError: no connection, a broken answer, or a type that is not taken.
        """
        return self._follow(url, dict(headers or {}), robots=robots, most=None)

    def allows(self, url: str) -> None:
        """Raise what `get` would, as far as it can be known before asking: guard and robots.txt."""
        target = self._guard.check(url)
        self._rules(target, Visit({}))

    def take_turn(self, url: str) -> None:
        """Wait as `get` would before asking, for somebody else who asks then. Raises what `allows` raises."""
        target = self._guard.check(url)
        delay = self._rules(target, Visit({})).delay
        with self._queues.turn(target.host, max(delay, self.settings.delay_seconds)):
            pass

    def _robots_txt(self, url: str) -> Exchange:
        return self._follow(url, {}, robots=False, most=self.settings.robots_bytes)

    def _follow(self, url: str, headers: dict[str, str], *, robots: bool, most: int | None) -> Exchange:
        visit, where = Visit(headers), scrub(url)
        for _ in range(self.settings.redirects + 1):
            target = self._guard.check(url)
            if self._permit is not None:
                self._permit(target.url)
            delay = self._rules(target, visit).delay if robots else 0.0
            exchange = self._ask(target, visit, delay, most)
            location = exchange.header("location")
            if exchange.status not in _REDIRECTS or not location:
                if 200 <= exchange.status < 300 or (exchange.status == 304 and visit.asks_for_changes(target)):
                    return exchange
                raise StatusError(visit.ended(exchange))
            visit.trail.append(exchange)
            url = _joined(target, location)
        message = f"redirects more than {self.settings.redirects} times"
        raise LimitError(message, limit="redirects", where=where)

    def _rules(self, target: Target, visit: Visit) -> Rules:
        """The rules of a URL's host, which allow it."""
        rules = self._robots.of(target)
        if rules.exchange is not None and rules.exchange not in visit.trail:
            visit.trail.append(rules.exchange)
        where = scrub(target.url)
        rules.check(target, where)
        if rules.delay > self.settings.longest_delay_seconds:
            message = f"robots.txt asks for {rules.delay:g} seconds between two requests"
            raise LimitError(message, limit="longest_delay_seconds", where=where)
        return rules

    def _ask(self, target: Target, visit: Visit, delay: float, most: int | None) -> Exchange:
        """One URL, again after an answer that says: later."""
        pause = max(delay, self.settings.delay_seconds)
        for attempt in range(1, self.settings.tries + 1):
            with self._queues.turn(target.host, pause):
                exchange = self._once(target, visit, most)
                if exchange.status < 400:
                    return exchange
                wait = retry_after_of(exchange)
                if wait is not None:
                    self._queues.leave_alone(target.host, min(wait, self.settings.longest_wait_seconds))
            hopeless = wait is not None and wait > self.settings.longest_wait_seconds
            if exchange.status not in _AGAIN or attempt == self.settings.tries or hopeless:
                raise StatusError(visit.ended(exchange))
            if wait is None:
                self._queues.leave_alone(target.host, pause * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, target: Target, visit: Visit, most: int | None) -> Exchange:
        where = scrub(target.url)
        asked = {
            "User-Agent": self.user_agent,
            "Accept": "*/*",
            "Accept-Encoding": ACCEPT_ENCODING,
            "Connection": "close",
            **visit.headers_for(target),
        }
        try:
            request = httpx2.Request("GET", target.url, headers=asked)
        except (httpx2.InvalidURL, ValueError) as error:
            raise FetchError(f"cannot be asked for: {error}", where=where, remedy="check URL and headers") from error
        response = self._transport.handle_request(request)
        try:
            visit.keep_cookies(target, response.headers.get_list("set-cookie"))
            body = self._body(response, target, where, most)
        finally:
            response.close()
        exchange = Exchange(
            url=where,
            status=response.status_code,
            reason=response.reason_phrase,
            headers=_kept_headers(response.headers),
            body=body,
            retrieved_at=self._clock(),
        )
        return visit.ended(exchange) if 200 <= exchange.status < 300 else exchange

    def _body(self, response: httpx2.Response, target: Target, where: str, most: int | None) -> bytes:
        """The whole body of a success, the beginning of anything else."""
        reader = BodyReader(self.settings, where)
        encoding = response.headers.get("content-encoding", "")
        chunks = response.iter_raw()
        if not 200 <= response.status_code < 300:
            return reader.evidence(chunks, encoding=encoding, most=self.settings.error_bytes)
        if most is not None:
            return reader.beginning(chunks, encoding=encoding, most=most)
        if response.status_code in (204, 205, 206):
            what = "a part only" if response.status_code == 206 else "nothing"
            raise FetchError(f"answers with {what}", where=where, remedy="check the URL, or take another source")
        kind = response.headers.get("content-type", "")
        check_type(kind, urlsplit(target.url).path, self.settings.mimes, where)
        body = reader.whole(chunks, encoding=encoding, length=response.headers.get("content-length", ""))
        if not body.strip():
            raise FetchError("the answer is empty", where=where, remedy="check the URL, or take another source")
        return body


def _joined(target: Target, location: str) -> str:
    """Where a redirect leads; a Location that is no URL stays as it is, for the guard to refuse."""
    try:
        return urljoin(target.url, location)
    except ValueError:
        return location


def _kept_headers(headers: httpx2.Headers) -> tuple[tuple[str, str], ...]:
    """Headers as they came; cookies are secrets and stay out, an address in one is scrubbed."""
    plain = [(key.decode("latin-1"), value.decode("latin-1")) for key, value in headers.raw]
    return tuple((key, scrub(value)) for key, value in plain if not key.lower().startswith("set-cookie"))
