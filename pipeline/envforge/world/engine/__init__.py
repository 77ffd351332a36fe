"""What holds the state of one instance. Two engines keep one contract (`contract.py`) and one guard (`guard.py`):

- "copy-on-write": apsw; instances share a read-only template and own only the pages they wrote. The default.
- "deserialize": the standard library's sqlite3; each instance owns a whole copy. For machines without apsw.

The environment variable ENVFORGE_ENGINE names the one to use instead of the best.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from typing import Any

from envforge.core.errors import ConfigError
from envforge.world.engine.contract import StateEngine

COPY_ON_WRITE = "copy-on-write"
DESERIALIZE = "deserialize"
VARIABLE = "ENVFORGE_ENGINE"

_CLASSES = {COPY_ON_WRITE: ("copy_on_write", "CopyOnWriteEngine"), DESERIALIZE: ("deserialized", "DeserializedEngine")}


@functools.cache
def available_engines() -> tuple[str, ...]:
    """The engines that this machine has the libraries for, best first."""
    return (COPY_ON_WRITE, DESERIALIZE) if importlib.util.find_spec("apsw") is not None else (DESERIALIZE,)


def chosen_engine() -> str:
    """The engine that ENVFORGE_ENGINE names, or else the best. Raises ConfigError for one that is not here."""
    named = os.environ.get(VARIABLE, "")
    if named and named not in available_engines():
        remedy = f"give one of {', '.join(available_engines())}, or nothing"
        raise ConfigError(f"there is no engine {named!r} here", where=VARIABLE, remedy=remedy)
    return named or available_engines()[0]


def new_engine(template: Any, *, read_only: bool = False, engine: str = "") -> StateEngine:
    """A fresh instance over a serialized database. `read_only`: its SQL may not change rows.

    `engine` is a name, or nothing for the chosen one. Raises ConfigError for an unknown one.
    """
    return engine_class(engine or chosen_engine())(template, read_only=read_only)


@functools.cache
def engine_class(name: str) -> Any:
    """The class of an engine; its library is loaded when it is first asked for. Raises ConfigError."""
    if name not in _CLASSES:
        raise ConfigError(f"there is no engine {name!r}", remedy=f"give one of {', '.join(_CLASSES)}")
    module, found = _CLASSES[name]
    return getattr(importlib.import_module(f"envforge.world.engine.{module}"), found)


def preload_engines() -> None:
    """Load every engine now: a locked-down process cannot open a file to import one later."""
    for name in available_engines():
        engine_class(name)
