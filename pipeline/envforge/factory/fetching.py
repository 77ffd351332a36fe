"""Fetch the anchors of a theme once: what a run fetched before is replayed from its own WARC."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from envforge.core.contracts import Fetched, Fetcher
from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor, Theme
from envforge.mine.extract.narrow import keep_rows
from envforge.web.fetch import open_fetcher
from envforge.web.paths import matches
from envforge.web.snapshot import SnapshotFetcher
from envforge.web.warc import RecordingFetcher


def fetch_anchors(
    theme: Theme,
    folder: Path,
    *,
    workspace: Path,
    snapshot: Path | None,
    refresh: bool,
    named: Collection[str] = (),
) -> list[Fetched]:
    """All files of all anchors, recorded in `folder`. Raises SourceError, ConfigError.

    `named` are the sources that the user wrote on the command line: only they may start a program.

    An interrupted run goes on where it was: anchors that are whole in `folder` are not fetched again.
    """
    live = open_fetcher(workspace=workspace, snapshot=snapshot, cache=workspace / "runs" / "cache", commands=named)
    held = {} if refresh else _held(theme, folder)
    resuming = _Resuming(live, held)
    # A whole recording is replayed as it is: packing it again would cost more than fetching did.
    door: Fetcher = resuming if resuming.holds(theme.anchors) else RecordingFetcher(resuming, folder)
    fetched = [_narrowed(item, anchor) for anchor in theme.anchors for item in door.fetch(anchor)]
    if not fetched:
        raise SourceError("no anchor yielded a file", where=theme.slug, remedy="check the anchors' include patterns")
    return fetched


def _narrowed(item: Fetched, anchor: Anchor) -> Fetched:
    # The recording keeps what was fetched; the theme reads only the rows that it is about.
    for pattern, wanted in anchor.rows.items():
        if matches(item.source.path, [pattern]):
            return keep_rows(item, wanted)
    return item


def _held(theme: Theme, folder: Path) -> dict[str, list[Fetched]]:
    if not (folder / "index.json").is_file():
        return {}
    recorded = SnapshotFetcher(folder)
    return {anchor.spec: list(recorded.fetch(anchor)) for anchor in theme.anchors if recorded.accepts(anchor.spec)}


class _Resuming:
    """Serves what is held; a file of the user's is read again, because it may have changed since."""

    def __init__(self, live: Fetcher, held: dict[str, list[Fetched]]) -> None:
        self._live, self._held = live, held

    def holds(self, anchors: Sequence[Anchor]) -> bool:
        """True if nothing needs to be fetched, and no file of the user's has changed."""
        return all(anchor.spec in self._held and self.fetch(anchor) is self._held[anchor.spec] for anchor in anchors)

    def accepts(self, spec: str) -> bool:
        """True if it is held or can be fetched."""
        return spec in self._held or self._live.accepts(spec)

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """Held files, or fresh ones."""
        held = self._held.get(anchor.spec)
        if held is None:
            return self._live.fetch(anchor)
        if not anchor.spec.startswith("file:"):
            return held
        fresh = self._live.fetch(anchor)
        unchanged = [item.source.id for item in fresh] == [item.source.id for item in held]
        return held if unchanged else fresh
