"""Asks a search service that the user chose: one GET within limits, no redirects, no cookies, no proxy of the machine.

The service's address comes from the user's settings, not from a page or a model, so it may be on this machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING

from envforge.core.errors import SourceError
from envforge.core.scrub import scrub
from envforge.web.search.answers import Answer, Get
from envforge.web.search.errors import ProviderFaultError, SearchTimeoutError

if TYPE_CHECKING:
    import httpx2

MAX_ANSWER = 4 * 2**20


def http_get(timeout: float, *, max_bytes: int = MAX_ANSWER) -> Get:
    """A `Get` that gives up `timeout` seconds after it began, and after `max_bytes`."""

    def get(url: str, headers: Mapping[str, str]) -> Answer:
        import httpx2  # a tenth of a second, and only services need it

        where = scrub(url.split("?", 1)[0])
        secure = url.startswith("https:")
        client = httpx2.Client(timeout=timeout, follow_redirects=False, trust_env=False, verify=secure)
        try:
            return _within(timeout, client, url, headers, max_bytes)
        except (httpx2.TimeoutException, TimeoutError):
            told = f"no answer within {timeout:g} seconds"
            raise SearchTimeoutError(told, where=where, remedy="give a longer --timeout", retryable=True) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            # The package's own error holds the request with its key: it is not chained.
            told = f"could not be asked: {type(error).__name__} {scrub(str(error))}"[:300].rstrip()
            remedy = "is the service running, and its address right?"
            raise ProviderFaultError(told, where=where, remedy=remedy, retryable=True) from None
        except _TooLargeError:
            told = f"the answer is larger than {max_bytes:,} bytes"
            raise SourceError(told, where=where, remedy="ask for fewer") from None
        finally:
            client.close()  # an answer that still drips ends with its connection

    return get


class _TooLargeError(Exception):
    """More than was asked for."""


def _within(seconds: float, client: httpx2.Client, url: str, headers: Mapping[str, str], max_bytes: int) -> Answer:
    """The answer, or TimeoutError. The client's own limit is one of silence; a thread of its own bounds all of it."""
    answer: Future[Answer] = Future()

    def ask() -> None:
        try:
            answer.set_result(_ask(client, url, headers, max_bytes))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=ask, name="search", daemon=True).start()
    return answer.result(seconds)


def _ask(client: httpx2.Client, url: str, headers: Mapping[str, str], max_bytes: int) -> Answer:
    parts: list[bytes] = []
    size = 0
    with client.stream("GET", url, headers=dict(headers)) as response:
        for part in response.iter_bytes():
            size += len(part)
            if size > max_bytes:
                raise _TooLargeError
            parts.append(part)
        return Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, b"".join(parts))
