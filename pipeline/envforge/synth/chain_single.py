"""Goals of chains that lead to one row: look-ups, and comparisons of two starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from envforge.core.records.intent import AnswerField, IntentFamily
from envforge.synth.chain_goals import MOST_SETS, Draft, Goals, Words, answer_of, value_sql
from envforge.synth.chain_gold import Gold
from envforge.synth.chain_measures import Measure, contact, earlier, is_state, measure, questions
from envforge.synth.chain_openings import Asked
from envforge.synth.chain_owner import UnsayableError
from envforge.synth.chain_words import bare, looked_up
from envforge.synth.entities import Attribute, Entity
from envforge.synth.nouns import plural, slug

_WEIGHED = (
    "I can't decide between {both}.",
    "It comes down to {both}.",
    "I'm comparing {both}.",
)
_WEIGHED_LONG = (
    "We talked about {both} in a meeting, and nobody there had the figures.",
    "I'm sure that I compared {both} only last week, and now I'd have to guess.",
    "A colleague and I remember {both} differently, and I'd like to be right.",
)


class SingleGoals(Goals):
    """Chains that lead to one row."""

    def makers(self) -> Iterator[Callable[[], IntentFamily]]:
        """What makes each goal; it may raise UnsayableError or BlindError."""
        last = self.chain.last
        if any(hop.link is not None for hop in self.chain.hops):
            for one in questions(last.attributes, people=last.people):
                if self.chain.spoken > 1 and last.people and one[0].nature in ("number", "date"):
                    continue  # over two relations people ask who somebody is, not how much they have
                yield lambda one=one: self.look_up(one)
            return
        for one in self._own(last.attributes):
            yield lambda one=one: self.look_up(one)
        for attribute in [a for a in last.attributes if a.nature in ("number", "date")]:
            yield lambda attribute=attribute: self.compare(attribute)

    def _own(self, attributes: Sequence[Attribute]) -> Iterator[list[Attribute]]:
        """What is asked of the very row that somebody names: not its name, nor what is weighed against another."""
        for one in questions(attributes, people=self.chain.start.people, named=True):
            people = self.chain.start.people
            if not (people and is_state(one[0])) and (people or one[0].nature not in ("number", "date")):
                yield one

    def look_up(self, wanted: list[Attribute]) -> IntentFamily:
        """What is the e-mail address of the lead of the project that the task is linked to?"""
        values = [value_sql(self.chain, a, self.keys(self.own)) for a in wanted]
        draft = Draft(
            self.chain,
            f"look-up-{'-'.join(slug(a.words) for a in wanted)}",
            f"{' and '.join(a.words for a in wanted)} of a {self.chain.last.label}, from a {self.chain.start.label}",
        )
        draft.target = f"SELECT key FROM (SELECT * FROM ({self.last_rows()}))"  # noqa: S608
        draft.sizes = (1, 1)
        parts = [part for a in wanted for part in a.parts]
        draft.answer = {slug(a.words): answer_of(a, value_sql(self.chain, a, self.keys())) for a in parts}

        def body(gold: Gold) -> list[str]:
            fields = ", ".join(f'"{slug(a.words)}": {gold.value(a)}' for a in parts)
            return [*gold.lines, f"return {{{fields}}}"]

        draft.gold, draft.other = body(self.gold(wanted)), body(self.gold(wanted, other=True))
        draft.wording = self.question(lambda owner: looked_up(wanted, owner), self._asked_for(wanted))
        conditions = [
            *self.one_each(),
            *self.all_listed(),
            *(_something(a, sql) for a, sql in zip(wanted, values, strict=True)),
        ]
        return draft.family({"start": self.told}, self.sets(conditions))

    def _asked_for(self, wanted: list[Attribute]) -> Asked:
        if any(contact(a) for a in wanted):
            return "reach" if wanted[0].nature == "name" else "contact"
        return "who" if self.chain.last.people and wanted[0].nature == "name" else "state"

    def compare(self, attribute: Attribute) -> IntentFamily:
        """Which of two projects has the larger budget, and by how much?"""
        if self.chain.start.people:
            raise UnsayableError("nobody weighs people")
        date = attribute.nature == "date"
        words = Measure(earlier(attribute), "", "", "by how many days") if date else measure(attribute)
        draft = Draft(
            self.chain, f"compare-{slug(attribute.words)}", f"Which of two {self.chain.last.plural} {words.more}"
        )
        draft.computes = True
        mine, theirs = (value_sql(self.chain, attribute, self.keys(s)) for s in (":start", ":other"))
        last = self.chain.last
        both = f"{self.keys()} UNION {self.keys(':other')}"
        draft.target = f'SELECT r."{last.key}" FROM "{last.table.name}" r WHERE {last.member(both)}'  # noqa: S608
        draft.sizes = (2, 2)
        ask = f"True when it is the one that was named first that {words.more}."
        test = "<" if date else ">"
        apart = f"abs(({mine}) - ({theirs}))"
        if date:
            apart = f"CAST(abs(julianday(({mine})) - julianday(({theirs}))) AS INTEGER)"
        difference = answer_of(attribute, f"SELECT {apart}", "difference")
        if date:
            difference = AnswerField(
                sql=f"SELECT {apart}", match="number", json_type="integer", description="Days between them."
            )
        draft.answer = {
            "is_first": AnswerField(sql=f"SELECT ({mine}) {test} ({theirs})", json_type="boolean", description=ask),
            "difference": difference,
        }

        def body(*, other: bool) -> list[str]:
            one = self.gold([attribute], tag="_1", other=other)
            two = self.gold([attribute], "other", "_2", other=other)
            values = f"first, second = {one.value(attribute)}, {two.value(attribute)}"
            days = "(datetime.date.fromisoformat(first[:10]) - datetime.date.fromisoformat(second[:10])).days"
            told = (
                f'return {{"is_first": first {test} second, "difference": abs({days if date else "first - second"})}}'
            )
            return [*two.lines, *one.lines, values, told] if other else [*one.lines, *two.lines, values, told]

        draft.gold, draft.other = body(other=False), body(other=True)
        draft.wording = _comparing(words, self.chain.start.label)
        first = bare(self.told)
        told = {"start": first, "other": first.model_copy(update={"key": "SELECT :other", "short": ""})}
        return draft.family(told, self._couples(attribute))

    def _couples(self, attribute: Attribute) -> str:
        """Pairs of starts with different values that share something: each with the next one that it shares with."""
        start = self.chain.start
        value = value_sql(self.chain, attribute, self.keys(self.own))
        tests = " AND ".join([
            start.among.replace("r.", "s."), self.told_apart, *self.one_each(), *self.all_listed(),
            f"({value}) IS NOT NULL",
        ])  # fmt: skip
        found: list[str] = []
        for common in shared(start):
            rows = (
                f'SELECT s."{start.key}" AS start, ({value}) AS value, ({common.replace("r.", "s.")}) AS common '  # noqa: S608
                f'FROM "{start.table.name}" s WHERE {tests}'
            )
            within = "OVER (PARTITION BY common ORDER BY start)"
            paired = f"lead(start) {within} AS other, lead(value) {within} AS next"
            found.append(
                f"SELECT start, other FROM (SELECT start, value, {paired} FROM ({rows}) WHERE common IS NOT NULL) "  # noqa: S608
                "WHERE other IS NOT NULL AND value <> next"
            )
        if not found:
            raise UnsayableError(f"two {start.plural} share nothing")
        return f"{' UNION '.join(found)} ORDER BY 1, 2 LIMIT {MOST_SETS}"


def shared(entity: Entity) -> list[str]:
    """What makes two rows alike enough to weigh: what they refer to, and choices that say what they are.

    SQL of the row `r`. Who made them does not; neither does how far they have come.
    """
    links = [link for link in entity.links if link.role not in ("author", "editor", "person") and not link.many]
    found = [f'r."{link.column}"' for link in links if link.property is None and link.column != "id"]
    if entity.bag is not None:
        held = [link.property for link in links if link.property is not None]
        found += [f"({entity.bag.sql(one, entity.bag.item_row)} LIMIT 1)" for one in held]
    found += [a.sql for a in entity.attributes if a.nature == "choice" and not is_state(a)]
    return found + [
        a.sql for a in entity.attributes if a.nature == "text" and a.noun in ("author", "company", "supplier")
    ]


def _something(attribute: Attribute, value: str) -> str:
    """Condition: there is a value, and not the one that an empty answer has, too."""
    return f"({value}) <> 0" if attribute.nature == "number" else f"({value}) IS NOT NULL"


def _comparing(words: Measure, label: str) -> Words:
    """Both are named at once, with their noun said once: 'which of the accounts "A" and "B"'."""
    head, inside, holder = label.partition(" in the ")
    both = f"the {plural(head)} {{start}} and {{other}}{inside}{holder}"
    which = f"which of {both} {words.more}, and {words.apart}"
    ask = (f"{which}?",)
    return {
        "text": ("{target_ask}",),
        "text/rambling": ("{target} {report}",),
        "text/implicit": ("{target} {report}", "{target_ask}"),
        "target_ask": ("{report_ask}",),
        "report_ask": ask,
        "report_ask/polite": (f"[Could you|Can you] tell me {which}?", *ask),
        "target": tuple(one.format(both=both) for one in _WEIGHED),
        "target/rambling": tuple(one.format(both=both) for one in _WEIGHED_LONG),
        "report": (f"Which of the two {words.more}, and {words.apart}?",),
        "report/implicit": (
            f"Which of the two {words.more}, and {words.apart}?",
            f"I need to know which of them {words.more}, and {words.apart}.",
        ),
    }  # fmt: skip
