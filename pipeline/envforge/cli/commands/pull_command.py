"""`envforge pull`."""

from __future__ import annotations

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.publish.hub import Hub, hub_calls, repo_name
from envforge.publish.pulling import Pulled, pull
from envforge.store.workspace import Workspace


def run(source: str, *, shared: SharedOptions) -> None:
    """Pull a set and verify it."""
    repo, at, revision = source.partition("@")
    if at and not revision:
        raise ConfigError(f"{source!r} names no revision behind the @", remedy="leave the @ out for the last version")
    hub = Hub(repo_name(repo, "envforge pull"), hub_calls())
    with render.progress(shared.silent) as progress:
        pulled = pull(hub, revision or None, Workspace(shared.workspace), progress)
    if shared.json_output:
        render.print_json(
            {
                "repo": repo,
                "revision": pulled.revision,
                "version": pulled.published.version,
                "placed": list(pulled.placed),
                "present": list(pulled.present),
                "environments": [member.to_json() for member in pulled.published.members],
            }
        )
    elif not shared.quiet:
        _print(pulled)


def _print(pulled: Pulled) -> None:
    rows = [
        (one.id, one.split, one.tasks, one.environment_hash[:12], "was there" if one.id in pulled.present else "new")
        for one in pulled.published.members
    ]
    told = f"{pulled.published.repo} {pulled.published.version}"
    render.table(told, ("environment", "split", "tasks", "hash", "here"), rows)
    names = " ".join(one.id for one in pulled.published.members)
    render.out.print(f"every file has the bytes that were published; try them: envforge check --replay {names}",
                     markup=False, soft_wrap=True)  # fmt: skip
