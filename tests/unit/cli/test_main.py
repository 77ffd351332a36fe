"""The entry point: what it refuses before any command."""

from __future__ import annotations

import sys

import pytest

from envforge.cli.main import main


def test_windows_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit) as caught:
        main()
    told = capsys.readouterr().err
    assert caught.value.code == 2 and "WSL 2" in told and told.count("\n") == 1
