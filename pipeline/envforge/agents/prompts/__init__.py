"""Prompts of agents: files beside this one, with a version in their name. A changed text is a new file."""

from __future__ import annotations

from pathlib import Path

from envforge.core.prompt import Prompt
from envforge.store.files import read_text

_FOLDER = Path(__file__).parent
_MOST_BYTES = 1 << 18


def agent_prompt(name: str) -> Prompt:
    """The prompt that ships under `name`, e.g. "researcher-1". Raises StoreError when there is none."""
    return Prompt(name, read_text(_FOLDER / f"{name}.md", _MOST_BYTES))
