"""Texts of SQL that are known to read only, with the names of their columns: what need not be asked at each call.

Standard library only: this module runs inside the sandboxed worker.
"""

from __future__ import annotations

from typing import Any, ClassVar
from weakref import WeakValueDictionary

_MOST = 512
_LONGEST = 4096
"""Characters of a text that is remembered."""


class KnownReads:
    """Of all instances over one template, which have one schema: what a text means is the same for each."""

    _held: ClassVar[WeakValueDictionary[int, KnownReads]] = WeakValueDictionary()

    def __init__(self, template: Any) -> None:
        self._template = template  # held, so that its id stays its own
        self._names: dict[str, list[str]] = {}
        self.names = self._names.get
        """Names of the columns of a text that only reads; None for one that is not known."""

    @classmethod
    def of(cls, template: Any) -> KnownReads:
        """What is known of texts over `template`."""
        held = cls._held.get(id(template))
        if held is None:
            held = cls._held[id(template)] = cls(template)
        return held

    def add(self, sql: str, names: list[str]) -> None:
        """SQLite itself says that this statement reads only."""
        if len(sql) > _LONGEST:
            return
        if len(self._names) >= _MOST:
            self._names.clear()  # texts with values in them never come again
        self._names[sql] = names
