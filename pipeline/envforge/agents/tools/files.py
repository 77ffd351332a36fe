"""Files: notes of the agent in its own folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from envforge.agents.assignment import Seen, ToolUse
from envforge.agents.permissions import require_path
from envforge.core.records.agent import Permissions
from envforge.store.files import read_text, write_text

_MOST_BYTES = 1 << 20
_NAME: dict[str, Any] = {"type": "string"}


class ReadFile:
    """Reads a file of the folder, or lists what is there."""

    name = "read_file"
    description = "read a note from your folder; an empty name lists them"
    wants_code = ""

    def __init__(self, folder: Path, permissions: Permissions) -> None:
        self._folder, self._permissions = folder, permissions

    @property
    def parameters(self) -> dict[str, Any]:
        """The file's name."""
        return {"file": _NAME}

    def use(self, use: ToolUse) -> Seen:
        """The text. Raises DeniedError outside of the permitted folders, StoreError for what is no text."""
        if not str(use.arguments["file"]).strip():
            there = sorted(path.name for path in self._folder.glob("*") if path.is_file())
            return Seen("\n".join(there) or "The folder is empty.")
        path = require_path(self._permissions, self._folder / str(use.arguments["file"]))
        if not path.is_file():
            return Seen("There is no such file.", ok=False)
        return Seen(read_text(path, _MOST_BYTES))


class WriteFile:
    """Writes a file of the folder, whole."""

    name = "write_file"
    description = "write a note to your folder; what it held before is gone"
    wants_code = ""

    def __init__(self, folder: Path, permissions: Permissions) -> None:
        self._folder, self._permissions = folder, permissions

    @property
    def parameters(self) -> dict[str, Any]:
        """The file's name and its text."""
        return {"file": _NAME, "text": {"type": "string"}}

    def use(self, use: ToolUse) -> Seen:
        """Write it. Raises DeniedError outside of the permitted folders."""
        path = require_path(self._permissions, self._folder / str(use.arguments["file"]))
        text = str(use.arguments["text"])
        if len(text.encode()) > _MOST_BYTES:
            return Seen(f"A note may have {_MOST_BYTES:,} bytes.", ok=False)
        write_text(path, text)
        return Seen(f"Written: {path.name}, {len(text)} characters.")
