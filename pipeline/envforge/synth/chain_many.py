"""Goals of chains that lead to several rows: counts, lists, sums, and the highest one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envforge.core.records.domain import Table
from envforge.core.records.intent import AnswerField, IntentFamily, Mention
from envforge.synth.chain_goals import MOST_SETS, Draft, Goals, Words, answer_of
from envforge.synth.chain_gold import Gold
from envforge.synth.chain_measures import are, asked_after, being, cancelled, is_had, is_state, measure, together
from envforge.synth.chain_openings import Asked
from envforge.synth.chain_owner import UnsayableError
from envforge.synth.chain_words import PLACES, Asking, having, picking, place_name
from envforge.synth.entities import Attribute
from envforge.synth.literals import sql_text
from envforge.synth.nouns import plural, slug


class ManyGoals(Goals):
    """Chains that lead to several rows."""

    def makers(self) -> Iterator[Callable[[], IntentFamily]]:
        """What makes each goal; it may raise UnsayableError or BlindError."""
        attributes = self.chain.last.attributes
        choices = [a for a in attributes if a.nature in ("choice", "tick") and asked_after(a) and is_had(a)]
        names = [a for a in attributes if a.nature == "name"]
        for one in choices[:4]:
            yield lambda one=one: self.count(one)
        for name in names[:1]:
            for one in choices[:3]:
                yield lambda one=one, name=name: self.listed(name, one)
            yield lambda name=name: self.listed(name, None)
        for number in [a for a in attributes if a.nature == "number"][:3]:
            yield lambda number=number: self.total(number)
            for name in names[:1]:
                yield lambda number=number, name=name: self.highest(name, number)

    def count(self, choice: Attribute) -> IntentFamily:
        """How many of its tickets have the status no show?"""
        draft = self._draft(f"count-{slug(choice.words)}", f"How many {self.chain.last.plural} by {choice.words}")
        draft.computes = True
        policy = self._conditioned(draft, choice)
        draft.answer = {"count": AnswerField(
            sql=f"SELECT count(*) FROM ({self._rows()}) WHERE {self._picked(choice)}",  # noqa: S608
            match="number", json_type="integer", description=f"How many {self.chain.last.plural} they are.",
        )}  # fmt: skip

        def body(gold: Gold) -> list[str]:
            test = self._test(gold, choice)
            return [*gold.lines, f'return {{"count": len([x for x in {gold.variable} if {test}])}}']

        draft.gold, draft.other = body(self.gold([choice])), body(self.gold([choice], other=True))
        draft.wording = self._picking("how many", "count", policy)
        return draft.family({"start": self.told}, self._condition_sets(choice))

    def listed(self, name: Attribute, choice: Attribute | None) -> IntentFamily:
        """Which of its tasks have the status Blocked?"""
        what = f"list-{slug(name.words)}" + (f"-{slug(choice.words)}" if choice else "")
        draft = self._draft(what, f"Which {self.chain.last.plural}" + (f" by {choice.words}" if choice else ""))
        answer, needed = slug(plural(name.noun)), [name, *([choice] if choice else [])]
        draft.answer = {answer: self._names(name, choice)}

        def body(gold: Gold) -> list[str]:
            test = f" if {self._test(gold, choice)}" if choice else ""
            return [
                *gold.lines,
                f"found = sorted({{{_shown(gold, name)} for x in {gold.variable}{test}}})",
                f'return {{"{answer}": {_told(name)}}}',
            ]

        draft.gold, draft.other = body(self.gold(needed)), body(self.gold(needed, other=True))
        if choice is not None:
            draft.wording = self._picking("which", "list", self._conditioned(draft, choice))
            return draft.family({"start": self.told}, self._condition_sets(choice))
        draft.sizes = (2, 30)
        names = plural("name" if name.noun == "full name" else name.noun)
        draft.wording = self.question(lambda owner: Asking(owner.question, f"the {names} of {owner.object}"), "list")
        return draft.family({"start": self.told}, self.sets([*self._sized(2, 30), *self.all_listed()]))

    def _names(self, name: Attribute, choice: Attribute | None) -> AnswerField:
        """The names of the rows, each once; first and last names apart, as tools show them."""
        columns = [part.columns[0] for part in name.parts]
        last, many = self.chain.last, plural(name.noun)
        shown = ", ".join(f"{part.sql} AS {part.columns[0]}" for part in name.parts)
        one = name.parts[0].sql if len(columns) == 1 else shown
        keys = f"SELECT key FROM ({self._rows()})" + (f" WHERE {self._picked(choice)}" if choice else "")  # noqa: S608
        rows = f'SELECT DISTINCT {one} FROM "{last.table.name}" r WHERE {last.member(keys)}'  # noqa: S608
        known = AnswerField(sql=rows, match="set", json_type="array", description=f"The {many}, each once.")
        apart = {"item_type": "object", "fields": tuple(columns)}
        return known.model_copy(update=apart) if len(columns) > 1 else known

    def total(self, number: Attribute) -> IntentFamily:
        """What do the fares of its tickets come to?"""
        direct, indirect = together(number, "{rows}", self.chain.last.attributes)
        draft = self._draft(f"total-{slug(number.words)}", f"Total {number.words} of {self.chain.last.plural}")
        draft.computes = True
        draft.sizes = (2, 40)
        draft.answer = {"total": answer_of(
            number, f"SELECT sum(value) FROM ({self._rows(None, number)})", f"{number.words} of all of them together"  # noqa: S608
        )}  # fmt: skip

        def body(gold: Gold) -> list[str]:
            return [*gold.lines, f'return {{"total": sum({gold.value(number, "x")} for x in {gold.variable})}}']

        draft.gold, draft.other = body(self.gold([number])), body(self.gold([number], other=True))
        draft.wording = self._asked(direct, indirect, "sum", scope=self._scope())
        missing = f"NOT EXISTS (SELECT 1 FROM ({self._rows(None, number, self.own)}) WHERE value IS NULL)"  # noqa: S608
        spread = f"(SELECT count(DISTINCT value) FROM ({self._rows(None, number, self.own)})) > 1"  # noqa: S608
        return draft.family(
            {"start": self.told},
            self.sets([*self._sized(2, 40), *self.all_listed(), *self._none_off(), missing, spread]),
        )

    def highest(self, name: Attribute, number: Attribute) -> IntentFamily:
        """Which of its parts has the highest unit cost, and what is it?"""
        words = measure(number)
        draft = self._draft(f"highest-{slug(number.words)}", f"Highest {number.words} among {self.chain.last.plural}")
        draft.sizes = (2, 40)
        rows = f"SELECT * FROM ({self._rows(name, number)}) ORDER BY value DESC LIMIT 1"  # noqa: S608
        draft.answer = {
            slug(name.noun): answer_of(name, f"SELECT name FROM ({rows})"),  # noqa: S608
            slug(number.words): answer_of(number, f"SELECT value FROM ({rows})"),  # noqa: S608
        }
        draft.computes = len(name.columns) > 1

        def body(gold: Gold) -> list[str]:
            shown, value = gold.value(name, "top"), gold.value(number, "top")
            top = f"top = max({gold.variable}, key=lambda x: {gold.value(number, 'x')})"
            return [*gold.lines, top, f'return {{"{slug(name.noun)}": {shown}, "{slug(number.words)}": {value}}}']

        draft.gold, draft.other = body(self.gold([name, number])), body(self.gold([name, number], other=True))
        draft.wording = self._asked(
            f"which of {{rows}} {words.most}, and {words.amount}",
            f"which of {{rows}} {words.most}, and {words.told}",
            "most",
        )
        missing = (
            f"NOT EXISTS (SELECT 1 FROM ({self._rows(name, number, self.own)}) WHERE value IS NULL OR name IS NULL)"  # noqa: S608
        )
        top = f"SELECT value FROM ({self._rows(name, number, self.own)})"  # noqa: S608
        unique = f"(SELECT count(*) FROM ({top}) WHERE value = (SELECT max(value) FROM ({top}))) = 1"  # noqa: S608
        return draft.family({"start": self.told}, self.sets([*self._sized(2, 40), *self.all_listed(), missing, unique]))

    def _draft(self, what: str, title: str) -> Draft:
        draft = Draft(self.chain, what, f"{title}, from a {self.chain.start.label}")
        draft.target = self._rows()
        return draft

    def _rows(self, name: Attribute | None = None, value: Attribute | None = None, start: str = ":start") -> str:
        """SELECT key (and name, value) of the last rows."""
        last = self.chain.last
        columns = [f'r."{last.key}" AS key']
        columns += [f"{name.sql} AS name"] if name else []
        columns += [f"{value.sql} AS value"] if value else []
        return f'SELECT {", ".join(columns)} FROM "{last.table.name}" r WHERE {last.member(self.keys(start))}'  # noqa: S608

    def _asked(self, direct: str, indirect: str, asked: Asked, policy: str = "", scope: str = "") -> Words:
        """A question about the rows: "{rows}" in it is "the tickets on the booking"."""
        return self.question(
            lambda owner: Asking(direct.format(rows=owner.words), indirect.format(rows=owner.words), scope),
            asked,
            policy,
        )

    def _picking(self, which: str, asked: Asked, policy: str) -> Words:
        """A question about some of the rows."""
        return self.question(lambda owner: picking(which, owner), asked, policy)

    def _scope(self) -> str:
        """Which states of the rows count. Raises UnsayableError.

        Rows that several others refer to would be counted once, and a sum would have to say so. Nobody asks for one
        figure over the parts of parts.
        """
        if any(hop.link is not None for hop in self.chain.hops):
            raise UnsayableError("rows may meet on the way")
        if sum(hop.listing for hop in self.chain.hops) > 1:
            raise UnsayableError("parts of parts are not summed up")
        state = next((a for a in self.chain.last.attributes if is_state(a)), None)
        if state is None or cancelled(self._values(state)):
            return ""
        values = sorted((value.replace("_", " ") for value in self._values(state)), reverse=True)
        two = len(values) == 2 and len(are(values)) == 2
        return f"Count {' and '.join(values)} ones alike." if two else f"Their {state.noun} doesn't matter."

    def _none_off(self) -> list[str]:
        """Conditions: nothing on the way has been called off, so that no sum has to say whether that counts."""
        found: list[str] = []
        for hop in self.chain.hops:
            joined, passed = f'"{hop.entity.table.name}" r', "r"
            for place, by in enumerate(hop.reach.by):
                column, values = self._called_off(self.landscape.knowledge.blueprint.table(by.table))
                if values:
                    own = hop.entity.member(self.keys(self.own))
                    shown = ", ".join(sql_text(value) for value in values)
                    test = f'{passed}."{column}" IN ({shown})'
                    found.append(f"NOT EXISTS (SELECT 1 FROM {joined} WHERE {own} AND {test})")  # noqa: S608
                joined += f' JOIN "{by.to_table}" m{place} ON m{place}."{by.to_column}" = {passed}."{by.column}"'
                passed = f"m{place}"
        return found

    def _called_off(self, table: Table) -> tuple[str, list[str]]:
        """The column of its state, and the states in which a row has been called off."""
        column = next((c.name for c in table.columns if c.role == "state"), "")
        rows = self.landscape.keys.rows(f'SELECT DISTINCT "{column}" FROM "{table.name}"') if column else []  # noqa: S608
        return column, [str(row[0]) for row in rows if cancelled([row[0]])]

    def _conditioned(self, draft: Draft, choice: Attribute) -> str:
        """The condition in words; what it reads."""
        words, constants = having(choice, bool(self._adjectives(choice)))
        draft.constants |= constants
        draft.target = self._rows(None, choice)
        draft.policy = "row.value == 1" if choice.nature == "tick" else "row.value == wanted"
        draft.sizes = (3, 60)
        if choice.nature != "tick":
            names = {one: being(one) for one in self._adjectives(choice)}
            names |= {one: place_name(one) for one in self._values(choice)} if choice.noun in PLACES else {}
            draft.mentions = {"wanted": Mention(sql="SELECT :wanted", say="label", labels=names)}
        return words

    def _adjectives(self, choice: Attribute) -> list[str]:
        """The states that are said without a noun: "are open"; empty where too few are."""
        if not is_state(choice):
            return []
        values = self._values(choice)
        if any(value.isupper() for value in values):
            raise UnsayableError(f"{choice.noun} is written as a system writes it")
        found = are(values)
        return found if len(found) > 1 else []

    def _values(self, choice: Attribute) -> list[str]:
        last = self.chain.last
        rows = self.landscape.keys.rows(f'SELECT DISTINCT {choice.sql} FROM "{last.table.name}" r')  # noqa: S608
        return [str(row[0]) for row in rows if row[0] is not None]

    def _picked(self, choice: Attribute) -> str:
        last = self.chain.last
        value = f'(SELECT {choice.sql} FROM "{last.table.name}" r WHERE r."{last.key}" = key)'  # noqa: S608
        return f"{value} = 1" if choice.nature == "tick" else f"{value} = :wanted"

    def _test(self, gold: Gold, choice: Attribute) -> str:
        shown = gold.value(choice, "x")
        return f"{shown}" if choice.nature == "tick" else f"{shown} == wanted"

    def _condition_sets(self, choice: Attribute) -> str:
        conditions = [*self._sized(3, 60), *self.all_listed()]
        if choice.nature == "tick":
            return self.sets(conditions)
        values = f'SELECT DISTINCT {choice.sql} AS v FROM "{self.chain.last.table.name}" r'  # noqa: S608
        inner = self.sets(conditions)
        rows = self._rows(None, choice, "p.start")
        only = ", ".join(sql_text(value) for value in self._adjectives(choice))
        among = f" AND w.v IN ({only})" if only else ""
        return (
            f"SELECT p.start AS start, w.v AS wanted FROM ({inner}) p JOIN ({values}) w "  # noqa: S608
            f"WHERE w.v IS NOT NULL AND (SELECT count(*) FROM ({rows}) WHERE value = w.v) "
            f"BETWEEN 1 AND (SELECT count(*) FROM ({rows})) - 1{among} ORDER BY 1, 2 LIMIT {MOST_SETS}"
        )

    def _sized(self, least: int, most: int) -> list[str]:
        """Conditions: so many last rows; one row on the way to the fan, something at each place after it."""
        fan = self.chain.fan() or 0
        one = [f"(SELECT count(*) FROM ({self.chain.keys(p, self.own)})) = 1" for p in range(1, fan)]  # noqa: S608
        count = f"(SELECT count(*) FROM ({self._rows(start=self.own)}))"  # noqa: S608
        return [*one, f"{count} BETWEEN {least} AND {most}"]


def _shown(gold: Gold, name: Attribute) -> str:
    """What tells one name from another, as Python: a text, or its parts."""
    parts = [gold.value(part, "x") for part in name.parts]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _told(name: Attribute) -> str:
    """The names in `found` as the answer gives them."""
    columns = [part.columns[0] for part in name.parts]
    if len(columns) == 1:
        return "found"
    entry = ", ".join(f'"{column}": {column}' for column in columns)
    return f"[{{{entry}}} for {', '.join(columns)} in found]"
