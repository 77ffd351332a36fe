"""Why an episode cannot be had: of nothing else, so that a client elsewhere can know them too."""

from __future__ import annotations

from envforge.core.errors import SandboxError


class EpisodeGone(SandboxError):
    """The session was closed, or ended by the pool; the message says which."""


class PoolFull(SandboxError):
    """As many episodes are open as the pool may hold."""
