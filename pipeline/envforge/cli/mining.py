"""The command that mines a theme."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from envforge.cli.model_options import ModelOptions, with_model
from envforge.cli.options import SharedOptions, sharing


@sharing("quiet", "unsafe")
@with_model()
def mine(
    shared: SharedOptions,
    llm: ModelOptions,
    theme: Annotated[str, typer.Option("--theme", help="Slug of the catalogue (envforge themes list).")],
    snapshot: Annotated[
        Path | None, typer.Option(help="Folder with index.json and snapshot.warc.gz to fetch from.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="npm:NAME[@V], pypi:NAME[==V], file:PATH, mcp:COMMAND (starts it) or a URL (held by the snapshot, or "
            "with --live); repeatable; used instead of the catalogue's anchors."
        ),
    ] = None,
    new: Annotated[
        bool,
        typer.Option("--new", help="The theme is in no catalogue; found it on --source, or on what an agent finds."),
    ] = False,
    rounds: Annotated[int, typer.Option(min=0, max=20, help="Rounds of complexify operators.")] = 2,
    link: Annotated[
        str | None, typer.Option(help="A theme that this one keeps track of, in one environment with it.")
    ] = None,
    max_tools: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=200,
            help="At most this many tools; two linked themes share them.",
            show_default="24, or all that an archetype brings",
        ),
    ] = None,
    max_tables: Annotated[int, typer.Option(min=1, max=200, help="At most this many mined tables.")] = 24,
    seed: Annotated[int, typer.Option(help="Root seed of everything synthetic.")] = 0,
    database_seeds: Annotated[str, typer.Option(help="Databases of the family: 0, 0-3 or 0,2,5.")] = "0",
    facts_only: Annotated[
        bool, typer.Option("--facts-only", help="Keep names, numbers, codes and dates; drop others' free text.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="Keep only these mined rows: TABLE.COLUMN=FROM..TO, TABLE.COLUMN=A,B, TABLE=used (rows that others "
            "refer to), TABLE=none; repeatable."
        ),
    ] = None,
    constants: Annotated[
        list[str] | None,
        typer.Option("--set", help="ARCHETYPE.NAME=NUMBER: a constant of an archetype, e.g. a size; repeatable."),
    ] = None,
    documents: Annotated[
        bool, typer.Option("--documents", help="With documents written from the rows, and tools that write them.")
    ] = False,
    until: Annotated[str, typer.Option(help="database, tools or certified.")] = "certified",
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Fetch again instead of using what this run fetched before.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="URLs may be fetched from the web: guarded, polite, recorded (docs/web.md).")
    ] = False,
    replay: Annotated[
        str | None,
        typer.Option(help="The same work from what a run recorded, with the network off: id of a run, or its folder."),
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(help="SQLAlchemy URL of the ledger.", show_default="runs/ledger.sqlite")
    ] = None,
    author: Annotated[
        Literal["compiled", "agent", "mixed"],
        typer.Option(help="Who finds and reads the sources: our extractors, an agent with --model, or both."),
    ] = "compiled",
    budget_steps: Annotated[int, typer.Option(min=1, max=1000, help="Steps of the agent.")] = 40,
    budget_seconds: Annotated[
        float | None, typer.Option(min=1, help="Of the agent's work.", show_default="no limit")
    ] = None,
    search: Annotated[str, typer.Option(help="Where the agent searches: a provider of envforge search.")] = "snapshot",
    search_url: Annotated[str | None, typer.Option(help="Of a SearXNG instance.")] = None,
    search_key: Annotated[
        str, typer.Option("--search-key-env", help="Environment variable with the key of brave.")
    ] = "BRAVE_API_KEY",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="The agent may open only this host (*.NAME: those below); repeatable.", show_default="all"),
    ] = None,
    goal_tables: Annotated[int, typer.Option(min=1, max=8, help="Tables that the agent is to fill.")] = 4,
    goal_rows: Annotated[int, typer.Option(min=1, help="Rows that it is to find in all.")] = 60,
    goal_sources: Annotated[int, typer.Option(min=1, help="Files that they are to come from.")] = 1,
    approve: Annotated[
        bool, typer.Option("--approve", help="Ask at milestones: the agent's plan, and its end.")
    ] = False,
) -> None:
    """Mine a theme into a certified environment."""
    from envforge.cli.commands import mine_command

    agent = {
        "limits": {"steps": budget_steps, "seconds": budget_seconds},
        "search": {"provider": search, "base_url": search_url, "key_variable": search_key},
        "goals": {"tables": goal_tables, "rows": goal_rows, "sources": goal_sources},
        "hosts": tuple(allow_host or ("*",)),
        "approve": approve,
    }  # fmt: skip
    mine_command.run(
        theme=theme, link=link, snapshot=snapshot, sources=tuple(source or ()), new=new, rounds=rounds,
        max_tools=max_tools, max_tables=max_tables, seed=seed, database_seeds=database_seeds, facts_only=facts_only,
        keep=tuple(keep or ()), constants=tuple(constants or ()), documents=documents, until=until, refresh=refresh,
        live=live, replay=replay, ledger=ledger, shared=shared, author=author, model=llm.author(author), agent=agent,
    )  # fmt: skip
