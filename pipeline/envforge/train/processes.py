"""Several processes of one run, as accelerate starts them."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from envforge.train.installed import library


def processes() -> int:
    """How many there are."""
    return int(os.environ.get("WORLD_SIZE", "1"))


@contextmanager
def first_alone() -> Generator[None]:
    """The first process goes through the block before the others, which find what it left."""
    if processes() == 1:
        yield
        return
    state: Any = library("accelerate").PartialState()
    with state.main_process_first():
        yield


def is_first() -> bool:
    """This process writes what only one may write."""
    return int(os.environ.get("RANK", "0")) == 0
