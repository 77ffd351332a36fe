"""The entry point: what it refuses before any command."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from envforge.cli.main import app, main
from envforge.store.tasks import MOST_TASKS


def test_windows_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit) as caught:
        main()
    told = capsys.readouterr().err
    assert caught.value.code == 2 and "WSL 2" in told and told.count("\n") == 1


def test_no_more_tasks_are_made_than_are_read() -> None:
    done = CliRunner().invoke(app, ["synth-tasks", "--count", str(MOST_TASKS + 1)])
    assert done.exit_code == 2 and str(MOST_TASKS) in done.output
