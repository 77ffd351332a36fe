from __future__ import annotations

from collections.abc import Callable

import pytest

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError
from envforge.mine.extract.charset import decode_page

Make = Callable[..., Fetched]
LATIN = "<p>Fährhafen Süd</p>".encode("cp1252")


@pytest.mark.parametrize(
    ("body", "mime"),
    [
        ("<p>Fährhafen Süd</p>".encode(), "text/html"),
        ("<p>Fährhafen Süd</p>".encode("utf-8-sig"), "text/html; charset=iso-8859-1"),
        ("﻿<p>Fährhafen Süd</p>".encode("utf-16-le"), "text/html"),
        (LATIN, "text/html; charset=ISO-8859-1"),
        (b"<meta charset='windows-1252'>" + LATIN, "text/html"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=latin1'>" + LATIN, "text/html; charset=utf-8"),
        (b"<meta charset=utf-16>" + "<p>Fährhafen Süd</p>".encode(), "text/html"),
        (b'<?xml version="1.0" encoding="ISO-8859-15"?>' + "<p>Fährhafen Süd</p>".encode("latin-1"), "text/html"),
        (b"<meta charset=shift_jis>" + "<p>Fährhafen Süd</p>".encode(), "text/html"),
    ],
    ids=["utf-8", "mark-first", "utf-16", "mime", "meta", "page-over-name", "utf-16-said", "xml", "meta-lies"],
)
def test_text_is_read_as_it_was_written(fetched: Make, body: bytes, mime: str) -> None:
    text, _ = decode_page(fetched("a.html", body, mime=mime))
    assert "Fährhafen Süd" in text


def test_a_wrong_declaration_is_remarked(fetched: Make) -> None:
    _, remark = decode_page(fetched("a.html", "<meta charset=latin1>é".encode(), mime="text/html"))
    assert "cp1252" in remark and "UTF-8" in remark
    assert decode_page(fetched("a.html", "<meta charset=utf-8>é".encode(), mime="text/html"))[1] == ""


@pytest.mark.parametrize(
    ("body", "mime", "where"),
    [
        (b"<p>\n\n" + LATIN, "text/html", "a.html:3"),
        (b"<meta charset=utf-8>\n" + LATIN, "text/html", "a.html:2"),
        (b"<meta charset=klingon>", "text/html", "a.html:1"),
        (b"<meta charset=zlib_codec>", "text/html", "a.html:1"),
        (b"<meta charset=unicode_escape>\\u0041", "text/html", "a.html:1"),
    ],
    ids=["none-stated", "not-utf-8", "unknown", "no-text-codec", "an-escape"],
)
def test_what_cannot_be_read_is_an_error_never_mojibake(fetched: Make, body: bytes, mime: str, where: str) -> None:
    with pytest.raises(ExtractError) as caught:
        decode_page(fetched("a.html", body, mime=mime))
    assert caught.value.where == where
    assert caught.value.remedy
