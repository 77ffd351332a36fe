"""Tables nobody described: names, types, keys and references are inferred from the rows."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.records.extraction import MinedTable
from envforge.mine.infer.drafts import Tabular


def tables_in_general(mined: Sequence[MinedTable]) -> Tabular:
    """Tables as their names and values suggest."""
    raise NotImplementedError
