"""Histories and figures as the reference keeps them: by looking at rows before and after a write, row by row.

The tools ask the last entry of a history and let SQL count; nothing of that is shared here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envforge.build.unit_tests.tables import Tables
from envforge.core.records.derived import AFTER, BEFORE, ENTRY, WHEN, WHO, Figure, History


class Keeper:
    """Carries out writes and keeps what follows from them."""

    def __init__(
        self, tables: Tables, histories: Sequence[History], figures: Sequence[Figure], now: Callable[[], str]
    ) -> None:
        self._tables, self._histories, self._figures, self._now = tables, histories, figures, now

    def around(self, table: str, write: Callable[[], Any], *, gone: Mapping[str, Any] | None = None) -> Any:
        """What `write` gives, which writes into `table`; with `gone` it deletes the rows that have these values."""
        histories = [one for one in self._histories if one.of == table]
        before = [self._states(one) for one in histories]
        for history in histories if gone is not None else ():
            for row in self._tables.find(table, gone or {}):
                self._tables.delete(history.table, {history.owner: row[history.key]})
        result = write()
        for history, states in zip(histories, before, strict=True):
            self._note(history, states)
        for figure in self._figures:
            if figure.of == table:
                self._count(figure)
        return result

    def _states(self, history: History) -> dict[Any, Any]:
        return {row[history.key]: row[history.state] for row in self._tables.rows(history.of)}

    def _note(self, history: History, before: Mapping[Any, Any]) -> None:
        for row in self._tables.rows(history.of):
            key, state = row[history.key], row[history.state]
            if state == before.get(key):
                continue
            entry = {
                history.owner: key,
                ENTRY: 1 + len(self._tables.find(history.table, {history.owner: key})),
                BEFORE: before.get(key),
                AFTER: state,
                WHEN: self._now(),
            }
            self._tables.insert(history.table, entry | ({WHO: row[history.actor]} if history.actor else {}))

    def _count(self, figure: Figure) -> None:
        totals = Counter[Any]()
        for row in self._tables.rows(figure.of):
            if all(row[column] in values for column, values in figure.where.items()):
                totals[row[figure.by]] += row[figure.measure] or 0 if figure.measure else 1
        for row in self._tables.rows(figure.table):
            if row[figure.column] != totals[row[figure.key]]:
                self._tables.update(
                    figure.table, {figure.key: row[figure.key]}, {figure.column: totals[row[figure.key]]}
                )
