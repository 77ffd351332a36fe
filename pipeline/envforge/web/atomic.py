"""Writes a file so that it is either the old one or the new one, never half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from envforge.core.errors import SourceError


def write_bytes(path: Path, data: bytes) -> None:
    """Write into a temporary file beside `path`, flush it to the disk and rename it.

    Raises:
        SourceError: the disk refused; nothing is left under the final name that was not there before.
    """
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(path)
        temporary = None
    except OSError as error:
        raise SourceError(
            f"cannot be written: {error.strerror}", where=str(path), remedy="free some space or choose another folder"
        ) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
