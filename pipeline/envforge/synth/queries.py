"""SQL of goals on the initial database, on the host: read-only, with a deadline, never through a tool."""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Mapping
from typing import Any

from envforge.core.errors import ConfigError
from envforge.world.engine.contract import SQLError
from envforge.world.environment import Environment

SECONDS = 60.0
"""Wall clock of one query: far more than a sound one needs, so that a busy machine decides nothing."""
MOST_ROWS = 50_000
_MOST_KEPT_ROWS = 100_000
"""Answers that are kept: goals of a family ask the same of the same rows, and the rows never change."""
_PARAMETER = re.compile(r":(\w+)")
_REMEDY = "a goal's SQL is one quick SELECT of texts and finite numbers"
_ENDLESS = (float("inf"), float("-inf"))
_VALUES = (str, int, float, type(None))


class Queries:
    """Queries of families over one environment; `:clock` is the World's epoch."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.clock = environment.manifest.clock.epoch
        self._kept: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._kept_rows = 0
        self._engine = environment.reader
        epoch = datetime.datetime.fromisoformat(self.clock).timestamp()
        self._engine.clock = lambda: epoch  # what SQL's 'now' answers, as in a World that nothing has happened in

    def rows(self, sql: str, parameters: Mapping[str, Any], where: str, most: int = MOST_ROWS) -> list[dict[str, Any]]:
        """Rows by column name. Raises ConfigError naming `where` for SQL that fails, is slow or yields odd values."""
        names = _PARAMETER.findall(sql)
        bound = {name: value for name, value in {"clock": self.clock, **parameters}.items() if name in names}
        key = (sql, repr(sorted(bound.items())))
        held = self._kept.get(key)
        if held is None:
            held = self._asked(sql, bound, where, most)
            self._keep(key, held)
        return [dict(row) for row in held]

    def _keep(self, key: tuple[str, str], rows: list[dict[str, Any]]) -> None:
        self._kept_rows += len(rows) + 1
        if self._kept_rows > _MOST_KEPT_ROWS:
            self._kept.clear()
            self._kept_rows = len(rows) + 1
        self._kept[key] = rows

    def _asked(self, sql: str, bound: Mapping[str, Any], where: str, most: int) -> list[dict[str, Any]]:
        self._engine.deadline = time.monotonic() + SECONDS
        try:
            names, rows = self._engine.query(sql, bound)
        except KeyError as error:
            raise ConfigError(f":{error.args[0]} has no value in: {sql[:300]}", where=where, remedy=_REMEDY) from error
        except (SQLError, ValueError, TypeError) as error:
            raise ConfigError(f"{error} in: {sql[:300]}", where=where, remedy=_REMEDY) from error
        finally:
            self._engine.deadline = 0.0
        if len(set(names)) < len(names):
            raise ConfigError(f"two columns have one name: {', '.join(names)}", where=where, remedy="name them with AS")
        if len(rows) > most:
            raise ConfigError(f"yields {len(rows)} rows, more than {most}", where=where, remedy="narrow the query")
        for row in rows:
            for name, value in zip(names, row, strict=True):
                if not isinstance(value, _VALUES) or value in _ENDLESS:
                    raise ConfigError(f"column {name} holds {value!r}"[:200], where=where, remedy=_REMEDY)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def values(self, sql: str, parameters: Mapping[str, Any], where: str) -> list[Any]:
        """The values of a query with one column. Raises ConfigError like `rows`, and for another number of columns."""
        found = self.rows(sql, parameters, where)
        if found and len(found[0]) != 1:
            raise ConfigError(f"has the columns {', '.join(found[0])}", where=where, remedy="select one column")
        return [next(iter(row.values())) for row in found]
