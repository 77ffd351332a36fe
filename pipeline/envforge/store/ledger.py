"""The ledger: every run and every stage outcome, in any database that SQLAlchemy reaches."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    func,
    insert,
    select,
)
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from envforge.core.errors import StoreError
from envforge.core.outcome import Outcome, Produced, Rejected

_METADATA = MetaData()
_RUNS = Table(
    "runs",
    _METADATA,
    Column("id", Integer, primary_key=True),
    Column("run", String(80), nullable=False, index=True),
    Column("command", Text, nullable=False),
    Column("started_at", String(20), nullable=False),
)
_OUTCOMES = Table(
    "outcomes",
    _METADATA,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, nullable=False, index=True),
    Column("stage", String(80), nullable=False),
    Column("item", String(200), nullable=False),
    Column("status", String(10), nullable=False),
    Column("detail", Text, nullable=False),
)


def utc_now() -> str:
    """The host's time. Only the ledger and source records may hold it; environments never do."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Ledger:
    """Append-only record of runs. `url` is any SQLAlchemy URL; None means SQLite at `folder`/ledger.sqlite."""

    def __init__(self, folder: Path, url: str | None = None, clock: Callable[[], str] = utc_now) -> None:
        self._clock = clock
        self._where = "--ledger" if url else str(folder / "ledger.sqlite")
        try:
            if url is None:
                folder.mkdir(parents=True, exist_ok=True)
                url = f"sqlite:///{folder / 'ledger.sqlite'}"
            self._engine: Engine = create_engine(url)
            _create_tables(self._engine)
        except (SQLAlchemyError, OSError, ImportError) as error:
            raise self._error("the ledger cannot be opened", error) from error

    def _error(self, what: str, error: Exception) -> StoreError:
        # SQLAlchemy adds the statement and a link over many lines; what the driver said is enough.
        said = " ".join(str(getattr(error, "orig", None) or error).split())
        return StoreError(f"{what}: {said}", where=self._where, remedy=_REMEDY)

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._error("the ledger cannot be written", error) from error

    def start(self, run: str, command: str) -> int:
        """Open a run; its number. Raises StoreError."""
        with self._transaction() as connection:
            row = connection.execute(insert(_RUNS).values(run=run, command=command, started_at=self._clock()))
            key = row.inserted_primary_key
            if key is None:
                raise StoreError("the ledger returned no run number", where=self._where)
            return int(key[0])

    def record(self, run_id: int, stage: str, item: str, outcome: Outcome[Any]) -> None:
        """Note the outcome of a stage for an item. Raises StoreError."""
        status, detail = _describe(outcome)
        with self._transaction() as connection:
            connection.execute(
                insert(_OUTCOMES).values(run_id=run_id, stage=stage, item=item, status=status, detail=detail)
            )

    def counts(self, run_id: int) -> dict[str, dict[str, int]]:
        """stage → status → number, for one run."""
        statement = (
            select(_OUTCOMES.c.stage, _OUTCOMES.c.status, func.count())
            .where(_OUTCOMES.c.run_id == run_id)
            .group_by(_OUTCOMES.c.stage, _OUTCOMES.c.status)
        )
        found: dict[str, dict[str, int]] = {}
        with self._engine.connect() as connection:
            for stage, status, number in connection.execute(statement):
                found.setdefault(stage, {})[status] = number
        return found

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()


_REMEDY = "check disk space and permissions, or give --ledger a SQLAlchemy URL and install its driver"


def _create_tables(engine: Engine) -> None:
    """Create what is missing. Raises SQLAlchemyError."""
    # Looking and creating are two steps, and not every database knows CREATE … IF NOT EXISTS: another run may create
    # a table in between. Each table is lost that way once at most; what still fails then is no race.
    for _ in _METADATA.tables:
        try:
            _METADATA.create_all(engine)
            return
        except DBAPIError:
            continue
    _METADATA.create_all(engine)


def _describe(outcome: Outcome[Any]) -> tuple[str, str]:
    if isinstance(outcome, Produced):
        return "produced", ""
    if isinstance(outcome, Rejected):
        return "rejected", json.dumps({"reason": outcome.reason, "evidence": outcome.evidence}, sort_keys=True)
    detail = {"boundary": outcome.boundary, "error": outcome.error, "retryable": outcome.retryable}
    return "failed", json.dumps(detail, sort_keys=True)
