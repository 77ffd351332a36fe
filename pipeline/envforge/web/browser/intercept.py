"""Stands between the pages and the network: every request of every page, worker and download passes here first."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, cast

from playwright.async_api import Error

from envforge.core.errors import SourceError
from envforge.core.records.browse import BrowseLimits
from envforge.web.browser.errors import MissingRecordError, PageTimeoutError, TooLargeError
from envforge.web.browser.exchange import Answer, Answers, Asked, Headers, SiteError
from envforge.web.browser.proxy import MARK, USER

_CHUNK = 1 << 20
_REDIRECTS = (301, 302, 303, 307, 308)
# They speak of how the bytes travelled; a page gets them unpacked.
_TRAVEL = {"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive", "alt-svc"}
_NO_SOCKETS = ("Content-Security-Policy", "connect-src http: https: data: blob:")
"""A socket cannot be recorded, so no page may open one; everything else a page connects to stays allowed."""
_INLINE = re.compile(r"^\s*inline\b", re.IGNORECASE)
_TEXT_KINDS = {"Document", "Script", "Stylesheet", "XHR", "Fetch"}


class Session(Protocol):
    """A connection to the browser as a whole (Playwright's CDPSession)."""

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask the browser something."""
        ...

    def on(self, event: Any, f: Any) -> None:
        """Hear about events."""
        ...


class Cookies(Protocol):
    """Knows what answers set (CookieJar)."""

    async def changed(self, url: str, kind: str) -> Headers:
        """The `Set-Cookie` headers of an answer."""
        ...


@dataclass(frozen=True)
class Mishap:
    """A request that got no answer, and why."""

    asked: Asked
    error: SourceError


class Interception:
    """Hands every request to `answers`, gives pages what they decide, and knows when pages have gone quiet."""

    def __init__(self, session: Session, answers: Answers, cookies: Cookies, secret: str, limits: BrowseLimits) -> None:
        self._session = session
        self._answers = answers
        self._cookies = cookies
        self._secret = secret
        self._limits = limits
        self._asked: dict[str, Asked] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.mishaps: list[Mishap] = []
        self.fatal: Exception | None = None
        """What went wrong on our own side (a full disk): no site is asked after it."""
        self.statuses: dict[str, tuple[str, int]] = {}
        """frame → the last document that it was given, and the status of that answer."""
        self.held = 0
        """Requests that are being judged, or wait for a host's turn."""
        self.last_moved = 0.0

    async def start(self) -> None:
        """From here on nothing passes unseen."""
        self._session.on("Fetch.requestPaused", self._on_paused)
        self._session.on("Fetch.authRequired", self._on_challenged)
        stages = [{"urlPattern": "*", "requestStage": stage} for stage in ("Request", "Response")]
        await self._session.send("Fetch.enable", {"handleAuthRequests": True, "patterns": stages})

    @property
    def busy(self) -> int:
        """Requests that wait for their answer."""
        return len(self._asked)

    async def stop(self) -> None:
        """Drop what is under way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def missing(self, since: int) -> MissingRecordError | None:
        """The first request of a replay that decides what a page says and is not in its recording."""
        for mishap in self.mishaps[since:]:
            if isinstance(mishap.error, MissingRecordError) and mishap.asked.kind in _TEXT_KINDS:
                return mishap.error
        return None

    def _on_paused(self, event: dict[str, Any]) -> None:
        self._spawn(self._paused(event))

    def _on_challenged(self, event: dict[str, Any]) -> None:
        self._spawn(self._challenged(event))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.last_moved = asyncio.get_running_loop().time()
        task = asyncio.ensure_future(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Error:
            pass  # the page, or the browser, went away while its request was under way: nobody waits for an answer
        except Exception as error:  # whatever it is, the next call of the browser raises it
            self.fatal = self.fatal or error
        finally:
            self.last_moved = asyncio.get_running_loop().time()

    async def _challenged(self, event: dict[str, Any]) -> None:
        """Only the proxy is told the secret; a site that asks for a password gets none."""
        answer: dict[str, str] = {"response": "CancelAuth"}
        if event["authChallenge"].get("source") == "Proxy":
            answer = {"response": "ProvideCredentials", "username": USER, "password": self._secret}
        await self._session.send(
            "Fetch.continueWithAuth", {"requestId": event["requestId"], "authChallengeResponse": answer}
        )

    async def _paused(self, event: dict[str, Any]) -> None:
        number = str(event["requestId"])
        asked = _asked(event)
        self._asked[number] = asked
        kept = False
        try:
            if "responseStatusCode" in event or "responseErrorReason" in event:
                await self._answered(number, asked, event)
            else:
                kept = await self._asking(number, asked)
        except SourceError as error:
            self._answers.failed(asked, error)
            self.mishaps.append(Mishap(asked, error))
            await self._fail(number, asked)
        except Error as error:
            # Mostly the page has gone meanwhile; if not, it must not wait for ever for what Chromium does not take.
            await self._fail(number, asked)
            message = f"the browser did not take the answer: {error.message[:200]}"
            self.mishaps.append(Mishap(asked, SiteError(message, rule="taken", where=asked.url, remedy="try again")))
        finally:
            if not kept:
                self._asked.pop(number, None)

    async def _fail(self, number: str, asked: Asked) -> None:
        # An aborted navigation leaves the page where it is, instead of showing the browser's own error page.
        reason = "Aborted" if asked.kind == "Document" else "BlockedByClient"
        await self._session.send("Fetch.failRequest", {"requestId": number, "errorReason": reason})

    async def _asking(self, number: str, asked: Asked) -> bool:
        """True if the site is being asked."""
        if self.fatal is not None:
            raise SiteError("the run has failed", rule="fatal", where=asked.url, remedy=str(self.fatal))
        self.held += 1
        try:
            answer = await self._answers.before(asked)
        finally:
            self.held -= 1
        if answer is None:
            await self._session.send("Fetch.continueRequest", {"requestId": number})
            return True
        await self._fulfil(number, asked, answer)
        return False

    async def _answered(self, number: str, asked: Asked, event: dict[str, Any]) -> None:
        if "responseErrorReason" in event:
            reason = str(event["responseErrorReason"])
            raise SiteError(
                f"the site did not answer: {reason}", rule=reason, where=asked.url, remedy="try again, or another page"
            )
        headers = _headers(event)
        marks = [value for name, value in headers if name.lower() == MARK.lower()]
        if self._secret in marks:
            body = (await self._body(number, asked)).decode(errors="replace").strip()
            raise SiteError(body, rule="proxy", where=asked.url, remedy="try again, or another page")
        headers = (*headers, *await self._cookies.changed(asked.url, asked.kind))
        status = int(event["responseStatusCode"])
        if status in _REDIRECTS:
            # The site's own redirect goes on as it is; the browser has taken its cookies.
            self._answers.after(asked, Answer(status, headers))
            await self._session.send("Fetch.continueRequest", {"requestId": number})
            return
        answer = Answer(status, headers, await self._body(number, asked))
        self._answers.after(asked, answer)
        await self._fulfil(number, asked, answer)

    async def _body(self, number: str, asked: Asked) -> bytes:
        """The whole body, unpacked by the browser, within the limits."""
        limit = self._limits.body_bytes
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                opened = await self._session.send("Fetch.takeResponseBodyAsStream", {"requestId": number})
                body = await self._read(str(opened["stream"]), limit)
        except TimeoutError as error:
            raise PageTimeoutError(
                f"the answer did not end within {self._limits.body_seconds:g} seconds",
                where=asked.url,
                remedy="endless answers are not read; take another page",
            ) from error
        if len(body) > limit:
            raise TooLargeError(
                f"the answer is larger than {limit:,} bytes", where=asked.url, remedy="take a smaller file"
            )
        return body

    async def _read(self, stream: str, limit: int) -> bytes:
        """Up to one byte more than `limit`."""
        parts: list[bytes] = []
        size = 0
        try:
            while size <= limit:
                chunk = await self._session.send("IO.read", {"handle": stream, "size": _CHUNK})
                data = str(chunk["data"])
                parts.append(base64.b64decode(data) if chunk.get("base64Encoded") else data.encode())
                size += len(parts[-1])
                if chunk["eof"]:
                    break
        finally:
            await self._session.send("IO.close", {"handle": stream})
        return b"".join(parts)

    async def _fulfil(self, number: str, asked: Asked, answer: Answer) -> None:
        if asked.kind == "Document":
            self.statuses[asked.frame] = (asked.url, answer.status)
        headers = [*answer.headers, _NO_SOCKETS]
        if asked.kind == "Document" and answer.mime == "application/pdf":
            # Chromium's viewer shows a picture without words; as a file, it can be read.
            stated = answer.header("content-disposition")
            headers = [pair for pair in headers if pair[0].lower() != "content-disposition"]
            headers.append(("Content-Disposition", _INLINE.sub("attachment", stated) or "attachment"))
        await self._session.send(
            "Fetch.fulfillRequest",
            {
                "requestId": number,
                "responseCode": answer.status,
                "responseHeaders": [{"name": name, "value": value} for name, value in headers],
                "body": base64.b64encode(answer.body).decode(),
            },
        )


def _asked(event: dict[str, Any]) -> Asked:
    request = cast("dict[str, Any]", event["request"])
    entries = cast("list[dict[str, str]]", request.get("postDataEntries") or [])
    body = b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
    return Asked(
        str(request["method"]), str(request["url"]), str(event["resourceType"]), str(event.get("frameId", "")), body
    )


def _headers(event: dict[str, Any]) -> Headers:
    given = cast("list[dict[str, Any]]", event.get("responseHeaders") or [])
    # Headers that came several times stand in one, a line each.
    found = [(str(header["name"]), line) for header in given for line in str(header["value"]).split("\n")]
    return tuple((name, value) for name, value in found if name.lower() not in _TRAVEL)
