"""One HTTP request and its answer, in JSON."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator, Mapping, MutableMapping
from typing import Any, cast

from envforge.store.files import parse_json
from envforge.world.fitting import json_text

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MOST_BODY = 4 << 20
"""Bytes of a request."""
MOST_DROPPED = 16 * MOST_BODY
"""Bytes of a request that is too large, above which its sender is hung up on."""
BODY_SECONDS = 30.0
"""For the whole of a request to arrive."""


class Refusal(Exception):
    """A request that is answered with an error. The message is for whoever sent it."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        remedy: str = "",
        retryable: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})
        self.body = {
            "failure": {"code": code, "message": message, "remedy": remedy, "retryable": retryable},
        }


class Gone(Exception):
    """The client went away before its request was whole."""


class Exchange:
    """Reads one request, writes one answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.method = cast("str", scope["method"])
        self.path = cast("str", scope["path"])
        self.answered = False
        self._receive = receive
        self._send = send

    def header(self, name: bytes) -> str | None:
        """The first header of this name, in lower case."""
        found = (value for key, value in cast("list[tuple[bytes, bytes]]", self.scope["headers"]) if key == name)
        value = next(found, None)
        return None if value is None else value.decode("latin-1")

    async def body(self) -> bytes:
        """The request's bytes. Raises Refusal when they are too many or too slow, Gone."""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._whole()
        except TimeoutError as error:
            what = f"the request did not arrive whole within {BODY_SECONDS:g} s"
            raise Refusal(408, "too_slow", what, retryable=True, headers={"connection": "close"}) from error

    async def _whole(self) -> bytes:
        parts, size = bytearray(), 0
        while True:
            message = await self._receive()
            if message["type"] != "http.request":
                raise Gone
            part = message.get("body", b"")
            size += len(part)
            if size <= MOST_BODY:
                parts += part
            # Who is hung up on while sending never sees why: some of what is too much is read, and dropped.
            if size > MOST_DROPPED or (size > MOST_BODY and not message.get("more_body", False)):
                what = f"the request has more than {MOST_BODY:,} bytes"
                raise Refusal(413, "too_large", what, headers={"connection": "close"})
            if not message.get("more_body", False):
                return bytes(parts)

    async def json_object(self) -> dict[str, Any]:
        """The request's JSON object; an empty body is an empty one. Raises Refusal, Gone."""
        body = await self.body()
        value: Any = plain_json(body) if body.strip() else {}
        if not isinstance(value, dict):
            raise Refusal(400, "malformed", "the body is no JSON object")
        return cast("dict[str, Any]", value)

    def replayed(self, body: bytes) -> Receive:
        """A `receive` for an application that reads the body itself."""
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            return messages.pop() if messages else await self._receive()

        return receive

    @contextlib.contextmanager
    def leaving(self) -> Generator[asyncio.Future[Message]]:
        """A future that is done when the client goes away; the request's body must have been read."""
        left = asyncio.ensure_future(self._receive())
        try:
            yield left
        finally:
            left.cancel()

    async def send(self, message: Message) -> None:
        """For an application that writes the answer itself."""
        self.answered = True
        await self._send(message)

    async def answer(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        """Answer with JSON."""
        await self.answer_json(status, json_text(value), headers)

    async def answer_json(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        """Answer with JSON that is there as text; half a character in it is shown as a question mark."""
        await self.answer_bytes(status, text.encode("utf-8", "replace"), "application/json", headers)

    async def answer_bytes(self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        """Answer with bytes."""
        lines = {"content-type": kind, "content-length": str(len(body)), "cache-control": "no-store", **(headers or {})}
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in lines.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": encoded})
        await self._send({"type": "http.response.body", "body": body if self.method != "HEAD" else b""})

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with an error."""
        await self.answer(refusal.status, refusal.body, refusal.headers)


def plain_json(body: bytes) -> Any:
    """The JSON value. Raises Refusal for what is none."""
    try:
        return parse_json(body.decode("utf-8"))
    except ValueError as error:
        raise Refusal(400, "malformed", f"the body is no JSON: {str(error)[:200]}") from error
