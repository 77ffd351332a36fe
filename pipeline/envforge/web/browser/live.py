"""Answers from the web: what the guard, robots.txt and the kinds of requests allow, and all of it recorded."""

from __future__ import annotations

from envforge.core.errors import SourceError
from envforge.web.browser.errors import RefusedError
from envforge.web.browser.exchange import Answer, Asked
from envforge.web.browser.pins import Pins
from envforge.web.browser.recording import Recording
from envforge.web.browser.settings import Robots
from envforge.web.guard import BlockedError
from envforge.web.live.errors import RobotsError

REFUSED_KINDS = {
    "Ping": "beacons tell somebody about the reader",
    "CSPViolationReport": "reports tell somebody about the reader",
    "Prefetch": "nothing is fetched before it is wanted",
    "EventSource": "an endless stream of events cannot be recorded",
    "Media": "sound and film are not read",
    "WebSocket": "a socket cannot be recorded",
}


class LiveAnswers:
    """Lets the browser ask the site, after everybody who has a say was asked."""

    def __init__(self, pins: Pins, recording: Recording, robots: Robots | None = None) -> None:
        self._pins = pins
        self._recording = recording
        self._robots = robots

    def begin(self) -> None:
        """The recording begins. Raises StoreError."""
        self._recording.begin()

    async def before(self, asked: Asked) -> Answer | None:
        """None: the site is asked. Raises BlockedError, RefusedError or what robots.txt says."""
        if why := REFUSED_KINDS.get(asked.kind):
            rule = asked.kind.lower()
            raise RefusedError(why, rule=rule, where=asked.url, remedy="there is no setting that allows it")
        await self._pins.admit(asked.url)
        # What a page is made of is part of reading it; the rules for robots speak about pages.
        if asked.kind == "Document" and self._robots is not None:
            await self._robots(asked.url)
        return None

    def after(self, asked: Asked, answer: Answer) -> None:
        """Record it. Raises StoreError."""
        self._recording.answered(asked, answer)

    def failed(self, asked: Asked, error: SourceError) -> None:
        """Record why. Raises StoreError."""
        rule = str(getattr(error, "rule", type(error).__name__))
        refused = isinstance(error, BlockedError | RefusedError | RobotsError)
        self._recording.failed(asked, rule, error, refused=refused)
