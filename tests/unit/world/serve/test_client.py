"""The plain client."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from envforge.core.errors import ConfigError, SandboxError
from envforge.world.client import EpisodeServer
from envforge.world.pool.failures import EpisodeGone, PoolFull

from .conftest import Serve, Served


def test_it_drives_an_episode(served: Served) -> None:
    with served.client.start("library", seed=2) as episode:
        assert (episode.environment, episode.seed, episode.instruction) == ("library", 2, None)
        assert "borrow_book" in {tool["name"] for tool in episode.tools()}
        seen = episode.call("get_book", {"book_id": 101})
        assert seen.ok and seen.error is None and seen.result is not None and seen.result["id"] == 101
        refused = episode.call("get_book", {"book_id": 999_999})
        assert not refused.ok and refused.result is None and refused.error is not None
        assert refused.error["code"] == "not_found"
        assert served.client.health()["episodes"] == 1
        assert "envforge_calls_total 2" in served.client.metrics()
    assert served.client.health()["episodes"] == 0
    with pytest.raises(EpisodeGone):
        episode.call("get_book", {"book_id": 101})
    episode.close()


def test_an_episode_that_somebody_else_ended(served: Served) -> None:
    with served.client.start() as episode:
        assert served.ask("DELETE", f"/episodes/{episode.key}").status == 200
        with pytest.raises(EpisodeGone):
            episode.call("get_book", {"book_id": 101})


def test_an_answer_ends_the_episode(served: Served) -> None:
    episode = served.client.start()
    assert episode.finish({"x": 1}) is False
    with pytest.raises(EpisodeGone):
        episode.finish({"x": 1})
    episode.close()
    assert served.client.tasks() == {}


def test_what_the_server_refuses_keeps_its_type(serve: Serve) -> None:
    with serve(max_live=1) as served:
        with pytest.raises(ConfigError, match="no environment 'other'"):
            served.client.start("other")
        with EpisodeServer(served.ready.url, "another-token") as other, pytest.raises(ConfigError, match="token"):
            other.start()
        with served.client.start() as episode:
            with pytest.raises(PoolFull) as caught:
                served.client.start()
            assert caught.value.retryable
            with pytest.raises(ConfigError, match="no JSON"):
                episode.call("get_book", {"book_id": {1, 2}})
            with pytest.raises(ConfigError, match="no JSON"):
                episode.call("get_book", {"book_id": float("nan")})
            assert episode.call("get_book", {"book_id": 101}).ok


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:80", "https://127.0.0.1", "http://", "http://127.0.0.1:port", "http://["]
)
def test_a_url_that_is_none(url: str) -> None:
    with pytest.raises(ConfigError):
        EpisodeServer(url)


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SandboxError, match="could not be asked") as caught:
        EpisodeServer(f"http://127.0.0.1:{port}", timeout=5).health()
    assert caught.value.retryable


@pytest.fixture
def hung_up() -> threading.Semaphore:
    """One more whenever `answering` has hung up."""
    return threading.Semaphore(0)


@pytest.fixture
def answering(hung_up: threading.Semaphore) -> Iterator[Callable[[bytes], EpisodeServer]]:
    """answering(bytes) → a client of something that answers each connection with these bytes and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def start(answer: bytes) -> EpisodeServer:
        def serve() -> None:
            while True:
                try:
                    wire, _ = listener.accept()
                except OSError:
                    return
                with wire:
                    wire.recv(1 << 16)
                    wire.sendall(answer)
                hung_up.release()

        threading.Thread(target=serve, daemon=True).start()
        return EpisodeServer(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=5)

    yield start
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _http(status: str, body: bytes) -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


STRANGE = [b"", b"rubbish", _http("200 OK", b"no json"), _http("502 Bad Gateway", b"<html>"), _http("500 X", b"[]"),
           _http("503 X", b'{"failure": 3}'), b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{}"]  # fmt: skip


@pytest.mark.parametrize("answer", STRANGE)
def test_something_else_than_our_server(answering: Callable[[bytes], EpisodeServer], answer: bytes) -> None:
    with answering(answer) as client, pytest.raises(SandboxError):
        client.health()


def test_a_connection_that_the_server_closed_is_opened_again(
    answering: Callable[[bytes], EpisodeServer], hung_up: threading.Semaphore
) -> None:
    with answering(_http("200 OK", json.dumps({"status": "ok"}).encode())) as client:
        for _ in range(3):
            assert client.health() == {"status": "ok"}
            assert hung_up.acquire(timeout=30)


def test_it_needs_no_part_of_a_server() -> None:
    heavy = ("mcp", "starlette", "uvicorn", "httpx", "anyio", "pydantic", "jsonschema", "apsw", "asyncio")
    code = f"import sys, envforge.world.client; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "[]\n"
