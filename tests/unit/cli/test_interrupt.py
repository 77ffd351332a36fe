"""A Ctrl-C that a C library drops is neither lost nor shown as a fault; other faults that it drops are shown."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from envforge.cli import interrupt


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    handler = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(interrupt, "_seen", False)
    interrupt.install()
    yield
    signal.signal(signal.SIGINT, handler)


class Fault:
    """Raises where nobody can catch it, as a callback of a C library does."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __del__(self) -> None:
        raise self._error


def drop(error: BaseException) -> None:
    fault = Fault(error)
    del fault


def test_nothing_is_asked_for_before_a_signal() -> None:
    interrupt.check()


def test_a_dropped_interrupt_is_remembered_and_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    drop(KeyboardInterrupt())
    assert capsys.readouterr().err == ""
    with pytest.raises(KeyboardInterrupt):
        interrupt.check()


@pytest.mark.parametrize("seen", [True, False])
def test_other_faults_are_printed(
    seen: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(interrupt, "_seen", seen)
    drop(ValueError("broken"))
    assert "broken" in capsys.readouterr().err


def test_an_interrupt_that_nobody_sent_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    drop(KeyboardInterrupt())
    assert "KeyboardInterrupt" in capsys.readouterr().err
