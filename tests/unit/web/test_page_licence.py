import json

import pytest

from envforge.web.page_licence import licence_of_page

CC_BY = "https://creativecommons.org/licenses/by/4.0/"

BROKEN = '<script type="application/ld+json">{</script>'


def page(head: str = "", body: str = "") -> bytes:
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


def linked(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    ("body", "header", "status", "spdx", "where"),
    [
        (page(f'<link rel="license" href="{CC_BY}">'), "", "stated-open", "CC-BY-4.0", "link rel"),
        (page("", f'<a rel="nofollow license" href="{CC_BY}deed.de">CC</a>'), "", "stated-open", "CC-BY-4.0", "a rel"),
        (page('<meta name="DC.rights" content="CC BY-SA 4.0">'), "", "stated-open", "CC-BY-SA-4.0", "meta dc.rights"),
        (page(linked({"license": CC_BY})), "", "stated-open", "CC-BY-4.0", "JSON-LD"),
        (page(linked({"@graph": [{"license": {"@id": CC_BY}}]})), "", "stated-open", "CC-BY-4.0", "JSON-LD"),
        (page(), f'<{CC_BY}>; rel="license"', "stated-open", "CC-BY-4.0", "Link header"),
        (page(), f'</next>; rel="next", <{CC_BY}>; rel=license', "stated-open", "CC-BY-4.0", "Link header"),
        (
            page('<link rel="license" href="https://creativecommons.org/publicdomain/zero/1.0/">'),
            "",
            "stated-open",
            "CC0-1.0",
            "link rel",
        ),
        (
            page('<link rel="license" href="https://creativecommons.org/licenses/by-nc/4.0/">'),
            "",
            "stated-other",
            "CC-BY-NC-4.0",
            "link rel",
        ),
        (page('<link rel="license" href="/terms">'), "", "stated-other", None, "link rel"),
        (page(f'<link rel="license" href="{CC_BY}">' + linked({"license": "MIT"})), "", "stated-other", None, "differ"),
        (page("", f'<p>Under <a href="{CC_BY}">CC</a></p>'), "", "unstated", None, "neither"),
        (
            page(linked("x") + linked([1, None]) + '<script type="application/ld+json">{</script>'),
            "",
            "unstated",
            None,
            "",
        ),
        (b"", "", "unstated", None, "neither"),
        (b"\x00\xff", f"<{CC_BY}>; rel=next", "unstated", None, "neither"),
        (("[" * 100_000).encode(), "", "unstated", None, "neither"),
    ],
)
def test_only_what_is_stated_counts(body: bytes, header: str, status: str, spdx: str | None, where: str) -> None:
    licence = licence_of_page(body, link_header=header, is_html=True)
    assert (licence.status, licence.spdx) == (status, spdx)
    assert where in licence.evidence and len(licence.evidence) <= 600


def test_a_file_that_is_no_page_states_nothing_inside() -> None:
    body = page(f'<link rel="license" href="{CC_BY}">')
    assert licence_of_page(body, is_html=False).status == "unstated"
