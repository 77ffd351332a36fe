"""The commands about themes: the written entries, the wide catalogue, its taxonomy and its review."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from envforge.cli.options import SharedOptions, sharing
from envforge.core.errors import ConfigError

themes_app = typer.Typer(help="The catalogue of theme anchors, its taxonomy and its review.", no_args_is_help=True)

ReviewerOption = Annotated[Literal["person", "model"], typer.Option(help="Who decides; stands in every decision.")]
RoundOption = Annotated[int, typer.Option("--round", min=1, help="Which pass over the catalogue this is.")]


@themes_app.command("list")
@sharing()
def themes_list(
    shared: SharedOptions,
    every: Annotated[bool, typer.Option("--all", help="The wide catalogue too, not only the written entries.")] = False,
    category: Annotated[
        str | None, typer.Option("--class", help="With --all: only this class of the taxonomy.")
    ] = None,
) -> None:
    """Themes with a written entry; with --all every theme of the wide catalogue."""
    from envforge.cli.commands import atlas_command, themes_command

    if every:
        atlas_command.run_list(category, shared=shared)
        return
    if category:
        raise ConfigError("--class goes with --all", where="--class", remedy="add --all")
    themes_command.run_list(shared=shared)


@themes_app.command("show")
@sharing()
def themes_show(
    shared: SharedOptions,
    slug: Annotated[str, typer.Argument(help="Slug or alias.")],
) -> None:
    """One theme: anchors, tables, labels."""
    from envforge.cli.commands import themes_command

    themes_command.run_show(slug, shared=shared)


@themes_app.command("add")
@sharing()
def themes_add(
    shared: SharedOptions,
    slug: Annotated[str, typer.Argument(help="Lower-case letters, digits and single hyphens.")],
    gloss: Annotated[str, typer.Option(help="What it is, in one neutral line of your own.")],
    anchor: Annotated[
        list[str],
        typer.Option(help="KIND=SPEC, e.g. mcp-server=npm:NAME or documentation=https://…; repeatable."),
    ],
    title: Annotated[str, typer.Option(help="Its name.", show_default="from the slug")] = "",
    kind: Annotated[Literal["product", "domain"], typer.Option(help="A product, or a field of work.")] = "product",
    category: Annotated[
        str, typer.Option("--class", help="Id of a second-level class.", show_default="proposed by the classifier")
    ] = "",
    parent: Annotated[str | None, typer.Option(help="Slug of the theme it is a part of.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="Another name; repeatable.")] = None,
    language: Annotated[str, typer.Option(help="Of its users, ISO 639-1.")] = "en",
) -> None:
    """Add a theme to the workspace's wide catalogue."""
    from envforge.cli.commands import atlas_command

    atlas_command.run_add(
        slug, gloss=gloss, anchors=tuple(anchor), title=title, kind=kind, category=category, parent=parent,
        aliases=tuple(alias or ()), language=language, shared=shared,
    )  # fmt: skip


@themes_app.command("import")
@sharing()
def themes_import(
    shared: SharedOptions,
    mcp_list: Annotated[Path | None, typer.Option(help="Names of MCP server packages, one a line.")] = None,
    package_list: Annotated[Path | None, typer.Option(help="Names of packages, one a line.")] = None,
    registry: Annotated[Literal["npm", "pypi"], typer.Option(help="Where the packages are published.")] = "npm",
    most: Annotated[int, typer.Option(min=1, max=10000, help="Names without a theme to show.")] = 30,
) -> None:
    """Add anchors from lists of packages; names that no theme answers to are shown as candidates."""
    from envforge.cli.commands import atlas_command

    atlas_command.run_import(mcp_list, package_list, registry=registry, most=most, shared=shared)


@themes_app.command("dedupe")
@sharing()
def themes_dedupe(
    shared: SharedOptions,
    merge: Annotated[list[str] | None, typer.Option(help="GONE=KEPT: one theme goes into another; repeatable.")] = None,
    reviewer: ReviewerOption = "person",
) -> None:
    """Themes that may be one and the same; --merge records a decision."""
    from envforge.cli.commands import atlas_command

    atlas_command.run_dedupe(tuple(merge or ()), reviewer=reviewer, shared=shared)


@themes_app.command("audit")
@sharing()
def themes_audit(
    shared: SharedOptions,
    count: Annotated[int, typer.Option(min=1, max=10000, help="Rows to read.")] = 100,
    seed: Annotated[int, typer.Option(help="Draws the rows.")] = 0,
    verdict: Annotated[
        list[str] | None,
        typer.Option(help="SLUG=clean|obscure|mixed|duplicate|wrong: record what you found; repeatable."),
    ] = None,
    npm_list: Annotated[Path | None, typer.Option(help="Names of all npm packages: are the anchors there?")] = None,
    pypi_list: Annotated[Path | None, typer.Option(help="The same for PyPI.")] = None,
    report: Annotated[bool, typer.Option("--report", help="What was read so far.")] = False,
    reviewer: ReviewerOption = "person",
    round_: RoundOption = 1,
) -> None:
    """Draw rows to read critically, record verdicts, look anchors up in lists of packages; exit 1: some are absent."""
    from envforge.cli.commands import atlas_review_command

    atlas_review_command.run_audit(
        count=count, seed=seed, given=tuple(verdict or ()), npm_list=npm_list, pypi_list=pypi_list, report=report,
        reviewer=reviewer, round_=round_, shared=shared,
    )  # fmt: skip


@themes_app.command("review")
@sharing()
def themes_review(
    shared: SharedOptions,
    category: Annotated[str | None, typer.Option("--class", help="Only themes of this class.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also themes that the classifier would leave.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="Print the proposals instead of asking.")] = False,
    decisions: Annotated[Path | None, typer.Option(help="Take decisions from a JSONL file instead of asking.")] = None,
    agreement: Annotated[bool, typer.Option("--agreement", help="How far the two passes agree.")] = False,
    reviewer: ReviewerOption = "person",
    round_: RoundOption = 1,
) -> None:
    """Walk through proposals by single keys: accept, move, rename, split, merge, reject, skip, quit."""
    from envforge.cli.commands import atlas_review_command

    atlas_review_command.run_review(
        category=category, every=every, listing=listing, decisions=decisions, agreement=agreement,
        reviewer=reviewer, round_=round_, shared=shared,
    )  # fmt: skip


@themes_app.command("coverage")
@sharing()
def themes_coverage(
    shared: SharedOptions,
    propose: Annotated[int, typer.Option(min=0, max=500, help="How many themes to propose for mining.")] = 10,
    page: Annotated[Path | None, typer.Option(help="Write the taxonomy as a sunburst page (HTML) there.")] = None,
) -> None:
    """Which classes are thin in anchors, offline material and environments, and what to mine next."""
    from envforge.cli.commands import atlas_command

    atlas_command.run_coverage(propose=propose, page=page, shared=shared)
