"""Fragments that put rows in order: the first, the first few, the first of each group, and a fallback."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.core.records.intent import AnswerField, Mention
from envforge.synth.nouns import plural, slug
from envforge.synth.programs.body import Body, Selection
from envforge.synth.programs.facets import Facet, counted_in
from envforge.synth.programs.goal import Goal, name_field, value_field
from envforge.synth.programs.phrases import LARGE, Ask, highest, ties


def _rules(selection: Selection, *, many: bool = False) -> tuple[tuple[str, ...], ...]:
    """What is done about ties; of parts there must be none where it matters."""
    return () if selection.subject.owner else (ties(selection.subject.title_noun, many=many),)


def _level(selection: Selection, facet: Facet, low: bool, count: str) -> tuple[str, ...]:
    """Of parts: no two of the first `count` and the next are level."""
    if not selection.subject.owner:
        return ()
    ranked = f"{selection.rows(f'{facet.sql()} AS value')} AND {facet.sql()} IS NOT NULL ORDER BY 1 {'ASC' if low else 'DESC'} LIMIT {count} + 1"  # noqa: E501
    return (f"SELECT count(*) = count(DISTINCT value) FROM ({ranked})",)  # noqa: S608


def _order(selection: Selection, facet: Facet, low: bool) -> str:
    return f'{facet.sql()} {"ASC" if low else "DESC"}, r."{selection.subject.title}" ASC'


def _sorted(body: Body, facet: Facet, low: bool) -> list[str]:
    """Lines that put rows in order: by name, then by value; the second keeps the first where it is level."""
    value = body.get(facet.column)
    return [
        f"rows = sorted([x for x in rows if {value} is not None], key=lambda x: {body.name})",
        f"rows = sorted(rows, key=lambda x: {value}{'' if low else ', reverse=True'})",
    ]


@dataclass(frozen=True)
class _Ranks:
    """How the first of some rows is told: "has the highest area", "is the oldest"; `first`: its first word, alone."""

    one: str
    many: str
    first: str
    high: str


def _ranks(selection: Selection, facet: Facet, *, low: bool) -> _Ranks:
    """A release with the earliest release date is the oldest; everything else has the most or least of something."""
    if facet.nature == "date" and facet.noun.removesuffix(" date") in selection.subject.label.split():
        first = "oldest" if low else "latest"
        return _Ranks(f"is the {first}", f"are the {first}", first, first)
    high = highest(facet, low=low)
    highs = high if counted_in(facet) or facet.nature == "year" else plural(high)
    return _Ranks(f"has the {high}", f"have the {highs}", high.split()[0], f"with the {highs}")


def _which(selection: Selection, ranks: _Ranks) -> str:
    """Which of them it is; the verb before what they are where that is long."""
    if len(selection.conditions) < 2:
        return f"which of the {{target}} {ranks.one}"
    if ranks.first == ranks.high:
        return f"which {ranks.one} of the {{target}}"
    return f"which one {ranks.one} among the {{target}}"


def top(selection: Selection, facet: Facet, *, low: bool) -> Goal:
    """The few with the highest value, in order."""
    title, known = f'r."{selection.subject.title}"', f"{facet.sql()} IS NOT NULL"
    rows = f"{selection.rows(title)} AND {known} ORDER BY {_order(selection, facet, low)} LIMIT :how_many"
    high, ranks = highest(facet, low=low), _ranks(selection, facet, low=low)
    own = ranks.first == ranks.high
    told = f"the {{how_many}} {ranks.high} {'{target}' if own else 'among the {target}'}"
    asked = f"which are {told}" if own else f"of the {{target}}, which {{how_many}} {ranks.many}"
    which = told if own else f"which {{how_many}} of the {{target}} {ranks.many}"
    names = AnswerField(
        sql=rows, match="ordered", json_type="array", item_type="string",
        description=f"The {plural(selection.subject.title_noun)} of the {selection.subject.plural}, in order.",
    )  # fmt: skip
    return Goal(
        f"top-{'low-' if low else ''}{slug(facet.noun)}", f"The {selection.subject.plural} with the {high}", selection,
        (facet.column,), {"names": names},
        lambda body: [
            *_sorted(body, facet, low),
            f'return {{"names": [{body.name} for x in rows[:how_many]]}}',
        ],
        Ask(
            asked, which, told,
            (
                (f"{ranks.first.capitalize()} first.", f"Start with the {ranks.first}."),
                *_rules(selection, many=True),
            ),
            ranked=True,
        ),
        checks=(
            f"SELECT count(*) > :how_many * 2 FROM ({selection.rows('1')} AND {known})",  # noqa: S608
            *_level(selection, facet, low, ":how_many"),
        ),
        sizes=(6, 90), extra={"how_many": (3, 4, 5)},
        mentions={"how_many": Mention(sql="SELECT :how_many", say="number")},
    )  # fmt: skip


def best(selection: Selection, facet: Facet, *, low: bool) -> Goal:
    """The one with the highest value, and the value."""
    title = selection.subject.title
    known = f"{facet.sql()} IS NOT NULL"
    rows = f"{selection.rows('*')} AND {known} ORDER BY {_order(selection, facet, low)} LIMIT 1"
    high, ranks = highest(facet, low=low), _ranks(selection, facet, low=low)
    own = ranks.first == ranks.high
    asked, told, itself = _own_date(facet) if own else _value(facet)
    first = f"the {ranks.first} of" if own else f"the one with the {high} among"
    return Goal(
        f"best-{'low-' if low else ''}{slug(facet.noun)}", f"The {selection.subject.label} with the {high}", selection,
        (facet.column,),
        {"name": name_field(f'SELECT "{title}" FROM ({rows})', selection.subject), slug(facet.noun): value_field(facet, f'SELECT "{facet.column}" FROM ({rows})')},  # noqa: S608, E501
        lambda body: [
            *_sorted(body, facet, low),
            "x = rows[0]",
            f'return {{"name": {body.name}, "{slug(facet.noun)}": {body.get(facet.column)}}}',
        ],
        Ask(
            f"{_which(selection, ranks)}, and {asked}",
            f"{_which(selection, ranks)}, and {told}",
            f"the {selection.subject.title_noun} of {first} the {{target}}, and {itself}",
            _rules(selection), ranked=True,
        ),
        checks=(
            f"SELECT count(*) > 3 FROM ({selection.rows('1')} AND {known})",  # noqa: S608
            *_level(selection, facet, low, "1"),
        ),
        sizes=(4, 90), computes=False,
    )  # fmt: skip


def _own_date(facet: Facet) -> tuple[str, str, str]:
    """The date of what is the oldest or the latest by it."""
    return f"what is its {facet.noun}", f"what its {facet.noun} is", f"its {facet.noun}"


def _value(facet: Facet) -> tuple[str, str, str]:
    """The value asked for beside the name, as question, clause and noun."""
    if counted_in(facet):
        return "how many", "how many", "how many it has"
    if facet.nature in ("date", "year"):
        return f"which {facet.nature} is that", f"which {facet.nature} that is", f"the {facet.nature} itself"
    if facet.noun.split()[-1] in LARGE:
        return "how large is it", "how large it is", f"the {facet.noun} itself"
    return "what is it", "what it is", f"the {facet.noun} itself"


def fallback(selection: Selection, facet: Facet) -> Goal:
    """The highest of those that meet the last condition; of all where none meets it."""
    last = selection.conditions[-1]
    base = Selection(selection.subject, selection.conditions[:-1])
    subject, title = selection.subject, selection.subject.title
    known = f"{facet.sql()} IS NOT NULL"
    rows = f"{base.rows('*')} AND {known} ORDER BY ({last.sql()}) DESC, {_order(selection, facet, False)} LIMIT 1"
    high = highest(facet)

    def ending(body: Body) -> list[str]:
        assert last.facet is not None
        return [
            *_sorted(body, facet, False),
            f"wanted = [x for x in rows if {last.test(body.get(last.facet.column))}]",
            "x = (wanted or rows)[0]",
            f'return {{"name": {body.name}, "found": len(wanted) > 0}}',
        ]

    ask = _which(base, _ranks(selection, facet, low=False))
    return Goal(
        f"fallback-{slug(facet.noun)}", f"The {subject.label} with the {high}, with a fallback", selection,
        (facet.column, last.facet.column if last.facet else ""),
        {
            "name": name_field(f'SELECT "{title}" FROM ({rows})', subject),  # noqa: S608
            "found": AnswerField(
                sql=f"SELECT EXISTS ({selection.rows('1')} AND {known})", json_type="boolean",
                description="False when it had to be taken from all of them.",
            ),
        },
        ending,
        Ask(
            ask, ask, f"the one with the {high} among the {{target}}",
            (
                (f"Count only {last.those()}.", f"Only {last.those()} count."),
                (f"If there are none, take the one with the {high} of all of them and tell me so.",
                 "Should there be none of that kind, go by all of them instead and tell me that you did."),
                ties(subject.title_noun),
            ),
            ranked=True,
        ),
        checks=(f"SELECT count(*) > 2 FROM ({base.rows('1')} AND {known})",),  # noqa: S608
        sizes=(3, 60), base=base,
    )  # fmt: skip


def grouped(selection: Selection, facet: Facet, group: Facet) -> Goal:
    """Of each choice, the one with the highest value."""
    title = selection.subject.title
    known = f"{facet.sql()} IS NOT NULL AND {group.sql()} IS NOT NULL"
    order = _order(selection, facet, False)
    placed = f'{selection.rows(f"""{group.sql()} AS part, r."{title}" AS name, row_number() OVER (PARTITION BY {group.sql()} ORDER BY {order}) AS place""")} AND {known}'  # noqa: E501
    high = highest(facet)
    key = slug(group.noun)
    winners = AnswerField(
        sql=f'SELECT part AS "{key}", name FROM ({placed}) WHERE place = 1', match="set", json_type="array",  # noqa: S608
        item_type="object", fields=(key, "name"), description=f"One entry for each {group.noun} that occurs.",
    )  # fmt: skip
    return Goal(
        f"each-{key}-{slug(facet.noun)}", f"For each {group.noun} the {selection.subject.label} with the {high}",
        selection, (facet.column, group.column), {"winners": winners},
        lambda body: [
            *_sorted(body, facet, False),
            "winners = {}",
            "for x in rows:",
            f"    if {body.get(group.column)} is not None:",
            f"        winners.setdefault({body.get(group.column)}, {body.name})",
            f'return {{"winners": [{{"{key}": part, "name": winners[part]}} for part in sorted(winners)]}}',
        ],
        Ask(
            f"for each {group.noun}, which of the {{target}} has the {high}",
            f"which of the {{target}} has the {high} in each {group.noun}",
            f"the {selection.subject.label} with the {high} in each {group.noun}, among the {{target}}",
            (ties(selection.subject.title_noun),), ranked=True,
        ),
        checks=(f"SELECT count(*) BETWEEN 2 AND 12 FROM ({placed} ) WHERE place = 2",),  # noqa: S608
        sizes=(5, 90),
    )  # fmt: skip
