"""What generated tools may import: the World they act on and the error they raise. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class ToolError(Exception):
    """What the caller got wrong. The agent sees code, message and hint as an observation.

    Codes: invalid_argument, not_found, conflict, not_allowed, limit_exceeded.
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class World(Protocol):
    """One live instance of an environment as a tool sees it."""

    def query(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
        """Rows of a SELECT with bound parameters."""
        ...

    def execute(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        """Run one INSERT, UPDATE or DELETE; the number of changed rows."""
        ...

    def now(self) -> str:
        """The World's time, UTC ISO 8601 with seconds: 2013-01-15T12:00:00Z."""
        ...

    def new_id(self, table: str) -> str | int:
        """A fresh id for a row of `table`, in the table's own style."""
        ...

    def document(self, path: str) -> str:
        """Text of a document. Raises ToolError(not_found)."""
        ...

    def documents(self, prefix: str = "") -> list[str]:
        """Paths of documents, sorted."""
        ...

    def put_document(self, path: str, text: str) -> None:
        """Write a document."""
        ...

    def delete_document(self, path: str) -> None:
        """Delete a document. Raises ToolError(not_found)."""
        ...
