"""The theme catalogue as files: one YAML per theme, workspace first, then the package's."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

import yaml

from envforge.atlas.decisions import reviewed_atlas
from envforge.atlas.minable import as_theme
from envforge.core.errors import ConfigError
from envforge.core.records.source import Anchor, Theme
from envforge.store.schemas import problems


def load_themes(folders: Sequence[Path]) -> dict[str, Theme]:
    """slug → Theme from <folder>/catalogue/*.yaml; earlier folders win. Raises ConfigError."""
    themes: dict[str, Theme] = {}
    for folder in folders:
        for path in sorted((folder / "catalogue").glob("*.yaml")):
            theme = read_theme(path)
            themes.setdefault(theme.slug, theme)
    return dict(sorted(themes.items()))


def read_theme(path: Path) -> Theme:
    """One catalogue file. Raises ConfigError naming file, field and remedy."""
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise ConfigError(f"is not readable YAML: {what}", where=str(path), remedy="mend the place it names") from error
    found = problems("theme", value)
    if found:
        raise ConfigError(found[0], where=str(path), remedy="see validators/schemas/theme.schema.json")
    theme = Theme.model_validate(value)
    for number, anchor in enumerate(theme.anchors):
        # Absolute paths are the user's to name (--source); a catalogue that travels must not read any file it likes.
        if anchor.spec.startswith("file:") and Path(anchor.spec.removeprefix("file:")).is_absolute():
            where = f"{path}, anchors.{number}.spec"
            raise ConfigError("an absolute path", where=where, remedy="give a path below the workspace")
        if anchor.spec.startswith("mcp:"):
            where = f"{path}, anchors.{number}.spec"
            raise ConfigError("a catalogue may not start a program", where=where, remedy="keep its tool list as a file")
    if theme.slug != path.stem:
        raise ConfigError(f"field slug is {theme.slug!r}", where=str(path), remedy="name the file after the slug")
    if not theme.anchors:
        raise ConfigError("field anchors is empty", where=str(path), remedy="say where the theme's facts are to be had")
    return theme


def find_theme(slug: str, themes: dict[str, Theme], *, where: str = "--theme", folders: Sequence[Path] = ()) -> Theme:
    """A theme by slug or alias: of `themes`, the written entries, or else of the wide catalogue in `folders`.

    Raises ConfigError with near names, saying `where` it was asked for.
    """
    for theme in themes.values():
        if slug.lower() in {theme.slug, *(alias.lower() for alias in theme.aliases)}:
            return theme
    names = list(themes)
    if folders:
        atlas = reviewed_atlas(folders)
        listed = atlas.find(slug)
        if listed is not None:
            # An entry that is written out says more than the line of the same theme.
            return themes.get(listed.slug) or as_theme(listed, atlas)
        names = sorted({*names, *atlas.themes})
    near = difflib.get_close_matches(slug.lower(), names, n=3, cutoff=0.5)
    remedy = f"did you mean {', '.join(near)}?" if near else "envforge themes list shows what there is"
    if where == "--theme":
        remedy = f"{remedy} (own files: --new --source SPEC)"
    raise ConfigError(f"unknown theme {slug!r}", where=where, remedy=remedy)


def new_theme(slug: str, sources: Sequence[str], *, needed: bool = True) -> Theme:
    """A theme that is in no catalogue, founded on the user's own sources. Raises ConfigError.

    Not `needed`: an agent finds them.
    """
    if needed and not sources:
        remedy = "add --source file:PATH (or npm:, pypi:), or --author agent, which finds them"
        raise ConfigError("a new theme needs sources", where="--new", remedy=remedy)
    try:
        return Theme(
            slug=slug,
            title=slug.replace("-", " ").capitalize(),
            kind="domain",
            anchors=tuple(Anchor(spec=source) for source in sources),
        )
    except ValueError as error:
        remedy = "use lower-case letters, digits and single hyphens"
        raise ConfigError(f"{slug!r} cannot name a theme", where="--theme", remedy=remedy) from error
