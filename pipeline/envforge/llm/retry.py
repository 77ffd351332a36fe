"""Which failures are tried again, and after how long."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.core.errors import ModelError
from envforge.core.model_errors import EndpointError
from envforge.core.seeds import stream


@dataclass(frozen=True)
class RetryPolicy:
    """`tries` calls at most, within `deadline_seconds` for all of them and the waits between them together.

    Waits double from `first_seconds` to `longest_seconds`, each shortened by up to half: many that failed at once must
    not come back at once. What a server says in Retry-After is never undercut.
    """

    tries: int = 5
    first_seconds: float = 0.5
    longest_seconds: float = 30.0
    deadline_seconds: float = 900.0
    seed: int = 0

    def wait(self, error: ModelError, attempt: int, key: str) -> float | None:
        """Seconds before the try after `attempt` (from 1), or None when there is none. `key` tells requests apart."""
        if not error.retryable or attempt >= self.tries:
            return None
        longest = min(self.longest_seconds, self.first_seconds * 2 ** (attempt - 1))
        wait = longest * stream(self.seed, "retry", key, attempt).uniform(0.5, 1.0)
        asked = error.retry_after if isinstance(error, EndpointError) else None
        return max(wait, asked or 0.0)


DEFAULT = RetryPolicy()
