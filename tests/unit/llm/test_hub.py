"""Where a local model's file is: a path as it stands, or an id on the Hub."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, OfflineModeIsEnabled

from envforge.core.errors import ConfigError, EnvforgeError
from envforge.core.model_errors import CallRefusedError, ConnectionLostError
from envforge.llm.permission import CALLS_VARIABLE
from envforge.llm.providers.hub import HubClient, model_file


class Hub:
    """Stands in for the package's functions."""

    def __init__(self, files: tuple[str, ...] = (), error: Exception | None = None) -> None:
        self.held, self.error = files, error
        self.asked: list[dict[str, Any]] = []

    def files(self, **asked: Any) -> list[str]:
        self.asked.append(asked)
        if self.error is not None:
            raise self.error
        return list(self.held)

    def download(self, **asked: Any) -> str:
        self.asked.append(asked)
        if self.error is not None:
            raise self.error
        return f"/cache/{asked['filename']}"

    @property
    def client(self) -> HubClient:
        return HubClient(self.download, self.files)


@pytest.fixture(autouse=True)
def may_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        CALLS_VARIABLE, "any"
    )  # nothing here calls: the functions are our own, or refused by the package


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("org/pier:q4/pier.gguf", {"repo_id": "org/pier", "revision": None, "filename": "q4/pier.gguf"}),
        ("org/pier-1.5b@v2:pier.gguf", {"repo_id": "org/pier-1.5b", "revision": "v2", "filename": "pier.gguf"}),
    ],
)
def test_a_named_file_is_downloaded(model: str, asked: dict[str, Any]) -> None:
    hub = Hub()
    assert model_file(model, hub.client) == Path("/cache") / asked["filename"]
    assert hub.asked == [asked]


def test_the_only_file_need_not_be_named() -> None:
    hub = Hub(("README.md", "pier.gguf", "big-00001-of-00002.gguf"))
    assert model_file("org/pier", hub.client) == Path("/cache/pier.gguf")


@pytest.mark.parametrize("files", [("a.gguf", "b.gguf"), ("README.md",)])
def test_which_file_has_to_be_said_where_there_are_several(files: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"has 2 GGUF files.*a\.gguf, b\.gguf|has no GGUF file"):
        model_file("org/pier", Hub(files).client)


@pytest.mark.parametrize("model", ["pier.gguf", "models/pier.gguf", "/tmp/a/pier.gguf", "../x/pier.gguf", "a/b/c", ""])
def test_what_is_no_id_is_a_path(model: str) -> None:
    hub = Hub()
    assert model_file(model, hub.client) == Path(model) and hub.asked == []


def test_a_file_that_is_there_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "org").mkdir()
    (tmp_path / "org" / "pier").write_bytes(b"GGUF")
    monkeypatch.chdir(tmp_path)
    assert model_file("org/pier", Hub().client) == Path("org/pier")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OfflineModeIsEnabled("offline"), ConnectionLostError),
        (LocalEntryNotFoundError("not in the cache"), ConnectionLostError),
        (ConnectionError("no route; token=hf_q7Zt4NvX0pLw3KsR9bHe6YdM"), ConnectionLostError),
        (httpx2.ConnectError("no route; token=hf_q7Zt4NvX0pLw3KsR9bHe6YdM"), ConnectionLostError),
        (httpx2.ReadTimeout("slow"), ConnectionLostError),
        (EntryNotFoundError("404"), ConfigError),
    ],
)
@pytest.mark.parametrize("model", ["org/pier:pier.gguf", "org/pier"])
def test_what_fails_is_typed_and_has_a_remedy(error: Exception, expected: type[EnvforgeError], model: str) -> None:
    with pytest.raises(expected) as caught:
        model_file(model, Hub(error=error).client)
    assert caught.value.where == model and caught.value.remedy
    assert "q7Zt4" not in str(caught.value)


def test_a_fault_of_ours_is_not_taken_for_theirs() -> None:
    with pytest.raises(ZeroDivisionError):
        model_file("org/pier:pier.gguf", Hub(error=ZeroDivisionError()).client)


def test_nothing_is_downloaded_where_calls_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CALLS_VARIABLE, "loopback")
    hub = Hub()
    with pytest.raises(CallRefusedError):
        model_file("org/pier:pier.gguf", hub.client)
    assert hub.asked == []


def test_the_package_itself_offline(tmp_path: Path) -> None:
    code = "from envforge.llm.providers.hub import model_file; model_file('org/pier:pier.gguf')"
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), CALLS_VARIABLE: "any"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert "ConnectionLostError" in done.stderr and "org/pier:pier.gguf" in done.stderr
