"""SQLAlchemy over the standard library's SQLite in memory, for the select + update call: Core and ORM."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, create_engine, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from sqlalchemy.pool import StaticPool
from tests.bench.references.sqlite_copies import InMemory
from tests.bench.references.workload import COLUMNS, Instance, Row, Workload


class Base(DeclarativeBase):
    """Registry of the mapped classes."""


class Book(Base):
    """A row of books."""

    __tablename__ = "books"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    author: Mapped[str]
    published: Mapped[int | None]
    copies: Mapped[int]
    note: Mapped[str | None]


class Core(InMemory):
    """Statements built per call; compiled forms come from SQLAlchemy's cache."""

    def _open(self, image: Any) -> sqlite3.Connection:
        connection = super()._open(image)
        self._engine = _engine(connection)
        return connection

    def touch(self, key: int) -> Row:
        with self._engine.begin() as connection:
            row = connection.execute(select(Book.__table__).where(Book.id == key)).mappings().one()
            connection.execute(update(Book).where(Book.id == key).values(copies=Book.copies + 1))
            return dict(row)


class Mapper(Core):
    """A new ORM session per call, as tools of others use it."""

    def touch(self, key: int) -> Row:
        with Session(self._engine) as session:
            book = session.get_one(Book, key)
            seen = {name: getattr(book, name) for name in COLUMNS}
            book.copies += 1
            session.commit()
            return seen


def _engine(connection: sqlite3.Connection) -> Engine:
    return create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)


@contextmanager
def core(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances for SQLAlchemy Core."""
    initial = workload.database.read_bytes()
    yield lambda: Core(initial, workload.database)


@contextmanager
def mapper(workload: Workload) -> Generator[Callable[[], Instance]]:
    """Instances for SQLAlchemy's ORM."""
    initial = workload.database.read_bytes()
    yield lambda: Mapper(initial, workload.database)
