"""Says in our own words what Playwright complains about."""

from __future__ import annotations

import re

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeout

from envforge.web.browser.errors import BrowseError, ElementError, PageTimeoutError

_NET = re.compile(r"net::(ERR_[A-Z0-9_]+)")
_COVERED = re.compile(r"(<[^\n]{1,200}>)[^\n]*intercepts pointer events")
_NO_FIELD = ("Element is not an <input>", "Input of type", "Element is not a <select>", "Cannot type text")


def explained(error: Error, where: str) -> BrowseError:
    """The error of ours that names the remedy."""
    text = error.message or ""
    if covered := _COVERED.search(text):
        return ElementError(
            f"the element is covered by {covered[1][:120]}", where=where, remedy="close what covers it first"
        )
    if any(word in text for word in _NO_FIELD):
        return ElementError("that cannot be done with this element", where=where, remedy="take a field or a list")
    if found := _NET.search(text):
        return _network(found[1], where)
    if isinstance(error, PlaywrightTimeout):
        if "waiting for element" in text or "attempting" in text:
            return ElementError(
                "the element cannot be worked with: it is hidden, moves or is switched off",
                where=where,
                remedy="look at the page again, or scroll",
            )
        return PageTimeoutError("the page did not come in time", where=where, remedy="try again, or another page")
    line = text.splitlines()[0][:300] if text else type(error).__name__
    return BrowseError(f"it did not work: {line}", where=where, remedy="look at the page again")


def _network(code: str, where: str) -> BrowseError:
    if code == "ERR_ABORTED":
        return BrowseError("the site gives nothing to show", where=where, remedy="try another page")
    if code.startswith(("ERR_CERT", "ERR_SSL")):
        return BrowseError(f"the site cannot prove who it is ({code})", where=where, remedy="take another site")
    if code == "ERR_TOO_MANY_REDIRECTS":
        return BrowseError("the page sends from one address to the next", where=where, remedy="take another page")
    return BrowseError(f"the page cannot be opened ({code})", where=where, remedy="try again, or another page")
