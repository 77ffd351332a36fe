"""A recorded run, done again with the network off."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest
from tests.sites.server import Site

from envforge.core.errors import SourceError
from envforge.core.times import moment, timestamp
from envforge.web.browser.errors import MissingRecordError, TooLargeError
from envforge.web.browser.settings import BrowseSettings, Outside
from envforge.web.browser.start import open_browser
from envforge.web.browser.view import View
from envforge.web.guard import BlockedError, Guard

from .conftest import Running, Start

pytestmark = pytest.mark.browser


def _refused(host: str, port: int) -> list[str]:
    raise AssertionError(f"{host}:{port} was resolved in a replay")


def _done(running: Running) -> list[View]:
    """The same work in both runs: scripts, forms, pages, a refused link, a download, a tab."""
    do, browser = running.do, running.browser
    views = [do(browser.open("https://shop.test/scripted.html")), do(browser.open("http://shop.test/form.html"))]
    views += [do(browser.type(1, "o")), do(browser.select(2, "by berth")), do(browser.click(4))]
    views += [do(browser.open("http://shop.test/to-boats")), do(browser.click(1)), do(browser.back())]
    views.append(do(browser.open("http://shop.test/remembered")))
    assert views[-1].markdown == "berth=B1", "what scripts can read of cookies is there in a replay, too"
    links = do(browser.open("http://shop.test/links.html"))
    with pytest.raises(SourceError, match="written as a number"):
        do(browser.click(1))
    do(browser.look())
    saved = do(browser.download(4))
    views.append(links.model_copy(update={"downloads": (saved.model_copy(update={"path": ""}),)}))
    with pytest.raises(TooLargeError):
        do(browser.open("http://shop.test/huge.csv"))
    views.append(do(browser.open("http://shop.test/words.html")))
    return [view.model_copy(update={"tabs": (), "notes": ()}) for view in views]


def test_a_run_is_replayed_with_the_network_off(
    running: Running, site: Site, start: Start, settings: BrowseSettings, outside: Outside, tmp_path: Path
) -> None:
    recorded, today = _done(running), running.do(running.browser.open("http://shop.test/today.html")).markdown
    site.dialled.clear()
    site.asked.clear()
    later = timestamp(moment(running.opened.run.started_at) + timedelta(days=3))
    nowhere = dataclasses.replace(outside, guard=Guard(resolve=_refused), clock=lambda: later)
    context = open_browser(tmp_path / "again", replay=running.folder, settings=settings, outside=nowhere)
    again = start(context, tmp_path / "again")
    assert _done(again) == recorded
    day, chance = today.split("\n\n")
    seen = again.do(again.browser.open("http://shop.test/today.html")).markdown.split("\n\n")
    # The clock of the page is the real one less the three days that went by since the recording, as far as we say.
    assert seen == [timestamp(moment(day) - timedelta(days=3))[:10], chance]
    with pytest.raises(MissingRecordError, match="the recorded run has no GET of it"):
        again.do(again.browser.open("http://shop.test/never-seen.html"))
    with pytest.raises(BlockedError):
        again.do(again.browser.open("file:///etc/passwd"))
    assert not site.dialled and not site.asked
    assert again.opened.decisions.count("allowed") == 0
