"""Atomic writes, JSON and JSONL. Nothing half-written is ever left under a final name."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from envforge.core.errors import StoreError

MOST_BYTES = 1 << 30
"""Of a file that is read as one text."""


def write_bytes(path: Path, data: bytes) -> None:
    """Write through a temporary file in the same folder and rename. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _write_error(path, error) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        # mkstemp makes private files; environments are meant to be shared.
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise _write_error(path, error) from error
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _write_error(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"could not be written: {error.strerror or error}",
        where=str(path),
        remedy="check free disk space and permissions; nothing half-written was left",
    )


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically. Raises StoreError."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value: Any, *, sort_keys: bool = True, levels: int | None = None) -> None:
    """Write indented JSON with a final newline, atomically; `sort_keys=False` where order means something.

    `levels`: what lies deeper stands on one line each, which keeps large files small. Raises StoreError.
    """
    if levels is None:
        text = json.dumps(value, indent=2, sort_keys=sort_keys, ensure_ascii=False)
    else:
        text = _laid_out(value, levels, sort_keys, "\n")
    write_text(path, text + "\n")


def _laid_out(value: Any, levels: int, sort_keys: bool, line: str) -> str:
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, sort_keys=sort_keys, ensure_ascii=False, separators=(",", ":"))
    inner = f"{line}  "
    if isinstance(value, list):
        items = [_laid_out(item, levels - 1, sort_keys, inner) for item in cast("list[Any]", value)]
        return f"[{inner}{f',{inner}'.join(items)}{line}]"
    entries = cast("dict[str, Any]", value)
    named = [
        f"{json.dumps(name, ensure_ascii=False)}: {_laid_out(entries[name], levels - 1, sort_keys, inner)}"
        for name in (sorted(entries) if sort_keys else entries)
    ]
    return f"{{{inner}{f',{inner}'.join(named)}{line}}}"


def write_jsonl(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """Write one compact JSON object a line, atomically. Raises StoreError."""
    lines = [json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")) for value in values]
    write_text(path, "".join(line + "\n" for line in lines))


def file_size(path: Path, most: int = MOST_BYTES) -> int:
    """Bytes of a regular file. Raises StoreError naming the file, also for a pipe, a device or a giant."""
    try:
        if path.exists() and not path.is_file():
            raise StoreError("is no regular file", where=str(path))
        size = path.stat().st_size
    except OSError as error:
        raise _read_error(path, error) from error
    if size > most:
        raise StoreError(f"is larger than {most:,} bytes", where=str(path))
    return size


def _read_error(path: Path, error: Exception) -> StoreError:
    missing = isinstance(error, FileNotFoundError)
    return StoreError("no such file" if missing else f"could not be read: {error}", where=str(path))


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """UTF-8 text of a file of at most so many bytes. Raises StoreError as `file_size`."""
    file_size(path, most)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _read_error(path, error) from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def parse_json(text: str) -> Any:
    """A JSON value. Raises ValueError, also for what not every reader takes: endless nesting, half a character, NaN."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    except UnicodeEncodeError as error:
        raise ValueError("it holds half a character (a lone surrogate)") from error
    return value


def read_json(path: Path, most: int = MOST_BYTES) -> Any:
    """A JSON value. Raises StoreError naming the file and the line."""
    text = read_text(path, most)
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise StoreError(f"not JSON: {error.msg} in line {error.lineno}", where=str(path)) from error
    except ValueError as error:
        raise StoreError(f"not JSON: {error}", where=str(path)) from error


def read_json_list(path: Path) -> list[Any]:
    """A JSON array. Raises StoreError naming the file."""
    value: Any = read_json(path)
    if not isinstance(value, list):
        raise StoreError("is no JSON array", where=str(path))
    return cast("list[Any]", value)


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Objects of a JSONL file. Raises StoreError naming the file and the line."""
    return list(each_jsonl(path))


def each_jsonl(path: Path, *, most: int = MOST_BYTES, most_line: int = MOST_BYTES) -> Iterator[dict[str, Any]]:
    """The same, one line after the other; `most` bytes of the file, `most_line` of a line."""
    file_size(path, most)
    try:
        with path.open("rb") as stream:
            # Only \n ends a line: JSON may hold U+2028 and its like unescaped.
            number = 0
            while line := stream.readline(most_line + 1):
                number += 1
                if len(line) > most_line:
                    raise StoreError(f"line {number} is longer than {most_line:,} bytes", where=str(path))
                yield _object(line, number, path)
    except (OSError, UnicodeDecodeError) as error:
        raise _read_error(path, error) from error


def _object(line: bytes, number: int, path: Path) -> dict[str, Any]:
    text = line.decode("utf-8")
    try:
        value: Any = parse_json(text)
    except ValueError as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise StoreError(f"not JSON: {what} in line {number}", where=str(path)) from error
    if not isinstance(value, dict):
        raise StoreError(f"line {number} is no JSON object", where=str(path))
    return cast("dict[str, Any]", value)


@contextlib.contextmanager
def staged_folder(final: Path) -> Generator[Path]:
    """A scratch folder beside `final` that replaces it when the block ends well, and vanishes when it does not.

    The old folder stays whole until the new one is complete. Raises StoreError.
    """
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=final.parent, prefix=f".{final.name}."))
    except OSError as error:
        raise _write_error(final, error) from error
    try:
        scratch.chmod(0o755)
        yield scratch
        _replace_folder(scratch, final)
    except OSError as error:
        raise _write_error(final, error) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _replace_folder(scratch: Path, final: Path) -> None:
    if not final.exists():
        scratch.rename(final)
        return
    old = final.parent / f".{final.name}.old-{os.getpid()}"
    final.rename(old)
    try:
        scratch.rename(final)
    except OSError:
        old.rename(final)
        raise
    shutil.rmtree(old, ignore_errors=True)
