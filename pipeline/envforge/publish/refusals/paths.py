"""No path of the machine on which it was made is published."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from envforge.publish.refusal import Refusal
from envforge.publish.refusals.case import Case
from envforge.publish.refusals.texts import Text

RULE = "absolute-path"
_RECORDS = frozenset({"environment.json", "sources.jsonl", "certificate.json", "measured.jsonl"})
"""Written by envforge alone. What else there is may speak of paths, as documentation of servers does, or of places in a
document that look like them, as locators of provenance do."""
_ABSOLUTE = re.compile(
    r"file:///+[^\s\"'<>]+"
    r"|(?<![\w./~:%-])/(?:home|Users|root|tmp|var|opt|mnt|media|srv|private|usr|etc)/[^\s\"'<>,;]+"
    r"|(?<![\w])[A-Za-z]:\\{1,2}(?:Users|Documents|Temp|Program)[^\s\"'<>]*"
)
_LEAST_PARTS = 3
"""Of this machine's own folders: `/` and `/tmp` stand everywhere and tell nothing."""


def no_absolute_paths(case: Case) -> Iterator[Refusal]:
    """Refuse absolute paths in records, and this machine's own in any file."""
    return paths_in(case.texts, case.environment)


def paths_in(texts: Iterable[Text], folder: Path) -> Iterator[Refusal]:
    """The same of any texts; `folder` is one of this machine's."""
    own = _own_paths(folder)
    for text in texts:
        patterns = [(own, "a folder of this machine")] if own is not None else []
        patterns += [(_ABSOLUTE, "an absolute path")] if text.path.name in _RECORDS else []
        for row, words, what in text.places(lambda said, patterns=patterns: _matches(said, patterns)):
            yield _refused(text, row, words, what)


def _matches(text: str, patterns: Sequence[tuple[re.Pattern[str], str]]) -> Iterator[tuple[int, int, str]]:
    yield from ((*found.span(), what) for pattern, what in patterns for found in pattern.finditer(text))


def _own_paths(folder: Path) -> re.Pattern[str] | None:
    """The workspace that holds the environment or the run, the current folder and the user's, wherever they stand."""
    places = {_workspace(folder.resolve().parent), Path.cwd(), Path.home()}
    told = sorted(str(place) for place in places if len(place.parts) >= _LEAST_PARTS)
    return re.compile("|".join(rf"(?<![\w.-]){re.escape(place)}(?![\w.-])" for place in told)) if told else None


def _workspace(holder: Path) -> Path:
    inside = (one.parent for one in (holder, *holder.parents) if one.name in ("environments", "runs"))
    return next(inside, holder)


def _refused(text: Text, row: str, words: str, what: str) -> Refusal:
    return Refusal(
        rule=RULE,
        file=text.file,
        row=row,
        reason=f"names {what}: {words[:80]}",
        remedy="mine again with a path relative to the workspace (file:PATH), or take the path out of its source",
    )
