"""The entry point: what it refuses before any command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
from typer import Option, Typer
from typer.testing import CliRunner

from envforge.cli.main import app, main
from envforge.cli.options import UNSAFE_VARIABLE, Flag, SharedOptions, sharing
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


# ---- options that commands have alike ------------------------------------------------------------------------------


def told(*arguments: str, flags: tuple[Flag, ...]) -> tuple[int, list[tuple[SharedOptions, int]]]:
    """Exit code, and what a command got that shares these flags and has an option of its own."""
    got: list[tuple[SharedOptions, int]] = []
    one = Typer()

    @one.command()
    @sharing(*flags)
    def command(shared: SharedOptions, number: Annotated[int, Option(min=1, max=3)] = 2) -> None:
        """Do it."""
        got.append((shared, number))

    named: Callable[..., None] = command
    assert (named.__name__, named.__doc__) == ("command", "Do it.")
    return CliRunner().invoke(one, list(arguments)).exit_code, got


def test_shared_options_come_as_one() -> None:
    assert told(flags=()) == (0, [(SharedOptions(Path(), json_output=False, quiet=False), 2)])
    wish = ("--json", "-w", "there", "--number", "3", "-q")
    assert told(*wish, flags=("quiet",)) == (0, [(SharedOptions(Path("there"), json_output=True, quiet=True), 3)])
    assert told("--number", "4", flags=()) == (2, [])


def test_a_flag_that_a_command_does_not_share_is_unknown() -> None:
    assert told("--quiet", flags=("unsafe",)) == (2, [])
    assert told("--unsafe", flags=("quiet",)) == (2, [])


def test_unsafe_is_for_child_processes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UNSAFE_VARIABLE, "0")
    assert told(flags=("unsafe",))[0] == 0 and os.environ[UNSAFE_VARIABLE] == "0"
    assert told("--unsafe", flags=("unsafe",))[0] == 0 and os.environ[UNSAFE_VARIABLE] == "1"


@pytest.mark.parametrize(("quiet", "json", "silent"), [(0, 0, False), (1, 0, True), (0, 1, True)])
def test_progress_is_for_people_who_look(quiet: int, json: int, silent: bool) -> None:
    assert SharedOptions(quiet=bool(quiet), json_output=bool(json)).silent is silent
