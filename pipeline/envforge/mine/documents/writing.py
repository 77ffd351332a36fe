"""Writes the documents that a database is to keep, from its own rows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.outcome import Outcome, Produced, Rejected
from envforge.core.records.document import DocumentPlan
from envforge.mine.documents.rendering import document_text
from envforge.mine.scenario.measures import opened
from envforge.store.document_formats import READ, FormatError, read_data

_PATH = re.compile(r"[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*){0,3}[.]([a-z]+)")


class WriteDocuments:
    """Documents say what the rows say: they are written when no other operator changes a row any more."""

    name = "documents"

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """The database with its documents, or Rejected when it is to keep none. Raises BuildError."""
        del seed, round_number  # the rows alone decide
        if not database.document_plans:
            return Rejected("the archetype keeps no documents, or none were asked for")
        documents = dict(database.documents)
        _refuse_unread(documents, {plan.format for plan in database.document_plans})
        counts: dict[str, int] = {}
        queries = [plan.rows for plan in database.document_plans]
        with opened(database, constraints=False, queries=queries) as connection:
            for plan in database.document_plans:
                for path, text in _documents(connection, plan):
                    if path in documents:
                        raise BuildError(f"{plan.name} writes a document that is there already", where=path)
                    documents[path] = text
                    counts[plan.name] = counts.get(plan.name, 0) + 1
        empty = [plan.name for plan in database.document_plans if plan.name not in counts]
        if empty:
            raise BuildError(
                f"no row makes a document of {', '.join(empty)}", where="documents", remedy="mend its query"
            )
        log = [*database.changelog, {"detail": {"documents": counts}}]
        return Produced(replace(database, documents=dict(sorted(documents.items())), changelog=log))


def _refuse_unread(documents: Mapping[str, str], formats: Collection[str]) -> None:
    """Tools that change values and rows read every document of such a format, those of the sources too."""
    for path, text in documents.items():
        if path.rpartition(".")[2] in {*formats} & {*READ}:
            try:
                read_data(path, text)
            except FormatError as error:
                remedy = "leave the source out, or mine without --documents"
                raise BuildError(f"a text of a source cannot be read: {error}", where=path, remedy=remedy) from error


def _documents(connection: sqlite3.Connection, plan: DocumentPlan) -> Iterator[tuple[str, str]]:
    """Path and text of every document of one kind."""
    by_path: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(plan.rows):
        by_path.setdefault(str(row["path"]), []).append(dict(row))
    for path, held in by_path.items():
        form = _PATH.fullmatch(path)
        if form is None or form[2] != plan.format:
            remedy = f"small letters, digits, - and _ between slashes, and .{plan.format} at the end"
            raise BuildError("is no path of such a document", where=f"{plan.name}: {path}", remedy=remedy)
        yield path, document_text(plan, path, held)
