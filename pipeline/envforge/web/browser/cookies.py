"""Cookies that a site's answer set and that scripts can read: a replay has to set them again.

The browser keeps `Set-Cookie` to itself, so what changed is read from its jar. Cookies that scripts cannot read are
keys to sessions: they change nothing in a replay, and stay out of the recording.
"""

from __future__ import annotations

from playwright.async_api import BrowserContext, Cookie, Error

from envforge.web.browser.exchange import Headers

_KINDS = {"Document", "XHR", "Fetch"}


class CookieJar:
    """Tells, after each answer, which cookies it set."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._known: dict[tuple[str, str, str], str] = {}

    async def changed(self, url: str, kind: str) -> Headers:
        """As the `Set-Cookie` headers of the answer to a request of this kind."""
        if kind not in _KINDS:
            return ()
        try:
            cookies = await self._context.cookies([url])
        except Error:  # the browser is closing
            return ()
        found: list[tuple[str, str]] = []
        for cookie in cookies:
            key = (cookie.get("domain", ""), cookie.get("path", ""), cookie.get("name", ""))
            value = cookie.get("value", "")
            if not cookie.get("httpOnly") and self._known.get(key) != value:
                self._known[key] = value
                found.append(("Set-Cookie", _header(cookie)))
        return tuple(found)


def _header(cookie: Cookie) -> str:
    domain = cookie.get("domain", "")
    parts = [f"{cookie.get('name', '')}={cookie.get('value', '')}", f"Path={cookie.get('path', '/')}"]
    if domain.startswith("."):
        parts.append(f"Domain={domain}")
    if cookie.get("secure"):
        parts.append("Secure")
    return "; ".join([*parts, f"SameSite={cookie.get('sameSite', 'Lax')}"])
