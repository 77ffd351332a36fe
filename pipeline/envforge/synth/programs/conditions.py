"""Conditions on the rows of a subject, by a facet or by a row that is named; each in SQL, Python and words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from envforge.core.articles import with_article
from envforge.core.records.intent import Mention, Reference, Say
from envforge.synth.chain_words import PLACES, place_name
from envforge.synth.nouns import plural, sayable, slug
from envforge.synth.programs.facets import Facet, counted_in
from envforge.synth.programs.ground import Bond, Ground
from envforge.synth.programs.places import WHOLES, Place, place_of
from envforge.synth.programs.subject import Subject

Kind: TypeAlias = Literal["is", "so", "not_so", "over", "under", "since", "of", "tied", "untied", "part"]
_STATES = frozenset(["state", "status", "type", "kind"])
"""Choices whose values are said before the noun: "closed issues", "desktop browsers"."""
_BEFORE = {"left": "former", "away": "absent"}
"""States that are said in another way before the noun."""
_MAKERS = frozenset(["user", "creator", "reporter"])
OWNERS = {
    "author": "by", "owner": "owned by", "holder": "held by", "keeper": "kept by", "assignee": "assigned to",
    "manager": "managed by", "maintainer": "maintained by", "lead": "led by", "leader": "led by",
}  # fmt: skip
"""What a row is to whom a column of this name holds."""
MOST_VALUES = 12
"""Values of one condition that are tried, spread over all that there are."""


@dataclass(frozen=True)
class Condition:
    """One condition. `name`: the parameter, and the slot of the words; "" where the words alone say it."""

    kind: Kind
    name: str = ""
    facet: Facet | None = None
    bond: Bond | None = None
    to: Subject | None = None
    column: str = ""
    label: str = ""
    place: Place | None = None

    @property
    def key(self) -> str:
        """Equal for conditions that no two of stand in one goal, but for bonds."""
        if self.kind == "of":
            return self.column
        return f"{self.kind} {self.bond.table.name}" if self.bond else (self.facet.column if self.facet else "")

    @property
    def mentions(self) -> dict[str, Mention]:
        """What is said of it."""
        if self.place is not None:
            return self.place.mentions
        if self.kind in ("so", "not_so", "of") or self.bond is not None or self.facet is None:
            return {}
        if self.kind == "is":
            return {self.name: self._choice(self.facet)}
        say: Say = "number" if self.kind in ("over", "under") else "text"
        if self.facet.nature == "year":
            say = "code"
        return {self.name: Mention(sql=f"SELECT :{self.name}", say=say)}

    @property
    def references(self) -> dict[str, Reference]:
        """Whom it names."""
        return {self.name: self.to.reference(self.name)} if self.to is not None else {}

    def sql(self, row: str = "r") -> str:
        """As a test of a row."""
        if self.bond is not None:
            return self._bound(self.bond, row)
        if self.kind == "of":
            return f'{row}."{self.column}" = :{self.name}'
        assert self.facet is not None
        value = self.facet.sql(row)
        tests = {
            "is": f"{value} = :{self.name}", "so": f"{value} = 1", "not_so": f"{value} = 0",
            "over": f"{value} > :{self.name}", "under": f"{value} < :{self.name}", "since": f"{value} >= :{self.name}",
        }  # fmt: skip
        return tests[self.kind]

    def _bound(self, bond: Bond, row: str) -> str:
        if self.kind == "part":
            held = f'SELECT b."{bond.other}" FROM "{bond.table.name}" b WHERE b."{bond.owner}" = :{self.name}'  # noqa: S608
            return f'{row}."{bond.other_key}" IN ({held})'
        assert self.to is not None
        other = f'SELECT o."{bond.other_key}" FROM "{self.to.table}" o WHERE o."{self.to.key}" = :{self.name}'  # noqa: S608
        tied = f'SELECT b."{bond.owner}" FROM "{bond.table.name}" b WHERE b."{bond.other}" = ({other})'  # noqa: S608
        own = f'{row}."{self.to.ground.tables[bond.owner_table].primary_key[0]}"'
        return f"{own} {'NOT IN' if self.kind == 'untied' else 'IN'} ({tied})"

    def test(self, value: str) -> str:
        """As Python over the value that a record shows."""
        nothing = 0 if self.facet is not None and self.facet.nature == "year" else '""'
        tests = {
            "is": f"{value} == {self.name}", "so": value, "not_so": f"not {value}",
            "over": f"({value} or 0) > {self.name}", "since": f"({value} or {nothing}) >= {self.name}",
            "under": f"{value} is not None and {value} < {self.name}",
        }  # fmt: skip
        return tests[self.kind]

    def _choice(self, facet: Facet) -> Mention:
        sql = f"SELECT :{self.name}"
        if facet.who:
            return Mention(sql=sql, say="label", labels={one: _many(one) for one in facet.choices})
        if self.before():
            return Mention(
                sql=sql, say="label", labels={one: _BEFORE.get(one, one.replace("_", " ")) for one in facet.choices}
            )
        if facet.noun in PLACES:
            places = {one: place_name(one) for one in facet.choices}
            return Mention(sql=sql, say="label", labels=places)
        return Mention(sql=sql, say="name" if facet.proper else "quoted")

    def head(self) -> str:
        """What of it stands in place of the noun: the slot of "editors", of curators; "" elsewhere."""
        return f"{{{self.name}}}" if self.kind == "is" and self.facet is not None and self.facet.who else ""

    def before(self) -> str:
        """What of it stands before the noun: "draft", or the slot of a state; "" where it follows."""
        if self.facet is None or self.bond is not None or self.kind not in ("is", "so", "not_so"):
            return ""
        if self.kind == "is":
            return f"{{{self.name}}}" if self.facet.noun in _STATES and not self.facet.proper else ""
        return self.facet.before(self.kind == "so")

    def those(self) -> str:
        """As the ones that meet it."""
        if self.head():
            return self.head()
        return f"the {self.before()} ones" if self.before() else f"those {self.words()}"

    def words(self) -> str:
        """As a clause behind the noun."""
        slot = f"{{{self.name}}}"
        if self.bond is not None:
            return self._tied_words(self.bond, slot)
        if self.kind == "of":
            return self._owned_words(slot)
        assert self.facet is not None
        if self.kind in ("so", "not_so"):
            return self.facet.is_so(self.kind == "so")
        noun = self.facet.noun
        if self.kind == "is":
            return f"in {slot}" if noun in PLACES else f"with the {noun} {slot}"
        if self.kind == "since":
            made = re.fullmatch(r"year (built)|(built) year", noun)
            within = "in" if self.facet.nature == "date" else "of"
            dated = with_article(self.facet.short or noun)
            return f"built in {slot} or later" if made else f"with {dated} {within} {slot} or later"
        things = counted_in(self.facet)
        if things:
            return f"with {'more' if self.kind == 'over' else 'fewer'} than {slot} {things}"
        unit = f" {self.facet.unit}" if self.facet.unit else ""
        return f"with {with_article(noun)} of {'more' if self.kind == 'over' else 'less'} than {slot}{unit}"

    def _owned_words(self, slot: str) -> str:
        """A row of another table that it belongs to: "in "x"", "owned by Jane Doe", "with Jane Doe as reviewer"."""
        if self.place is not None:
            return self.place.words
        if self.facet is None or self.to is None:
            return f"of {slot}"
        noun = self.facet.noun
        if noun in _MAKERS and self.to.people:
            return f"by {slot}"
        if noun in OWNERS:
            return f"{OWNERS[noun]} {slot}"
        if noun != self.to.label:
            return f"with {slot} as {noun}"
        return f"in {slot}" if noun in WHOLES else f"of {slot}"

    def _tied_words(self, bond: Bond, slot: str) -> str:
        many, lead = plural(bond.words), "without" if self.kind == "untied" else "with"
        if self.kind == "part":
            return f"of {slot}" if self.label == bond.words else f"that are listed among the {many} of {slot}"
        if bond.valued:
            return f"{lead} a {bond.words.split()[-1]} entry for {slot}"
        return f"{lead} {slot} among their {many}"

    def values(self, ground: Ground, table: str) -> Sequence[Any]:
        """Values worth trying: frequent choices, round thresholds, years, rows that others are tied to."""
        if self.bond is not None:
            return _tied_values(ground, self.bond, self.kind, self.to)
        if self.kind == "of":
            sql = f'SELECT "{self.column}" FROM "{table}" WHERE "{self.column}" IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC'  # noqa: S608, E501
            scope = next((one.scope for one in ground.scoped if one.table == table and one.scope), None)
            closed = scope.closed if scope is not None and scope.column == self.column else frozenset[Any]()
            return [row[0] for row in ground.keys.rows(f"{sql}, 1") if row[0] not in closed][: 2 * MOST_VALUES]
        assert self.facet is not None
        if self.kind in ("so", "not_so"):
            return (None,)
        column = self.facet.column
        known = [
            row[0]
            for row in ground.keys.rows(f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL ORDER BY 1')  # noqa: S608
        ]
        if self.kind == "is":
            sql = f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1'  # noqa: S608
            return [row[0] for row in ground.keys.rows(sql)][:MOST_VALUES]
        if self.kind == "since":
            years = [int(str(value)[:4]) for value in known]
            if self.facet.nature == "year":
                return sorted({year // 10 * 10 for year in years})[1:][-MOST_VALUES:]
            return [str(year) for year in sorted(set(years))[1:][-MOST_VALUES:]]
        found = sorted({_round(known[len(known) * place // 10]) for place in range(2, 10)})
        # "more than one additions" is nothing that people say.
        return [one for one in found if one >= 2] if counted_in(self.facet) else found


def _many(value: str) -> str:
    """People of this duty: "editors"."""
    return plural(value.replace("_", " ").lower())


def _round(value: float) -> float:
    """A threshold that people say: one or two digits and zeros."""
    size = 10 ** max(len(str(int(abs(value)))) - 1, 0)
    step = size if value >= 2 * size else max(size / 10, 1 if size > 1 else size)
    return int(round(value / step) * step) if size > 1 else round(value, 1)


def _tied_values(ground: Ground, bond: Bond, kind: Kind, to: Subject | None) -> Sequence[Any]:
    if to is None:
        return ()
    column, key = (bond.owner, to.key) if kind == "part" else (bond.other, bond.other_key)
    sql = (
        f'SELECT o."{to.key}" FROM "{bond.table.name}" b JOIN "{to.table}" o ON o."{key}" = b."{column}" '  # noqa: S608
        f'WHERE o."{to.title}" IS NOT NULL GROUP BY 1 HAVING count(*) >= 2 ORDER BY count(*) DESC, 1'
    )
    found = [row[0] for row in ground.keys.rows(sql)]
    return found[: MOST_VALUES * 4]


def conditions_of(subject: Subject, subjects: Sequence[Subject]) -> list[Condition]:
    """Every condition that fits a subject, facets first."""
    found: list[Condition] = []
    for facet in subject.facets:
        name = f"wanted_{slug(facet.noun)}"
        kinds: dict[str, tuple[Kind, ...]] = {
            "choice": ("is",), "tick": ("so", "not_so"), "year": ("since",),
            "number": ("over", "under"), "date": ("since",),
        }  # fmt: skip
        found += [Condition(kind, "" if facet.nature == "tick" else name, facet) for kind in kinds[facet.nature]]
    free = [one for one in subjects if not one.owner and not one.within]
    found += _owners(subject, free)
    for bond in subject.ground.bonds if not subject.owner else ():
        for to in free:
            name = slug(to.label)
            if bond.owner_table == subject.table and bond.other_table == to.table:
                found.append(Condition("tied", name, bond=bond, to=to))
                found.append(Condition("untied", f"other_{name}", bond=bond, to=to))
            itself = bond.owner_table == bond.other_table
            if bond.other_table == subject.table and bond.owner_table == to.table and not bond.valued and not itself:
                found.append(Condition("part", name, bond=bond, to=to, label=subject.label))
    return found


def _owners(subject: Subject, subjects: Sequence[Subject]) -> Iterator[Condition]:
    """Conditions by a column that holds keys of another subject: what a part belongs to, or a facet of its own."""
    table = subject.ground.tables[subject.table]
    scope = subject.listing.scope
    holder = next((one for one in subjects if scope and scope.by_key and one.table == scope.holder), None)
    if scope is not None:
        name = slug(subject.ground.tables[scope.holder].label)
        place = place_of(subject.ground, scope, name) if holder is None else None
        if holder is not None or place is not None:
            yield Condition("of", name, to=holder, column=scope.column, place=place)
    for column in [one for one in table.columns if one.name != subject.within]:
        reference = column.references
        to = next((one for one in subjects if reference and one.table == reference.table), None)
        if to is None or reference is None or column.name not in subject.listing.fields or reference.column != to.key:
            continue
        words = re.sub(r"_(id|key|code)$", "", column.name).strip("_").replace("_", " ")
        noun = sayable(words)
        if column.name == subject.owner:
            yield Condition("of", slug(to.label), to=to, column=column.name)
        elif noun and to.table != subject.table:
            yield Condition("of", slug(noun), Facet(column.name, "choice", noun), to=to, column=column.name)
