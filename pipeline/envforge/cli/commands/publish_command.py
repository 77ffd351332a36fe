"""`envforge publish`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.factory.publishing import PublishConfig, PublishReport, publish
from envforge.publish.hub import Hub, hub_calls, repo_name
from envforge.store.workspace import Workspace

_SHOWN = 20


def run(
    names: list[str],
    *,
    repo: str,
    private: bool,
    revision: str | None,
    dry_run: bool,
    trajectories: tuple[Path, ...],
    shared: SharedOptions,
) -> None:
    """Publish; exit 1 when something is refused."""
    config = PublishConfig(tuple(names), repo_name(repo), private, revision, dry_run, trajectories)
    hub = Hub(config.repo, hub_calls())
    with render.progress(shared.silent) as progress:
        report = publish(Workspace(shared.workspace), config, hub, progress)
    if shared.json_output:
        render.print_json(_json(report))
    elif not shared.quiet:
        _print(report, dry_run=dry_run)
    if report.refusals:
        raise typer.Exit(1)


def _json(report: PublishReport) -> dict[str, Any]:
    return {
        "repo": report.repo,
        "version": report.published.version if report.published else None,
        "folder": str(report.folder) if report.folder else None,
        "uploaded": report.uploaded,
        "unchanged": report.unchanged,
        **{name: list(getattr(report, name)) for name in ("added", "changed", "removed")},
        "refusals": [refusal.to_json() for refusal in report.refusals],
        "note": report.note,
    }


def _print(report: PublishReport, *, dry_run: bool) -> None:
    if report.note:
        _say(report.note)
    for refusal in report.refusals:
        _say(f"refused: {refusal}")
    if report.published is None:
        _say(f"{report.repo}: {len(report.refusals)} refusals, nothing was written or uploaded")
        return
    version = report.published.version
    for word, paths in (("new", report.added), ("changed", report.changed), ("removed", report.removed)):
        _list(word, paths)
    for line in report.published.changelog[0].changes if not report.unchanged else ():
        _say(f"  {version}: {line}")
    _say(f"the set lies in {report.folder}; its card is README.md there")
    _say(f"{report.repo} {version}: {_state(report, dry_run=dry_run)}")


def _state(report: PublishReport, *, dry_run: bool) -> str:
    if report.refusals:
        return f"{len(report.refusals)} refusals; it would not be uploaded"
    if dry_run:
        return "would not be uploaded again, it is there" if report.unchanged else "would be uploaded; nothing was"
    return "uploaded" if report.uploaded else "is there already, with these very files"


def _list(word: str, paths: Sequence[str]) -> None:
    if not paths:
        return
    if len(paths) <= _SHOWN:
        for path in paths:
            _say(f"  {word}: {path}")
        return
    folders = Counter("/".join(path.split("/")[:2]) for path in paths)
    for folder, count in sorted(folders.items()):
        _say(f"  {word}: {folder}" + (f" ({count} files)" if count > 1 else ""))


def _say(line: str) -> None:
    render.out.print(line, markup=False, soft_wrap=True)
