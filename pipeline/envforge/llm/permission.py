"""Whether this process may call models, and how secrets stay out of what it writes."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import SplitResult, urlsplit

from envforge.core.errors import ConfigError
from envforge.core.model_errors import CallRefusedError
from envforge.core.scrub import scrub

CALLS_VARIABLE = "ENVFORGE_MODEL_CALLS"
"""`loopback`: only servers on loopback may be called, and none may be started. So are tests run."""
_HIDDEN = "***"
_DUMMIES = frozenset(
    {"dummy", "empty", "key", "local", "no-key", "none", "not-needed", "null", "sk-no-key-required", "test", "unused"}
)
"""What people put where a client wants a key and the server does not: words, and no secret."""


def is_loopback(base_url: str) -> bool:
    """True when an address names this machine."""
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def wants_key(base_url: str) -> bool:
    """True where an endpoint may be taken to want a key: not on loopback, nor where one could not be sent safely."""
    return not is_loopback(base_url) and not base_url.lower().startswith("http:")


def require_permission(base_url: str) -> None:
    """Raises CallRefusedError where this process may call nobody there ("": start a server of its own)."""
    if os.environ.get(CALLS_VARIABLE, "any") == "loopback" and not is_loopback(base_url):
        remedy = f"unset {CALLS_VARIABLE}; in tests, mark those with `model` that need a real one"
        raise CallRefusedError("real model calls are refused here", where=base_url or "local", remedy=remedy)


def check_base_url(base_url: str, *, with_key: bool) -> str:
    """The address without a slash at its end. Raises ConfigError for one that is none or that would leak a key."""
    parts = _parts(base_url)
    if parts.username or parts.password:
        raise ConfigError("holds credentials", where="--base-url", remedy="put the key into the environment")
    if parts.query or parts.fragment:
        remedy = "end it with the path; what goes into each request is --extra, a key the environment's"
        raise ConfigError("holds a query or a fragment", where="--base-url", remedy=remedy)
    if with_key and parts.scheme == "http" and not is_loopback(base_url):
        remedy = "use https; for a server that wants no key, name a variable that is not set: --api-key-env NONE"
        raise ConfigError("a key would be sent without encryption", where=f"--base-url {base_url}", remedy=remedy)
    return base_url.rstrip("/")


def _parts(base_url: str) -> SplitResult:
    """Raises ConfigError. The port is read too: what reads it first must not be the connection."""
    try:
        parts = urlsplit(base_url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    except ValueError:
        pass  # brackets that do not close, a port that is none
    raise ConfigError(
        "is no http(s) address", where=f"--base-url {scrub(base_url)}", remedy="e.g. http://127.0.0.1:8000/v1"
    )


class Secret:
    """A key. Neither its text nor its representation shows it; whoever sends it asks `reveal`."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({_HIDDEN if self._value else ''})"

    def hide(self, text: str) -> str:
        """`text` without the key and without what looks like any other. A dummy is no key."""
        if len(self._value) < 4 or self._value.lower() in _DUMMIES:
            return scrub(text)  # else every such word of a transcript would be taken out
        return scrub(text.replace(self._value, _HIDDEN))


def key_from_environment(variable: str, *, needed: bool) -> Secret:
    """The key that an environment variable holds. Raises ConfigError when it is needed and not there."""
    value = os.environ.get(variable, "").strip()
    if needed and not value:
        raise ConfigError(
            "is not set", where=variable, remedy="put the key into it, or name another: --api-key-env NAME"
        )
    if any(ord(character) < 33 or ord(character) > 126 for character in value):
        raise ConfigError("holds a character that no key has", where=variable)
    return Secret(value)
