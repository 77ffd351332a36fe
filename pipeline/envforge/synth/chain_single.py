"""Goals of chains that lead to one row: look-ups, and comparisons of two starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envforge.core.records.intent import AnswerField, IntentFamily
from envforge.synth.chain_goals import MOST_SETS, Draft, Goals, Words, answer_of, value_sql
from envforge.synth.chain_gold import Gold
from envforge.synth.chain_words import Asked, Owner, UnsayableError, asked, reached
from envforge.synth.entities import Attribute
from envforge.synth.nouns import slug


class SingleGoals(Goals):
    """Chains that lead to one row."""

    def makers(self) -> Iterator[Callable[[], IntentFamily]]:
        """What makes each goal; it may raise UnsayableError or BlindError."""
        attributes = [a for a in self.chain.last.attributes if a.nature != "tick"]
        if self.chain.hops and any(hop.link is not None for hop in self.chain.hops):
            for one in _pairs(attributes):
                yield lambda one=one: self.look_up(one)
        for number in [a for a in attributes if a.nature in ("number", "date")]:
            yield lambda number=number: self.compare(number)

    def look_up(self, wanted: list[Attribute]) -> IntentFamily:
        """What is the e-mail address of the lead of the project that the task is linked to?"""
        words = [asked(attribute, number) for number, attribute in enumerate(wanted, 1)]
        values = [value_sql(self.chain, a, self.keys(self.own)) for a in wanted]
        draft = Draft(
            self.chain,
            f"look-up-{'-'.join(slug(a.words) for a in wanted)}",
            f"{' and '.join(a.words for a in wanted)} of a {self.chain.last.label}, from a {self.chain.start.label}",
        )
        draft.constants = {k: v for one in words for k, v in one.constants.items()}
        draft.target = f"SELECT key FROM (SELECT * FROM ({self._keyed()}))"  # noqa: S608
        draft.sizes = (1, 1)
        draft.answer = {slug(a.words): answer_of(a, value_sql(self.chain, a, self.keys())) for a in wanted}
        draft.computes = any(len(a.columns) > 1 for a in wanted)

        def body(gold: Gold) -> list[str]:
            fields = ", ".join(f'"{slug(a.words)}": {gold.value(a)}' for a in wanted)
            return [*gold.lines, f"return {{{fields}}}"]

        draft.gold, draft.other = body(self.gold(wanted)), body(self.gold(wanted, other=True))
        place = len(self.chain.hops)
        near, far = reached(self.chain, place, self.it), reached(self.chain, place, self.start)
        draft.wording = self.wording(_questions(words, near, far))
        conditions = [*self.one_each(), *self.all_listed(), *(f"({sql}) IS NOT NULL" for sql in values)]
        return draft.family({"start": self.told}, self.sets(conditions))

    def _keyed(self) -> str:
        last = self.chain.last
        return f'SELECT r."{last.key}" AS key FROM "{last.table.name}" r WHERE {last.member(self.keys())}'  # noqa: S608

    def compare(self, attribute: Attribute) -> IntentFamily:
        """For which of two is the budget of the project higher, and by how much?"""
        if attribute.nature == "date":
            raise UnsayableError("two dates are not compared yet")
        word = asked(attribute)
        draft = Draft(
            self.chain, f"compare-{slug(attribute.words)}", f"For which of two the {attribute.words} is higher"
        )
        draft.constants = dict(word.constants)
        draft.computes = True
        mine, theirs = (value_sql(self.chain, attribute, self.keys(s)) for s in (":start", ":other"))
        last = self.chain.last
        both = f"{self.keys()} UNION {self.keys(':other')}"
        draft.target = f'SELECT r."{last.key}" FROM "{last.table.name}" r WHERE {last.member(both)}'  # noqa: S608
        draft.sizes = (2, 2)
        draft.answer = {
            "first_is_higher": AnswerField(
                sql=f"SELECT ({mine}) > ({theirs})", json_type="boolean",
                description="True when it is higher for the one that was named first.",
            ),
            "difference": answer_of(attribute, f"SELECT abs(({mine}) - ({theirs}))", "difference"),
        }  # fmt: skip

        def body(*, other: bool) -> list[str]:
            one = self.gold([attribute], tag="_1", other=other)
            two = self.gold([attribute], "other", "_2", other=other)
            values = f"first, second = {one.value(attribute)}, {two.value(attribute)}"
            told = 'return {"first_is_higher": first > second, "difference": abs(first - second)}'
            return [*two.lines, *one.lines, values, told] if other else [*one.lines, *two.lines, values, told]

        draft.gold, draft.other = body(other=False), body(other=True)
        near = reached(self.chain, len(self.chain.hops), Owner("each of them"))
        draft.wording = self._comparing(word, near)
        told = {"start": self.told, "other": self.told.model_copy(update={"key": "SELECT :other", "short": ""})}
        return draft.family(told, self._couples(attribute))

    def _comparing(self, word: Asked, near: Owner) -> Words:
        thing = word.of(near)
        return {
            "text": ("{target} {report}",),
            "target": ("Please compare {start} and {other}.", "It's about {start} and {other}."),
            "target/terse": ("{start} and {other}.",),
            "target/rambling": ("I have been asked to put {start} and {other} side by side, and I never get to it.",),
            "target/implicit": ("I am comparing {start} with {other}.",),
            "report": (
                f"Look up {thing}: for which of the two is it higher, and by how much?",
                f"I need {thing}. Is it higher for the one I named first, and what is the difference?",
            ),
            "report/terse": (f"Compare {thing}: which is higher, and by how much?",),
            "report/polite": (f"Could you look up {thing} and tell me where it is higher, and by how much?",),
            "report/implicit": (f"What I am missing is {thing}: for which of the two it is higher, and by how much.",),
        }

    def _couples(self, attribute: Attribute) -> str:
        """Pairs of starts with different values: each with the one a few places after it."""
        value = value_sql(self.chain, attribute, self.keys(self.own))
        conditions = [*self.one_each(), *self.all_listed(), f"({value}) IS NOT NULL"]
        start = self.chain.start
        tests = " AND ".join([start.among.replace("r.", "s."), *conditions])
        rows = (
            f'SELECT s."{start.key}" AS start, ({value}) AS value, '  # noqa: S608
            f'row_number() OVER (ORDER BY s."{start.key}") AS n FROM "{start.table.name}" s WHERE {tests}'
        )
        return (
            f"WITH valued AS (SELECT * FROM ({rows}) LIMIT 400) SELECT a.start AS start, b.start AS other "  # noqa: S608
            f"FROM valued a JOIN valued b ON b.n = a.n + 7 WHERE a.value <> b.value ORDER BY 1 LIMIT {MOST_SETS}"
        )


def _pairs(attributes: list[Attribute]) -> Iterator[list[Attribute]]:
    """What is asked at once: the name with one more, then two by two."""
    names = [a for a in attributes if a.nature == "name"]
    others = [a for a in attributes if a.nature != "name"]
    plain = [a for a in others if a.noun]
    if names and plain:
        yield [names[0], plain[0]]
        plain = plain[1:]
    elif names:
        yield names[:1]
    for number in range(0, min(len(plain), 4), 2):
        yield plain[number : number + 2]
    yield from ([a] for a in others if not a.noun)


def _questions(words: list[Asked], near: Owner, far: Owner) -> Words:
    """Questions about one row: from "it", and in one sentence."""
    both, whole = _joined(words, near), _joined(words, far).replace("{start}", "{target_name}")
    return {
        "report": (f"What I need is {both}.", f"I need {both}.", f"Tell me {both}."),
        "report/terse": (f"I need {both}.", f"{both}, please."),
        "report/polite": (f"[Could you|Would you] tell me {both}?", f"Could you find out {both} for me?"),
        "report/rambling": (f"What I'm after in the end is {both}.", f"All I really want is {both}."),
        "report/implicit": (f"It would help to know {both}.", f"What I am missing is {both}."),
        "report_whole": (f"I need {whole}.", f"[Can you|Could you] tell me {whole}?"),
    }


def _joined(words: list[Asked], owner: Owner) -> str:
    if len(words) == 1:
        return words[0].of(owner)
    if all(word.attribute.noun for word in words):
        nouns = [word.attribute.noun for word in words]
        if owner.pronoun:
            return owner.of(f"{nouns[0]} and {nouns[1]}")
        return f"the {nouns[0]} and the {nouns[1]} of {owner.object}"
    return f"{words[0].of(owner)}, and {words[1].of(owner)}"
