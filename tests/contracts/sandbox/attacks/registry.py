"""All attacks."""

from __future__ import annotations

from . import files, kernel, network, processes, resources, world
from .attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *files.PLAIN,
    *files.ESCAPED,
    *network.PLAIN,
    *network.ESCAPED,
    *processes.PLAIN,
    *processes.ESCAPED,
    *kernel.PRIVILEGES,
    *kernel.CALLS,
    *kernel.MEMORY,
    *resources.PLAIN,
    *resources.ESCAPED,
    *resources.LATER,
    *world.SQL,
    *world.OWN_INSTANCE,
    *world.ESCAPED,
)
