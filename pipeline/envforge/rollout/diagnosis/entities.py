"""What an environment's database says of mistakes: who exists, and who is called alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from envforge.rollout.diagnosis.spelling import spelled_alike
from envforge.rollout.values import same_text
from envforge.world.environment import Environment

_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_LONGEST_NAME = 80
_ALIKE = 0.5
"""Share of the words of the shorter name that the other one has too."""
_SPELLED = 0.85
"""Of names of one word each, where words cannot tell; the bound is the usual one of record linkage."""
_NO_NAME = re.compile(r"@|://|^\d{4}-\d\d-\d\d|^[^a-zA-Z]*$")


class Entities:
    """Reads the initial database of an environment; kept per environment, as it reads all keys once."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def tables_of(self, value: Any) -> list[str]:
        """Tables that have a row with this value as its whole primary key."""
        return [table for table, keys in self._keys.items() if _plain(value) in keys]

    def is_key(self, table: str, value: Any) -> bool:
        """True for the key of a row."""
        return _plain(value) in self._keys[table]

    def is_text(self, value: str) -> bool:
        """True for a text that stands in some row as a whole."""
        return value.strip().casefold() in self._texts

    def called_alike(self, table: str, one: Any, other: Any) -> bool:
        """True for two rows of which some name is the same, or nearly."""
        first, second = self._names(table, one), self._names(table, other)
        return any(alike(first[column], second[column]) for column in first.keys() & second.keys())

    def name_tables(self, text: str) -> dict[str, list[Any]]:
        """Table -> keys of rows that have this text as a whole; of tables with one key column."""
        return self._by_text.get(text.strip().casefold(), {})

    def _names(self, table: str, key: Any) -> Mapping[str, str]:
        info = self._environment.template.tables[table]
        rows = self._environment.reader.own(info.select_row, (key,))
        held = info.as_row(rows[0]) if rows else {}
        columns = self._name_columns[table]
        return {name: value for name, value in held.items() if name in columns and isinstance(value, str)}

    @cached_property
    def _keys(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for table, info in self._environment.template.tables.items():
            if len(info.primary_key) == 1:
                rows = self._environment.reader.own(f'SELECT "{info.primary_key[0]}" FROM "{table}"', ())  # noqa: S608
                found[table] = {_plain(row[0]) for row in rows}
        return found

    @cached_property
    def _by_text(self) -> dict[str, dict[str, list[Any]]]:
        found: dict[str, dict[str, list[Any]]] = {}
        for table, columns in self._name_columns.items():
            key = self._environment.template.tables[table].primary_key[0]
            for column in columns:
                sql = f'SELECT "{key}", "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL'  # noqa: S608
                for value, text in self._environment.reader.own(sql, ()):
                    found.setdefault(str(text).strip().casefold(), {}).setdefault(table, []).append(value)
        return found

    @cached_property
    def _texts(self) -> set[str]:
        return set(self._by_text)

    @cached_property
    def _name_columns(self) -> dict[str, frozenset[str]]:
        """Per table the columns that hold names: short texts, no dates or addresses, mostly told apart by them."""
        return {table: frozenset(self._naming(table)) for table in self._keys}

    def _naming(self, table: str) -> list[str]:
        info = self._environment.template.tables[table]
        found: list[str] = []
        for column in info.columns:
            if column in info.primary_key:
                continue
            sql = f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL LIMIT 400'  # noqa: S608
            values = [row[0] for row in self._environment.reader.own(sql, ())]
            texts = [value for value in values if isinstance(value, str)]
            named = [text for text in texts if len(text) <= _LONGEST_NAME and not _NO_NAME.search(text)]
            told_apart = len(set(named)) > min(0.3 * len(named), 40)
            if values and told_apart and len(named) > 0.8 * len(values) and not self._refers(named):
                found.append(column)
        return found

    def _refers(self, texts: list[str]) -> bool:
        """True for keys of rows: these name nothing by themselves."""
        sample = texts[:20]
        return any(all(text in keys for text in sample) for keys in self._keys.values())


def alike(one: str, other: str) -> bool:
    """True for two names that are easily taken for each other."""
    if same_text(one, other):
        return True
    first, second = words(one), words(other)
    if first and second and len(first & second) >= _ALIKE * min(len(first), len(second)):
        return True
    single = len(one.split()) == len(other.split()) == 1
    return single and spelled_alike(one, other) >= _SPELLED


def words(text: str) -> set[str]:
    """What tells a name apart: words of three letters and more, and numbers."""
    return {word.casefold() for word in _WORD.findall(text)}


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
