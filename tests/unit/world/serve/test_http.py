"""Requests as they should not be, and episodes that are no more."""

from __future__ import annotations

import json
import logging
import socket
import time
from typing import Any

import pytest

from envforge.world.pool.figures import PoolFigures
from envforge.world.serve import exchange, listening
from envforge.world.serve.exchange import MOST_BODY, MOST_DROPPED
from envforge.world.serve.keys import new_key
from envforge.world.serve.metrics import exposition

from .conftest import Answer, Serve, Served

CALL = {"tool": "get_book", "arguments": {"book_id": 101}}


def test_an_episode_from_start_to_end(served: Served) -> None:
    told = served.start(seed=3)
    assert told["environment"] == "library" and told["seed"] == 3
    assert told["mcp_url"] == f"{served.ready.url}/e/{told['episode']}/mcp"
    assert told["expires"] == {"idle_seconds": 1800.0, "ttl_seconds": None}
    answer = served.ask("POST", f"/e/{told['episode']}/call", CALL, token=None)
    assert answer.status == 200 and "result" in answer.json
    about = served.ask("GET", f"/e/{told['episode']}", token=None).json
    assert {tool["name"] for tool in about["tools"]} >= {"get_book", "borrow_book"}
    assert served.ask("DELETE", f"/episodes/{told['episode']}").json == {"closed": True}
    assert served.ask("GET", "/health").json == {"status": "ok", "episodes": 0}


def test_an_agent_hands_in_its_answer_and_learns_nothing_of_it(served: Served) -> None:
    key = served.start()["episode"]
    for body in ({}, {"answer": 1, "score": 1}, {"value": 1}):
        assert served.ask("POST", f"/e/{key}/answer", body, token=None).failure["code"] == "malformed"
    for value in (1, None):
        assert served.ask("POST", f"/e/{key}/answer", {"answer": value}, token=None).json == {"received": True}
    assert served.ask("GET", f"/e/{key}/answer", token=None).status == 405
    assert served.ask("POST", f"/episodes/{key}/finish", {}).json == {"closed": True, "recorded": False}


def test_nothing_of_a_reward_is_within_reach(served: Served) -> None:
    key = served.start()["episode"]
    for path in ("finish", "verify", "reward", "checks", "gold", "mcp/verify", "../episodes", "task"):
        for method in ("GET", "POST", "PUT", "DELETE"):
            assert served.ask(method, f"/e/{key}/{path}", {}, token=None).status == 404


def _gone(served: Served, key: str) -> list[Answer]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    paths: list[tuple[str, str, Any]] = [
        ("POST", f"/e/{key}/call", CALL),
        ("POST", f"/e/{key}/mcp", body),
        ("GET", f"/e/{key}", None),
        ("DELETE", f"/episodes/{key}", None),
        ("POST", f"/episodes/{key}/finish", {}),
    ]
    return [served.ask(method, path, body) for method, path, body in paths]


def test_a_key_that_is_wrong_closed_expired_or_idle_is_answered_alike(serve: Serve) -> None:
    with serve(idle_seconds=1.0) as served:
        closed, expired, idle = (served.start(**asked)["episode"] for asked in ({}, {"ttl_seconds": 0.3}, {}))
        assert served.ask("DELETE", f"/episodes/{closed}").status == 200
        deadline = time.monotonic() + 30
        while served.ask("GET", "/health").json["episodes"] and time.monotonic() < deadline:
            time.sleep(0.1)
        answers = [_gone(served, key) for key in (new_key(), "x", closed, expired, idle)]
        assert {answer.status for group in answers for answer in group} == {404}
        assert len({answer.body for group in answers for answer in group}) == 1
        assert answers[0][0].failure["code"] == "no_episode"
        assert all(answer.headers == answers[0][0].headers for group in answers for answer in group)


def test_an_episode_lives_no_longer_than_asked_however_much_it_is_used(serve: Serve) -> None:
    with serve() as served:
        key = served.start(ttl_seconds=0.5)["episode"]
        deadline = time.monotonic() + 30
        while served.ask("POST", f"/e/{key}/call", CALL).status == 200 and time.monotonic() < deadline:
            pass
        assert served.ask("POST", f"/e/{key}/call", CALL).status == 404


def test_an_episode_that_is_used_is_not_idle(serve: Serve) -> None:
    with serve(idle_seconds=0.8) as served:
        key = served.start()["episode"]
        for _ in range(15):
            time.sleep(0.1)
            assert served.ask("GET", f"/e/{key}").status == 200


BAD_STARTS: list[tuple[Any, str]] = [
    (b"{", "no JSON"),
    (b"[]", "no JSON object"),
    (b"\xff\xfe", "no JSON"),
    (b'{"seed": NaN}', "no JSON"),
    (b"[" * 100_000, "nested too deep"),
    (b'{"environment": "\\ud800"}', "half a character"),
    ({"sed": 1}, "'sed' is no field"),
    ({"seed": -1}, "seed is no whole number"),
    ({"seed": True}, "seed is no whole number"),
    ({"seed": 1.5}, "seed is no whole number"),
    ({"seed": 1 << 63}, "seed is no whole number"),
    ({"environment": 3}, "environment is no text"),
    ({"environment": "notthere"}, "there is no environment 'notthere'"),
    ({"ttl_seconds": 0}, "ttl_seconds is no number"),
    ({"ttl_seconds": "9"}, "ttl_seconds is no number"),
    ({"task": "task-1"}, "tasks are not served"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "told"), BAD_STARTS, ids=[told for _, told in BAD_STARTS])
def test_a_start_that_makes_no_sense(served: Served, body: Any, told: str) -> None:
    answer = served.ask("POST", "/episodes", body)
    assert answer.status == 400
    assert told in answer.failure["message"]
    assert answer.failure["retryable"] is False
    assert served.ask("GET", "/health").json["episodes"] == 0


BAD_CALLS: list[Any] = [
    b"",
    b"null",
    b"{",
    {},
    {"tool": 3},
    {"tool": "get_book", "arguments": []},
    {"tool": "x", "y": 1},
]


@pytest.mark.parametrize("body", BAD_CALLS)
def test_a_call_that_makes_no_sense(served: Served, body: Any) -> None:
    key = served.start()["episode"]
    answer = served.ask("POST", f"/e/{key}/call", body)
    assert answer.status == 400 and answer.failure["code"] == "malformed"
    assert served.ask("POST", f"/e/{key}/call", CALL).status == 200


def test_what_a_tool_refuses_is_an_observation(served: Served) -> None:
    key = served.start()["episode"]
    for call, code in (
        ({"tool": "get_book", "arguments": {"book_id": 999_999}}, "not_found"),
        ({"tool": "get_book", "arguments": {"book_id": "x"}}, "invalid_argument"),
        ({"tool": "no_such_tool"}, "unknown_tool"),
        ({"tool": "__import__", "arguments": None}, "unknown_tool"),
        ({"tool": "get_book", "arguments": {"book_id": 1 << 70}}, "invalid_argument"),
    ):
        answer = served.ask("POST", f"/e/{key}/call", call)
        assert answer.status == 200 and answer.json["error"]["code"] == code


def test_a_request_that_is_too_large(served: Served) -> None:
    key = served.start()["episode"]
    too_large = b'{"tool": "' + b"x" * MOST_BODY + b'"}'
    for path in ("/episodes", f"/e/{key}/call", f"/e/{key}/mcp"):
        answer = served.ask("POST", path, too_large)
        assert answer.status == 413 and answer.headers["connection"] == "close"
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as wire:
        # Nobody says how much comes.
        head = f"POST /e/{key}/call HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
        wire.sendall(head.encode())
        part = b"%x\r\n" % (1 << 20) + b"x" * (1 << 20) + b"\r\n"
        for _ in range(5):
            wire.sendall(part)
        wire.sendall(b"0\r\n\r\n")
        assert wire.recv(100).startswith(b"HTTP/1.1 413 ")
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as wire:
        # Nor does it ever end.
        wire.sendall(head.encode())
        with pytest.raises(OSError):
            for _ in range(2 * MOST_DROPPED >> 20):
                wire.sendall(part)
    assert served.ask("POST", f"/e/{key}/call", CALL).status == 200


def test_large_requests_within_the_limit_are_taken(served: Served) -> None:
    key = served.start()["episode"]
    text = "x" * 900_000
    answer = served.ask("POST", f"/e/{key}/call", {"tool": "post_notice", "arguments": {"name": "long", "text": text}})
    assert answer.status == 200
    assert len(answer.body) < 40_000


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"", b""),
        (b"POST /e/x/call HT", b""),
        (b"POST /episodes HTTP/1.1\r\nhost: localhost\r\n", b""),
        (b"POST /e/KEY/call HTTP/1.1\r\nhost: localhost\r\ncontent-length: 50\r\n\r\n{", b"HTTP/1.1 408 "),
        (b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\nGET /hea", b"HTTP/1.1 200 "),
        (b"rubbish\r\n\r\n", b"HTTP/1.1 400 "),
    ],
)
def test_a_client_that_stops_in_the_middle_is_hung_up_on(
    served: Served, monkeypatch: pytest.MonkeyPatch, sent: bytes, told: bytes
) -> None:
    monkeypatch.setattr(listening, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(exchange, "BODY_SECONDS", 0.3)
    key = served.start()["episode"]
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as wire:
        wire.sendall(sent.replace(b"KEY", key.encode()))
        received = b""
        with_reset = False
        try:
            while chunk := wire.recv(1 << 16):
                received += chunk
        except ConnectionResetError:
            with_reset = True
        assert received.startswith(told) and (received or with_reset or not told)
    assert served.ask("POST", f"/e/{key}/call", CALL).status == 200


def test_a_full_server_says_so_and_when_to_come_back(serve: Serve) -> None:
    with serve(max_live=2) as served:
        keys = [served.start()["episode"] for _ in range(2)]
        answer = served.ask("POST", "/episodes", {})
        assert answer.status == 429
        assert answer.failure["code"] == "full" and answer.failure["retryable"] is True
        assert int(answer.headers["retry-after"]) > 0
        assert served.ask("DELETE", f"/episodes/{keys[0]}").status == 200
        served.start()


def test_who_leaves_before_an_episode_is_there_leaves_none(served: Served) -> None:
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as wire:
            head = f"POST /episodes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {served.token}\r\n"
            wire.sendall(f"{head}content-length: 2\r\n\r\n{{}}".encode())
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    deadline = time.monotonic() + 30
    while served.ask("GET", "/health").json["episodes"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert served.ask("GET", "/health").json["episodes"] == 0


def test_methods_that_are_not_served(served: Served) -> None:
    key = served.start()["episode"]
    for method in ("GET", "DELETE", "PUT"):
        answer = served.ask(method, f"/e/{key}/mcp")
        assert answer.status == 405 and answer.headers["allow"] == "POST"
    assert served.ask("GET", "/").status == 404
    assert served.ask("GET", "/episodes").status == 404


def test_figures_tell_no_key(served: Served) -> None:
    key = served.start()["episode"]
    for _ in range(3):
        served.ask("POST", f"/e/{key}/call", CALL)
    served.ask("POST", f"/e/{key}/call", {"tool": "get_book"})
    served.ask("POST", "/e/wrong/call", CALL)
    answer = served.ask("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.body.decode().splitlines()
    assert 'envforge_episodes_live{environment="library"} 1' in lines
    assert "envforge_calls_total 3" in lines
    assert "envforge_calls_refused_total 1" in lines
    assert 'envforge_http_refusals_total{code="no_episode"} 1' in lines
    assert 'envforge_call_seconds_bucket{le="+Inf"} 3' in lines
    assert "envforge_call_seconds_count 3" in lines
    for line in lines:
        assert line.startswith(("# HELP envforge_", "# TYPE envforge_", "envforge_"))
    assert key not in answer.body.decode() and served.token not in answer.body.decode()


def test_figures_name_environments_whose_episodes_share_no_worker() -> None:
    lines = exposition(PoolFigures(apart={"library": "a reason"}), {}).splitlines()
    assert 'envforge_environments_apart{environment="library"} 1' in lines
    assert not any("a reason" in line for line in lines)


def test_no_key_and_no_token_is_logged(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    # The test's own program may write down what it likes: only what the server writes is looked at.
    with caplog.at_level(logging.DEBUG), serve() as served:
        key = served.start()["episode"]
        for body in (CALL, b"{", {"tool": "nothing"}):
            served.ask("POST", f"/e/{key}/call", body)
        rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for request in (rpc, {**rpc, "method": "no/such"}, b"{", [rpc]):
            served.ask("POST", f"/e/{key}/mcp", request, headers={"accept": "application/json, text/event-stream"})
        served.ask("GET", f"/e/{key}/mcp", headers={"origin": "http://evil.example"})
        with socket.create_connection(("127.0.0.1", served.port)) as wire:
            wire.sendall(f"POST /e/{key}/call HTTP/1.1\r\nhost: \x01\r\n\r\n".encode())
            wire.recv(1000)
    text = json.dumps([[record.getMessage(), str(record.exc_text)] for record in caplog.records])
    assert caplog.records
    assert key not in text and served.token not in text
