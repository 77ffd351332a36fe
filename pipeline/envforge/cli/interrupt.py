"""Ctrl-C that cannot get lost.

Python raises KeyboardInterrupt wherever the main thread happens to be; raised inside a callback of a C library it is
printed and forgotten. So the wish to stop is remembered, and asked for again wherever progress is reported.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

_seen = False


def install() -> None:
    """Remember every SIGINT from now on; one that a C library drops is not printed either, as it is not lost."""
    signal.signal(signal.SIGINT, _remember)
    sys.unraisablehook = _unraisable


def _unraisable(dropped: sys.UnraisableHookArgs) -> None:
    if not (_seen and issubclass(dropped.exc_type, KeyboardInterrupt)):
        sys.__unraisablehook__(dropped)


def _remember(number: int, frame: FrameType | None) -> None:
    del number, frame
    global _seen
    _seen = True
    raise KeyboardInterrupt


def check() -> None:
    """Raise KeyboardInterrupt if there was a SIGINT."""
    if _seen:
        raise KeyboardInterrupt
