"""Which endpoint wants a key, and what of a key is kept out of texts."""

from __future__ import annotations

import pytest

from envforge.core.errors import ConfigError
from envforge.llm.connect import ModelSettings, open_provider
from envforge.llm.permission import CALLS_VARIABLE, Secret

LAN = "http://10.0.0.5:8000/v1"
VARIABLE = "KEY_OF_A_TEST"


@pytest.fixture(autouse=True)
def may_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CALLS_VARIABLE, "any")  # nothing here is called
    monkeypatch.delenv(VARIABLE, raising=False)


def settings(base_url: str) -> ModelSettings:
    return ModelSettings("m", base_url=base_url, key_variable=VARIABLE)


@pytest.mark.parametrize("base_url", [LAN, "http://127.0.0.1:8000/v1", "https://localhost/v1"])
def test_a_server_that_wants_no_key_is_asked_without(base_url: str) -> None:
    _, key = open_provider(settings(base_url))
    assert not key


def test_an_endpoint_over_https_wants_one() -> None:
    with pytest.raises(ConfigError, match=VARIABLE):
        open_provider(settings("https://models.example/v1"))


def test_a_key_is_not_sent_without_encryption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "a-real-key")
    with pytest.raises(ConfigError, match=r"without encryption.*--api-key-env"):
        open_provider(settings(LAN))


@pytest.mark.parametrize("dummy", ["", "x", "EMPTY", "none", "sk-no-key-required"])
def test_a_dummy_leaves_texts_as_they_are(dummy: str) -> None:
    text = "The next box is EMPTY, none of sk-no-key-required is here."
    assert Secret(dummy).hide(text) == text


@pytest.mark.parametrize("key", ["harbour-7", "Ab3dEf", "no-key-at-all-but-mine"])
def test_a_key_is_taken_out_wherever_it_stands(key: str) -> None:
    assert Secret(key).hide(f"<{key}>{key}") == "<***>***"
