"""A goal: the fragment that ends a program, in SQL, Python and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from envforge.core.records.intent import AnswerField, Mention
from envforge.synth.nouns import plural
from envforge.synth.programs.body import Body, Selection
from envforge.synth.programs.facets import Facet
from envforge.synth.programs.phrases import Ask
from envforge.synth.programs.subject import Subject


@dataclass(frozen=True)
class Goal:
    """One goal over a selection. `checks`: SQL of conditions that a parameter set must meet; `sizes` of the target.

    `ending`: lines after `rows` stands. `extra`: a further parameter and its values.
    """

    what: str
    title: str
    selection: Selection
    needs: tuple[str, ...]
    answer: Mapping[str, AnswerField]
    ending: Callable[[Body], list[str]]
    ask: Ask
    checks: tuple[str, ...] = ()
    sizes: tuple[int, int] = (2, 60)
    computes: bool = True
    extra: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: dict[str, tuple[Any, ...]]())
    mentions: Mapping[str, Mention] = field(default_factory=lambda: dict[str, Mention]())
    base: Selection | None = None

    @property
    def about(self) -> Selection:
        """The rows that the goal starts from: with a fallback, also those that the last condition leaves out."""
        return self.base or self.selection

    @property
    def target(self) -> str:
        """SELECT of these rows."""
        return self.about.rows(f'r."{self.selection.subject.key}" AS key')


def names_field(sql: str, subject: Subject) -> AnswerField:
    """An answer of names in any order."""
    return AnswerField(
        sql=sql,
        match="set",
        json_type="array",
        description=f"The {plural(subject.title_noun)} of the {subject.plural}, each once.",
    )


def name_field(sql: str, subject: Subject) -> AnswerField:
    """An answer of one name."""
    said = f"The {subject.title_noun} of the {subject.label}."
    return AnswerField(sql=sql, match="normalised_text", description=said)


def value_field(facet: Facet, sql: str) -> AnswerField:
    """An answer of one value of a facet."""
    unit = f", in {facet.unit}" if facet.unit else ""
    if facet.nature == "date":
        return AnswerField(sql=sql, description=f"The {facet.noun}, as YYYY-MM-DD.")
    return AnswerField(
        sql=sql,
        match="number",
        json_type="integer" if facet.nature == "year" else "number",
        description=f"The {facet.noun}{unit}.",
    )
