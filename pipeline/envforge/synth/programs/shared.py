"""Fragments over what the rows of a selection are tied to: all of it, the most of it, what most of them share."""

from __future__ import annotations

from envforge.core.records.intent import AnswerField
from envforge.synth.nouns import plural, slug
from envforge.synth.programs.body import Body, Selection
from envforge.synth.programs.goal import Goal, name_field, names_field
from envforge.synth.programs.ground import Bond
from envforge.synth.programs.phrases import Ask, ties
from envforge.synth.programs.subject import Subject


def _tied(selection: Selection, bond: Bond, columns: str) -> str:
    """SELECT over the bonds of the rows."""
    return (
        f'SELECT {columns} FROM "{bond.table.name}" b JOIN "{bond.other_table}" o ON o."{bond.other_key}" = b."{bond.other}" '  # noqa: S608, E501
        f'JOIN "{selection.subject.table}" r ON r."{selection.subject.key}" = b."{bond.owner}" '
        f"WHERE {selection.where()}"
    )


def _ties_of(body: Body, bond: Bond) -> list[str]:
    """Lines: `ties`, the bonds of the rows: row by row, or all of them with those of others left out."""
    key = body.get(body.subject.key)
    if body.plain:
        shown = f'b["{bond.owner}"]'
        return [
            f"keys = {{{key} for x in rows}}",
            f'ties = [b for b in pages("{bond.listing.tool}") if {shown} in keys]',
        ]
    return ["ties = []", "for x in rows:", f"    ties.extend({body.pages(bond.listing, bond.owner, key)})"]


def _names_of(bond: Bond, to: Subject) -> tuple[list[str], str]:
    """Lines and an expression: the name of what a bond `b` leads to, as it shows it, or looked up in a list."""
    shown = bond.shown.get(to.table, {})
    if to.title in shown:
        return [], "b" + "".join(f'["{name}"]' for name in shown[to.title])
    other, title = to.listing.fields[bond.other_key][0], to.listing.fields[to.title][0]
    lines = [f'names = {{o["{other}"]: o["{title}"] for o in pages("{to.listing.tool}")}}']
    return lines, f'names[b["{bond.other}"]]'


def _first(counts: str, subject: Subject, counted: str) -> dict[str, AnswerField]:
    """Answer of the name with the largest number, and that number. `counts`: SELECT of name and number."""
    ordered = f"{counts} ORDER BY 2 DESC, 1 LIMIT 1"
    return {
        "name": name_field(f"SELECT name FROM ({ordered})", subject),  # noqa: S608
        "count": AnswerField(
            sql=f"SELECT number FROM ({ordered})",  # noqa: S608
            match="number",
            json_type="integer",
            description=counted,
        ),
    }


def gathered(selection: Selection, bond: Bond, to: Subject) -> Goal:
    """All that they are tied to, each once."""
    many = plural(bond.words)
    names = names_field(_tied(selection, bond, f'DISTINCT o."{to.title}"'), to)

    def ending(body: Body) -> list[str]:
        lines, name = _names_of(bond, to)
        return [*_ties_of(body, bond), *lines, f'return {{"names": sorted({{{name} for b in ties}})}}']

    return Goal(
        f"gather-{slug(bond.words)}", f"The {many} of {selection.subject.plural}", selection, (), {"names": names},
        ending,
        Ask(*_gathering(bond, to), (("Name each of them once.", "Each only once, please."),)),
        checks=(
            f"SELECT count(*) BETWEEN 3 AND 40 FROM ({_tied(selection, bond, f'DISTINCT o.{chr(34)}{to.title}{chr(34)}')})",  # noqa: S608, E501
        ),
        sizes=(2, 30), computes=False,
    )  # fmt: skip


def most_tied(selection: Selection, bond: Bond) -> Goal:
    """The one of them that is tied to most."""
    subject, many = selection.subject, plural(f"{bond.words.split()[-1]} entry" if bond.valued else bond.words)
    title = subject.title
    counts = f"""{_tied(selection, bond, f'r."{title}" AS name, count(*) AS number')} GROUP BY r."{subject.key}" """

    def ending(body: Body) -> list[str]:
        key = body.get(subject.key)
        return [
            *_ties_of(body, bond),
            "numbers = {}",
            "for b in ties:",
            f'    numbers[b["{bond.owner}"]] = numbers.get(b["{bond.owner}"], 0) + 1',
            f"x = min(rows, key=lambda x: (-numbers.get({key}, 0), {body.name}))",
            f'return {{"name": {body.name}, "count": numbers[{key}]}}',
        ]

    return Goal(
        f"most-{slug(bond.words)}", f"The {subject.label} with most {many}", selection, (),
        _first(counts, subject, f"How many {many} it has."),
        ending,
        Ask(
            f"which of the {{target}} has the most {many}, and how many are they",
            f"which of the {{target}} has the most {many}, and how many they are",
            f"the one with the most {many} among the {{target}}, and their number", (ties(subject.title_noun),),
        ),
        checks=(f"SELECT count(*) > 2 AND max(number) > min(number) FROM ({counts})",),  # noqa: S608
        sizes=(4, 45),
    )  # fmt: skip


def mode(selection: Selection, bond: Bond, to: Subject) -> Goal:
    """What most of them are tied to."""
    subject = selection.subject
    counts = f"""{_tied(selection, bond, f'o."{to.title}" AS name, count(*) AS number')} GROUP BY 1"""

    def ending(body: Body) -> list[str]:
        lines, name = _names_of(bond, to)
        return [
            *_ties_of(body, bond),
            *lines,
            "numbers = {}",
            "for b in ties:",
            f"    numbers[{name}] = numbers.get({name}, 0) + 1",
            "first = min(numbers, key=lambda name: (-numbers[name], name))",
            'return {"name": first, "count": numbers[first]}',
        ]

    return Goal(
        f"shared-{slug(bond.words)}", f"The {to.label} that most {subject.plural} share", selection, (),
        _first(counts, to, f"How many of the {subject.plural} have it."),
        ending,
        Ask(*_sharing(bond, to), (ties(to.title_noun),)),
        checks=(f"SELECT count(*) > 2 AND max(number) > 1 FROM ({counts})",),  # noqa: S608
        sizes=(4, 45),
    )  # fmt: skip


def _gathering(bond: Bond, to: Subject) -> tuple[str, str, str]:
    """What all of them are tied to, as question, clause and noun."""
    many = plural(bond.words)
    if bond.valued:
        entries = f"{bond.words.split()[-1]} entries for"
        asked = f"which {to.plural} have {entries} the {{target}}"
        return asked, asked, f"a list of all {to.plural} that have {entries} the {{target}}"
    if bond.words == to.label:
        return (
            f"which {many} do the {{target}} have between them",
            f"which {many} the {{target}} have between them",
            f"a list of the {many} of the {{target}}",
        )
    asked = f"which {to.plural} are among the {many} of the {{target}}"
    return asked, asked, f"a list of the {many} of all {{target}}"


def _sharing(bond: Bond, to: Subject) -> tuple[str, str, str]:
    """What most of them are tied to, as question, clause and noun."""
    one = bond.words
    if one == to.label:
        return (
            f"which {one} is the most common among the {{target}}, and how many of them have it",
            f"which {one} is the most common among the {{target}}, and how many of them have it",
            f"the most frequent {one} among the {{target}}, and how many of them have it",
        )
    asked = f"which {to.label} is most often among the {plural(one)} of the {{target}}, and of how many of them"
    noun = f"the {to.label} that is most often among the {plural(one)} of the {{target}}, and of how many of them"
    return asked, asked, noun
