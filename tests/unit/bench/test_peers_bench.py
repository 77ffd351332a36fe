"""The peers bench: its measurements on fake peers, what it must notice, and each real peer where it is installed."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from benchmarks.peers import prepare, run
from benchmarks.peers.contract import Answer, CannotReset
from benchmarks.peers.ledger import COLUMNS, ITEMS, ledger_rows, write_sqlite
from benchmarks.peers.measure import Crowd, Figures, Plan, TooSlow, isolation, measure
from benchmarks.peers.memory import descendants
from benchmarks.peers.report import failed, ratios, remarks, tables
from benchmarks.peers.script import Rows, Script, WrongAnswer
from benchmarks.peers.sqlite_tools import Ledger
from rich.console import Console

TINY = Plan(
    starts=1, openings=2, resets=2, seconds=0.1, least=1, call_seconds=0.05, further=2, clients=(3, 5), load_seconds=0.1
)


@pytest.fixture(scope="session")
def rows() -> Rows:
    return Rows()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("ledger") / "ledger.sqlite"
    write_sqlite(file)
    return file.read_bytes()


class FakeEpisode:
    """The toy's tools in this process."""

    def __init__(self, ledger: Ledger, template: bytes, *, resets: bool = True) -> None:
        self._ledger, self._template, self._resets = ledger, template, resets

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        return getattr(self._ledger, tool)(**arguments)

    async def reset(self) -> None:
        if not self._resets:
            raise CannotReset
        self._ledger = Ledger(self._template)

    async def close(self) -> None:
        """Nothing."""


class FakePeer:
    """Serves the toy honestly."""

    over, reset_by, openings = "in process", "a new copy", 2
    fresh: Sequence[str] | None = None

    def __init__(self, template: bytes, *, threads: bool = False, resets: bool = True) -> None:
        self.threads, self.template, self._resets = threads, template, resets
        self.stopped = 0

    async def start(self) -> None:
        """Nothing."""

    async def open(self) -> FakeEpisode:
        return FakeEpisode(Ledger(self.template), self.template, resets=self._resets)

    async def stop(self) -> None:
        self.stopped += 1


class LeakingPeer(FakePeer):
    """All episodes write to one database."""

    async def start(self) -> None:
        self._shared = Ledger(self.template)

    async def open(self) -> FakeEpisode:
        return FakeEpisode(self._shared, self.template)


class ForgetfulPeer(FakePeer):
    """Its reset does nothing."""

    async def open(self) -> FakeEpisode:
        episode = await super().open()
        episode.reset = _nothing
        return episode


class DeadPeer(FakePeer):
    """Does not start."""

    async def start(self) -> None:
        raise OSError("no such server")


async def _nothing() -> None:
    """A reset that forgets nothing."""


def measured(peer: FakePeer, rows: Rows, plan: Plan = TINY) -> Figures:
    return asyncio.run(measure(lambda: peer, plan, rows))


@pytest.mark.parametrize("threads", [False, True], ids=["tasks", "threads"])
def test_every_step_of_an_honest_peer_has_its_figures(rows: Rows, template: bytes, threads: bool) -> None:
    figures = measured(FakePeer(template, threads=threads), rows)
    assert figures["failed"] == {} and figures["left_out"] == {}
    assert figures["isolation"] == {"episodes": 4, "leaks": 0, "example": ""}
    assert set(figures["call"]["kinds"]) == {"select", "page", "insert", "update", "two-step"}
    assert figures["ready"]["count"] == 1 and figures["open"]["count"] >= 1 and figures["reset"]["count"] >= 1
    assert figures["memory"]["episodes"] == 2 and figures["memory"]["first"] > 1_000_000
    assert figures["load_5"]["per_second"] > 0 and figures["load_5"]["count"] >= 5


def test_a_peer_that_shares_state_between_episodes_is_found_out(rows: Rows, template: bytes) -> None:
    figures = measured(LeakingPeer(template), rows)
    told = " ".join([*figures["failed"].values(), figures.get("isolation", {}).get("example", "")])
    assert "not {" in told and figures.get("isolation", {}).get("leaks", 1)


def test_leaks_are_counted_by_episode(rows: Rows, template: bytes) -> None:
    """The check itself, without the steps before it, which such a peer fails."""

    async def checked() -> Figures:
        peer = LeakingPeer(template)
        await peer.start()
        crowd = Crowd(peer, rows, 60.0)
        crowd.members = [(await peer.open(), Script(rows, client)) for client in range(3)]
        return await isolation(peer, crowd, TINY, rows)

    told = asyncio.run(checked())
    assert told["episodes"] == 4 and told["leaks"] == 4 and "reorder_level" in told["example"]


def test_a_reset_that_forgets_nothing_fails(rows: Rows, template: bytes) -> None:
    failures = measured(ForgetfulPeer(template), rows)["failed"]
    assert set(failures) == {"reset"} and failures["reset"].startswith("WrongAnswer")


def test_a_peer_without_reset_is_not_a_failure(rows: Rows, template: bytes) -> None:
    figures = measured(FakePeer(template, resets=False), rows)
    assert figures["reset"] is None and figures["failed"] == {}


def test_what_would_take_too_long_is_left_out_and_said(rows: Rows, template: bytes) -> None:
    figures = measured(FakePeer(template), rows, replace(TINY, patience=0.0))
    assert set(figures["left_out"]) == {"memory", "isolation", "load_3", "load_5"} and figures["failed"] == {}
    assert figures["left_out"]["load_5"].startswith("5 more episodes would take about")


def test_patience_counts_the_episodes_that_are_missing(rows: Rows, template: bytes) -> None:
    async def grown() -> int:
        peer = FakePeer(template)
        peer.openings = 1
        crowd = Crowd(peer, rows, patience=25.0)
        await crowd.grow(1)
        crowd.seconds_each = 10.0
        await crowd.grow(3)
        with pytest.raises(TooSlow, match="5 more episodes would take about 50 s"):
            await crowd.grow(8)
        assert crowd.affordable(4) == 4 and crowd.affordable(8) == 5
        return len(crowd.members)

    assert asyncio.run(grown()) == 3


def test_a_peer_that_does_not_start_is_told_and_stopped(rows: Rows, template: bytes) -> None:
    peer = DeadPeer(template)
    figures = measured(peer, rows)
    assert set(figures["failed"]) == {"ready", "start"} and "no such server" in figures["failed"]["start"]
    assert peer.stopped == 2 and "call" not in figures


def test_answers_are_compared_with_the_rows(rows: Rows) -> None:
    call = Script(rows).first()
    with pytest.raises(WrongAnswer, match="get_item"):
        call.check({"item": {**call.expected["item"], "unit_price": 0.0}})


def test_the_toy_is_the_same_for_a_seed_and_about_a_megabyte(template: bytes) -> None:
    assert ledger_rows(3) == ledger_rows(3) != ledger_rows(4)
    assert {table: tuple(found[0]) for table, found in ledger_rows().items()} == COLUMNS
    assert 800_000 < len(template) < 1_200_000
    assert {row["item_id"] for row in ledger_rows()["items"]} == set(range(1, ITEMS + 1))


def test_descendants_are_found_however_deep() -> None:
    script = textwrap.dedent("""
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "print('up', flush=True); input()"], stdin=subprocess.PIPE)
        sys.stdin.read(); child.communicate()
    """)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None and child.stdout.readline() == "up\n"
        assert len(descendants(child.pid)) == 1 and child.pid in descendants(os.getpid())
        child.communicate()


def test_ratios_and_tables_say_who_is_how_many_times_slower() -> None:
    ours: Figures = {"over": "in process", "call": {"median": 0.001, "p95": 0.002}, "load_16": {"per_second": 900.0}}
    theirs: Figures = {
        "over": "HTTP",
        "reset": None,
        "reset_by": "none",
        "call": {"median": 0.03, "p95": 0.04},
        "left_out": {"load_64": "too slow"},
        "failed": {"memory": "OSError: gone"},
        "isolation": {"leaks": 2, "episodes": 17, "example": "saw another's row"},
    }
    theirs["load_16"] = {"per_second": 90.0, "p95": 0.1}
    ours["load_16"]["p95"] = 0.1
    results = {"pool": ours, "other": theirs, "absent": {"skipped": "not installed"}}
    assert ratios(results, "pool")["other"] == {"call p50": 30, "call p95": 20, "16 clients": 10, "p95 of 16": 1}
    console = Console(width=200, record=True, file=io.StringIO())
    for drawn in tables({name: results[name] for name in ("pool", "other")}, ["pool", "serve"]):
        console.print(drawn)
    text = console.export_text()
    assert all(said in text for said in ("30.0 ms", "30×", "10×", "cannot", "failed", "left out", "2 of 17"))
    said = remarks(results)
    assert "absent: skipped: not installed" in said and "other: memory failed: OSError: gone" in said
    assert "other: leaked: saw another's row" in said and failed(results) == ["other"]


def test_a_missing_peer_is_skipped_with_what_to_do(tmp_path: Path) -> None:
    figures = run.measured(run.SUBJECTS["mcp"], tmp_path, {}, 5)
    assert figures == {"skipped": "mcp is not installed; run benchmarks/peers/prepare.py mcp"}


def test_a_driver_that_ends_early_is_a_failure(tmp_path: Path) -> None:
    figures = run.measured(run.Subject("no_such_module"), tmp_path, {}, 60)
    assert "ModuleNotFoundError" in figures["failed"]["drive"] and "over" not in figures


@pytest.mark.slow
def test_a_driver_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "child"
    child = f"import os, pathlib, time; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(600)"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert run.ran([sys.executable, "-c", script], 15)[1] is None
    assert mark.exists() and _ended(int(mark.read_text(encoding="ascii")))


def _ended(pid: int) -> bool:
    """Whether a killed process goes; one that only waits to be collected is gone."""
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("main", [run.main, prepare.main], ids=["run", "prepare"])
def test_unknown_names_are_refused(main: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["nobody"])
    assert "unknown" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, subject in run.SUBJECTS.items() if subject.peer is not None])
def test_an_installed_peer_answers_as_the_rows_say(name: str) -> None:
    subject = run.SUBJECTS[name]
    if subject.peer is not None and not prepare.interpreter(subject.peer).exists():
        pytest.skip(f"benchmarks/peers/prepare.py {subject.peer} has not been run")
    plan = {"starts": 1, "openings": 1, "resets": 1, "least": 1, "call_seconds": 0.2, "further": 1, "clients": [2]}
    figures = run.measured(subject, prepare.WORK, {**plan, "load_seconds": 0.2}, 300)
    assert figures["failed"] == {} and figures["isolation"]["leaks"] == 0, json.dumps(figures, indent=1)
