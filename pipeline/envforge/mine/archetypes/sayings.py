"""What a source says of the trade it comes from: its titles, names, descriptions, values and examples, by worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from envforge.core.records.domain import Domain, Table
from envforge.core.records.extraction import Extraction
from envforge.core.records.source import Theme
from envforge.mine.infer.names import singular, words

_TITLE, _ENTITY, _ABOUT, _NAME, _REMARK = 3.0, 2.5, 2.0, 1.5, 1.0
"""A title decides by itself; a word in the remark on a column hardly says what the firm does."""
_MOST_EXAMPLES = 400


@dataclass(frozen=True)
class Saying:
    """A piece of a source's text: where it stands, its words in the singular between blanks, what it is worth."""

    place: str
    text: str
    worth: float

    @staticmethod
    def of(place: str, text: str, worth: float) -> Saying:
        """The saying of `text`, in the form that words are looked up in."""
        return Saying(place, plain_words(text), worth)


def plain_words(text: str) -> str:
    """The words of `text` in the singular, each between blanks, so that a phrase is found as a part of the text."""
    return f" {' '.join(singular(word) for word in words(text))} "


def sayings(theme: Theme, domain: Domain, extractions: Sequence[Extraction]) -> tuple[Saying, ...]:
    """All that a theme and its sources say, each text once, where it is worth most."""
    best: dict[str, Saying] = {}
    for said in (*_of_theme(theme), *_of_sources(extractions), *_of_domain(domain)):
        known = best.get(said.text)
        if said.text.strip() and (known is None or known.worth < said.worth):
            best[said.text] = said
    return tuple(best.values())


def _of_theme(theme: Theme) -> Iterable[Saying]:
    yield Saying.of("the theme", f"{theme.slug} {theme.title}", _TITLE)
    yield Saying.of("the theme's summary", theme.summary, _ABOUT)
    for label in theme.taxonomy:
        yield Saying.of("the theme's taxonomy", label, _ABOUT)


def _of_sources(extractions: Sequence[Extraction]) -> Iterable[Saying]:
    for extraction in extractions:
        yield Saying.of("the source's title", extraction.title, _TITLE)
        yield Saying.of("the source's description", extraction.about, _ABOUT)
        for example in extraction.examples[:_MOST_EXAMPLES]:
            for text in _texts(example.value):
                yield Saying.of(f"an example of {example.shape}", text, _REMARK)
        for shape in extraction.shapes.values():
            for field in shape.type.fields:
                for text in _texts(field.type.example):
                    yield Saying.of(f"an example of {shape.name}.{field.name}", text, _REMARK)


def _of_domain(domain: Domain) -> Iterable[Saying]:
    for table in domain.tables:
        yield from _of_table(table)
    for operation in domain.operations:
        yield Saying.of(f"operation {operation.name}", operation.description, _REMARK)


def _of_table(table: Table) -> Iterable[Saying]:
    yield Saying.of(f"table {table.name}", f"{table.entity} {table.label}", _ENTITY)
    yield Saying.of(f"the description of {table.name}", table.description, _NAME)
    for column in table.columns:
        place = f"{table.name}.{column.name}"
        yield Saying.of(place, column.name, _NAME)
        yield Saying.of(f"the description of {place}", column.description, _REMARK)
        for value in column.enum:
            yield Saying.of(f"a value of {place}", str(value), _NAME)


def _texts(value: Any) -> Iterable[str]:
    """The texts inside a JSON value that hold words; addresses and keys are none."""
    if isinstance(value, str):
        if "://" not in value and "@" not in value:
            yield value
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _texts(item)
    elif isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            yield from _texts(item)
