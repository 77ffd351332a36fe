"""What holds the state of one instance: copy-on-write SQLite over a shared template."""

from __future__ import annotations

from typing import Any

from envforge.world.engine.contract import StateEngine
from envforge.world.engine.copy_on_write import CopyOnWriteEngine


def new_engine(template: Any, *, read_only: bool = False) -> StateEngine:
    """A fresh instance over a serialized database. `read_only`: its SQL may not change rows."""
    return CopyOnWriteEngine(template, read_only=read_only)
