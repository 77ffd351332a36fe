"""Versions of a set: what changed since the last one, and which number that deserves (semver)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from envforge.core.errors import ConfigError
from envforge.core.records.published import VERSION, ChangelogEntry, PublishedMember, PublishedSet

FIRST = "1.0.0"
DERIVED = "Card, tables and other derived files written anew; environments and tasks are the same."
Number = tuple[int, int, int]


def number_of(version: str, where: str) -> Number:
    """Its three numbers. Raises ConfigError for what is no version."""
    found = re.fullmatch(VERSION, version)
    if found is None:
        raise ConfigError(f"{version!r} is no version", where=where, remedy="write three numbers, like 1.2.0")
    return int(found[1]), int(found[2]), int(found[3])


def next_entry(
    members: Sequence[PublishedMember], content: Mapping[str, str], before: PublishedSet | None, wanted: str | None
) -> ChangelogEntry | None:
    """The entry of the next version, or nothing where environments and tasks are those of the last one.

    `content`: path → SHA-256 of the files of environments and tasks. `wanted`: the version that somebody asks for.
    A number that is not above the last one is refused. Raises ConfigError.
    """
    if before is None:
        told = tuple(f"{one.id}: {one.tasks} tasks." for one in members)
        version = wanted or FIRST
        number_of(version, "--revision")
        return ChangelogEntry(version=version, changes=("First version.", *told))
    step, changes = _changes(members, content, before)
    if not changes:
        return None
    return ChangelogEntry(version=raised(before, step, wanted), changes=tuple(changes))


def raised(before: PublishedSet, step: int, wanted: str | None) -> str:
    """The version after the last one (`step` 0: major, 1: minor, 2: patch), or the one that is wanted.

    Raises ConfigError for one that is not above the last one.
    """
    last = number_of(before.version, f"{before.repo}: published.json")
    if wanted is None:
        found = (*last[:step], last[step] + 1, *(0 for _ in last[step + 1 :]))
        return ".".join(str(part) for part in found)
    if number_of(wanted, "--revision") <= last:
        remedy = f"give one above {before.version}, or leave --revision out"
        raise ConfigError(
            f"{wanted} would not be above {before.version}, which is published with other files",
            where=before.repo,
            remedy=remedy,
        )
    return wanted


def _changes(
    members: Sequence[PublishedMember], content: Mapping[str, str], before: PublishedSet
) -> tuple[int, list[str]]:
    """How much changed (0: results are not comparable with those before), and in words."""
    ours, theirs = {one.id: one for one in members}, {one.id: one for one in before.members}
    step, told = 2, list[str]()
    for name in sorted({*ours, *theirs}):
        if name not in theirs:
            step, line = min(step, 1), f"{name}: new, with {ours[name].tasks} tasks."
        elif name not in ours:
            step, line = 0, f"{name}: removed."
        elif ours[name].environment_hash != theirs[name].environment_hash:
            step, line = 0, f"{name}: another environment ({_short(theirs[name])} before, {_short(ours[name])} now)."
        else:
            differing = _differing(name, content, before.files)
            if not differing:
                continue
            tasks = f"tasks/{name}/tasks.jsonl" in differing
            step = min(step, 1 if tasks else 2)
            line = _task_words(theirs[name], ours[name]) if tasks else f"{name}: {_listed(differing)} written anew."
        told.append(line)
    return step, told


def _differing(name: str, content: Mapping[str, str], before: Mapping[str, str]) -> list[str]:
    inside = (f"environments/{name}/", f"tasks/{name}/")
    paths = sorted(path for path in {*content, *before} if path.startswith(inside))
    return [path for path in paths if content.get(path) != before.get(path)]


def _task_words(before: PublishedMember, now: PublishedMember) -> str:
    if before.tasks == now.tasks:
        return f"{now.id}: tasks changed ({now.tasks} as before)."
    return f"{now.id}: tasks changed ({before.tasks} before, {now.tasks} now)."


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more files" if len(paths) > 3 else "")


def _short(member: PublishedMember) -> str:
    return member.environment_hash[:12]


def changelog_text(entries: Sequence[ChangelogEntry]) -> str:
    """CHANGELOG.md."""
    parts = [f"## {entry.version}\n" + "".join(f"- {line}\n" for line in entry.changes) for entry in entries]
    return "# Changelog\n\n" + "\n".join(parts)
