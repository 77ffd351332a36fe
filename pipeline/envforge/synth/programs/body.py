"""Bodies of programs: from the words of a selection to the records of its rows, over the tools that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from envforge.synth.chain_gold import access
from envforge.synth.nouns import slug
from envforge.synth.programs.conditions import OWNERS, Condition
from envforge.synth.programs.ground import Bond, Listing
from envforge.synth.programs.subject import Subject
from envforge.synth.sights import Field


@dataclass(frozen=True)
class Selection:
    """Rows of a subject that meet all conditions."""

    subject: Subject
    conditions: tuple[Condition, ...]

    def where(self, row: str = "r", without: Condition | None = None) -> str:
        """As a test of a row; with a title, or nobody could name it."""
        kept = [one.sql(row) for one in self.conditions if one is not without]
        scope = self.subject.listing.scope
        kept += [f'{row}."{scope.hidden}" = 0'] if scope is not None and scope.hidden else []
        return " AND ".join([*kept, f'{row}."{self.subject.title}" IS NOT NULL'])

    def rows(self, columns: str, without: Condition | None = None) -> str:
        """SELECT of columns of its rows."""
        return f'SELECT {columns} FROM "{self.subject.table}" r WHERE {self.where("r", without)}'  # noqa: S608


_RANKS = ("by ", "of ", "in ", *(f"{lead} " for lead in OWNERS.values()), "built ", "with ", "without ", "that ")
_DENIES = ("without ", "that do not ", "that are not ")


def phrase(selection: Selection, clauses: list[Condition]) -> str:
    """The rows in words: adjectives, their plural, and what follows it: "draft pull requests in "x" with …".

    Where a condition says what people are, that is their plural: "active editors".
    """
    before = sorted((one for one in clauses if one.before()), key=lambda one: one.kind != "is")
    heads = " who are also ".join(one.head() for one in clauses if one.head()) or selection.subject.plural
    after = [one.words() for one in clauses if not one.before() and not one.head()]
    return " ".join([*(one.before() for one in before), heads, *([joined(after)] if after else [])])


def joined(clauses: list[str]) -> str:
    """Clauses in a row, the shortest ties first; "but" before the first that denies."""
    ranked = sorted(clauses, key=lambda clause: next(n for n, lead in enumerate(_RANKS) if clause.startswith(lead)))
    words, last = ranked[0], ranked[0]
    for clause in ranked[1:]:
        lead, denies = clause.split()[0], clause.startswith(_DENIES)
        if last.startswith(("with ", "without ")) and lead in ("with", "without"):
            turns = denies and not last.startswith(_DENIES)
            words += f" but {clause}" if turns else f" and {clause.removeprefix('with ')}"
        elif lead == last.split()[0] or (lead == "that" and last.startswith(("with ", "without "))):
            words += f" {'but' if denies and not last.startswith(_DENIES) else 'and'} {clause}"
        else:
            words += f" {clause}"
        last = clause
    return words


class Body:
    """The lines up to `rows`, records of the selection. `plain`: without the tools' own conditions, all by hand.

    `needs`: columns that the goal reads of each record.
    """

    def __init__(self, selection: Selection, needs: Iterable[str], *, plain: bool = False) -> None:
        self.selection, self.subject, self.plain = selection, selection.subject, plain
        self.lines: list[str] = []
        self.fields: Mapping[str, Field] = self.subject.listing.fields
        self._needs = {self.subject.title, *([] if self.subject.owner else [self.subject.key]), *needs}
        self._owned: dict[str, str] = {}
        self._select()

    def get(self, column: str, record: str = "x") -> str:
        """A column of a record, as Python."""
        return access(record, self.fields[column])

    @property
    def name(self) -> str:
        """The title of a record `x`."""
        return self.get(self.subject.title)

    def find(self, to: Subject, said: str) -> str:
        """The record of a row that is named, in a variable; its name is returned."""
        variable = f"found_{slug(said)}"
        shown = access("x", to.listing.fields[to.title])
        tool, given = to.listing.tool, ""
        finders = [f for f in to.ground.landscape.finders if f.tool == tool and f.column == to.title and f.parameter]
        if finders and not self.plain:
            given = f', {finders[0].parameter}={said}["{to.title}"]'
        self.lines.append(f'{variable} = next(x for x in pages("{tool}"{given}) if {shown} == {said}["{to.title}"])')
        return variable

    def pages(self, listing: Listing, column: str, value: str) -> str:
        """Records of a listing with a value in a column, as Python."""
        selector = listing.selector(column)
        if selector is not None and not self.plain:
            return f'pages("{listing.tool}", {selector.parameter}={value})'
        shown = access("b", listing.fields[column])
        return f'[b for b in pages("{listing.tool}") if {shown} == {value}]'

    def _select(self) -> None:
        ties = [one for one in self.selection.conditions if one.bond is not None]
        for one in self.selection.conditions:
            if one.bond is not None:
                self._tied(one)
            elif one.to is not None:
                self._owned[one.name] = access(self.find(one.to, one.name), one.to.listing.fields[one.to.key])
        first = next((one for one in ties if one.kind != "untied"), None)
        if first is not None and not self.plain and not self.subject.within and self._from_tie(first):
            return
        self._from_listing(ties)

    def _tied(self, one: Condition) -> None:
        """The records of the bond that a condition names, in `<name>_ties`."""
        assert one.bond is not None and one.to is not None
        found = self.find(one.to, one.name)
        if one.kind == "part":
            key = access(found, one.to.listing.fields[one.to.key])
            source = self.pages(one.bond.listing, one.bond.owner, key)
        else:
            key = access(found, one.to.listing.fields[one.bond.other_key])
            source = self.pages(one.bond.listing, one.bond.other, key)
        self.lines.append(f"{one.name}_ties = {source}")

    def _from_tie(self, first: Condition) -> bool:
        """Rows from the records of the bond: as they show them, or looked up one by one."""
        bond = first.bond
        assert bond is not None
        own = bond.other if first.kind == "part" else bond.owner
        columns = {column_of(one) for one in self.selection.conditions if one.bond is None} | self._needs
        shown = bond.shown.get(self.subject.table, {})
        others = [one for one in self.selection.conditions if one.bond is not None and one is not first]
        keyed = bond.other_key if first.kind == "part" else self.subject.key
        columns |= {self._own(one) for one in others}
        if columns <= set(shown):
            self.fields = shown
            tests = self._tests(columns, others)
            self.lines.append(f"rows = [x for x in {first.name}_ties{_if(tests)}]")
            return True
        if self.subject.lookup is None or keyed != self.subject.key or not columns <= set(self.subject.lookup.fields):
            return False
        keys = f"sorted({{{access('b', bond.listing.fields[own])} for b in {first.name}_ties}})"
        if others and all(self._own(one) == keyed for one in others):
            tests, others = [self._member(one, "key") for one in others], []
            keys = f"[key for key in {keys}{_if(tests)}]"
        self._look_up(keys, "key")
        self._keep(self._tests(columns, others))
        return True

    def _from_listing(self, ties: list[Condition]) -> None:
        listing = self.subject.listing
        facets = [one for one in self.selection.conditions if one.bond is None]
        told = [one for one in facets if self._within(one) or not self.plain]
        given = "".join(f", {argument}" for one in told for argument in self._argument(one))
        self.fields = listing.fields
        tests = self._tests(set(listing.fields), ties, skip=not self.plain)
        self.lines.append(f'rows = [x for x in pages("{listing.tool}"{given}){_if(tests)}]')
        missing = {*self._needs, *(column_of(one) for one in facets if not self._given(one))}
        missing -= set(listing.fields)
        lookup = self.subject.lookup
        if missing and lookup is not None:
            self._look_up("rows", access("x", listing.fields[self.subject.key]))
            self._keep([self._test(one) for one in facets if column_of(one) in missing and not self._given(one)])

    def _look_up(self, source: str, key: str) -> None:
        lookup = self.subject.lookup
        assert lookup is not None
        variable = "key" if key == "key" else "x"
        shown = access(f'call("{lookup.tool}", {lookup.parameter}={key})', lookup.path)
        self.lines += ["shown = []", f"for {variable} in {source}:", f"    shown.append({shown})", "rows = shown"]
        self.fields = lookup.fields

    def _keep(self, tests: list[str]) -> None:
        if tests:
            self.lines.append(f"rows = [x for x in rows{_if(tests)}]")

    def _tests(self, columns: set[str], ties: list[Condition], *, skip: bool = False) -> list[str]:
        facets = [one for one in self.selection.conditions if one.bond is None and column_of(one) in columns]
        found = [self._test(one) for one in facets if not self._within(one) and not (skip and self._given(one))]
        for one in ties:
            assert one.bond is not None
            found.append(self._member(one, self.get(self._own(one))))
        if self._untitled():
            found.append(f"{self.name} is not None")
        return found

    def _test(self, one: Condition) -> str:
        value = self.get(column_of(one))
        return f"{value} == {self._owned[one.name]}" if one.kind == "of" else one.test(value)

    def _own(self, one: Condition) -> str:
        """The column of the subject that a bond holds."""
        return one.bond.other_key if one.kind == "part" and one.bond is not None else self.subject.key

    def _untitled(self) -> bool:
        return None in self.subject.ground.keys.values(self.subject.table, self.subject.title)

    def _member(self, one: Condition, value: str) -> str:
        bond: Bond | None = one.bond
        assert bond is not None
        own = bond.other if one.kind == "part" else bond.owner
        held = f"{{{access('b', bond.listing.fields[own])} for b in {one.name}_ties}}"
        return f"{value} {'not in' if one.kind == 'untied' else 'in'} {held}"

    def _argument(self, one: Condition) -> list[str]:
        """The argument that selects by a condition where the tool has one: exactly for equals, wider for ranges."""
        listing, column = self.subject.listing, column_of(one)
        if listing.scope is not None and self._within(one):
            named = listing.scope.parts[0].parameter
            return list(one.place.arguments) if one.place else [f"{named}={self._owned[one.name]}"]
        equal, least, most = (listing.selector(column, way) for way in ("equal", "least", "most"))
        if equal and one.kind in ("is", "so", "not_so", "of"):
            value = {"is": one.name, "so": "True", "not_so": "False"}.get(one.kind) or self._owned[one.name]
            return [f"{equal.parameter}={value}"]
        if least and one.kind in ("over", "since"):
            dated = one.facet is not None and one.facet.nature == "date"
            return [f"{least.parameter}={one.name}" + (' + "-01-01"' if dated else "")]
        return [f"{most.parameter}={one.name}"] if most and one.kind == "under" else []

    def _within(self, one: Condition) -> bool:
        """It says what the tool must be told."""
        return one.kind == "of" and column_of(one) == self.subject.within

    def _given(self, one: Condition) -> bool:
        """The tool has selected by it already, exactly."""
        return self._within(one) or (
            one.kind in ("is", "so", "not_so", "of") and bool(self._argument(one)) and not self.plain
        )


def column_of(one: Condition) -> str:
    """The column of the subject that a condition without a bond tests."""
    return one.column or (one.facet.column if one.facet else "")


def _if(tests: list[str]) -> str:
    return f" if {' and '.join(tests)}" if tests else ""
