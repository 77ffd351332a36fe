"""New identifiers for rows, in the style of the table's ids; the same seed mints the same ids."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from envforge.core.contracts import Row
from envforge.core.errors import BuildError
from envforge.core.ids import seeded_uuid
from envforge.core.records.domain import IdStyle, Table
from envforge.core.seeds import derive_seed, stream

_ATTEMPTS = 1000
_NUMBERED = re.compile(r"(?P<head>[A-Za-z0-9]{0,6}?[A-Za-z_-]?)(?P<digits>\d{3,})(?P<tail>[A-Za-z]?)")


class Minter:
    """Mints ids for the tables of one run. Ids are never given twice within it."""

    def __init__(self, seed: int, name: str) -> None:
        self._seed = derive_seed(seed, "ids", name)
        self._next: dict[str, int] = {}
        self._taken: dict[str, set[str]] = {}
        self._streams: dict[str, random.Random] = {}

    def mint(self, table: Table, rows: Sequence[Row]) -> str | int:
        """A fresh id for `table`, whose rows so far are `rows`. Raises BuildError when codes run out."""
        key = table.primary_key[0]
        style = table.id_style or _default_style(table)
        if style.kind == "integer":
            number = self._next.get(table.name)
            if number is None:
                number = max([style.start - 1, *(int(row[key]) for row in rows)]) + 1
            self._next[table.name] = number + 1
            return number
        if table.id_style is None and style.kind == "uuid":
            like = self._like(table.name, [str(row[key]) for row in rows])
            if like is not None:
                return like
        if style.kind == "uuid":
            count = self._next.get(table.name, 0)
            self._next[table.name] = count + 1
            return seeded_uuid(self._seed, table.name, count)
        return self._code(table.name, style, {str(row[key]) for row in rows} if table.name not in self._taken else None)

    def _like(self, table: str, codes: Sequence[str]) -> str | None:
        """A fresh code in the shape of one that is there: its last long run of digits drawn anew.

        None when there is nothing to go by: no codes, UUIDs, or names without a number in them.
        """
        if not codes or not all(_NUMBERED.fullmatch(code) for code in codes):
            return None
        draw = self._streams.setdefault(table, stream(self._seed, table))
        taken = self._taken.setdefault(table, set(codes))
        for _ in range(_ATTEMPTS):
            match = _NUMBERED.fullmatch(draw.choice(codes))
            assert match is not None
            digits = "".join(draw.choices("0123456789", k=len(match["digits"])))
            code = f"{match['head']}{digits}{match['tail']}"
            if code not in taken:
                taken.add(code)
                return code
        raise BuildError(f"no free code left for {table}", remedy="state an id style for the table")

    def _code(self, table: str, style: IdStyle, existing: set[str] | None) -> str:
        if existing is not None:
            self._taken[table] = existing
            self._streams[table] = stream(self._seed, table)
        draw, taken = self._streams[table], self._taken[table]
        for _ in range(_ATTEMPTS):
            code = style.prefix + "".join(draw.choices(style.alphabet, k=style.length))
            if code not in taken:
                taken.add(code)
                return code
        raise BuildError(f"no free code left for {table}", remedy="make the id style of the table longer")


def _default_style(table: Table) -> IdStyle:
    column = table.column(table.primary_key[0])
    if column.type == "integer":
        return IdStyle(kind="integer")
    if column.type == "text":
        return IdStyle(kind="uuid")
    raise BuildError(f"the key of {table.name} is {column.type} and cannot be minted", remedy="give it a value")
