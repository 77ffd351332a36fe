"""Loads shape files and checks what can be checked before a schema is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.shape import NamingStyle, RowShape
from envforge.mine.declared import first_problem, load_folders, read_mapping
from envforge.mine.scenario.text import SLOT

_SOURCE_SLOTS = {
    "subjects": {"slug", "title"},
    "ordered": {"slug", "title"},
    "person": {"name", "login"},
    "organisation": {"name", "slug"},
    "place": {"city", "code", "country_name"},
}
_SLOTS = frozenset({"label", "number", "initials", "serial"})
_PERSON = frozenset({"first_name", "last_name", "name", "gender", "email", "phone", "birth_date", "login"})
_BANKS = {
    "organisation": ("organisation_name", "organisation_trade", "organisation_form"),
    "remark": ("remark",),
    "mail": ("mailbox",),
}
"""Banks that values of a kind are made of, and names of a source."""
_ROWS = ("root", "middle", "leaf", "link")


def load_shapes(folders: Sequence[Path]) -> list[RowShape]:
    """The shapes in `folders` (*.yaml), by id; an earlier folder wins over a later one.

    Raises ConfigError naming the file, the field and the remedy.
    """
    return load_folders(folders, load_shape)


def load_shape(path: Path) -> RowShape:
    """One shape file, checked. Raises ConfigError."""
    content = read_mapping(path, "start with id, version, title, kinds")
    try:
        shape = RowShape.model_validate(content)
    except ValidationError as error:
        raise first_problem(error, path, "core/records/shape.py describes every field") from error
    for place, name, known in (*_named(shape), *_needed(shape)):
        if name not in known:
            remedy = f"one of {', '.join(sorted(known))}"
            raise ConfigError(f"names {name!r}, which is not there", where=f"{path}: {place}", remedy=remedy)
    return shape


def _named(shape: RowShape) -> Iterable[tuple[str, str, Iterable[str]]]:
    """Every name that stands for another part of the file: its place, the name, what there is."""
    yield "fallback", shape.fallback, shape.styles
    for kind in shape.kinds:
        yield f"kinds.{kind.name}.style", kind.style, shape.styles
    for name, style in shape.styles.items():
        if style.source in {"subjects", "ordered"}:
            yield f"styles.{name}.subjects", style.subjects, shape.subjects
        for slot in _slots(style):
            yield f"styles.{name}.forms", slot, {*_SLOTS, *_SOURCE_SLOTS[style.source], *shape.banks}
    kinds = {kind.name for kind in shape.kinds}
    for number, rule in enumerate(shape.values):
        for kind in rule.kinds:
            yield f"values.{number}.kinds", kind, kinds
        if rule.make == "choice" and not rule.of:
            yield f"values.{number}.bank", rule.bank, {*shape.banks, *shape.tables}
        for form in rule.forms:
            for slot in SLOT.findall(form):
                yield f"values.{number}.forms", slot, {"serial", *shape.banks}


def _needed(shape: RowShape) -> Iterable[tuple[str, str, Iterable[str]]]:
    """What the kinds of values and names in the file are made of: its place, what is needed, what there is."""
    used = {*(rule.make for rule in shape.values), *(style.source for style in shape.styles.values())}
    for name in (bank for kind in sorted(used) for bank in _BANKS.get(kind, ())):
        yield "banks", name, shape.banks
    if used & {"place", "organisation"}:
        yield "tables", "places", shape.tables
    for part in _ROWS:
        yield "rows", part, shape.rows
    for number, rule in enumerate(shape.values):
        if rule.make == "person":
            yield f"values.{number}.bank", rule.bank, _PERSON
        for place in shape.tables.get("places", ()) if rule.make == "place" else ():
            yield f"values.{number}.bank", rule.bank, place


def _slots(style: NamingStyle) -> set[str]:
    return {slot for form in style.forms for slot in SLOT.findall(form)}
