"""What can go wrong with a page, one type for each remedy."""

from __future__ import annotations

from envforge.core.errors import SourceError
from envforge.web.scrubbing.bodies import hide


class BrowseError(SourceError):
    """A page could not be opened, read or worked with.

    What it tells goes to terminals, logs and prompts, and quotes pages: their secrets and persons are hidden in it.
    """

    def __init__(self, message: str, *, where: str = "", remedy: str = "", retryable: bool = False) -> None:
        super().__init__(hide(message).text, where=hide(where).text, remedy=hide(remedy).text, retryable=retryable)


class NoBrowserError(BrowseError):
    """Playwright or Chromium is not installed, or it does not start."""


class PageTimeoutError(BrowseError):
    """The page did not answer in time."""


class PageHungError(BrowseError):
    """A script of the page never comes to an end; its tab was closed."""


class PageCrashedError(BrowseError):
    """The page's process died; its tab was closed."""


class ElementError(BrowseError):
    """There is no such element, or it cannot be worked with."""


class NoTabError(BrowseError):
    """There is no such tab, or nothing in it to go back to."""


class TooLargeError(BrowseError):
    """A response or download is over its limit in bytes or seconds; none of it is kept."""


class RefusedError(BrowseError):
    """A request of a kind that the browser never makes (beacons, event streams, media)."""

    def __init__(self, message: str, *, rule: str, where: str, remedy: str) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.rule = rule


class MissingRecordError(BrowseError):
    """A replay asked for what the recorded run did not fetch."""
