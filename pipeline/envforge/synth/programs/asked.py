"""Fragments over all rows of a selection: their names, their number, sums, and the most common choice."""

from __future__ import annotations

from envforge.core.records.intent import AnswerField
from envforge.synth.nouns import plural, slug
from envforge.synth.programs.body import Selection
from envforge.synth.programs.facets import Facet, counted_in
from envforge.synth.programs.goal import Goal, names_field
from envforge.synth.programs.phrases import Ask, ties

UNGUESSED = 6
"""A smaller number is as good as guessed: not_guessed turns it down (gates/task_guessing.py)."""
SHARED = 4
"""So is who of two is the most common, and of how many, below this."""


def listed(selection: Selection) -> Goal:
    """The names of all of them."""
    title, names = selection.subject.title, f"the {plural(selection.subject.title_noun)} of all {{target}}"
    return Goal(
        "list", f"Which {selection.subject.plural}", selection, (),
        {"names": names_field(selection.rows(f'r."{title}"'), selection.subject)},
        lambda body: [f'return {{"names": sorted({body.name} for x in rows)}}'],
        Ask(
            "which {target} do we have",
            names if len(selection.conditions) > 1 else "which {target} we have",
            names,
        ),
        computes=False, sizes=(2, 40),
    )  # fmt: skip


def counted(selection: Selection) -> Goal:
    """How many they are."""
    field_ = AnswerField(
        sql=selection.rows("count(*)"), match="number", json_type="integer",
        description=f"How many {selection.subject.plural} they are.",
    )  # fmt: skip
    number = "the number of {target}"
    told = number if len(selection.conditions) > 1 else "how many {target} there are"  # no verb after all conditions
    return Goal(
        "count", f"How many {selection.subject.plural}", selection, (), {"count": field_},
        lambda _: ['return {"count": len(rows)}'],
        Ask("how many {target} are there", told, number),
        sizes=(UNGUESSED, 1200),
    )  # fmt: skip


def total(selection: Selection, facet: Facet) -> Goal:
    """The sum and the average."""
    unit = f", in {facet.unit}" if facet.unit else ""
    known = f"{facet.sql()} IS NOT NULL"
    return Goal(
        f"total-{slug(facet.noun)}", f"Total {facet.noun} of {selection.subject.plural}", selection, (facet.column,),
        {
            "total": AnswerField(
                sql=selection.rows(f"round(sum({facet.sql()}), 2)"), match="number", json_type="number", tolerance=0.01,
                description=f"The {plural(facet.noun)} of all of them added up{unit}.",
            ),
            "average": AnswerField(
                sql=selection.rows(f"round(avg({facet.sql()}), 2)"), match="number", json_type="number", tolerance=0.01,
                description=f"The average {facet.noun}{unit}, to two places.",
            ),
        },
        lambda body: [
            f"values = [{body.get(facet.column)} for x in rows]",
            'return {"total": round(sum(values), 2), "average": round(sum(values) / len(values), 2)}',
        ],
        Ask(*_adding(facet)),
        checks=(f"SELECT NOT EXISTS ({selection.rows('1')} AND NOT {known})",),
        sizes=(3, 60),
    )  # fmt: skip


def _adding(facet: Facet) -> tuple[str, str, str]:
    """Sum and average as question, clause and noun."""
    noun = f"the total and the average {facet.noun} of the {{target}}"
    if things := counted_in(facet):
        end = "together, and how many on average"
        return f"how many {things} do the {{target}} have {end}", f"how many {things} the {{target}} have {end}", noun
    return f"what are {noun}", noun, noun


def commonest(selection: Selection, facet: Facet) -> Goal:
    """The choice that most of them have."""
    known = f"{facet.sql()} IS NOT NULL"
    counts = f"{selection.rows(f'{facet.sql()} AS value, count(*) AS number')} AND {known} GROUP BY 1"
    ordered = f"{counts} ORDER BY 2 DESC, 1 LIMIT 1"
    noun = facet.noun
    return Goal(
        f"commonest-{slug(noun)}", f"The most common {noun} of {selection.subject.plural}", selection, (facet.column,),
        {
            slug(noun): AnswerField(sql=f"SELECT value FROM ({ordered})", match="normalised_text", description=f"The {noun}."),  # noqa: S608, E501
            "count": AnswerField(
                sql=f"SELECT number FROM ({ordered})", match="number", json_type="integer",  # noqa: S608
                description=f"How many of the {selection.subject.plural} have it.",
            ),
        },
        lambda body: [
            "counts = {}",
            "for x in rows:",
            f"    value = {body.get(facet.column)}",
            "    if value is not None:",
            "        counts[value] = counts.get(value, 0) + 1",
            "first = min(counts, key=lambda value: (-counts[value], value))",
            f'return {{"{slug(noun)}": first, "count": counts[first]}}',
        ],
        Ask(
            f"which {noun} is the most common among the {{target}}, and how many of them have it",
            f"which {noun} is the most common among the {{target}}, and how many of them have it",
            f"the most common {noun} among the {{target}}, and how many of them have it", (ties(noun),),
        ),
        checks=(f"SELECT count(*) > 1 AND max(number) >= {SHARED} FROM ({counts})",),  # noqa: S608
        sizes=(4, 120),
    )  # fmt: skip
