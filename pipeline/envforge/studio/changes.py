"""What a call or an episode changed, as markup: rows and documents, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any

from envforge.studio.page import text

_MOST_ROWS = 50
_MOST_LINES = 200
_OWN = ("id", "code", "number", "key", "name", "title")
_MOST_NAMES = 3


def changes(changed: Mapping[str, Any] | None) -> str:
    """`changed` as it stands in a trajectory: {} nothing, None not recorded."""
    if changed is None:
        return '<p class="soft">What it changed was not recorded.</p>'
    parts = [*_tables(changed.get("tables", {})), *_documents(changed.get("documents", ()))]
    return "".join(parts) or '<p class="soft">Nothing changed.</p>'


def _tables(tables: Mapping[str, Any]) -> Iterator[str]:
    for name, found in tables.items():
        counts = [(kind, len(found.get(kind, ()))) for kind in ("inserted", "updated", "deleted")]
        told = ", ".join(f"{count} {kind}" for kind, count in counts if count)
        yield f"<h3>{text(name)}: {told}</h3>"
        yield from _cut([_row(row, "good", "new") for row in found.get("inserted", ())])
        yield from _cut([_update(pair["before"], pair["after"]) for pair in found.get("updated", ())])
        yield from _cut([_row(row, "bad", "gone") for row in found.get("deleted", ())])


def _cut(rows: Sequence[str]) -> Iterator[str]:
    yield from rows[:_MOST_ROWS]
    if len(rows) > _MOST_ROWS:
        yield f'<p class="soft">… and {len(rows) - _MOST_ROWS} more</p>'


def _row(row: Mapping[str, Any], kind: str, word: str) -> str:
    cells = "".join(f"<tr><th>{text(name)}</th><td>{text(value)}</td></tr>" for name, value in row.items())
    return f'<p><span class="badge {kind}">{word}</span></p><table>{cells}</table>'


def _update(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The columns that differ, and those by which the row is known."""
    rows = "".join(
        f'<tr><th>{text(name)}</th><td class="bad">{text(before.get(name))}</td>'
        f'<td class="good">{text(value)}</td></tr>'
        for name, value in after.items()
        if value != before.get(name)
    )
    head = f'<span class="badge warn">changed</span> {_known_by(before, after)}'
    return f"<p>{head}</p><table><tr><th>column</th><th>before</th><th>after</th></tr>{rows}</table>"


def _known_by(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What tells people which row it is: its own id or name, else the ids that it holds."""
    same = {name: value for name, value in after.items() if value is not None and before.get(name) == value}
    own = [name for name in same if name in _OWN]
    ids = [name for name in same if name.endswith("_id")]
    return ", ".join(f"{text(name)} {text(same[name])}" for name in (own or ids)[:_MOST_NAMES])


def _documents(documents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for found in documents:
        before, after = found.get("before"), found.get("after")
        kind, word = ("good", "new") if before is None else ("bad", "gone") if after is None else ("warn", "changed")
        yield f'<h3>{text(found.get("path", ""))}</h3><p><span class="badge {kind}">{word}</span></p>'
        lines = list(unified_diff((before or "").splitlines(), (after or "").splitlines(), lineterm="", n=2))[2:]
        yield "<pre>" + "\n".join(_line(line) for line in lines[:_MOST_LINES]) + "</pre>"
        if len(lines) > _MOST_LINES:
            yield f'<p class="soft">… and {len(lines) - _MOST_LINES} more lines</p>'


def _line(line: str) -> str:
    kind = {"+": "good", "-": "bad"}.get(line[:1], "soft")
    return f'<span class="{kind}">{text(line)}</span>'
