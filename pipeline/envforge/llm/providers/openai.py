"""Any endpoint that speaks the chat-completions protocol, through the `openai` package."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, NoReturn, cast

import httpx2
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI, AsyncStream

from envforge.core.ids import canonical_json
from envforge.core.model_errors import ConnectionLostError, EndpointError, ModelTimeoutError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.llm.answer import read_answer
from envforge.llm.fields import excerpt, malformed
from envforge.llm.model_card import told_context
from envforge.llm.permission import Secret, check_base_url, is_loopback, require_permission
from envforge.llm.request_body import request_body
from envforge.llm.server_errors import reported_error, status_error
from envforge.llm.stream_assembly import StreamAssembly
from envforge.store.files import parse_json

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_PATH = "/chat/completions"
_NO_KEY = "none"
"""Servers on loopback mostly want no key; the package wants one."""


class OpenAIModel:
    """A model behind a base URL. `extra` goes into every request as it is, e.g. a server's own settings.

    It tries once: retries, limits and budgets are `GuardedModel`'s. Raises ConfigError for an unusable address.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = DEFAULT_BASE_URL,
        key: Secret | None = None,
        timeout_seconds: float = 300.0,
        extra: Mapping[str, Any] | None = None,
        native_schema: bool = True,
    ) -> None:
        self._key = key or Secret("")
        self.base_url = check_base_url(base_url, with_key=bool(self._key))
        require_permission(self.base_url)
        self.model = model
        self._extra = dict(extra or {})
        self._native_schema = native_schema
        self._timeout = timeout_seconds
        self._length = "max_completion_tokens" if self.base_url == DEFAULT_BASE_URL else "max_tokens"
        self._client = _client(self.base_url, self._key, timeout_seconds)

    @property
    def identity(self) -> str:
        """Address, model and extra settings."""
        told = f" {canonical_json(self._extra)}" if self._extra else ""
        return f"{self.model} at {self.base_url}{told}{'' if self._native_schema else ' without schema'}"

    def __repr__(self) -> str:
        return f"OpenAIModel({self.identity})"

    async def complete(self, request: CompletionRequest) -> Completion:
        """The answer. Raises ModelError."""
        require_permission(self.base_url)
        told = request_body(self.model, request, native_schema=self._native_schema, length=self._length)
        body = {**told, **self._extra}
        began = time.monotonic()
        try:
            # The client's own time-out is one of silence: a server that trickles would be waited for without end.
            async with asyncio.timeout(self._timeout):
                answer = await (self._streamed(body) if request.stream else self._whole(body))
        except TimeoutError:
            raise self._late() from None
        completion = read_answer(answer, request)
        return completion.model_copy(update={"latency_seconds": round(time.monotonic() - began, 3)})

    async def _whole(self, body: dict[str, Any]) -> Any:
        try:
            response = await self._client.post(_PATH, cast_to=httpx2.Response, body=body)
            text = response.text
        except (APIError, httpx2.HTTPError) as error:
            self._fail(error)
        try:
            return parse_json(text)
        except ValueError as error:
            kind = response.headers.get("content-type", "no content type").split(";")[0]
            raise malformed(f"no JSON ({kind}): {excerpt(self._key.hide(str(error)))}", self._key.hide(text)) from None

    async def _streamed(self, body: dict[str, Any]) -> Any:
        assembly = StreamAssembly()
        try:
            stream = await self._client.post(
                _PATH, cast_to=object, body=body, stream=True, stream_cls=AsyncStream[object]
            )
            async with stream:
                async for chunk in stream:
                    assembly.add(chunk)
        except (APIConnectionError, httpx2.TimeoutException) as error:
            self._fail(error)
        except httpx2.HTTPError:
            # The connection broke: what is there may be whole all the same, then its end has come.
            return assembly.answer()
        except APIError as error:
            if isinstance(error, APIStatusError):
                self._fail(error)
            raise self._hidden(reported_error(error.body)) from None
        except ValueError as error:
            raise malformed(f"a chunk is no JSON: {error}", assembly.text) from None
        return assembly.answer()

    def _fail(self, error: APIError | httpx2.HTTPError) -> NoReturn:
        """Raises the typed error. The package's own hold the request with its key: they are not chained."""
        raise self._hidden(self._typed(error)) from None

    def _typed(self, error: APIError | httpx2.HTTPError) -> EndpointError:
        where = self.base_url
        if isinstance(error, APITimeoutError | httpx2.TimeoutException):
            return self._late()
        if isinstance(error, APIStatusError):
            return status_error(error.status_code, _said(error), error.response.headers, now=time.time())
        cause = error.__cause__ or error
        told = f"the connection failed: {type(cause).__name__} {excerpt(cause)}".rstrip()
        return ConnectionLostError(
            told, where=where, remedy="is the server running, and its address right?", retryable=True
        )

    def _late(self) -> ModelTimeoutError:
        told = f"no answer within {self._timeout:g} seconds"
        return ModelTimeoutError(told, where=self.base_url, remedy="give a longer --timeout", retryable=True)

    def _hidden(self, error: EndpointError) -> EndpointError:
        error.message = self._key.hide(error.message)
        error.where = error.where or self.base_url
        error.args = (error.message,)
        return error

    async def context(self) -> int | None:
        """Tokens of the model's context as the endpoint tells them; None where it does not."""
        require_permission(self.base_url)
        try:
            # As above: what trickles, or is never whole, tells nothing.
            async with asyncio.timeout(self._timeout):
                return await told_context(self._client, self.model)
        except TimeoutError:
            return None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _said(error: APIStatusError) -> str:
    """What the server says of its error: the message where there is one, else the body."""
    told = " ".join(part for part in (error.code, error.param and f"({error.param})") if part)
    body = cast("dict[str, Any]", error.body) if isinstance(error.body, dict) else {}
    message = body.get("message") or body.get("detail")
    return f"{told} {message}".strip() if message else error.response.text


def _client(base_url: str, key: Secret, timeout_seconds: float) -> AsyncOpenAI:
    # No redirects: they would carry prompts elsewhere. No proxy between us and loopback.
    timeout = httpx2.Timeout(timeout_seconds, connect=min(timeout_seconds, 10.0))
    transport = httpx2.AsyncClient(
        timeout=timeout,
        follow_redirects=False,
        # Certificates take a tenth of a second to load, and are for nothing without TLS.
        verify=base_url.startswith("https:"),
        trust_env=not is_loopback(base_url),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100),
    )
    return AsyncOpenAI(
        base_url=base_url, api_key=key.reveal() or _NO_KEY, max_retries=0, timeout=timeout, http_client=transport
    )
