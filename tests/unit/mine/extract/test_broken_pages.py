from __future__ import annotations

from collections.abc import Callable

import pytest

from envforge.core.contracts import Fetched
from envforge.core.outcome import Failed, Produced
from envforge.mine.extract.registry import extract_all

Make = Callable[..., Fetched]
BAD = b"<html><head><meta charset=utf-8></head><body><h1>Gate</h1><p>caf\xe9 \xff\xfe</p></body></html>"


def page(number: int) -> bytes:
    return f"<html><body><h1>Lock {number}</h1><p>What lock {number} is for.</p></body></html>".encode()


@pytest.mark.parametrize(("suffix", "bad"), [("html", BAD), ("md", b"# Gate\n\ncaf\xe9\n")])
def test_one_page_that_cannot_be_read_among_others_is_left_out_with_its_place(
    fetched: Make, suffix: str, bad: bytes
) -> None:
    good = [page(number) if suffix == "html" else f"# Lock {number}\n\nIts use.\n".encode() for number in range(3)]
    files = [fetched(f"p{number}.{suffix}", body, package="pkg:x/y@1") for number, body in enumerate([*good, bad])]
    outcomes = extract_all(files)
    assert all(isinstance(one, Produced) for one in outcomes)
    last = outcomes[-1]
    assert isinstance(last, Produced) and not last.value.documents and not last.value.tables
    (issue,) = last.value.issues
    assert issue.locator.startswith(f"p3.{suffix}:") and "0x" in issue.reason and "left out" in issue.reason


def test_where_most_pages_cannot_be_read_each_failure_stands(fetched: Make) -> None:
    files = [
        fetched(f"p{number}.md", body, package="pkg:x/y@1") for number, body in enumerate([b"# A\n", b"\xe9", b"\xe8"])
    ]
    outcomes = extract_all(files)
    assert [isinstance(one, Failed) for one in outcomes] == [False, True, True]
    assert all(one.remedy for one in outcomes if isinstance(one, Failed))
