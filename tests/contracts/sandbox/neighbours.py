"""Sessions of the same environment in workers of their own, which must stay as they are while others attack."""

from __future__ import annotations

from types import TracebackType

from envforge.core.ids import sha256_bytes
from envforge.world.environment import Environment
from envforge.world.session import Session

BORROWED = {"member_id": "M-HHJ5", "book_id": 108}


class Neighbours:
    """One neighbour per backend, started when it is first asked for; it has lent a book."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._template = sha256_bytes(bytes(environment.template.data))
        self._held: dict[str, tuple[Session, str]] = {}

    def of(self, backend: str) -> Session:
        """The neighbour in that backend; in the best one for ""."""
        if backend not in self._held:
            session = self._environment.start(backend=backend or None)
            assert session.call("borrow_book", BORROWED).ok
            self._held[backend] = (session, session.digest())
        return self._held[backend][0]

    def changes(self, backend: str) -> list[str]:
        """What is not as it was: empty when the neighbour noticed nothing."""
        session, digest = self._held[backend]
        found: list[str] = []
        if not session.call("get_book", {"book_id": 101}).ok:
            found.append("the neighbour answers no more")
        if session.digest() != digest:
            found.append("the neighbour's rows are changed")
        if sha256_bytes(bytes(self._environment.template.data)) != self._template:
            found.append("the template is changed")
        return found

    def __enter__(self) -> Neighbours:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for session, _ in self._held.values():
            session.close()
