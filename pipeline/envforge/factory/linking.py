"""Two themes in one environment: what they are together, and which of the user's wishes goes to which."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.errors import ConfigError
from envforge.core.records.link import Link
from envforge.core.records.source import Theme
from envforge.mine.links.populating import LinkedMined
from envforge.mine.miner import Mined


def joint_theme(host: Theme, tracked: Theme) -> Theme:
    """The theme that a host and what it keeps track of make together."""
    return Theme(
        slug=f"{host.slug}-with-{tracked.slug}",
        title=f"{host.title} with {tracked.title}",
        kind="domain",
        summary=f"{host.summary} Beside it: {tracked.summary}",
        taxonomy=tuple(dict.fromkeys((*host.taxonomy, *tracked.taxonomy))),
        anchors=(*host.anchors, *tracked.anchors),
        clock=tracked.clock or host.clock,
    )


def linked(whole: Theme, stated: Sequence[Mined], links: Sequence[Link], keep: Sequence[str]) -> LinkedMined:
    """The two themes with the links at hand. Raises ConfigError for a wish in `keep` that fits neither."""
    host, tracked = stated
    known = {*host.kept, *tracked.kept}
    for wish in keep:
        if wish not in known:
            tables = sorted(name for one in stated for name, rows in one.rows.items() if rows)
            raise ConfigError(
                f"{wish!r} fits no table of either theme", where="--keep", remedy=f"there are: {', '.join(tables)}"
            )
    return LinkedMined(whole, host, tracked, tuple(links))
