"""For unit tests of tools: what the calls of a test changed."""

from __future__ import annotations

from typing import Any

from envforge.world.live import LiveWorld


def changes(world: Any) -> dict[str, dict[str, list[Any]]]:
    """Changes since the test began: {table: {"inserted": [row], "updated": [(before, after)], "deleted": [row]}}.

    Tables without a change are left out; rows are in key order. Raises TypeError for anything but a test's World.
    """
    if not isinstance(world, LiveWorld):
        raise TypeError("changes() takes the fixture `world`")
    return {
        table: {"inserted": found.inserted, "updated": found.updated, "deleted": found.deleted}
        for table, found in world.changes().items()
    }
