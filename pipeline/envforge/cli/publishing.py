"""The commands that exchange sets with the Hub: publish, pull."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envforge.cli.options import SharedOptions, sharing


@sharing("quiet")
def publish(
    shared: SharedOptions,
    environments: Annotated[list[str], typer.Argument(help="Ids in the workspace, or paths; their tasks go along.")],
    repo: Annotated[str, typer.Option("--repo", help="OWNER/NAME of the dataset on the Hugging Face Hub.")],
    private: Annotated[bool, typer.Option("--private", help="If it is made now: nobody else may see it.")] = False,
    revision: Annotated[
        str | None,
        typer.Option(
            help="The version, X.Y.Z; above the last one.", show_default="by what changed: 1.0.0, or the next one"
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write the folder and say what would be uploaded; upload nothing.")
    ] = False,
    trajectories: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of a rollout or eval, or its trajectories.jsonl, to publish along; repeatable."),
    ] = None,
) -> None:
    """Publish environments and their tasks as a dataset, with tables and a card; exit 1 when something is refused."""
    from envforge.cli.commands import publish_command

    publish_command.run(
        environments, repo=repo, private=private, revision=revision, dry_run=dry_run,
        trajectories=tuple(trajectories or ()), shared=shared,
    )  # fmt: skip


@sharing("quiet")
def pull(
    shared: SharedOptions,
    source: Annotated[str, typer.Argument(help="OWNER/NAME, or OWNER/NAME@REVISION: a version, branch or commit.")],
) -> None:
    """Bring a published set into the workspace, each file compared with what was published."""
    from envforge.cli.commands import pull_command

    pull_command.run(source, shared=shared)
