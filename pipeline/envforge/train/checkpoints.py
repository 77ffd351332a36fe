"""Checkpoints of a stage, and what stands in them beside the trainer's own files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from envforge.store.files import read_json, write_json

_NAME = re.compile(r"checkpoint-(\d+)")
_WHOLE = "trainer_state.json"
"""Written last by the trainer: a checkpoint without it was interrupted."""
CURRICULUM = "curriculum.json"


def last_checkpoint(folder: Path) -> str | None:
    """The latest whole checkpoint of a stage; None: it begins."""
    found = [(int(name[1]), path) for path in folder.glob("checkpoint-*") if (name := _NAME.fullmatch(path.name))]
    whole = [(step, path) for step, path in found if (path / _WHOLE).is_file()]
    return str(max(whole)[1]) if whole else None


def write_curriculum(checkpoint: Path, state: Any) -> None:
    """Keep the state of a curriculum with a checkpoint."""
    write_json(checkpoint / CURRICULUM, state)


def read_curriculum(checkpoint: str | None) -> Any:
    """The state that a checkpoint holds; None: none."""
    path = Path(checkpoint) / CURRICULUM if checkpoint else None
    return read_json(path) if path is not None and path.is_file() else None
