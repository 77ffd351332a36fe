"""The page of an episode: all of it, escaped, and nothing that fetches or runs what a stranger wrote."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from envforge.core.records.trajectory import Trajectory
from envforge.studio.changes import changes
from envforge.studio.page import page, text
from envforge.studio.replay import replay_page

from .conftest import CHANGED, HOSTILE, episode

CHROMIUM = Path("/usr/bin/chromium")


class Tags(HTMLParser):
    """Tags of a page, and text outside of style and script."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(scope="module")
def tags() -> Tags:
    return Tags(replay_page(episode()))


def test_nothing_of_a_stranger_is_markup(tags: Tags) -> None:
    names = [name for name, _ in tags.tags]
    assert names.count("script") == 1 and names.count("style") == 1
    assert not {"img", "iframe", "link", "object", "form", "a", "base"} & set(names)
    assert not [name for _, given in tags.tags for name in given if name.startswith("on") or name in ("src", "href")]
    assert sum(HOSTILE in words for words in tags.words) >= 8


def test_the_policy_lets_nothing_in_and_nothing_out(tags: Tags) -> None:
    (policy,) = [given["content"] for name, given in tags.tags if name == "meta" and "http-equiv" in given]
    assert policy is not None and policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='", policy)


def test_all_of_the_episode_is_there(tags: Tags) -> None:
    said = " ".join(tags.words)
    for words in ("task-1", "reward 0", "completed: answered", "system prompt", "812 tokens in, 5 out", "not readable",
                  "1 earlier results were not shown", "call 1", "call 2", "Call 2: lend, refused", "Verdict: score 0",
                  "50% of what was asked for", "1 inserted, 1 updated, 1 deleted", "Final answer", "-two"):  # fmt: skip
        assert words in said, words
    # Results of calls stand with the calls, not as messages once more.
    assert [given.get("class") for _, given in tags.tags].count("said tool") == 0


def test_an_episode_without_a_conversation_begins_with_its_task() -> None:
    found = Tags(replay_page(episode(messages=(), model_turns=(), malformed=()), instruction="Lend <it>."))
    assert "Lend <it>." in found.words
    assert [given["id"] for _, given in found.tags if given.get("class", "") and "step" in str(given.get("id"))]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"ending": "turn_limit", "status": "truncated"}, "It ended: turn limit"),
        ({"ending": "agent_failure", "status": "error", "failure": "no", "failure_kind": "RefusedAnswerError"},
         "RefusedAnswerError no"),
        ({"verdict": None, "reward": None}, "not scored"),
        ({"turns": (), "messages": ()}, "No call was made."),
    ],
)  # fmt: skip
def test_every_ending_has_its_words(changed: dict[str, Any], told: str) -> None:
    assert told in " ".join(Tags(replay_page(episode(**changed))).words)


def test_what_was_not_recorded_is_told_apart_from_nothing() -> None:
    assert "was not recorded" in changes(None) and "Nothing changed" in changes({})
    many = {"tables": {"t": {"inserted": [{"id": n} for n in range(60)]}}}
    assert "… and 10 more" in changes(many)


def test_text_is_cut_and_cannot_turn_around() -> None:
    assert text("x" * 30_000).endswith("(10,000 more characters)")
    assert "\u202e" not in text("a\u202eb") and text("\ud800") == "?"


def test_a_page_without_code_allows_none() -> None:
    assert "script-src 'none'" in page("x", "")


@pytest.fixture(scope="module")
def browser() -> Any:
    """Headless Chromium, which phones nowhere."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra browse)")
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed (apt install chromium)")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-background-networking"]
        )
        yield running
        running.close()


def opened(browser: Any, source: str, folder: Path) -> tuple[Any, list[str], list[str]]:
    """The page in a tab, what it asked for, and what it complained about."""
    (folder / "replay.html").write_text(source, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1366, "height": 768})
    asked: list[str] = []
    complaints: list[str] = []

    def finished(request: Any) -> None:
        asked.append(request.url)

    def said(message: Any) -> None:
        complaints.append(message.text)

    def failed(error: Any) -> None:
        complaints.append(str(error))

    tab.on("requestfinished", finished)
    tab.on("console", said)
    tab.on("pageerror", failed)
    tab.goto((folder / "replay.html").as_uri())
    return tab, asked, complaints


@pytest.mark.browser
def test_in_a_browser(browser: Any, tmp_path: Path) -> None:
    tab, asked, complaints = opened(browser, replay_page(episode()), tmp_path)
    assert [url.split(":")[0] for url in asked] == ["file"] and complaints == []
    assert tab.evaluate("window.broken") is None
    assert tab.locator("#panel-1").is_visible() and not tab.locator("#panel-2").is_visible()
    tab.keyboard.press("ArrowDown")
    assert tab.locator("#panel-2").is_visible() and not tab.locator("#panel-1").is_visible()
    assert tab.locator("#place").inner_text() == "2 of 2"
    assert "1 inserted, 1 updated, 1 deleted" in tab.locator("#panel-2").inner_text()
    for key in ("j", "End"):
        tab.keyboard.press(key)
        assert tab.locator("#place").inner_text() == "2 of 2"
    tab.keyboard.press("k")
    assert tab.locator("#panel-1").is_visible()
    tab.locator("#step-2").click()
    assert tab.locator("#panel-2").is_visible()
    # A laptop's window holds it: nothing runs out at the side.
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1366
    tab.close()


@pytest.mark.browser
def test_the_policy_holds_in_a_browser(browser: Any, tmp_path: Path) -> None:
    """Were something not escaped, it would not run and not be fetched."""
    hurt = replay_page(episode()).replace("<main>", f"<main>{HOSTILE}", 1)
    tab, asked, complaints = opened(browser, hurt, tmp_path)
    assert tab.evaluate("window.broken") is None and len(asked) == 1
    assert len(complaints) >= 2 and all("Content Security Policy" in words for words in complaints)
    tab.close()


def test_the_fixture_is_an_episode() -> None:
    assert Trajectory.model_validate(episode().to_json()) == episode() and episode().state_diff == CHANGED
