"""fetch_anchors: fresh, resumed, refreshed, live; everything on loopback."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.sites.server import Site

from envforge.core.errors import SourceError
from envforge.core.records.fetching import FetchSettings
from envforge.core.records.source import Anchor, Theme
from envforge.factory.fetching import FetchPlan, fetch_anchors
from envforge.web.guard import Guard
from envforge.web.live.client import GuardedClient
from envforge.web.live.errors import StatusError

SHOP = "http://shop.test"


def theme(*specs: str, include: tuple[str, ...] = ()) -> Theme:
    return Theme(
        slug="boats", title="Boats", kind="domain", anchors=tuple(Anchor(spec=s, include=include) for s in specs)
    )


@pytest.fixture
def times() -> list[str]:
    """When the clock is asked; the last one stays."""
    return ["2024-05-01T08:00:00Z"]


@pytest.fixture
def plan(tmp_path: Path, site: Site, times: list[str]) -> FetchPlan:
    guard, settings = Guard(resolve=site.resolve), FetchSettings(delay_seconds=0, tries=1)
    site.robots = lambda: (404, b"")
    return FetchPlan(
        workspace=tmp_path, live=GuardedClient(settings, guard=guard, dial=site.dial, clock=lambda: times[-1])
    )


def paths(site: Site) -> list[str]:
    found = [path for _, path in site.asked if path != "/robots.txt"]
    site.asked.clear()
    return found


def test_what_was_fetched_is_not_fetched_again(plan: FetchPlan, site: Site, tmp_path: Path) -> None:
    wanted = theme(f"{SHOP}/boats.html", f"{SHOP}/boats.csv")
    first = fetch_anchors(wanted, tmp_path / "run", plan)
    assert paths(site) == ["/boats.html", "/boats.csv"]
    assert fetch_anchors(wanted, tmp_path / "run", plan) == first and not paths(site)
    replay = FetchPlan(workspace=tmp_path, replay=tmp_path / "run")
    assert fetch_anchors(wanted, tmp_path / "elsewhere", replay) == first and not (tmp_path / "elsewhere").exists()


def test_an_interrupted_run_goes_on_and_ends_in_the_same_bytes(plan: FetchPlan, site: Site, tmp_path: Path) -> None:
    wanted = theme(f"{SHOP}/boats.csv", f"{SHOP}/later.html", f"{SHOP}/boats.html")
    with pytest.raises(StatusError):
        fetch_anchors(wanted, tmp_path / "run", plan)
    site.extra["/later.html"] = ("text/html", b"<p>Now it is there.</p>")
    paths(site)
    items = fetch_anchors(wanted, tmp_path / "run", plan)
    assert paths(site) == ["/later.html", "/boats.html"] and len(items) == 3
    assert fetch_anchors(wanted, tmp_path / "x", FetchPlan(workspace=tmp_path, replay=tmp_path / "run")) == items


def test_a_refresh_asks_for_changes_only(plan: FetchPlan, site: Site, times: list[str], tmp_path: Path) -> None:
    wanted = theme(f"{SHOP}/tagged", f"{SHOP}/new.html")
    site.extra["/new.html"] = ("text/html", b"<p>old</p>")
    first = fetch_anchors(wanted, tmp_path / "run", plan)
    site.extra["/new.html"] = ("text/html", b"<p>new</p>")
    times.append("2025-01-01T00:00:00Z")
    again = FetchPlan(workspace=tmp_path, live=plan.live, refresh=True)
    second = fetch_anchors(wanted, tmp_path / "run", again)
    assert second[0] == first[0]  # 304: the bytes of then, retrieved then
    assert (second[1].body, second[1].source.retrieved_at) == (b"<p>new</p>", "2025-01-01T00:00:00Z")
    assert not (tmp_path / "run" / "previous").exists()
    assert fetch_anchors(wanted, tmp_path / "x", FetchPlan(workspace=tmp_path, replay=tmp_path / "run")) == second
    third = fetch_anchors(wanted, tmp_path / "run", again)  # the copied headers serve the next refresh
    assert third[0] == first[0] and any("If-None-Match" in sent for sent in site.headers[-4:])


def test_an_interrupted_refresh_loses_nothing(plan: FetchPlan, site: Site, tmp_path: Path) -> None:
    wanted = theme(f"{SHOP}/tagged", f"{SHOP}/new.html")
    site.extra["/new.html"] = ("text/html", b"<p>old</p>")
    first = fetch_anchors(wanted, tmp_path / "run", plan)
    del site.extra["/new.html"]
    again = FetchPlan(workspace=tmp_path, live=plan.live, refresh=True)
    with pytest.raises(StatusError):
        fetch_anchors(wanted, tmp_path / "run", again)
    with pytest.raises(StatusError):
        fetch_anchors(wanted, tmp_path / "run", again)
    assert (tmp_path / "run" / "previous" / "index.json").is_file()
    site.extra["/new.html"] = ("text/html", b"<p>old</p>")
    paths(site)
    site.headers.clear()
    assert fetch_anchors(wanted, tmp_path / "run", again)[0] == first[0]
    assert [sent.get("If-None-Match") for sent in site.headers] == ['"v1"', None]  # tagged, new


def test_themes_of_one_run_share_what_hosts_allow(plan: FetchPlan, site: Site, tmp_path: Path) -> None:
    for name in ("boats.html", "boats.csv"):
        fetch_anchors(theme(f"{SHOP}/{name}"), tmp_path / name, plan)
    assert [path for _, path in site.asked] == ["/robots.txt", "/boats.html", "/boats.csv"]


@pytest.mark.parametrize("copies", [0, 1])
def test_a_refresh_that_is_killed_while_it_sets_aside_loses_nothing(
    plan: FetchPlan, site: Site, tmp_path: Path, copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = theme(f"{SHOP}/tagged")
    first = fetch_anchors(wanted, tmp_path / "run", plan)
    copy, done = shutil.copyfile, [0]

    def killed(source: Path, target: Path) -> Path:
        if done[0] == copies:
            raise KeyboardInterrupt
        done[0] += 1
        return copy(source, target)

    again = FetchPlan(workspace=tmp_path, live=plan.live, refresh=True)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("envforge.factory.fetching.shutil.copyfile", killed)
        fetch_anchors(wanted, tmp_path / "run", again)
    site.headers.clear()
    assert fetch_anchors(wanted, tmp_path / "run", again) == first
    assert [sent.get("If-None-Match") for sent in site.headers] == ['"v1"']


def test_two_anchors_of_one_source_keep_their_own_files(plan: FetchPlan, site: Site, tmp_path: Path) -> None:
    spec = "file:tables"
    (tmp_path / "tables").mkdir()
    for name in ("a", "b"):
        (tmp_path / "tables" / f"{name}.csv").write_text("x\n1\n")
    anchors = (Anchor(spec=spec, include=("a.csv",)), Anchor(spec=spec, include=("b.csv",)))
    wanted = Theme(slug="t", title="T", kind="domain", anchors=anchors)
    first = fetch_anchors(wanted, tmp_path / "run", plan)
    assert [item.source.path for item in first] == ["a.csv", "b.csv"]
    assert fetch_anchors(wanted, tmp_path / "run", plan) == first
    # One more anchor of the same source than the recording has files for.
    (tmp_path / "tables" / "c.csv").write_text("x\n2\n")
    more = wanted.model_copy(update={"anchors": (*anchors, Anchor(spec=spec, include=("c.csv",)))})
    assert [item.source.path for item in fetch_anchors(more, tmp_path / "run", plan)] == ["a.csv", "b.csv", "c.csv"]


def test_without_leave_the_network_stays_closed(plan: FetchPlan, site: Site, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="--live"):
        fetch_anchors(theme(f"{SHOP}/boats.html"), tmp_path / "run", FetchPlan(workspace=tmp_path))
    assert not site.resolved and not site.dialled
