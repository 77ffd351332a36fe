"""The process that reads a PDF: `python -m envforge.mine.extract.pdf_reader LIMITS` (JSON), the file on standard input.

A PDF of a stranger may hang its reader, or unpack without end; a process of its own can be ended. It prints one JSON
object: `pages` with their texts and ruled tables, or `error` with what was met.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import resource
import sys
from typing import Any

PACKAGE = "pdfplumber"


def main() -> None:
    """Read standard input, print what is in it."""
    limits: dict[str, int] = json.loads(sys.argv[1])
    _limit(resource.RLIMIT_CPU, limits["seconds"], limits["seconds"] + 1)
    _limit(resource.RLIMIT_AS, limits["memory"], limits["memory"])
    _limit(resource.RLIMIT_FSIZE, 0, 0)
    body = sys.stdin.buffer.read()
    try:
        told = _read(body, limits)
    except MemoryError:
        told = {"error": "memory"}
    except Exception as error:  # a stranger's file: the reader raises whatever its parts happen to break
        told = {"error": _kind(error), "said": _said(error)}
    sys.stdout.write(json.dumps(told))


def _limit(kind: int, soft: int, hard: int) -> None:
    """Set a limit, or keep the lower one that the machine has set: to raise that is not allowed."""
    highest = resource.getrlimit(kind)[1]
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(kind, (soft, hard))


def _read(body: bytes, limits: dict[str, int]) -> dict[str, Any]:
    plumber: Any = importlib.import_module(PACKAGE)
    pages: list[dict[str, Any]] = []
    room = limits["characters"]
    with plumber.open(io.BytesIO(body)) as document:
        total = len(document.pages)
        stated: dict[str, Any] = document.metadata or {}
        title = stated.get("Title")
        for page in document.pages[: limits["pages"]]:
            found = _page(page)
            room -= len(found["text"]) + sum(len(cell) for table in found["tables"] for row in table for cell in row)
            if room < 0:
                return {"error": "text"}
            pages.append(found)
            page.close()  # what is kept of each page would fill the memory
    return {"pages": pages, "total": total, "title": title if isinstance(title, str) else ""}


def _page(page: Any) -> dict[str, Any]:
    tables = [[[cell or "" for cell in row] for row in table] for table in page.extract_tables()]
    return {"text": page.extract_text() or "", "tables": tables, "pictures": len(page.images)}


def _kind(error: Exception) -> str:
    """`encrypted`, `memory` or `broken`; the package wraps what its parser raises."""
    if any(isinstance(part, MemoryError) for part in error.args):
        return "memory"
    names = {type(part).__name__ for part in (error, *error.args) if isinstance(part, Exception)}
    hidden = {"PDFPasswordIncorrect", "PDFEncryptionError", "PDFTextExtractionNotAllowed"}
    return "encrypted" if names & hidden else "broken"


def _said(error: Exception) -> str:
    with contextlib.suppress(Exception):
        return " ".join(str(error).split())[:160] or type(error).__name__
    return type(error).__name__


if __name__ == "__main__":
    main()
