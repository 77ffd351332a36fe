"""Seeded randomness: one root seed, independent named streams, no global state."""

from __future__ import annotations

import hashlib
import random


def derive_seed(root: int, *names: str | int) -> int:
    """A 64-bit seed for the stream `names` under `root`; adding a stream never shifts another one."""
    text = "\x1f".join([str(root), *(str(name) for name in names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def stream(root: int, *names: str | int) -> random.Random:
    """A random generator for the stream `names` under `root`."""
    return random.Random(derive_seed(root, *names))
