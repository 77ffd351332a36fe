"""`envforge mine --live` against the loopback site, `--replay` with the network off, and what stands between them."""

from __future__ import annotations

import functools
import json
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.sites.server import PUBLIC, Site

from envforge.cli import interrupt
from envforge.cli.main import main
from envforge.factory import mine_theme
from envforge.mine.archetypes.catalogue import load_archetypes

Tree = Callable[[Path], dict[str, bytes]]
ROOT = Path(__file__).parents[2]
COAST = ROOT / "tests" / "fixtures" / "lighthouses"
TABLES = ("inspections", "keepers", "lights", "regions")


@pytest.fixture(scope="module")
def archetypes() -> Iterator[Callable[..., Any]]:
    """The shipped archetypes, read once for all runs of this file."""
    kept: dict[str, Any] = {}

    @functools.wraps(load_archetypes)
    def once(folders: Sequence[Path], **options: Any) -> Any:
        key = repr((folders, options))
        if key not in kept:
            kept[key] = load_archetypes(folders, **options)
        return kept[key]

    yield once


class Desk:
    """A workspace with the command line in it, whose web is the loopback site, or off."""

    def __init__(self, folder: Path, site: Site, patch: pytest.MonkeyPatch, said: pytest.CaptureFixture[str]) -> None:
        self.folder, self._site, self._patch, self._said = folder, site, patch, said
        self.asked: list[str] = []
        self._online = True
        for table in TABLES:
            site.extra[f"/{table}.csv"] = ("text/csv", (COAST / f"{table}.csv").read_bytes())
        site.robots = lambda: (200, b"User-agent: *\nDisallow: /private/\n")
        settings = folder / "validators/web/fetch.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"delay_seconds": 0}')
        connect = socket.create_connection

        def look_up(host: str, port: int, **_: Any) -> list[Any]:
            self.asked.append(host)
            if not self._online:
                raise socket.gaierror(socket.EAI_AGAIN, "the network is off")
            (address,) = site.resolve(host, port)
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port))]

        def dial(address: tuple[str, int], timeout: float | None = None) -> socket.socket:
            assert address == (PUBLIC, 80) and self._online, f"dialled {address}"
            with patch.context() as real:
                real.setattr(socket, "getaddrinfo", resolver)
                return connect(("127.0.0.1", site.port), timeout)

        resolver = socket.getaddrinfo
        patch.setattr(socket, "getaddrinfo", look_up)
        patch.setattr(socket, "create_connection", dial)
        patch.chdir(folder)

    def mine(self, *options: str, tables: Sequence[str] = TABLES, online: bool = True) -> tuple[int, str]:
        """Exit code, and what was said."""
        self._online = online
        self.asked.clear()
        named = [word for table in tables for word in ("--source", url(table))]
        what = ["envforge", "mine", "--theme", "lighthouses", "--new", "--until", "database", "--json"]
        self._patch.setattr(sys, "argv", [*what, *named, *options])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = self._said.readouterr()
        return int(stop.value.code or 0), captured.out + captured.err

    @property
    def run(self) -> Path:
        (found,) = (path for path in (self.folder / "runs").iterdir() if (path / "sources").is_dir())
        return found


def url(table: str) -> str:
    return table if ":" in table else f"http://shop.test/{table}.csv"


@pytest.fixture
def desk(
    tmp_path: Path,
    site: Site,
    archetypes: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Desk:
    monkeypatch.setattr(mine_theme, "load_archetypes", archetypes)
    monkeypatch.setattr(interrupt, "install", lambda: None)  # signals are the test runner's
    return Desk(tmp_path, site, monkeypatch, capsys)


def test_a_theme_from_the_live_web_is_mined_again_offline(desk: Desk, tree: Tree, site: Site) -> None:
    code, said = desk.mine()
    assert code == 2 and "--live" in said and not desk.asked and not site.asked
    code, said = desk.mine("--live")
    assert code == 0, said
    assert set(desk.asked) == {"shop.test"}
    made = tree(desk.run / "draft")
    sources = [json.loads(line) for line in made["lighthouses/sources.jsonl"].splitlines()]
    assert {source["url"] for source in sources} == {url(table) for table in TABLES}
    assert all(source["url_status"] == "fetched" and source["retrieved_at"] for source in sources)

    shutil.rmtree(desk.run / "draft")
    again = desk.mine("--replay", desk.run.name, online=False)
    assert again == (code, said)
    assert tree(desk.run / "draft") == made and not desk.asked

    shutil.rmtree(desk.run / "draft")
    assert desk.mine(online=False) == (code, said)  # the same command finds what it fetched
    assert tree(desk.run / "draft") == made and not desk.asked


def test_what_a_recording_does_not_hold_is_named(desk: Desk) -> None:
    code, said = desk.mine("--live", tables=("lights", "keepers"))
    assert code == 0, said
    code, said = desk.mine("--replay", str(desk.run), online=False)
    assert code == 2 and url("inspections") in said and "without --replay" in said
    assert "Traceback" not in said and not desk.asked


@pytest.mark.parametrize(
    ("page", "message"),
    [("/status/404", "status 404"), ("/private/log.html", "robots.txt"), ("/to-metadata", "written as a number")],
)
def test_a_failure_replays_as_the_failure_that_it_was(desk: Desk, site: Site, page: str, message: str) -> None:
    lost = ("lights", f"http://shop.test{page}")
    live = desk.mine("--live", tables=lost)
    assert live[0] == 2 and message in live[1]
    assert desk.mine("--replay", desk.run.name, tables=lost, online=False) == live
    # Going on is something else: the page is asked for again, the table is not.
    site.asked.clear()
    assert desk.mine("--live", tables=lost) == live
    assert [path for _, path in site.asked] == ["/robots.txt", page][: 1 if "private" in page else 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--replay", "nowhere"), "no run 'nowhere'"),
        (("--replay", "x", "--live"), "a replay fetches nothing"),
        (("--replay", "x", "--refresh"), "a replay fetches nothing"),
    ],
)
def test_bad_input_is_told(desk: Desk, options: tuple[str, ...], message: str) -> None:
    code, said = desk.mine(*options)
    assert code == 2 and message in said and "Traceback" not in said
