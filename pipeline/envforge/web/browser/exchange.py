"""Requests of pages and the answers to them, and the two places where an answer comes from: the web or a recording."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol

from envforge.core.errors import SourceError
from envforge.core.ids import sha256_bytes
from envforge.web.browser.errors import BrowseError

_BOUNDARY = re.compile(rb"WebKitFormBoundary[A-Za-z0-9]{16}")
Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Asked:
    """One request of a page, as the browser is about to send it."""

    method: str
    url: str
    kind: str
    frame: str
    body: bytes = field(default=b"", repr=False)

    @property
    def body_sha256(self) -> str:
        """Empty when nothing is sent along. The mark between the parts of a form is drawn anew each time."""
        return sha256_bytes(_BOUNDARY.sub(b"WebKitFormBoundary", self.body)) if self.body else ""


@dataclass(frozen=True)
class Answer:
    """What a site answered; the body is unpacked, so its headers speak of no packing."""

    status: int
    headers: Headers
    body: bytes = field(default=b"", repr=False)

    def header(self, name: str) -> str:
        """The first header of that name, or nothing."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def mime(self) -> str:
        """Without its parameters."""
        return self.header("content-type").partition(";")[0].strip().lower()


class Answers(Protocol):
    """Decides about each request of a page."""

    def begin(self) -> None:
        """The browser is at work, and requests follow. Raises StoreError."""
        ...

    async def before(self, asked: Asked) -> Answer | None:
        """An answer from elsewhere, or None: let the browser ask the site. Raises SourceError: refused."""
        ...

    def after(self, asked: Asked, answer: Answer) -> None:
        """The site answered. Raises SourceError: it could not be kept."""
        ...

    def failed(self, asked: Asked, error: SourceError) -> None:
        """The request was refused or the site did not answer."""
        ...


class SiteError(BrowseError):
    """The site could not be reached, or its answer broke off; `rule` is the browser's word for it."""

    def __init__(self, message: str, *, rule: str, where: str, remedy: str) -> None:
        super().__init__(message, where=where, remedy=remedy, retryable=True)
        self.rule = rule
