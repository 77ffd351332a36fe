from pathlib import Path

import pytest

from envforge.core.errors import ConfigError
from envforge.core.records.source import Theme
from envforge.factory.themes import find_theme, new_theme, read_theme


def theme(slug: str, *aliases: str) -> Theme:
    return Theme(slug=slug, title=slug, kind="domain", aliases=aliases)


def test_found_by_slug_or_alias() -> None:
    themes = {"ferries": theme("ferries", "Boats")}
    assert find_theme("boats", themes).slug == "ferries"


def test_unknown_theme_names_near_ones() -> None:
    with pytest.raises(ConfigError, match=r"did you mean ferries"):
        find_theme("feries", {"ferries": theme("ferries"), "lamps": theme("lamps")})


def test_a_new_theme_needs_sources_and_a_fit_name() -> None:
    with pytest.raises(ConfigError, match="needs sources"):
        new_theme("x", ())
    with pytest.raises(ConfigError, match="cannot name a theme"):
        new_theme("../x", ("file:a.csv",))


def test_a_catalogue_may_not_name_absolute_files(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("slug: x\ntitle: X\nkind: domain\nanchors:\n  - spec: file:/root/.npmrc\n")
    with pytest.raises(ConfigError, match=r"x\.yaml, anchors\.0\.spec"):
        read_theme(path)


def test_a_catalogue_may_not_start_a_program(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("slug: x\ntitle: X\nkind: domain\nanchors:\n  - spec: mcp:rm -rf somewhere\n")
    with pytest.raises(ConfigError, match=r"x\.yaml, anchors\.0\.spec: a catalogue may not start a program"):
        read_theme(path)


def test_the_file_is_named_after_the_slug(tmp_path: Path) -> None:
    path = tmp_path / "y.yaml"
    path.write_text("slug: x\ntitle: X\nkind: domain\nanchors:\n  - spec: npm:x\n")
    with pytest.raises(ConfigError, match="name the file after the slug"):
        read_theme(path)
