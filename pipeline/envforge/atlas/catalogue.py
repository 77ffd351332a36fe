"""The wide catalogue as files: catalog.jsonl and taxonomy.json, workspace first, then the package's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envforge.core.errors import ConfigError, StoreError
from envforge.core.records.atlas import CatalogTheme, Taxonomy
from envforge.core.records.base import Record
from envforge.store.files import read_json, read_jsonl, write_json, write_jsonl
from envforge.store.schemas import problems

CATALOGUE = "catalog.jsonl"
TAXONOMY = "taxonomy.json"


@dataclass(frozen=True)
class Atlas:
    """All themes of the wide catalogue by slug, the taxonomy, and who answers to which name."""

    themes: dict[str, CatalogTheme]
    taxonomy: Taxonomy
    where: str = CATALOGUE
    names: dict[str, str] = field(default_factory=dict[str, str], compare=False, repr=False)

    def find(self, name: str) -> CatalogTheme | None:
        """A theme by slug, title or alias, however it is written; None when there is none."""
        slug = self.names.get(plain(name))
        return self.themes[slug] if slug else None

    def first_level(self, category: str) -> str:
        """Id of the first-level class above a second-level one."""
        return self.parents[category] or category

    @property
    def parents(self) -> dict[str, str | None]:
        """Class id → id of the class above."""
        return {one.id: one.parent for one in self.taxonomy.categories}

    @property
    def titles(self) -> dict[str, str]:
        """Class id → title."""
        return {one.id: one.title for one in self.taxonomy.categories}

    @property
    def leaves(self) -> list[str]:
        """Ids of the second-level classes, in the order of the file."""
        return [one.id for one in self.taxonomy.categories if one.parent]


def plain(name: str) -> str:
    """What of a name counts when two are compared: letters and digits of any script, in lower case."""
    return "".join(re.findall(r"\w+", name.lower())).replace("_", "")


def load_atlas(folders: Sequence[Path]) -> Atlas:
    """The catalogue and taxonomy of the first folder that has them. Raises ConfigError naming file, line and remedy."""
    holder = next((folder for folder in folders if (folder / CATALOGUE).is_file()), None)
    if holder is None:
        raise ConfigError(f"{CATALOGUE} is missing", where=", ".join(map(str, folders)), remedy="reinstall envforge")
    taxonomy = read_taxonomy(next((one for one in folders if (one / TAXONOMY).is_file()), holder) / TAXONOMY)
    path = holder / CATALOGUE
    return checked(_read_themes(path), taxonomy, str(path))


def _read_themes(path: Path) -> Iterator[CatalogTheme]:
    try:
        values = read_jsonl(path)
    except StoreError as error:
        raise ConfigError(error.message, where=error.where, remedy="mend that line") from error
    for number, value in enumerate(values, 1):
        try:
            yield CatalogTheme.model_validate(value)
        except ValueError as error:
            found = problems("catalog_theme", value) or [str(error).splitlines()[0]]
            where = f"{path}, line {number}"
            raise ConfigError(found[0][:300], where=where, remedy="see catalog_theme.schema.json") from error


def checked(themes: Iterable[CatalogTheme], taxonomy: Taxonomy, where: str) -> Atlas:
    """Themes that fit each other and the taxonomy. Raises ConfigError naming the theme and the remedy."""
    known = {one.id: one for one in taxonomy.categories}
    by_slug: dict[str, CatalogTheme] = {}
    names: dict[str, str] = {}
    for theme in themes:
        place = f"{where}, theme {theme.slug}"
        if theme.slug in by_slug:
            raise _duplicate(theme.slug, where)
        by_slug[theme.slug] = theme
        for name in (theme.slug, theme.title, *theme.aliases):
            owner = names.setdefault(plain(name), theme.slug)
            if owner != theme.slug:
                remedy = "merge the two, or write one name so that it tells them apart"
                raise ConfigError(f"the name {name!r} belongs to {owner} already", where=place, remedy=remedy)
        if theme.category not in known or known[theme.category].parent is None:
            remedy = f"give the id of a second-level class of {TAXONOMY}"
            raise ConfigError(f"field category: {theme.category!r} is no such class", where=place, remedy=remedy)
    _check_parents(by_slug, where)
    return Atlas(themes=dict(sorted(by_slug.items())), taxonomy=taxonomy, where=where, names=names)


def _duplicate(slug: str, where: str) -> ConfigError:
    return ConfigError(f"the slug {slug!r} stands there twice", where=where, remedy="keep one of the two lines")


def _check_parents(themes: dict[str, CatalogTheme], where: str) -> None:
    for theme in themes.values():
        chain = [theme.slug]
        above = theme.parent
        while above is not None:
            if above not in themes:
                remedy = "name a slug of the catalogue, or leave the field out"
                place = f"{where}, theme {chain[-1]}"
                raise ConfigError(f"field parent: {above!r} is no theme", where=place, remedy=remedy)
            if above in chain:
                loop = " → ".join([*chain[chain.index(above) :], above])
                place = f"{where}, theme {theme.slug}"
                raise ConfigError(f"field parent: it goes round: {loop}", where=place, remedy="cut the loop")
            chain.append(above)
            above = themes[above].parent


def read_taxonomy(path: Path) -> Taxonomy:
    """taxonomy.json. Raises ConfigError naming file, class and remedy."""
    try:
        value = read_json(path)
    except StoreError as error:
        raise ConfigError(error.message, where=error.where, remedy="reinstall envforge, or mend it") from error
    found = problems("taxonomy", value)
    if found:
        raise ConfigError(found[0][:300], where=str(path), remedy="see taxonomy.schema.json")
    taxonomy = Taxonomy.model_validate(value)
    check_taxonomy(taxonomy, str(path))
    return taxonomy


def check_taxonomy(taxonomy: Taxonomy, where: str) -> None:
    """Two levels, each id once. Raises ConfigError."""
    known = {one.id: one for one in taxonomy.categories}
    if len(known) < len(taxonomy.categories):
        ids = [one.id for one in taxonomy.categories]
        twice = next(name for name in ids if ids.count(name) > 1)
        raise ConfigError(f"the class {twice!r} stands there twice", where=where, remedy="give each its own id")
    for one in taxonomy.categories:
        if one.parent is None:
            continue
        if one.parent not in known or known[one.parent].parent is not None:
            remedy = "name the id of a first-level class"
            raise ConfigError(f"class {one.id}: {one.parent!r} is no parent", where=where, remedy=remedy)


def write_catalogue(folder: Path, themes: Iterable[CatalogTheme]) -> Path:
    """<folder>/catalog.jsonl, sorted by slug, atomically."""
    path = folder / CATALOGUE
    write_jsonl(path, [_line(theme) for theme in sorted(themes, key=lambda theme: theme.slug)])
    return path


def write_taxonomy(folder: Path, taxonomy: Taxonomy) -> Path:
    """<folder>/taxonomy.json, one class a line, atomically."""
    path = folder / TAXONOMY
    write_json(path, {"categories": [_line(one) for one in taxonomy.categories]}, sort_keys=False, levels=2)
    return path


def _line(record: Record) -> dict[str, object]:
    return record.to_json()
