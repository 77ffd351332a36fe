"""The soak in short: hundreds of deaths per million calls become some in a thousand."""

from __future__ import annotations

import asyncio
from pathlib import Path

from envforge.world.environment import Environment

from .server_soak import server_soak
from .soak import ROOT, Report, open_files, processes, record, soak


def test_a_short_soak_leaves_nothing_and_finds_every_state_as_it_was_recorded() -> None:
    environment = Environment.open(ROOT / "environments" / "notion")
    recorded = {"notion": record(environment, ROOT / "tasks" / "notion", episodes=6, calls=25)}
    report = asyncio.run(soak(recorded, [environment], calls=1500, episodes=24, kills=6.0))
    assert report.clean, report
    assert report.calls >= 1500 and report.kills >= 2
    assert report.replaced >= 1 and report.brought_back >= 1


def test_a_report_of_something_left_or_wrong_is_not_clean() -> None:
    assert Report().clean
    for spoiled in (Report(left_processes=1), Report(left_files=1), Report(left_episodes=1)):
        assert not spoiled.clean
    for spoiled in (Report(wrong_answers=["x"]), Report(wrong_states=["x"]), Report(failures=["x"])):
        assert not spoiled.clean


def test_a_state_that_is_not_the_recorded_one_is_found() -> None:
    environment = Environment.open(ROOT / "environments" / "notion")
    right = record(environment, ROOT / "tasks" / "notion", episodes=2, calls=5)
    wrong = [episode.model_copy(update={"digest": "0" * 64}) for episode in right]
    report = asyncio.run(soak({"notion": wrong}, [environment], calls=10, episodes=2, kills=0.0))
    assert report.wrong_states and not report.clean


def test_what_is_left_is_counted() -> None:
    assert open_files() and processes() >= 0


def test_a_short_soak_of_the_server_leaves_nothing(tmp_path: Path) -> None:
    environment = Environment.open(ROOT / "environments" / "notion")
    recorded = record(environment, ROOT / "tasks" / "notion", episodes=4, calls=20)
    report = server_soak(environment, recorded, tmp_path, calls=600, clients=8)
    assert report.clean, report
    assert report.calls >= 600 and report.half_open >= 1
