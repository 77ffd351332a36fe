"""Asks a search service that the user chose: one GET within limits, no redirects, no cookies, no proxy of the machine.

The service's address comes from the user's settings, not from a page or a model, so it may be on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from envforge.core.errors import SourceError
from envforge.core.scrub import scrub
from envforge.web.search.answers import Answer, Get
from envforge.web.search.errors import ProviderFaultError, SearchTimeoutError

MAX_ANSWER = 4 * 2**20


def http_get(timeout: float, *, max_bytes: int = MAX_ANSWER) -> Get:
    """A `Get` that gives up `timeout` seconds after it began, and after `max_bytes`."""

    def get(url: str, headers: Mapping[str, str]) -> Answer:
        import httpx2  # a tenth of a second, and only services need it

        where = scrub(url.split("?", 1)[0])
        deadline = time.monotonic() + timeout
        try:
            with (
                httpx2.Client(
                    timeout=timeout, follow_redirects=False, trust_env=False, verify=url.startswith("https:")
                ) as client,
                client.stream("GET", url, headers=dict(headers)) as response,
            ):
                body = _read(response, deadline, max_bytes, where)
                return Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, body)
        except (httpx2.TimeoutException, TimeoutError):
            told = f"no answer within {timeout:g} seconds"
            raise SearchTimeoutError(told, where=where, remedy="give a longer --timeout", retryable=True) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            # The package's own error holds the request with its key: it is not chained.
            told = f"could not be asked: {type(error).__name__} {scrub(str(error))}"[:300].rstrip()
            remedy = "is the service running, and its address right?"
            raise ProviderFaultError(told, where=where, remedy=remedy, retryable=True) from None

    return get


def _read(response: object, deadline: float, max_bytes: int, where: str) -> bytes:
    import httpx2

    assert isinstance(response, httpx2.Response)
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        if time.monotonic() > deadline:
            raise TimeoutError  # the client's own limit is one of silence; this is one of trickling
        size += len(part)
        if size > max_bytes:
            raise SourceError(f"the answer is larger than {max_bytes:,} bytes", where=where, remedy="ask for fewer")
        parts.append(part)
    return b"".join(parts)
