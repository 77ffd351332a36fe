"""What a browser shows of pages, and what one can do with them."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import psutil
import pytest
from tests.sites.server import PUBLIC, Site

from envforge.core.errors import StoreError
from envforge.core.ids import sha256_bytes
from envforge.web.browser.errors import BrowseError, ElementError, NoTabError, PageCrashedError, PageHungError
from envforge.web.browser.start import open_browser
from envforge.web.browser.view import Download, View, as_text

from .conftest import LIMITS, Running

pytestmark = pytest.mark.browser
WORDS = """# Tides of [the bay][1]

High water is **late** today; see `tide --at B1`.
A page may say [this]\\[7] itself.

- neap
- spring [with boats][2]
  - of March
- storm

  surge

3. ebb
4. flood

Heights

| day | metres \\| feet |  |
| --- | --- | --- |
| Monday | 3.1 | [10][3] |
|  | 3.4 | 11 2 |

### Harbour card

All berths.

[→][4]

Name [textbox: Ann][5] [textbox "pass": (hidden)][6] [(x)][7] Agree [combobox "s": Two][8]
[textbox "Note": hey][9] [Send it][10]

[More][11]

seen

[Turn the page][12]

```
a  b
  c
```

> Quoted.

---

![A tern]

In the shadow [Press][13]"""


def number(view: View, name: str) -> int:
    (found,) = [element.number for element in view.elements if element.name == name]
    return found


def open_(running: Running, path: str, scheme: str = "http") -> View:
    return running.do(running.browser.open(f"{scheme}://shop.test{path}"))


def click(running: Running, view: View, name: str) -> View:
    return running.do(running.browser.click(number(view, name)))


def test_a_page_is_read_as_markdown_with_numbered_elements(running: Running, site: Site) -> None:
    view = open_(running, "/words.html")
    assert view.markdown == WORDS
    assert (view.title, view.url, view.status, view.parts) == ("Words", "http://shop.test/words.html", 200, 1)
    told = {element.number: (element.role, element.name, element.value, element.state) for element in view.elements}
    assert list(told) == list(range(1, 14))
    assert told[4] == ("link", "Harbour card All berths.", "", ())
    assert told[6] == ("textbox", "pass", "(hidden)", ()), "a password is never told"
    assert told[7] == ("checkbox", "Agree", "", ("checked",))
    assert told[9] == ("textbox", "Note", "hey", ("required",))
    assert told[10] == ("button", "Send it", "", ("disabled",))
    assert view.elements[7].options == ("One", "Two")
    assert '[1] link "the bay" → http://shop.test/hello.html' in as_text(view).splitlines()
    assert site.dialled and {address for address, _ in site.dialled} == {PUBLIC}


def test_a_list_made_by_a_script_is_there_over_tls_too(running: Running, site: Site) -> None:
    view = open_(running, "/scripted.html", "https")
    assert "- Otter at A1\n- Tern at A2\n- Plover at B1" in view.markdown
    assert ("shop.test", "/api/boats.json") in site.asked
    agent = site.headers[-1]["User-Agent"]
    assert "envforge/" in agent and "Chrome/" in agent, "who reads is said"


def test_pages_are_turned_by_clicking_and_back(running: Running) -> None:
    first = open_(running, "/boats.html")
    second = click(running, first, "Next")
    assert "| 4 | Dunlin |" in second.markdown and second.url.endswith("?page=2")
    assert running.do(running.browser.back()).markdown == first.markdown


def test_forms_are_filled_in(running: Running) -> None:
    browser, do = running.browser, running.do
    view = open_(running, "/form.html")
    do(browser.type(number(view, "Boat"), "o"))
    view = click(running, do(browser.look()), "Find")
    assert view.markdown.endswith("- Otter A1\n- Plover B1\n- Scoter C1")
    view = click(running, do(browser.select(number(view, "Order"), "by berth")), "upper case")
    assert view.elements[2].state == ("checked",)
    view = do(browser.type(number(view, "Boat"), "t", enter=True))
    assert view.markdown.endswith("- OTTER A1\n- TERN A2\n- SCOTER C1")
    assert (view.elements[0].value, view.elements[1].value) == ("t", "by berth")
    with pytest.raises(ElementError, match="it offers by name, by berth"):
        do(browser.select(number(view, "Order"), "by length"))
    with pytest.raises(ElementError, match="cannot be done with this element"):
        do(browser.type(number(view, "Find"), "x"))
    with pytest.raises(ElementError, match="no element 99"):
        do(browser.click(99))


def test_what_covers_a_page_is_named_and_can_be_closed(running: Running) -> None:
    view = open_(running, "/wall.html")
    with pytest.raises(ElementError, match="covered by <"):
        click(running, view, "Hello")
    view = click(running, running.do(running.browser.look()), "Accept")
    assert "cookies" not in view.markdown
    assert click(running, view, "Hello").title == "Hello"


def test_numbers_of_an_older_view_are_not_taken_for_new_ones(running: Running) -> None:
    view = open_(running, "/wall.html")
    running.do(running.browser.open("http://shop.test/hello.html"))
    with pytest.raises(ElementError, match="no element"):
        click(running, view, "Accept")


def test_a_long_page_comes_in_parts(running: Running) -> None:
    view = open_(running, "/long.html")
    parts = [view]
    while view.part < view.parts:
        view = running.do(running.browser.more())
        parts.append(view)
    assert len(parts) > 2 and all(len(part.markdown) <= LIMITS.view_chars for part in parts)
    assert [element.name for part in parts for element in part.elements] == [f"more of {n}" for n in range(1, 101)]
    with pytest.raises(BrowseError, match="no more"):
        running.do(running.browser.more())
    assert running.do(running.browser.scroll("down")).part == 1


def test_frames_are_read_too(running: Running) -> None:
    markdown = open_(running, "/framed.html").markdown
    assert markdown.startswith("Outside.\n\n--- frame http://shop.test/hello.html ---\n\n# Hello")


def test_tabs_open_switch_and_close(running: Running) -> None:
    browser, do = running.browser, running.do
    view = open_(running, "/links.html")
    first = view.tabs[0].number
    new = click(running, view, "new tab")
    assert (new.title, new.status, len(new.tabs)) == ("Hello", 200, 2)
    assert new.notes == (f"tab {new.tabs[1].number} opened; it is the current one now",)
    with pytest.raises(NoTabError, match="no page to go back to"):
        do(browser.back())
    assert do(browser.switch(first)).title == "Links"
    click(running, do(browser.switch(first)), "new tab")
    last = click(running, do(browser.switch(first)), "new tab")
    assert len(last.tabs) == LIMITS.tabs and "one more tab; it was closed" in " ".join(last.notes)
    assert len(do(browser.close_tab(new.tabs[1].number)).tabs) == 2
    with pytest.raises(NoTabError, match="there are"):
        do(browser.switch(9999))


def test_dialogs_are_dismissed_and_told(running: Running) -> None:
    view = click(running, open_(running, "/links.html"), "ask")
    assert [note.partition(":")[0] for note in view.notes] == [
        "the page showed a dialog (alert), which was dismissed",
        "the page showed a dialog (confirm), which was dismissed",
    ]


def test_files_are_kept_in_the_run(running: Running) -> None:
    view = open_(running, "/links.html")
    saved = running.do(running.browser.download(number(view, "archive")))
    body = (running.folder / saved.path).read_bytes()
    assert (saved.name, saved.bytes, saved.sha256) == ("boats.zip", len(body), sha256_bytes(body))
    direct = open_(running, "/boats.zip")
    assert (direct.title, [file.name for file in direct.downloads]) == ("Links", ["boats.zip"])
    assert [file.name for file in open_(running, "/tides.pdf").downloads] == ["tides.pdf"]
    made = click(running, running.do(running.browser.look()), "made here")
    assert [(file.name, file.bytes) for file in made.downloads] == [("made.txt", len("made in the page"))]
    with pytest.raises(ElementError, match="gives no file"):
        running.do(running.browser.download(number(view, "ask")))
    assert not list(Path(running.folder / "profile" / "downloads").iterdir()), "nothing is left where Chromium put it"


def test_who_asks_at_the_same_time_gets_what_was_asked_for(running: Running) -> None:
    view = open_(running, "/links.html")
    numbers = [number(view, name) for name in ("archive", "made here")]

    async def both() -> list[Download]:
        return await asyncio.gather(*[running.browser.download(at) for at in numbers])

    assert [file.name for file in running.do(both())] == ["boats.zip", "made.txt"]


def test_the_folder_of_a_run_is_its_owners_alone(running: Running) -> None:
    assert running.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_named(running: Running, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be made"):
        running.do(open_browser(tmp_path / "file" / "run").__aenter__())


def test_a_picture_is_a_file_of_the_run(running: Running) -> None:
    open_(running, "/hello.html")
    path = running.do(running.browser.screenshot())
    assert path.parent == running.folder / "screenshots" and path.read_bytes().startswith(b"\x89PNG")


def test_an_error_page_is_shown_as_what_it_is(running: Running) -> None:
    view = open_(running, "/status/404")
    assert view.status == 404 and view.notes == ("the site answered with status 404",)


def test_waiting_has_a_limit(running: Running) -> None:
    with pytest.raises(BrowseError, match="no time to wait"):
        running.do(running.browser.wait(3600))
    assert running.do(running.browser.wait(0.01)).part == 1


def test_a_page_that_hangs_costs_its_tab_only(running: Running) -> None:
    view = open_(running, "/links.html")
    with pytest.raises(PageHungError, match="does not come to an end"):
        click(running, view, "hang")
    assert open_(running, "/hello.html").title == "Hello"


def test_a_page_that_crashes_costs_its_tab_only(running: Running) -> None:
    open_(running, "/hello.html")
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # one that has just ended, a zombie too
            if "--type=renderer" in process.cmdline():
                process.kill()
    with pytest.raises(PageCrashedError, match="tab was closed"):
        running.do(running.browser.wait(0.3))
    assert open_(running, "/hello.html").title == "Hello"
