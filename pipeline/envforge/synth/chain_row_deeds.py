"""Goals that end in a deed on plain rows: a new phone number, a step ("publish it"), a flag, a thing put to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envforge.core.records.intent import Expectation, IntentFamily, Mention, Say
from envforge.synth.chain_deeds import DeedGoals
from envforge.synth.chain_goals import MOST_SETS
from envforge.synth.chain_gold import Gold
from envforge.synth.chain_owner import UnsayableError
from envforge.synth.chain_ways import preposition
from envforge.synth.chain_words import reference
from envforge.synth.chains import Chain
from envforge.synth.deeds import Deed
from envforge.synth.landscape import Landscape
from envforge.synth.literals import sql_text
from envforge.synth.nouns import column_noun, said, slug
from envforge.synth.row_deeds import other_value

_EACH = 8
"""Parts that are tried with each whole."""
_SORTS = frozenset({"kind", "type", "sort"})
"""What nobody says: a "disputed" flag is one of the kind "disputed"."""
_JOINED = {"tie": ("add", "to"), "untie": ("remove", "from")}


class RowDeedGoals(DeedGoals):
    """Chains that lead to one row, and a deed on it."""

    def makers(self) -> Iterator[Callable[[], IntentFamily]]:
        """What makes each goal; it may raise UnsayableError or BlindError."""
        own = self.landscape.keys.kind_of_table.get(self.chain.last.table.name, "")
        made = {"field": self.field, "state": self.step, "mark": self.mark}
        for deed in self.landscape.deeds:
            if deed.kind == own and deed.what in made:
                yield lambda deed=deed: made[deed.what](deed)

    def field(self, deed: Deed) -> IntentFamily:
        """Change the phone number of the customer who made the booking to "+1-213-555-3149"."""
        last = self.chain.last
        column = last.table.column(deed.column)
        noun = column_noun(last.table, column)
        draft = self.draft(f"change-{slug(noun)}", f"Another {noun} for a {last.label}")
        rows = f'SELECT r."{last.key}", :wanted AS "{deed.column}" FROM "{last.table.name}" r '  # noqa: S608
        where = f"WHERE {last.member(self.keys())}"
        draft.expect = (Expectation(table=deed.table, change="update", rows=rows + where, free=deed.free),)
        say: Say = "date" if column.type == "date" or column.format == "date" else "text"
        draft.mentions = {"wanted": Mention(sql="SELECT :wanted", say=say)}
        draft.gold, draft.other = self.program(deed, "wanted"), self.program(deed, "wanted", other=True)
        draft.wording = self.words(
            lambda owner: f"change {owner.of(noun)} to {{wanted}}.",
            lambda owner: f"change {owner.of(noun)} to {{wanted}}?",
        )
        new = f'SELECT {other_value(last.table, column)} FROM "{last.table.name}" r WHERE {last.member(self.keys("p.start"))}'  # noqa: S608, E501
        starts = self.sets([*self.one_each(), *self.all_listed()])
        sets = f"SELECT start, wanted FROM (SELECT p.start AS start, ({new}) AS wanted FROM ({starts}) p) "  # noqa: S608
        return draft.family({"start": self.told}, f"{sets}WHERE wanted IS NOT NULL ORDER BY 1 LIMIT {MOST_SETS}")

    def step(self, deed: Deed) -> IntentFamily:
        """Publish the collection "Spot checks"."""
        last = self.chain.last
        verb = self._verb(deed, said(last.label))
        draft = self.draft(verb, f"{verb.capitalize()} a {last.label}")
        rows = f'SELECT r."{last.key}", {sql_text(deed.options[0])} AS "{deed.column}" FROM "{last.table.name}" r '  # noqa: S608
        where = f"WHERE {last.member(self.keys())}"
        draft.expect = (Expectation(table=deed.table, change="update", rows=rows + where, free=deed.free),)
        draft.gold, draft.other = self.program(deed, ""), self.program(deed, "", other=True)
        draft.wording = self.words(lambda owner: f"{verb} {owner.object}.", lambda owner: f"{verb} {owner.object}?")
        states = ", ".join(sql_text(one) for one in deed.before)
        ready = f'EXISTS (SELECT 1 FROM "{last.table.name}" r WHERE {last.member(self.keys(self.own))} AND r."{deed.column}" IN ({states}))'  # noqa: S608, E501
        return draft.family({"start": self.told}, self.sets([*self.one_each(), *self.all_listed(), ready]))

    def mark(self, deed: Deed) -> IntentFamily:
        """Raise a flag of the kind "disputed" on the feature."""
        table = self.landscape.knowledge.blueprint.table(deed.table)
        noun = column_noun(table, table.column(deed.column))
        verb = self._verb(deed, table.label)
        draft = self.draft(f"{verb}-{slug(table.label)}", f"A {table.label} for a {self.chain.last.label}")
        rows = f'SELECT key AS "{deed.parent}", :wanted AS "{deed.column}" FROM ({self.last_rows()})'  # noqa: S608
        draft.expect = (Expectation(table=deed.table, change="insert", rows=rows),)
        draft.mentions = {"wanted": Mention(sql="SELECT :wanted", say="label")}
        draft.gold, draft.other = self.program(deed, "wanted"), self.program(deed, "wanted", other=True)
        one = f'a "{{wanted}}" {table.label}' if noun in _SORTS else f'a {table.label} of the {noun} "{{wanted}}"'
        draft.wording = self.words(
            lambda owner: f"{verb} {one} {preposition(table.label, owner)} {owner.object}.",
            lambda owner: f"{verb} {one} {preposition(table.label, owner)} {owner.object}?",
        )
        options = " UNION ALL ".join(f"SELECT {sql_text(one)} AS wanted" for one in deed.options)
        starts = self.sets([*self.one_each(), *self.all_listed()])
        there = f'EXISTS (SELECT 1 FROM "{deed.table}" m WHERE m."{deed.parent}" IN ({self.keys("p.start")}) AND m."{deed.column}" = w.wanted)'  # noqa: S608, E501
        sets = f"SELECT p.start AS start, w.wanted AS wanted FROM ({starts}) p JOIN ({options}) w WHERE NOT {there}"  # noqa: S608
        return draft.family({"start": self.told}, f"{sets} ORDER BY 1, 2 LIMIT {MOST_SETS}")

    def _verb(self, deed: Deed, label: str) -> str:
        """The tool's verb, where it says nothing but that and what it is done to. Raises UnsayableError."""
        verb, _, rest = deed.tool.partition("_")
        if not label or rest != slug(label):
            raise UnsayableError(f"{deed.tool} is no verb and what it is done to")
        return verb


class TieGoals(DeedGoals):
    """Two rows that somebody names: the one is added to the other, or removed from it."""

    def __init__(self, landscape: Landscape, part: Chain, whole: Chain, deed: Deed) -> None:
        super().__init__(landscape, part)
        self._whole, self._deed = whole, deed
        self._whole_told = reference(whole, "SELECT :other")

    def family(self) -> IntentFamily:
        """Add the feature "Array.isArray()" to the collection "Spot checks". Raises UnsayableError or BlindError."""
        deed, part, whole = self._deed, self.chain.start, self._whole.start
        verb, where = _JOINED[deed.what]
        draft = self.draft(f"{verb}-{slug(part.label)}-{where}-{slug(whole.label)}", f"{verb.capitalize()} one")
        draft.title = f"{verb.capitalize()} a {part.label} {where} a {whole.label}"
        row = f':other AS "{deed.parent}", :start AS "{deed.column}"'
        if deed.what == "tie":
            draft.expect = (Expectation(table=deed.table, change="insert", rows=f"SELECT {row}"),)
        else:
            keys = self.landscape.knowledge.blueprint.table(deed.table).primary_key
            shown = ", ".join(f'"{key}"' for key in keys)
            rows = f'SELECT {shown} FROM "{deed.table}" WHERE "{deed.parent}" = :other AND "{deed.column}" = :start'  # noqa: S608
            draft.expect = (Expectation(table=deed.table, change="delete", rows=rows),)
        draft.gold, draft.other = self._both(other=False), self._both(other=True)
        draft.wording = self.words(
            lambda owner: f"{verb} {owner.object} {where} {{other}}.",
            lambda owner: f"{verb} {owner.object} {where} {{other}}?",
        )
        return draft.family({"start": self.told, "other": self._whole_told}, self._pairs())

    def _both(self, *, other: bool) -> list[str]:
        """Calls that find both rows, and the deed. `other`: each looked at whole, the whole one first."""
        one = Gold(self.landscape, self.chain, self.told, "start", "_1", other=other)
        two = Gold(self.landscape, self._whole, self._whole_told, "other", "_2", other=other)
        lines = [*two.lines, *one.lines] if other else [*one.lines, *two.lines]
        given = f"{self._deed.parameter}={one.key_over(None)}, {self._deed.value}={two.key_over(None)}"
        return [*lines, f'call("{self._deed.tool}", {given})', "return {}"]

    def _pairs(self) -> str:
        """SELECT of parts and wholes whose names tell them apart: tied ones to untie, of the others some of each."""
        deed, whole = self._deed, self._whole.start
        standing = next((column.name for column in whole.table.columns if column.role == "state"), "")
        states = ", ".join(sql_text(one) for one in deed.before)
        ready = [f's."{standing}" IN ({states})'] if deed.before else []
        parts, wholes = self.sets([]), DeedGoals(self.landscape, self._whole).sets(ready)
        tied = f'SELECT 1 FROM "{deed.table}" t WHERE t."{deed.parent}" = w.start AND t."{deed.column}" = p.start'  # noqa: S608
        if deed.what == "untie":
            return f"SELECT p.start AS start, w.start AS other FROM ({parts}) p JOIN ({wholes}) w WHERE EXISTS ({tied}) ORDER BY 2, 1 LIMIT {MOST_SETS}"  # noqa: S608, E501
        number = "row_number() OVER (ORDER BY start) - 1 AS place"
        count = f"(SELECT count(*) FROM ({parts}))"  # noqa: S608
        near = f"(p.place + {count} - (w.place * {_EACH}) % {count}) % {count} < {_EACH}"
        return (
            f"SELECT p.start AS start, w.start AS other FROM (SELECT start, {number} FROM ({parts})) p "  # noqa: S608
            f"JOIN (SELECT start, {number} FROM ({wholes})) w WHERE {near} AND NOT EXISTS ({tied}) "
            f"ORDER BY 2, 1 LIMIT {MOST_SETS}"
        )
