"""Stages: named pieces of work whose outcome is kept, whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from envforge.core.errors import EnvforgeError
from envforge.core.outcome import Failed, Outcome, Produced

T = TypeVar("T")


class OutcomeLog(Protocol):
    """Where outcomes are noted (the journal of the run, the ledger)."""

    def record(self, stage: str, item: str, outcome: Outcome[Any]) -> None:
        """Note one outcome."""
        ...


class StageRunner:
    """Runs stages one after another; notes every outcome; keeps the type of every failure."""

    def __init__(self, logs: list[OutcomeLog], progress: Callable[[str, int, int | None], None]) -> None:
        self._logs = logs
        self.progress = progress

    def run(self, stage: str, item: str, work: Callable[[], Outcome[T]]) -> Outcome[T]:
        """Run `work`. An EnvforgeError becomes Failed; any other exception is a fault of ours and passes on."""
        self.progress(stage, 0, None)
        try:
            outcome = work()
        except EnvforgeError as error:
            self.note(stage, item, Failed.from_error(error))
            raise
        self.note(stage, item, outcome)
        return outcome

    def note(self, stage: str, item: str, outcome: Outcome[Any]) -> None:
        """Note an outcome that was reached elsewhere."""
        for log in self._logs:
            log.record(stage, item, outcome)

    def value(self, stage: str, item: str, work: Callable[[], T]) -> T:
        """Run work that either returns its value or raises."""
        outcome = self.run(stage, item, lambda: Produced(work()))
        assert isinstance(outcome, Produced)
        return outcome.value
