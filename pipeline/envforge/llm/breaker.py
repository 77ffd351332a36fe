"""A circuit breaker: an endpoint that keeps failing is left alone for a while."""

from __future__ import annotations

from envforge.core.errors import ModelError
from envforge.core.model_errors import (
    BrokenStreamError,
    CircuitOpenError,
    ConnectionLostError,
    DeadlineError,
    ModelTimeoutError,
    ServerFaultError,
)
from envforge.llm.clock import Clock

_FAULTS = (ConnectionLostError, ModelTimeoutError, ServerFaultError, DeadlineError, BrokenStreamError)
"""What says that an endpoint is ill. Too many requests or a wrong one do not."""


class Breaker:
    """Opens after `failures` in a row; after `rest_seconds` one call is let through to see how things are."""

    def __init__(self, *, failures: int = 8, rest_seconds: float = 30.0, clock: Clock | None = None) -> None:
        self._allowed = failures
        self._rest = rest_seconds
        self._clock = clock or Clock()
        self._failed = 0
        self._opened: float | None = None
        self._probing = False
        self._last = ""

    def enter(self, where: str) -> None:
        """Raises CircuitOpenError while the endpoint is left alone."""
        if self._opened is None:
            return
        left = self._opened + self._rest - self._clock.now()
        if left <= 0 and not self._probing:
            self._probing = True
            return
        raise CircuitOpenError(
            f"the endpoint failed {self._failed} times in a row and is left alone; last: {self._last}",
            where=where,
            remedy="see whether the server is well, then run again",
            retryable=True,
            retry_after=max(left, 0.0),
        )

    def succeeded(self) -> None:
        """The endpoint answered, be it with an error of ours."""
        self._failed, self._opened, self._probing = 0, None, False

    def failed(self, error: ModelError) -> None:
        """A call failed; it counts when the endpoint is to blame."""
        if not isinstance(error, _FAULTS):
            self.succeeded()
            return
        self._failed += 1
        self._probing = False
        self._last = error.message
        if self._failed >= self._allowed:
            self._opened = self._clock.now()

    def left(self) -> None:
        """A call was given up before it ended: whoever probes next may."""
        self._probing = False
