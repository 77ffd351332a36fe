"""System prompts: files with a version in their name, found by name."""

from __future__ import annotations

from pathlib import Path

from envforge.core.errors import ConfigError
from envforge.core.prompt import Prompt
from envforge.store.files import read_text

__all__ = ["SYSTEM", "Prompt", "read_prompt"]

SYSTEM = "system-1"
_FOLDER = Path(__file__).parent
_MOST_BYTES = 1 << 20
_NEEDED = "{{format}}"


def read_prompt(protocol_words: str, file: Path | None = None) -> Prompt:
    """The prompt that ships, or the one of a file, with the words of a protocol ("react-1").

    Raises ConfigError for a file that has no place for them, StoreError for one that cannot be read.
    """
    name, text = (SYSTEM, shipped(SYSTEM)) if file is None else (file.stem, read_text(file, _MOST_BYTES))
    if _NEEDED not in text:
        remedy = f"write {_NEEDED} where the form of calls is to be explained"
        raise ConfigError(f"has no {_NEEDED}", where=str(file), remedy=remedy)
    return Prompt(f"{name}+{protocol_words}", text.replace(_NEEDED, shipped(protocol_words).strip()))


def shipped(name: str) -> str:
    """A text of this folder."""
    return read_text(_FOLDER / f"{name}.md", _MOST_BYTES)
