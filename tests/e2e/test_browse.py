"""`envforge browse` on a recorded run, as a person would use it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envforge.core.records.browse import BrowseRun
from envforge.web.browser.exchange import Answer, Asked
from envforge.web.browser.recording import Recording

Run = Callable[..., Any]
HTML = (("Content-Type", "text/html; charset=utf-8"),)
FIRST = b"<title>Boats</title><h1>Boats</h1><p>Otter</p><a href='/two'>Next</a>"
SECOND = b"<title>More boats</title><h1>More</h1><p>Tern</p><a href='/three'>Next</a>"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    folder = tmp_path / "recorded"
    run = BrowseRun(started_at="2024-05-01T08:00:00Z", seed=0, width=800, height=600, sandboxed=True)
    recording = Recording(folder, run, lambda: "2024-05-01T08:00:00Z")
    recording.begin()
    for path, body in (("", FIRST), ("two", SECOND)):
        recording.answered(Asked("GET", f"https://shop.test/{path}", "Document", "f"), Answer(200, HTML, body))
    recording.close()
    return folder


@pytest.mark.browser
def test_a_page_is_shown_from_a_recording(recorded: Path, envforge: Run, tmp_path: Path) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("there is no Chromium; `make system` installs it")
    given = ("browse", "https://shop.test/", "--replay", str(recorded), "--click", "1")
    done = envforge(*given, "--screenshot", "boats.png", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["view"]["markdown"], told["view"]["url"]) == ("# More\n\nTern\n\n[Next][1]", "https://shop.test/two")
    assert told["text"].endswith(
        'status 200, part 1 of 1\n\n# More\n\nTern\n\n[Next][1]\n\n[1] link "Next" → https://shop.test/three'
    )
    assert told["run"] is None and (tmp_path / "boats.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "runs").exists(), "a replay leaves nothing behind"
    missing = envforge("browse", "https://shop.test/two", "--click", "1", "--replay", str(recorded), cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "https://shop.test/three: the recorded run has no GET of it" in missing.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("http://127.0.0.1/",), "the host is written as a number"),
        (("file:///etc/passwd",), "only http:// and https:// URLs are fetched"),
        (("https://shop.test/", "--replay", "nowhere"), "nowhere: there is no recorded run"),
    ],
)
def test_what_cannot_be_opened_is_said_at_once(
    envforge: Run, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = envforge("browse", *arguments, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir()), "no folder was made"
