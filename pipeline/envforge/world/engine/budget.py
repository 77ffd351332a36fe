"""How much memory the caches of all instances of a process may hold together.

Each instance caches pages of the template that SQLite could read again. A few are in use at a time; the rest would
keep what their last calls have read (up to 32 MiB each).
Standard library only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

from envforge.world.engine.contract import StateEngine

MOST_BYTES = 64 * 1024 * 1024


class CacheBudget:
    """Keeps the caches of the instances that were used last, up to `most_bytes` together, and empties the others."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._warm: dict[StateEngine, int] = {}
        """Instances with a cache and what they hold; the one used last stands last."""
        self.held = 0
        """Bytes that the warm instances hold together."""

    def touched(self, engine: StateEngine) -> None:
        """`engine` was used. The last one always keeps its cache."""
        warm = self._warm
        used = engine.memory_used()
        self.held += used - warm.pop(engine, 0)
        warm[engine] = used
        while self.held > self._most and len(warm) > 1:
            oldest = next(iter(warm))
            self.forget(oldest)
            oldest.release_memory()

    def forget(self, engine: StateEngine) -> None:
        """`engine` was closed."""
        self.held -= self._warm.pop(engine, 0)
