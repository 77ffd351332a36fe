"""`envforge themes list --all | add | import | dedupe | coverage`: the wide catalogue."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from envforge.atlas.adding import NewTheme, add_theme
from envforge.atlas.catalogue import TAXONOMY, Atlas, checked, load_atlas, write_catalogue
from envforge.atlas.classifier import Guess, load_classifier
from envforge.atlas.coverage import coverage, proposals
from envforge.atlas.decisions import DECISIONS, all_decisions, apply, placed, reviewed_atlas
from envforge.atlas.dedupe import lookalikes
from envforge.atlas.embedding import MiniLm
from envforge.atlas.importing import import_packages, read_package_list
from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.core.errors import ConfigError
from envforge.core.records.atlas import Reviewer, ThemeDecision
from envforge.store.files import read_json, write_text
from envforge.store.log import append_record
from envforge.store.workspace import Workspace
from envforge.studio.sunburst import Slice, sunburst


def folders(shared: SharedOptions) -> list[Path]:
    """Where catalogues may lie, the workspace's first."""
    return Workspace(shared.workspace).data_folders("themes")


def own_folder(shared: SharedOptions) -> Path:
    """The workspace's themes/, where everything is written."""
    return shared.workspace / "themes"


def record(shared: SharedOptions, decisions: Sequence[ThemeDecision]) -> None:
    """Append decisions that can be kept; raises ConfigError before anything is written when one cannot."""
    apply(load_atlas(folders(shared)), [*all_decisions(folders(shared)), *decisions])
    for one in decisions:
        append_record(own_folder(shared) / DECISIONS, one.to_json())


def tell_recorded(count: int, what: str, shared: SharedOptions) -> None:
    """That so many decisions are kept."""
    path = own_folder(shared) / DECISIONS
    if shared.json_output:
        render.print_json({"recorded": count, "file": str(path)})
    else:
        render.out.print(f"{count} {what} in {path}", markup=False, soft_wrap=True)


def run_list(category: str | None, *, shared: SharedOptions) -> None:
    """All themes of the wide catalogue, or those of a class of either level."""
    atlas = reviewed_atlas(folders(shared))
    if category and category not in atlas.titles:
        raise ConfigError(f"{category!r} is no class", where="--class", remedy="see: envforge themes coverage")
    themes = [
        theme
        for theme in atlas.themes.values()
        if category in {None, theme.category, atlas.first_level(theme.category)}
    ]
    if shared.json_output:
        render.print_json([theme.to_json() for theme in themes])
        return
    rows = [(theme.slug, theme.title, atlas.titles[theme.category], theme.gloss) for theme in themes]
    render.table(f"{len(themes)} themes", ("slug", "title", "class", "what"), rows)


def run_add(
    slug: str,
    *,
    gloss: str,
    anchors: tuple[str, ...],
    title: str,
    kind: Literal["product", "domain"],
    category: str,
    parent: str | None,
    aliases: tuple[str, ...],
    language: str,
    shared: SharedOptions,
) -> None:
    """One more theme, in the workspace; the decisions about the others stay what they are, beside the catalogue."""
    atlas, plain = reviewed_atlas(folders(shared)), load_atlas(folders(shared))

    def guess(text: str) -> Sequence[Guess]:
        return load_classifier(folders(shared), atlas, MiniLm()).guess(text)

    new = NewTheme(
        slug=slug, gloss=gloss, anchors=anchors, title=title, kind=kind, category=category, parent=parent,
        aliases=aliases, language=language,
    )  # fmt: skip
    grown, guesses = add_theme(atlas, new, guess)
    theme, split_off = placed(grown.themes[slug], plain, all_decisions(folders(shared)))
    path = _write(checked([*plain.themes.values(), theme], plain.taxonomy, f"themes add {slug}"), shared)
    if split_off:
        record(shared, [ThemeDecision(action="move", subject=slug, value=split_off, reviewer="person")])
    if shared.json_output:
        render.print_json({**grown.themes[slug].to_json(), "guesses": [asdict(one) for one in guesses]})
        return
    render.out.print(f"{slug} is in {path}, class {grown.themes[slug].category}", markup=False)
    if guesses:
        render.table("Classes it may be in", ("class", "share"), [(g.category, f"{g.share:.2f}") for g in guesses])


def _write(atlas: Atlas, shared: SharedOptions) -> Path:
    """Into the workspace; its taxonomy goes along, so that the two fit each other whatever the package brings later."""
    own = own_folder(shared)
    path = write_catalogue(own, atlas.themes.values())
    source = next(folder for folder in folders(shared) if (folder / TAXONOMY).is_file())
    if source.resolve() != own.resolve():
        shutil.copyfile(source / TAXONOMY, own / TAXONOMY)
    return path


def run_import(
    mcp_list: Path | None,
    package_list: Path | None,
    *,
    registry: Literal["npm", "pypi"],
    most: int,
    shared: SharedOptions,
) -> None:
    """Anchors from a list."""
    if (mcp_list is None) == (package_list is None):
        raise ConfigError("give one list", where="themes import", remedy="--mcp-list FILE or --package-list FILE")
    names = read_package_list(mcp_list or package_list or Path())
    atlas = load_atlas(folders(shared))
    found = import_packages(atlas, names, registry, servers=mcp_list is not None)
    if found.grown:
        _write(checked(found.themes, atlas.taxonomy, atlas.where), shared)
    candidates = [{"name": name, "packages": list(packages)} for name, packages in found.candidates.items()][:most]
    if shared.json_output:
        render.print_json({"grown": found.grown, "names": len(found.candidates), "candidates": candidates})
        return
    render.out.print(f"{sum(found.grown.values())} anchors came to {len(found.grown)} themes", markup=False)
    rows = [(name, len(packages), packages[0]) for name, packages in list(found.candidates.items())[:most]]
    render.table(f"{len(found.candidates)} names without a theme (themes add)", ("name", "packages", "e.g."), rows)


def run_dedupe(merge: tuple[str, ...], *, reviewer: Reviewer, shared: SharedOptions) -> None:
    """Pairs that look alike, or decisions about them."""
    atlas = reviewed_atlas(folders(shared))
    if merge:
        record(shared, [_merging(text, atlas, reviewer) for text in merge])
        tell_recorded(len(merge), "mergers recorded", shared)
        return
    pairs = lookalikes(atlas)
    if shared.json_output:
        render.print_json([asdict(pair) for pair in pairs])
        return
    render.table(f"{len(pairs)} pairs", ("one", "other", "why"), [(p.one, p.other, p.reason) for p in pairs])


def _merging(text: str, atlas: Atlas, reviewer: Reviewer) -> ThemeDecision:
    gone, _, kept = text.partition("=")
    for slug in (gone, kept):
        if slug not in atlas.themes:
            raise ConfigError(f"{slug!r} is no theme", where=f"--merge {text}", remedy="write GONE=KEPT")
    return ThemeDecision(action="merge", subject=gone, value=kept, reviewer=reviewer)


def run_coverage(*, propose: int, page: Path | None, shared: SharedOptions) -> None:
    """Per class, and what to mine next."""
    atlas = reviewed_atlas(folders(shared))
    built = _built(Workspace(shared.workspace), atlas)
    classes = coverage(atlas, built)
    following = proposals(atlas, built, propose)
    if page is not None:
        write_text(page, sunburst(_slices(atlas), "Themes by class"))
    if shared.json_output:
        render.print_json({"classes": [asdict(c) for c in classes], "next": [asdict(n) for n in following]})
        return
    rows = [
        (c.category, c.parent, c.themes, f"{c.anchors / max(1, c.themes):.1f}", c.thin, c.offline, c.built)
        for c in classes
    ]
    columns = ("class", "of", "themes", "anchors", "one", "offline", "built")
    render.table(f"{len(atlas.themes)} themes in {len(classes)} classes", columns, rows)
    if following:
        render.table("To mine next", ("theme", "class", "why"), [(n.slug, n.category, n.reason) for n in following])


def _built(workspace: Workspace, atlas: Atlas) -> set[str]:
    """Slugs of the catalogue whose environments lie in the workspace."""
    found: set[str] = set()
    for path in sorted(workspace.environments.glob("*/environment.json")):
        theme = atlas.find(str(read_json(path).get("theme", "")))
        if theme is not None:
            found.add(theme.slug)
    return found


def _slices(atlas: Atlas) -> list[Slice]:
    counts = Counter(theme.category for theme in atlas.themes.values())
    above = Counter(dict.fromkeys(atlas.titles, 0))
    for name, count in counts.items():
        above[atlas.first_level(name)] += count
    return [
        Slice(title=one.title, parent=atlas.titles[one.parent], count=counts[one.id])
        if one.parent
        else Slice(title=one.title, parent="", count=above[one.id])
        for one in atlas.taxonomy.categories
    ]
