"""`envforge search`."""

from __future__ import annotations

from pathlib import Path

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.store.workspace import Workspace
from envforge.web.search.registry import SearchSettings, open_search


def run(
    query: str,
    *,
    provider: str,
    snapshot: Path | None,
    limit: int,
    base_url: str | None,
    key_variable: str,
    timeout: float,
    shared: SharedOptions,
) -> None:
    """Search and print the hits. That there are none is an answer: it says so, with exit code 0."""
    settings = SearchSettings(
        provider=provider,
        snapshot=snapshot,
        cache=Workspace(shared.workspace).runs / "cache" / "search",
        base_url=base_url,
        key_variable=key_variable,
        timeout_seconds=timeout,
    )
    hits = open_search(settings).search(query, limit=limit)
    if shared.json_output:
        render.print_json([hit.to_json() for hit in hits])
        return
    if not hits:
        render.out.print("nothing found", markup=False)
    for hit in hits:
        render.out.print(f"{hit.rank}. {render.plain(hit.title)}", markup=False, style="bold", soft_wrap=True)
        render.out.print(f"   {render.plain(hit.url)}", markup=False, soft_wrap=True)
        if hit.snippet:
            render.out.print(f"   {render.plain(hit.snippet)}", markup=False)
