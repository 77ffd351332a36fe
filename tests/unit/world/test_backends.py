"""Which sandbox is used, and that none is used without being asked."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator

import pytest

from envforge.cli import options as command_line
from envforge.core.errors import SandboxError
from envforge.world.environment import Environment
from envforge.world.sandbox import backends
from envforge.world.sandbox.features import sandbox_features
from envforge.world.sandbox.lockdown import Lockdown

GET = {"book_id": 101}


@pytest.fixture
def nothing_holds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose kernel has none of the layers."""
    monkeypatch.delenv(backends.UNSAFE_VARIABLE, raising=False)
    monkeypatch.delenv(backends.CHOICE_VARIABLE, raising=False)

    def why_not(name: str) -> str:
        return "" if name == "unsafe" else f"no {name} here"

    monkeypatch.setattr(backends, "why_not", why_not)
    yield


@pytest.mark.usefixtures("nothing_holds")
def test_tool_code_is_refused_where_the_kernel_cannot_hold_it(library: Environment) -> None:
    with pytest.raises(SandboxError, match=r"no kernel here.*--unsafe"):
        library.start()


@pytest.mark.usefixtures("nothing_holds")
def test_unsafe_is_possible_when_asked(library: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(backends.UNSAFE_VARIABLE, "1")
    with library.start() as session:
        assert session.call("get_book", GET).ok
    assert not sandbox_features().safe


def test_a_named_backend_is_used(library: Environment) -> None:
    for name in backends.available_backends():
        if not backends.BACKENDS[name].safe:
            continue
        features = sandbox_features(name)
        assert features.backend == name and features.safe
        with library.start(backend=name) as session:
            assert session.call("get_book", GET).ok


def test_an_unknown_backend_is_refused(library: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(backends.CHOICE_VARIABLE, "docker")
    with pytest.raises(SandboxError, match="namespaces"):
        library.start()


def test_the_command_line_and_the_sandbox_mean_the_same_variable() -> None:
    assert command_line.UNSAFE_VARIABLE == backends.UNSAFE_VARIABLE


# ---- other machines ------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another system than Linux, on which nothing was tried yet."""
    backends.why_not.cache_clear()
    monkeypatch.setattr(sys, "platform", "darwin")
    yield
    backends.why_not.cache_clear()


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("backend", [None, *backends.BACKENDS])
def test_another_system_runs_no_tool_code(
    backend: str | None, library: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(backends.UNSAFE_VARIABLE, "1")
    assert backends.available_backends() == ()
    with pytest.raises(SandboxError, match="not run on darwin") as caught:
        library.start(backend=backend)
    assert "WSL 2" in caught.value.remedy


@pytest.mark.parametrize("name", backends.BACKENDS)
def test_a_processor_whose_numbers_are_not_known_has_no_kernel_layer(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    backend = backends.BACKENDS[name]
    if not backend.safe:
        Lockdown(backend.layers)
        return
    with pytest.raises(OSError, match="numbers of this machine"):
        Lockdown(backend.layers)
