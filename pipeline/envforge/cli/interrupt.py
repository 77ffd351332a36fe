"""Ctrl-C that cannot get lost.

Python raises KeyboardInterrupt wherever the main thread happens to be; raised inside a callback of a C library it is
printed and forgotten. So the wish to stop is remembered, and asked for again wherever progress is reported.
"""

from __future__ import annotations

import signal
from types import FrameType

_seen = False


def install() -> None:
    """Remember every SIGINT from now on."""
    signal.signal(signal.SIGINT, _remember)


def _remember(number: int, frame: FrameType | None) -> None:
    del number, frame
    global _seen
    _seen = True
    raise KeyboardInterrupt


def check() -> None:
    """Raise KeyboardInterrupt if there was a SIGINT."""
    if _seen:
        raise KeyboardInterrupt
