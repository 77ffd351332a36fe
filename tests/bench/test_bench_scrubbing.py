"""How fast secrets and persons are looked for in a page of documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envforge.web.scrubbing.bodies import hide_in_body

Benchmark = Callable[..., Any]
PARAGRAPH = (
    '<p>The option <code class="option">--token-file</code> names a file with the key; see '
    '<a href="https://docs.harbour.org/keys.html#create">Keys</a>. Write to '
    '<a href="mailto:ivo.marsh@harbour.org">the author</a> or call +44 20 7946 1234.</p>\n'
)
PLAIN = "<p>Depths are measured from the mean water level, in metres; each pier has at least one reading a day.</p>\n"


@pytest.mark.benchmark(group="a page of 200 kB")
def test_hide_in_a_page(benchmark: Benchmark) -> None:
    page = ((PLAIN * 20 + PARAGRAPH) * 100)[:200_000].encode()
    found = benchmark(hide_in_body, page, "text/html")
    assert {finding.kind for finding in found.findings} == {"e-mail", "telephone"}
    assert b"ivo.marsh" not in found.body
