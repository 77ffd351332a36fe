"""A data file that is packed by itself (`flights.csv.zip`, `rows.csv.gz`), unpacked within limits."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from dataclasses import replace

from envforge.core.contracts import Fetched
from envforge.core.errors import ExtractError

MAX_BYTES = 512 * 2**20
MAX_RATIO = 200


def unpack_single(fetched: Fetched) -> Fetched:
    """The file inside a ZIP of one file or a gzip; any other file as it is. Raises ExtractError on a bomb."""
    body, where = fetched.body, fetched.source.path
    limit = min(MAX_BYTES, max(MAX_RATIO * len(body), 2**20))
    try:
        if body.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                files = [info for info in archive.infolist() if not info.is_dir()]
                if len(files) != 1:
                    raise ExtractError(
                        f"the archive holds {len(files)} files; one is expected",
                        where=where,
                        remedy="unpack it and name the files as an anchor",
                    )
                with archive.open(files[0]) as stream:
                    data = stream.read(limit + 1)
        elif body.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as stream:
                data = stream.read(limit + 1)
        else:
            return fetched
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, RuntimeError) as error:
        raise ExtractError(f"the archive is broken: {error}", where=where, remedy="fetch it again") from error
    if len(data) > limit:
        raise ExtractError(
            f"the archive unpacks to more than {limit:,} bytes",
            where=where,
            remedy="unpack it yourself if you trust it",
        )
    return replace(fetched, body=data)
