"""Fetch the anchors of a theme once: what a run fetched before is replayed from its own WARC."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from envforge.core.contracts import Fetched, Fetcher
from envforge.core.errors import SourceError
from envforge.core.records.source import Anchor, Theme
from envforge.mine.extract.narrow import keep_rows
from envforge.web.fetch import open_fetcher
from envforge.web.index import INDEX_NAME, JOURNAL_NAME
from envforge.web.live.client import GuardedClient
from envforge.web.live.fetcher import LiveFetcher
from envforge.web.paths import matches
from envforge.web.recording import RecordingFetcher
from envforge.web.replay import ReplayFetcher
from envforge.web.snapshot import NotHeldError, SnapshotFetcher
from envforge.web.warc import WARC_NAME

_PREVIOUS = "previous"


@dataclass(frozen=True)
class FetchPlan:
    """Where a run's sources may come from.

    `named` are those that the user wrote on the command line: only they may start a program. `live`: URLs may be
    fetched from the web, by this client; it is one for a whole run, so that no host is asked faster for two themes.
    `replay`: the sources of an earlier run stand in for everything.
    """

    workspace: Path
    snapshot: Path | None = None
    refresh: bool = False
    named: Collection[str] = ()
    live: GuardedClient | None = None
    replay: Path | None = None


def fetch_anchors(theme: Theme, folder: Path, plan: FetchPlan) -> list[Fetched]:
    """All files of all anchors, recorded in `folder`. Raises SourceError, ConfigError.

    An interrupted run goes on where it was: anchors that are whole in `folder` are not fetched again.
    """
    fetched = _replayed(theme, plan.replay) if plan.replay is not None else _recorded(theme, folder, plan)
    if not fetched:
        raise SourceError("no anchor yielded a file", where=theme.slug, remedy="check the anchors' include patterns")
    return fetched


def _replayed(theme: Theme, recorded: Path) -> list[Fetched]:
    door = ReplayFetcher(recorded)
    return [_narrowed(item, anchor) for anchor in theme.anchors for item in door.fetch(anchor)]


def _recorded(theme: Theme, folder: Path, plan: FetchPlan) -> list[Fetched]:
    if plan.refresh and plan.live is not None:
        _set_aside(folder)
    held = {} if plan.refresh else _held(theme, folder)
    resuming = _Resuming(_opened(folder, plan), held)
    if resuming.holds(theme.anchors):
        # A whole recording is replayed as it is.
        return [_narrowed(item, anchor) for anchor in theme.anchors for item in resuming.fetch(anchor)]
    with contextlib.closing(RecordingFetcher(resuming, folder, resume=not plan.refresh)) as door:
        fetched = [_narrowed(item, anchor) for anchor in theme.anchors for item in door.fetch(anchor)]
    shutil.rmtree(folder / _PREVIOUS, ignore_errors=True)
    return fetched


def _opened(folder: Path, plan: FetchPlan) -> Fetcher:
    live = None
    if plan.live is not None:
        before = folder / _PREVIOUS
        previous = SnapshotFetcher(before).answer_to if before.is_dir() else None
        live = LiveFetcher(plan.live, previous=previous)
    return open_fetcher(
        workspace=plan.workspace,
        snapshot=plan.snapshot,
        cache=plan.workspace / "runs" / "cache",
        commands=plan.named,
        live=live,
    )


def _set_aside(folder: Path) -> None:
    """Keep what was fetched before, to ask servers for changes only; an older one that is still there is whole."""
    kept = folder / _PREVIOUS
    if kept.is_dir() or not (folder / INDEX_NAME).is_file():
        return
    try:
        scratch = folder / f".{_PREVIOUS}"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        for name in (WARC_NAME, INDEX_NAME):
            shutil.copyfile(folder / name, scratch / name)  # what stands here stays whole until the copy has its name
        scratch.replace(kept)
    except OSError as error:
        raise SourceError(f"cannot be set aside: {error.strerror}", where=str(folder), remedy="delete it") from error


def _narrowed(item: Fetched, anchor: Anchor) -> Fetched:
    # The recording keeps what was fetched; the theme reads only the rows that it is about.
    for pattern, wanted in anchor.rows.items():
        if matches(item.source.path, [pattern]):
            return keep_rows(item, wanted)
    return item


def _held(theme: Theme, folder: Path) -> dict[str, list[Fetched]]:
    if not any((folder / name).is_file() for name in (INDEX_NAME, JOURNAL_NAME)):
        return {}
    recorded = SnapshotFetcher(folder)
    held: dict[str, list[Fetched]] = {}
    for anchor in theme.anchors:
        # Two anchors may name one package and want different files of it: the second may not be there yet.
        with contextlib.suppress(NotHeldError):
            held[_key(anchor)] = list(recorded.fetch(anchor))
    return held


def _key(anchor: Anchor) -> str:
    return anchor.content_id("anchor")


class _Resuming:
    """Serves what is held; a file of the user's is read again, because it may have changed since."""

    def __init__(self, live: Fetcher, held: dict[str, list[Fetched]]) -> None:
        self._live, self._held = live, held

    def holds(self, anchors: Sequence[Anchor]) -> bool:
        """True if nothing needs to be fetched, and no file of the user's has changed."""
        return all(_key(anchor) in self._held and self.fetch(anchor) is self._held[_key(anchor)] for anchor in anchors)

    def accepts(self, spec: str) -> bool:
        """True if it can be fetched."""
        return self._live.accepts(spec)

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """Held files, or fresh ones."""
        held = self._held.get(_key(anchor))
        if held is None:
            return self._live.fetch(anchor)
        if not anchor.spec.startswith("file:"):
            return held
        fresh = self._live.fetch(anchor)
        unchanged = [item.source.id for item in fresh] == [item.source.id for item in held]
        return held if unchanged else fresh
