"""Keep only the rows of a delimited file that a theme is about, before they are read as a table."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Mapping

from envforge.core.contracts import Fetched
from envforge.core.errors import ConfigError
from envforge.mine.extract.archives import unpack_single
from envforge.mine.extract.parse import decode


def keep_rows(fetched: Fetched, wanted: Mapping[str, str]) -> Fetched:
    """The file with the rows whose columns equal `wanted`; the source's transform says so.

    A file that holds no other rows is returned as it is. Raises ConfigError when a column is not there or no row
    is left, ExtractError when the file cannot be read as text.
    """
    text = decode(unpack_single(fetched))
    reader = csv.reader(io.StringIO(text, newline=""))
    first: list[str] | None = next(reader, None)
    header = first or []
    where = f"{fetched.source.path}, rows"
    missing = sorted(set(wanted) - set(header))
    if missing:
        raise ConfigError(f"no column {missing[0]!r}", where=where, remedy=f"there are: {', '.join(header)}")
    places = [(header.index(column), value) for column, value in wanted.items()]
    rows = list(reader)
    # A ragged row is kept: the extractor names it, instead of it vanishing here.
    kept = [row for row in rows if len(row) != len(header) or all(row[place] == value for place, value in places)]
    if len(kept) == len(rows):
        return fetched
    condition = " and ".join(f"{column}={value}" for column, value in wanted.items())
    if not kept:
        raise ConfigError(f"no row has {condition}", where=where, remedy="mend the catalogue entry")
    narrowed = io.StringIO(newline="")
    csv.writer(narrowed, lineterminator="\n").writerows([header, *kept])
    done = [part for part in (fetched.source.transform, f"rows with {condition}") if part != "none"]
    source = fetched.source.model_copy(update={"transform": "; ".join(done), "mime": "text/csv"})
    return dataclasses.replace(fetched, source=source, body=narrowed.getvalue().encode())
