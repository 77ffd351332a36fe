"""One more theme: what a user says of it, and the class that the classifier proposes where none was named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import ValidationError

from envforge.atlas.catalogue import Atlas, checked
from envforge.atlas.classifier import Guess
from envforge.core.errors import ConfigError
from envforge.core.records.atlas import AnchorKind, CatalogTheme, ThemeAnchor

UNKNOWN = "unknown"


@dataclass(frozen=True)
class NewTheme:
    """What the user gave."""

    slug: str
    gloss: str
    anchors: tuple[str, ...]
    """KIND=SPEC each"""
    title: str = ""
    kind: Literal["product", "domain"] = "product"
    category: str = ""
    parent: str | None = None
    aliases: tuple[str, ...] = ()
    language: str = "en"


def add_theme(atlas: Atlas, new: NewTheme, guess: Callable[[str], Sequence[Guess]]) -> tuple[Atlas, list[Guess]]:
    """The atlas with the theme in it, and the guesses where the class was guessed. Raises ConfigError."""
    where = f"themes add {new.slug}"
    if new.gloss.strip().lower() == UNKNOWN:
        remedy = "say in one neutral line what it is; a theme that nobody can explain is left out"
        raise ConfigError("the gloss is unknown", where=where, remedy=remedy)
    taken = atlas.find(new.slug)
    if taken is not None:
        raise ConfigError(f"the slug {new.slug!r} is {taken.title} already", where=where, remedy="choose another slug")
    anchors = tuple(_anchor(text, where) for text in new.anchors)
    title = new.title or new.slug.replace("-", " ").capitalize()
    guesses: list[Guess] = [] if new.category else list(guess(f"{title}: {new.gloss}"))
    try:
        theme = CatalogTheme(
            slug=new.slug,
            title=title,
            kind=new.kind,
            gloss=new.gloss,
            category=new.category or guesses[0].category,
            parent=new.parent,
            aliases=new.aliases,
            language=new.language,
            anchors=anchors,
            evidence="added by hand",
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ConfigError(
            f"field {field}: {first['msg']}", where=where, remedy="see: envforge themes add --help"
        ) from error
    return checked([*atlas.themes.values(), theme], atlas.taxonomy, where), guesses


def _anchor(text: str, where: str) -> ThemeAnchor:
    kind, equals, spec = text.partition("=")
    kinds: dict[str, AnchorKind] = {name: name for name in get_args(AnchorKind)}
    if not equals or kind not in kinds:
        remedy = f"write KIND=SPEC with one of {', '.join(kinds)}"
        raise ConfigError(f"{kind!r} is no kind of anchor", where=f"{where}, --anchor {text}", remedy=remedy)
    try:
        return ThemeAnchor(kind=kinds[kind], spec=spec)
    except ValidationError as error:
        remedy = "write npm:NAME, pypi:NAME or an https URL"
        raise ConfigError(f"{spec!r} is no place", where=f"{where}, --anchor {text}", remedy=remedy) from error
