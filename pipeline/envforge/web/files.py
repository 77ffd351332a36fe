"""FileFetcher: files of the user's own disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from envforge.core.contracts import Fetched
from envforge.core.errors import ConfigError, SourceError
from envforge.core.records.source import Anchor, Licence
from envforge.web.archive import DEFAULT_LIMITS, Limits, open_nested
from envforge.web.paths import guess_mime, is_data, is_page, matches, near_paths, unmatched
from envforge.web.sources import Clock, make_fetched, utc_now
from envforge.web.spec import parse_spec

_MAX_FILES = 2_000
_NO_FILES = frozenset({"proc", "sys", "dev"})


class FileFetcher:
    """Fetches `file:PATH`, a file or a folder.

    A relative PATH is taken from `root` and may not leave it, by `..` or by a link. An absolute PATH is the
    user's own choice; then no link inside that folder may leave the folder.
    """

    def __init__(self, root: Path, *, clock: Clock = utc_now, limits: Limits = DEFAULT_LIMITS) -> None:
        self._root = root
        self._clock = clock
        self._limits = limits

    def accepts(self, spec: str) -> bool:
        """True for file: specs."""
        try:
            return parse_spec(spec).kind == "file"
        except ConfigError:
            return False

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """The file, or the files of the folder that `include` selects (data-like ones by default), in path order.

        Raises:
            SourceError: nothing is there, it leads outside its root, it cannot be read, or it is too large.
        """
        stated = Path(parse_spec(anchor.spec).name)
        target = self._resolved(stated, anchor.spec)
        if not stated.is_absolute() and not target.is_relative_to(self._root.resolve()):
            raise SourceError("leads outside the workspace", where=anchor.spec, remedy="give the absolute path")
        try:
            there = target.exists()
        except (OSError, ValueError) as error:
            raise SourceError("is no path of this machine", where=anchor.spec[:200]) from error
        if not there:
            raise SourceError(f"there is no such file or folder: {str(target)[:500]}", where=anchor.spec[:200])
        if target.parts[1:2] and target.parts[1] in _NO_FILES:
            raise SourceError("is a door to this machine, not data", where=anchor.spec, remedy="name a file of data")
        if not target.is_file() and not target.is_dir():
            raise SourceError("is neither a regular file nor a folder", where=anchor.spec, remedy="name a file")
        files = {target.name: target} if target.is_file() else self._walk(anchor, target)
        now = self._clock()
        out: list[Fetched] = []
        total = 0
        for path, file in sorted(files.items()):
            body = self._read(file, f"{anchor.spec}/{path}", self._limits.max_total - total)
            total += len(body)
            out.extend(self._opened(anchor, path, body, now))
        return out

    def _resolved(self, stated: Path, where: str) -> Path:
        try:
            return (stated if stated.is_absolute() else self._root / stated).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise SourceError(f"is no path of this machine: {error}"[:200], where=where[:200]) from error

    def _walk(self, anchor: Anchor, folder: Path) -> dict[str, Path]:
        held = dict(self._files(anchor, folder))
        missing = unmatched(held, anchor.include)
        chosen = {
            path: file
            for path, file in held.items()
            if matches(path, anchor.include) or (not anchor.include and is_page(path))
        }
        if missing or not chosen:
            what = f"holds no file for include {missing[0]!r}" if missing else "holds no data file and no page"
            near = ", ".join(near_paths((missing or [""])[0], held)) or "nothing"
            raise SourceError(f"the folder {what}", where=anchor.spec, remedy=f"it holds {near}")
        return chosen

    def _files(self, anchor: Anchor, folder: Path) -> Iterator[tuple[str, Path]]:
        """All regular files below the folder; a linked folder is not entered, a linked file must stay inside."""
        for count, file in enumerate(sorted(folder.rglob("*")), start=1):
            if count > _MAX_FILES:
                raise SourceError(
                    f"the folder holds more than {_MAX_FILES} files", where=anchor.spec, remedy="name a smaller folder"
                )
            real = file.resolve()
            path = file.relative_to(folder).as_posix()
            if not real.is_relative_to(folder):
                raise SourceError(f"the link {path!r} leads outside the folder", where=anchor.spec, remedy="remove it")
            if real.is_file():
                yield path, real

    def _read(self, file: Path, where: str, room: int) -> bytes:
        ceiling = min(self._limits.max_file, room)
        try:
            with file.open("rb") as stream:
                body = stream.read(ceiling + 1)
        except OSError as error:
            raise SourceError(f"cannot be read: {error.strerror}", where=where) from error
        if len(body) > ceiling:
            raise SourceError(f"is larger than {ceiling} bytes", where=where, remedy="take a part of it")
        return body

    def _opened(self, anchor: Anchor, path: str, body: bytes, now: str) -> list[Fetched]:
        nested = open_nested(path, body, is_data, limits=self._limits)
        opened = nested.files if nested else {path: (path, body)}
        if not opened:
            raise SourceError("the packed file holds no data file", where=f"{anchor.spec}/{path}")
        licence = anchor.licence or Licence(status="unstated", evidence="a local file states no licence")
        return [
            make_fetched(
                data,
                # Only the path inside what was named: where it lies on this disk is nobody else's business.
                url=f"file:{quote(kept)}",
                url_status="none: local file",
                retrieved_at=now,
                mime=guess_mime(inner),
                path=kept,
                title=kept,
                transform=nested.transform if nested else "none",
                licence=licence,
            )
            for kept, (inner, data) in opened.items()
        ]
