from __future__ import annotations

from collections.abc import Callable

from envforge.core.contracts import Fetched
from envforge.mine.extract.html_pages import read_html
from envforge.mine.extract.pages import Link, page_link

Make = Callable[..., Fetched]
PAGE = """<!DOCTYPE html><html><head><title>Chapter 3. Mooring &amp; more</title><style>p {}</style></head><body>
<nav><a href="home.html">Home</a></nav>
<div class="toc"><a href="knots.html">Knots</a></div>
<h1 id="top">3. Mooring</h1><p>Tie up <b>fast</b>, see <a href="knots.html#bowline">the <code>bowline</code></a>
or <a href="javascript:alert(1)">this</a>, <a href="https://example.org/a">that</a>.</p>
<ul><li>First<ul><li>Inner</li></ul></li><li>Second</li></ul>
<h2 id="lines">Lines</h2><pre>belay 1
  <b>belay</b> 2
</pre>
<table><tr><th>Line<th>Use<tr><td>bow|line<td>front</table>
<dl><dt id="cleat">cleat<br>horn</dt><dd>Holds a line.</dd><dt>fender</dt><dd>Keeps off.</dd></dl>
<p hidden>secret</p><script>alert('x')</script><footer>About us</footer></body></html>"""


def test_a_page_is_its_text_without_navigation(fetched: Make) -> None:
    page = read_html(fetched("manual/mooring.html", PAGE, mime="text/html"))
    assert page.title == "Mooring & more"
    for gone in ("Home", "secret", "alert", "About us", "p {}", "javascript"):
        assert gone not in page.markdown
    assert "# Mooring\n" in page.markdown
    assert "Tie up **fast**, see [the `bowline`](knots.md) or this, [that](https://example.org/a)." in page.markdown
    assert "- First" in page.markdown and "  - Inner" in page.markdown
    assert "```\nbelay 1\n  belay 2\n```" in page.markdown
    assert "| bow\\|line | front |" in page.markdown


def test_its_parts(fetched: Make) -> None:
    page = read_html(fetched("manual/mooring.html", PAGE, mime="text/html"))
    assert [(part.level, part.heading, part.anchor) for part in page.sections] == [
        (1, "Mooring", "top"),
        (2, "Lines", "lines"),
    ]
    assert page.links == (Link("manual/knots.html", "Knots"), Link("manual/knots.html", "the bowline"))
    assert [(term.term, term.anchor, term.definition, term.section) for term in page.terms] == [
        ("cleat, horn", "cleat", "Holds a line.", "Lines"),
        ("fender", "", "Keeps off.", "Lines"),
    ]


def test_links_lead_to_pages_of_the_source_only() -> None:
    assert page_link("b.html#x", "m/a.html") == "m/b.html"
    assert page_link("../n/b.html", "m/a.html") == "n/b.html"
    assert page_link("%62.html", "m/a.html") == "m/b.html"
    for href in (
        *("../../b.html", "../../../../etc/passwd.html", "/b.html", "#x", "", "a.html", "b.png", "//host/b.html"),
        *(
            "javascript:alert(1)//.html",
            "JAVASCRIPT:x.html",
            "data:text/html,x.html",
            "mailto:a@b.html",
            "http://h/b.html",
        ),
        *("..\\b\x00.html", "http://[::1/b.html", "b\x00.html"),
    ):
        assert page_link(href, "m/a.html") is None, href


def test_what_holds_most_of_the_text_is_no_boilerplate(fetched: Make) -> None:
    page = read_html(fetched("a.html", "<div class=menu><p>Soup of the day, and bread.</p></div><p>Ok</p>"))
    assert "Soup" in page.markdown
    page = read_html(fetched("a.html", "<div class=menu><p>Soup</p></div><p>What we cook, and how we cook it.</p>"))
    assert "Soup" not in page.markdown


def test_a_heading_that_never_ends_is_text(fetched: Make) -> None:
    page = read_html(fetched("a.html", "<h1>Short</h1><h2>" + "<p>many words</p>" * 40))
    assert [section.heading for section in page.sections] == ["Short"]
    assert page.sections[0].text.count("many words") == 40


def test_a_page_without_text_has_no_markdown(fetched: Make) -> None:
    assert read_html(fetched("a.html", "<html><body><p> </p></body></html>", mime="text/html")).markdown == ""
