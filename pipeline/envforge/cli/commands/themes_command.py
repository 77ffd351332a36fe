"""`envforge themes`."""

from __future__ import annotations

from envforge.cli import render
from envforge.cli.options import SharedOptions
from envforge.factory.themes import find_theme, load_themes
from envforge.store.workspace import Workspace


def run_list(*, shared: SharedOptions) -> None:
    """All themes."""
    themes = load_themes(Workspace(shared.workspace).data_folders("themes"))
    if shared.json_output:
        render.print_json([theme.to_json() for theme in themes.values()])
        return
    rows = [(t.slug, t.title, t.kind, " ".join(anchor.spec for anchor in t.anchors)) for t in themes.values()]
    render.table(f"{len(themes)} themes", ("slug", "title", "kind", "anchors"), rows)


def run_show(slug: str, *, shared: SharedOptions) -> None:
    """One theme."""
    folders = Workspace(shared.workspace).data_folders("themes")
    theme = find_theme(slug, load_themes(folders), folders=folders)
    if shared.json_output:
        render.print_json(theme.to_json())
        return
    render.out.print(f"{theme.title} ({theme.slug}, {theme.kind})\n{theme.summary}\n", markup=False)
    anchors = [(anchor.spec, " ".join(anchor.include), anchor.note) for anchor in theme.anchors]
    render.table("Anchors", ("spec", "files", "note"), anchors)
    if theme.tables:
        tables = [(shape.name, ", ".join(shape.key), shape.description) for shape in theme.tables]
        render.table("Tables made of them", ("table", "key", "what"), tables)
