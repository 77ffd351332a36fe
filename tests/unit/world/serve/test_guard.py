"""What a page in a browser could send, and what strangers could."""

from __future__ import annotations

import pytest

from envforge.core.errors import ConfigError
from envforge.world.serve.guard import is_loopback
from envforge.world.serve.server import ServeConfig, open_listener

from .conftest import Served

ROUTES = [
    ("POST", "/episodes"),
    ("DELETE", "/episodes/some-key"),
    ("POST", "/episodes/some-key/finish"),
    ("GET", "/metrics"),
    ("GET", "/tasks"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("token", [None, "", "a-token-for-tests-onlY", "a-token-for-tests-only-and-more"])
def test_who_has_no_token_starts_and_ends_nothing(served: Served, method: str, path: str, token: str | None) -> None:
    answer = served.ask(method, path, {} if method == "POST" else None, token=token)
    assert answer.status == 401
    assert answer.failure["code"] == "no_token"
    assert served.ask("GET", "/health", token=None).json["episodes"] == 0


def test_another_scheme_is_no_token(served: Served) -> None:
    answer = served.ask("POST", "/episodes", {}, token=None, headers={"authorization": f"Basic {served.token}"})
    assert answer.status == 401


FOREIGN = [
    "http://evil.example",
    "https://127.0.0.1.evil.example",
    "null",
    "",
    "http://[",
    "http://localhost.evil.example:80",
]


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize("path", ["/health", "/episodes", "/e/some-key/mcp"])
def test_pages_of_other_sites_are_refused(served: Served, origin: str, path: str) -> None:
    method = "GET" if path == "/health" else "POST"
    answer = served.ask(method, path, {} if method == "POST" else None, headers={"origin": origin})
    assert answer.status == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "192.0.2.1:80", ""])
def test_a_name_that_was_bound_to_this_machine_is_refused(served: Served, host: str) -> None:
    answer = served.ask("GET", "/health", headers={"host": host})
    assert answer.status == 421


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:1234", "127.0.0.1", "127.9.9.9:80", "[::1]:8765", "LOCALHOST"]
)
def test_the_machine_s_own_names_are_taken(served: Served, host: str) -> None:
    origin = {"origin": f"http://{host}"}
    assert served.ask("GET", "/health", headers={"host": host, **origin}).status == 200


def test_strangers_are_served_with_a_given_token_only() -> None:
    with pytest.raises(ConfigError, match="token-file"):
        open_listener(ServeConfig(host="0.0.0.0", port=0))
    open_listener(ServeConfig(host="0.0.0.0", port=0, token="a-token-that-was-given")).close()


@pytest.mark.parametrize(("host", "told"), [("no.such.host.invalid", "no address"), ("192.0.2.1", "cannot listen")])
def test_an_address_that_is_not_to_be_had(host: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        open_listener(ServeConfig(host=host, port=0, token="a-token-that-was-given"))


def test_a_port_that_is_taken() -> None:
    taken = open_listener(ServeConfig(port=0))
    taken.listen()
    try:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port} is in use"):
            open_listener(ServeConfig(port=port))
    finally:
        taken.close()


def test_what_is_loopback() -> None:
    assert all(is_loopback(host) for host in ("localhost", "127.0.0.1", "127.1.2.3", "::1"))
    assert not any(is_loopback(host) for host in ("", "0.0.0.0", "::", "10.0.0.1", "localhost.example", "example.com"))
