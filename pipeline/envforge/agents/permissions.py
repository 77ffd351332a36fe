"""Permissions are asked by the tools, never by the model: what they do not hold is an error before anything is done."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from envforge.core.errors import DeniedError
from envforge.core.records.agent import Permissions


def require_host(permissions: Permissions, url: str) -> None:
    """Raises DeniedError for an address of another host, or one that is no web address."""
    try:
        parts = urlsplit(url)
        host, scheme = (parts.hostname or "").lower(), parts.scheme.lower()
    except ValueError:
        host = scheme = ""
    if scheme not in ("http", "https") or not host or "@" in url.partition("://")[2].split("/", 1)[0]:
        raise DeniedError("is no plain web address", where=url[:200], remedy="open an address that a search found")
    if not any(_fits(host, pattern.lower()) for pattern in permissions.hosts):
        allowed = ", ".join(permissions.hosts) or "none"
        raise DeniedError(f"the host {host} is not permitted", where=url[:200], remedy=f"permitted are: {allowed}")


def _fits(host: str, pattern: str) -> bool:
    return pattern == "*" or host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:]))


def require_path(permissions: Permissions, path: Path) -> Path:
    """The path without links and dots. Raises DeniedError where it lies outside of the permitted folders."""
    resolved = path.resolve()
    for folder in permissions.folders:
        if resolved.is_relative_to(Path(folder).resolve()):
            return resolved
    raise DeniedError("lies outside of the permitted folders", where=path.name[:200], remedy="give a plain file name")


def require_command(permissions: Permissions, command: str) -> None:
    """Raises DeniedError for what may not be run."""
    if command not in permissions.commands:
        allowed = ", ".join(permissions.commands) or "none"
        raise DeniedError(f"{command} may not be run", remedy=f"permitted are: {allowed}")
