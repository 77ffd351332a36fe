"""The one door to sources: a chain of fetchers, each for the specs it accepts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from envforge.core.contracts import Fetched, Fetcher
from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor
from envforge.web.files import FileFetcher
from envforge.web.package import PackageFetcher
from envforge.web.snapshot import NotHeldError, SnapshotFetcher
from envforge.web.sources import Clock, utc_now
from envforge.web.spec import FORMS, Spec, parse_spec
from envforge.web.tool_server import ToolServerFetcher

__all__ = ["FORMS", "ChainFetcher", "Spec", "open_fetcher", "parse_spec"]


def open_fetcher(
    *,
    workspace: Path,
    snapshot: Path | None,
    cache: Path,
    commands: Collection[str] = (),
    live: Fetcher | None = None,
    clock: Clock = utc_now,
) -> Fetcher:
    """Files first, then the snapshot if one is given, then the registries of the user's package clients.

    `commands` are the specs of servers that may be started: those that the user named on the command line. `live`
    fetches URLs that no snapshot holds; without it the network stays closed to them.

    Raises:
        SourceError: the snapshot folder is not one.
    """
    fetchers: list[Fetcher] = [FileFetcher(workspace, clock=clock)]
    if snapshot is not None:
        fetchers.append(SnapshotFetcher(snapshot))
    if live is not None:
        fetchers.append(live)
    fetchers.append(ToolServerFetcher(commands, clock=clock))
    fetchers.append(PackageFetcher(cache, clock=clock))
    return ChainFetcher(fetchers, snapshot=snapshot)


class ChainFetcher:
    """Asks the fetchers in order; the first that accepts a spec and holds what the anchor wants serves it."""

    def __init__(self, fetchers: Sequence[Fetcher], *, snapshot: Path | None = None) -> None:
        self._fetchers = tuple(fetchers)
        self._snapshot = snapshot

    def accepts(self, spec: str) -> bool:
        """True if one of the fetchers accepts it."""
        return any(fetcher.accepts(spec) for fetcher in self._fetchers)

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """All files of the anchor that `include` selects, in path order.

        Raises:
            ConfigError: the spec has none of the known forms.
            SourceError: no fetcher can serve it, or the one that should failed.
        """
        spec = parse_spec(anchor.spec)
        not_held: NotHeldError | None = None
        for fetcher in self._fetchers:
            if not fetcher.accepts(anchor.spec):
                continue
            try:
                return fetcher.fetch(anchor)
            except NotHeldError as error:
                not_held = error
        if not_held is not None:
            raise not_held
        if spec.kind == "url" and self._snapshot is None:
            raise SourceError(
                "a URL is served from a snapshot, and none is given",
                where=anchor.spec,
                remedy="give --snapshot DIR, or --live to fetch it from the web",
            )
        raise SourceError(
            "no source holds it",
            where=anchor.spec,
            remedy=f"the snapshot is {self._snapshot}; --live fetches URLs from the web; specs are {FORMS}",
        )
