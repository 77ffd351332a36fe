"""Loads shape files and checks what can be checked before a schema is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from envforge.core.errors import ConfigError
from envforge.core.records.shape import NamingStyle, RowShape
from envforge.mine.archetypes.catalogue import first_problem, read_mapping
from envforge.mine.scenario.text import SLOT

_SOURCE_SLOTS = {
    "subjects": {"slug", "title"},
    "ordered": {"slug", "title"},
    "person": {"name", "login"},
    "organisation": {"name", "slug"},
    "place": {"city", "code", "country_name"},
}
_SLOTS = frozenset({"label", "number", "initials", "serial"})


def load_shapes(folders: Sequence[Path]) -> list[RowShape]:
    """The shapes in `folders` (*.yaml), by id; an earlier folder wins over a later one.

    Raises ConfigError naming the file, the field and the remedy.
    """
    found: dict[str, RowShape] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.yaml")):
            shape = load_shape(path)
            found.setdefault(shape.id, shape)
    return [found[name] for name in sorted(found)]


def load_shape(path: Path) -> RowShape:
    """One shape file, checked. Raises ConfigError."""
    content = read_mapping(path, "start with id, version, title, kinds")
    try:
        shape = RowShape.model_validate(content)
    except ValidationError as error:
        raise first_problem(error, path, "core/records/shape.py describes every field") from error
    for place, name, known in _named(shape):
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


def _slots(style: NamingStyle) -> set[str]:
    return {slot for form in style.forms for slot in SLOT.findall(form)}
