"""What every engine of a World promises: rows, one transaction per call, exact differences, cheap copies.

No type of a database library appears here, so that another engine is another file behind these methods.
Standard library only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

PAGE_SIZE = 4096
MAX_VALUE_BYTES = 16 * 1024 * 1024
"""No text or blob of a World is longer."""

STEPS_BETWEEN_CLOCK_LOOKS = 20_000
"""How often running SQL is asked whether it is past its deadline, in steps of SQLite's virtual machine."""

Params: TypeAlias = Sequence[Any] | Mapping[str, Any]
Values: TypeAlias = tuple[Any, ...]


class SQLError(Exception):
    """The database refused a statement."""


class ConstraintError(SQLError):
    """A row would break a constraint of the schema."""


class AuthError(SQLError):
    """The statement does what SQL of a tool may not do."""


class InterruptError(SQLError):
    """The statement ran past its deadline."""


class BindingsError(SQLError):
    """The parameters do not fit the statement."""


def no_time() -> float:
    """The clock of an instance that has none yet."""
    return 0.0


@dataclass(frozen=True)
class Image:
    """Frozen state of an instance: its private pages and the changeset that leads from the template to it."""

    pages: dict[int, bytes]
    size: int
    changeset: bytes


class StateEngine(Protocol):
    """What holds the state of one instance.

    The same statements give the same rows, with one exception: once a table holds the integer key 2**63 - 1, SQLite
    itself draws keys at random for rows that state none.
    """

    deadline: float
    """Monotonic time at which running SQL is stopped; 0 is never."""
    clock: Callable[[], float]
    """What SQL's 'now' answers, in seconds since 1970."""

    @property
    def in_transaction(self) -> bool:
        """True between `begin` and `commit` or `rollback`."""
        ...

    def query(self, sql: str, params: Params = ()) -> tuple[list[str], list[Values]]:
        """Column names and rows of a statement that reads. Raises SQLError; ValueError when it changed rows."""
        ...

    def execute(self, sql: str, params: Params = ()) -> int:
        """Run one statement that writes; the number of changed rows. Raises SQLError; ValueError when it reads."""
        ...

    def own(self, sql: str, params: Params = ()) -> list[Values]:
        """Rows of a statement of ours, which the guard lets pass. Never for text that comes from a tool."""
        ...

    def begin(self) -> None:
        """Start a transaction. No SQL of a tool can start or end one."""
        ...

    @property
    def wrote(self) -> bool:
        """True when the transaction that has begun changed rows."""
        ...

    def commit(self) -> bool:
        """Keep what the transaction did; True when it changed rows."""
        ...

    def rollback(self) -> None:
        """Undo what the transaction did; nothing to do when there is none."""
        ...

    def reset(self) -> None:
        """Back to the template."""
        ...

    def changeset(self) -> bytes:
        """The exact difference between the template and now, in SQLite's changeset format."""
        ...

    def apply(self, changeset: bytes) -> None:
        """Apply a changeset to the state now. Raises SQLError when it does not fit."""
        ...

    def snapshot(self) -> Image:
        """The state now; later changes do not reach it."""
        ...

    def restore(self, image: Image) -> None:
        """Back to the state of `image` (of this or another instance over the same template)."""
        ...

    def fork(self) -> StateEngine:
        """An independent instance in the same state."""
        ...

    def memory_used(self) -> int:
        """Bytes that this instance holds beside the template: its own pages and cached ones."""
        ...

    def release_memory(self) -> None:
        """Give back what can be read again from the template and the private pages."""
        ...

    def close(self) -> None:
        """Free the instance."""
        ...
