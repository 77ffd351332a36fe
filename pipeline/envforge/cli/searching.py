"""The command that searches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.options import SharedOptions, sharing


@sharing()
def search(
    shared: SharedOptions,
    query: Annotated[str, typer.Argument(help='Words; "a phrase" stays together in a snapshot.')],
    provider: Annotated[
        str, typer.Option(help="snapshot, tantivy or ddgs (extras), searxng, brave, npm, pypi, or packages (both).")
    ] = "snapshot",
    snapshot: Annotated[Path | None, typer.Option(help="Folder with index.json and its WARC.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most this many hits.")] = 10,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Of a SearXNG instance, e.g. http://127.0.0.1:8888.")
    ] = None,
    key_variable: Annotated[
        str, typer.Option("--api-key-env", help="Environment variable with the key of brave.")
    ] = "BRAVE_API_KEY",
    timeout: Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds for one request.")] = 20.0,
) -> None:
    """Search a snapshot, the web or the package registries; only snapshot and tantivy stay off the network."""
    from envforge.cli.commands import search_command

    search_command.run(
        query, provider=provider, snapshot=snapshot, limit=limit, base_url=base_url, key_variable=key_variable,
        timeout=timeout, shared=shared,
    )  # fmt: skip
