"""A server in a thread of the test, and bare requests to it."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from envforge.world.client import EpisodeServer
from envforge.world.environment import Environment
from envforge.world.serve.offer import Offer
from envforge.world.serve.server import Ready, ServeConfig, open_listener, serving

LIBRARY = Path(__file__).parents[3] / "fixtures" / "environments" / "library"
TOKEN = "a-token-for-tests-only"


@dataclass
class Answer:
    """Of a bare request."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def failure(self) -> dict[str, Any]:
        return self.json["failure"]


@dataclass
class Served:
    """A running server."""

    ready: Ready
    token: str = TOKEN
    clients: list[EpisodeServer] = field(default_factory=list[EpisodeServer])

    @property
    def port(self) -> int:
        return int(self.ready.url.rpartition(":")[2])

    @property
    def client(self) -> EpisodeServer:
        self.clients.append(EpisodeServer(self.ready.url, self.token))
        return self.clients[-1]

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = TOKEN, headers: Mapping[str, str] = {}
    ) -> Answer:
        """One request over a connection of its own. `body`: bytes as they are, anything else as JSON."""
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        given = {"content-type": "application/json", **headers}
        if token is not None:
            given["authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, raw, given)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()})
        finally:
            connection.close()

    def start(self, **asked: Any) -> dict[str, Any]:
        """A new episode, as it is told."""
        answer = self.ask("POST", "/episodes", asked)
        assert answer.status == 201, answer.body
        return answer.json


Serve = Callable[..., "contextlib.AbstractContextManager[Served]"]


@contextlib.contextmanager
def serve_in_thread(offers: Sequence[Offer], **config: Any) -> Generator[Served]:
    """Ends the server with the block, and whatever went wrong in it is raised."""
    given: dict[str, Any] = {"port": 0, "token": TOKEN, "isolation": "shared", "workers": 1, **config}
    chosen = ServeConfig(**given)
    listener = open_listener(chosen)
    told: list[Ready] = []
    failed: list[BaseException] = []
    up, stop = threading.Event(), threading.Event()

    async def run() -> None:
        async with serving(offers, chosen, listener) as ready:
            told.append(ready)
            up.set()
            await asyncio.to_thread(stop.wait)

    def main() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:
            failed.append(error)
        finally:
            up.set()

    thread = threading.Thread(target=main)
    thread.start()
    up.wait(60)
    try:
        if told:
            served = Served(told[0])
            yield served
            for client in served.clients:
                client.close()
    finally:
        stop.set()
        thread.join(60)
    assert not failed, failed
    assert not thread.is_alive()


@pytest.fixture
def serve(library: Environment) -> Iterator[Serve]:
    """serve(**config) → a context with a server of the library."""

    def start(offers: Sequence[Offer] = (), **config: Any) -> contextlib.AbstractContextManager[Served]:
        return serve_in_thread(offers or [Offer(library)], **config)

    yield start


@pytest.fixture
def served(serve: Serve) -> Iterator[Served]:
    """A server of the library."""
    with serve() as running:
        yield running
