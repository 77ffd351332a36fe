"""Goals of chains: what somebody could want that needs exactly this data-flow, as families with source "walk"."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from envforge.core.records.intent import AnswerField, IntentFamily, IntentKind, Mention, Reference
from envforge.synth.chain_gold import BlindError, Gold
from envforge.synth.chain_words import Asked, Owner, UnsayableError, asked, named, reached, reference
from envforge.synth.chains import Chain
from envforge.synth.entities import Attribute
from envforge.synth.landscape import Landscape
from envforge.synth.nouns import slug
from envforge.synth.wording.families import family_problems

MOST_SETS = 240
"""Parameter sets of a family, in the order of the keys."""
_ABOUT = ("It's about {start}.", "This is about {start}.", "I'm looking at {start}.", "Take {start}.")
_ABOUT_TERSE = ("{start}.", "About {start}.")
_ABOUT_LONG = (
    "So I have {start} in front of me and can't find my way from there.",
    "I keep coming back to {start} and never get to the end of it.",
)
_HINT = ("Somebody keeps asking me about {start}.", "There are questions about {start}.")
Words = dict[str, tuple[str, ...]]


@dataclass
class Draft:
    """A family in the making."""

    chain: Chain
    what: str
    title: str
    kind: IntentKind = "question"
    conditions: list[str] = field(default_factory=lambda: list[str]())
    parameters: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    mentions: dict[str, Mention] = field(default_factory=lambda: dict[str, Mention]())
    constants: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    answer: dict[str, AnswerField] = field(default_factory=lambda: dict[str, AnswerField]())
    target: str = ""
    policy: str = ""
    sizes: tuple[int, int] = (1, 60)
    gold: list[str] = field(default_factory=lambda: list[str]())
    wording: Words = field(default_factory=lambda: Words())

    def family(self, told: dict[str, Reference], sets: str) -> IntentFamily:
        """The family. Raises ValueError when its words are wrong."""
        family = IntentFamily(
            id=identifier(self.chain, self.what),
            kind=self.kind,
            title=self.title,
            parameter_sets=sets,
            mentions=self.mentions,
            references=told,
            constants=self.constants,
            target=self.target,
            policy=self.policy,
            sizes=self.sizes,
            answer=self.answer,
            gold="\n".join(self.gold) + "\n",
            wording=self.wording,
        )
        problems = family_problems(family)
        if problems:
            raise UnsayableError("; ".join(problems))
        return family


def identifier(chain: Chain, what: str) -> str:
    """A readable id, with a hash that tells chains of the same entities apart."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{what} {chain.start.label} {chain.last.label}".lower()).strip("-")
    return f"walk-{words}-{hashlib.sha256(f'{what} {chain.shape}'.encode()).hexdigest()[:6]}"


def families_of(landscape: Landscape, chain: Chain) -> Iterator[IntentFamily]:
    """Every goal that fits the chain; none where words or records lack what it needs."""
    makers = (_Many if chain.fan() else _Single)(landscape, chain).makers()
    for make in makers:
        try:
            yield make()
        except (UnsayableError, BlindError):
            continue


def value_sql(chain: Chain, attribute: Attribute, keys: str) -> str:
    """SELECT of the attribute of the rows with these keys."""
    last = chain.last
    return f'SELECT {attribute.sql} FROM "{last.table.name}" r WHERE {last.member(keys)}'  # noqa: S608


def answer_of(attribute: Attribute, sql: str, lead: str = "") -> AnswerField:
    """The field of the answer that holds the attribute."""
    words = lead or (attribute.noun or f'entry under "{attribute.label}"')
    unit = f", in {attribute.unit}" if attribute.unit and attribute.unit not in words else ""
    if attribute.nature == "number":
        return AnswerField(sql=sql, match="number", json_type="number", description=f"The {words}{unit}.")
    form = ", as YYYY-MM-DD" if attribute.nature == "date" else ""
    match: Any = "exact" if attribute.nature == "date" else "normalised_text"
    return AnswerField(sql=sql, match=match, description=f"The {words}{form}.")


class _Goals:
    """Goals of one chain."""

    def __init__(self, landscape: Landscape, chain: Chain) -> None:
        self.landscape, self.chain = landscape, chain
        self.told = reference(chain, "SELECT :start")
        self.it = named(chain.start, True)
        self.start = named(chain.start, False)

    def gold(self, attributes: list[Attribute], said: str = "start", tag: str = "") -> Gold:
        """The program up to records that show the attributes."""
        gold = Gold(self.landscape, self.chain, self.told, said, tag)
        if not all(gold.shows(attribute) for attribute in attributes):
            gold.detailed()
        for attribute in attributes:
            gold.value(attribute)
        return gold

    def sets(self, conditions: list[str], more: str = "") -> str:
        """SELECT of starts (and what else is chosen) that meet the conditions."""
        start = self.chain.start
        tests = " AND ".join([start.among.replace("r.", "s."), *conditions])
        extra = f", {more}" if more else ""
        return (
            f'SELECT DISTINCT s."{start.key}" AS start{extra} FROM "{start.table.name}" s '  # noqa: S608
            f"WHERE {tests} ORDER BY 1 LIMIT {MOST_SETS}"
        )

    def keys(self, start: str = ":start") -> str:
        """SELECT of the keys of the last rows."""
        return self.chain.keys(len(self.chain.hops), start)

    @property
    def own(self) -> str:
        """The start of a parameter set."""
        return f's."{self.chain.start.key}"'

    def one_each(self) -> list[str]:
        """Conditions: every hop leads to exactly one row."""
        places = range(1, len(self.chain.hops) + 1)
        return [f"(SELECT count(*) FROM ({self.chain.keys(place, self.own)})) = 1" for place in places]

    def all_listed(self) -> list[str]:
        """Conditions: no tool on the way leaves rows out."""
        found: list[str] = []
        for place, hop in enumerate(self.chain.hops, 1):
            if hop.reach.only is not None:
                column, values = hop.reach.only
                shown = ", ".join(repr(value) for value in values)
                rows = f'SELECT 1 FROM "{hop.entity.table.name}" r WHERE {hop.entity.member(self.chain.keys(place, self.own))}'  # noqa: S608
                found.append(f'NOT EXISTS ({rows} AND r."{column}" NOT IN ({shown}))')
        return found

    def wording(self, report: Words, policy: Words | None = None, more: Words | None = None) -> Words:
        """Banks of a question: what it is about, then what is asked; or both in one sentence."""
        between = " {policy}" if policy is not None else ""
        words: Words = {
            "text": (f"{{target}}{between} {{report}}",),
            "target": _ABOUT,
            "target/terse": _ABOUT_TERSE,
            "target/rambling": _ABOUT_LONG,
            "target/implicit": _HINT,
            **report,
            **(policy or {}),
            **(more or {}),
        }
        if "report_whole" in words:
            words["text"] = (*words["text"], "{report_whole}")
            words["text/rambling"] = ("{target} {report}",)
            words["text/implicit"] = ("{target} {report}",)
            words["target_name"] = ("{start}",)
        return words


class _Single(_Goals):
    """Chains that lead to one row."""

    def makers(self) -> Iterator[Callable[[], IntentFamily]]:
        attributes = [a for a in self.chain.last.attributes if a.nature != "tick"]
        if self.chain.hops and any(hop.link is not None for hop in self.chain.hops):
            for one in _pairs(attributes):
                yield lambda one=one: self.look_up(one)
        for number in [a for a in attributes if a.nature in ("number", "date")]:
            yield lambda number=number: self.compare(number)

    def look_up(self, wanted: list[Attribute]) -> IntentFamily:
        """What is the e-mail address of the lead of the project that the task is linked to?"""
        gold = self.gold(wanted)
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
        fields = ", ".join(f'"{slug(a.words)}": {gold.value(a)}' for a in wanted)
        draft.gold = [*gold.lines, f"return {{{fields}}}"]
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
        gold, other = self.gold([attribute], tag="_1"), self.gold([attribute], "other", "_2")
        word = asked(attribute)
        draft = Draft(
            self.chain, f"compare-{slug(attribute.words)}", f"For which of two the {attribute.words} is higher"
        )
        draft.constants = dict(word.constants)
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
        first, second = gold.value(attribute), other.value(attribute)
        draft.gold = [
            *gold.lines, *other.lines, f"first, second = {first}, {second}",
            'return {"first_is_higher": first > second, "difference": abs(first - second)}',
        ]  # fmt: skip
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
            "target/rambling": ("I can't decide between {start} and {other}, so let us look at both of them.",),
            "target/implicit": ("I can't tell {start} and {other} apart.",),
            "report": (
                f"Look up {thing}: for which of the two is it higher, and by how much?",
                f"I need {thing}. Is it higher for the one I named first, and what is the difference?",
            ),
            "report/terse": (f"Compare {thing}: which is higher, and by how much?",),
            "report/polite": (f"Could you look up {thing} and tell me where it is higher, and by how much?",),
            "report/implicit": (f"If I knew {thing}, I could say where it is higher and by how much.",),
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


class _Many(_Goals):
    """Chains that lead to several rows."""

    def makers(self) -> Iterator[Callable[[], IntentFamily]]:
        attributes = self.chain.last.attributes
        choices = [a for a in attributes if a.nature in ("choice", "tick")]
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
        gold, word = self.gold([choice]), asked(choice)
        draft = self._draft(f"count-{slug(choice.words)}", f"How many {self.chain.last.plural} by {choice.words}")
        self._conditioned(draft, choice, word)
        test = self._test(gold, choice)
        draft.answer = {"count": AnswerField(
            sql=f"SELECT count(*) FROM ({self._rows()}) WHERE {self._picked(choice)}",  # noqa: S608
            match="number", json_type="integer", description=f"How many {self.chain.last.plural} they are.",
        )}  # fmt: skip
        draft.gold = [*gold.lines, f'return {{"count": len([x for x in {gold.variable} if {test}])}}']
        near, far = self._phrases()
        having = word.having("{wanted}")
        draft.wording = self.wording({
            "report": (f"How many of {near} {{policy}}?", f"I need to know how many of {near} {{policy}}."),
            "report/terse": (f"How many of {near} {{policy}}?",),
            "report/polite": (f"Could you tell me how many of {near} {{policy}}?",),
            "report/implicit": (f"Nobody seems to know how many of {near} {{policy}}.",),
            "report_whole": (
                f"How many of {far} {{policy}}?".replace("{start}", "{target_name}"),
                f"Please count {far} and tell me how many of them {{policy}}.".replace("{start}", "{target_name}"),
            ),
            "policy": (having,),
        })  # fmt: skip
        draft.wording["text"] = ("{target} {report}", "{report_whole}")
        return draft.family({"start": self.told}, self._condition_sets(choice))

    def listed(self, name: Attribute, choice: Attribute | None) -> IntentFamily:
        """Which of its tasks have the status Blocked?"""
        gold = self.gold([name, *([choice] if choice else [])])
        what = f"list-{slug(name.words)}" + (f"-{slug(choice.words)}" if choice else "")
        draft = self._draft(what, f"Which {self.chain.last.plural}" + (f" by {choice.words}" if choice else ""))
        picked = f" WHERE {self._picked(choice)}" if choice else ""
        rows = f"SELECT DISTINCT name FROM ({self._rows(name)}){picked}"  # noqa: S608
        draft.answer = {slug(f"{name.noun}s"): AnswerField(
            sql=rows, match="set", json_type="array", description=f"The {name.noun}s, each once.",
        )}  # fmt: skip
        test = f" if {self._test(gold, choice)}" if choice else ""
        shown = gold.value(name, "x")
        draft.gold = [*gold.lines, f'return {{"{slug(name.noun + "s")}": sorted({{{shown} for x in {gold.variable}{test}}})}}']
        near, far = self._phrases()
        if choice is not None:
            word = asked(choice)
            self._conditioned(draft, choice, word)
            draft.wording = self._listing(name, near, far, word.having("{wanted}"))
            return draft.family({"start": self.told}, self._condition_sets(choice))
        draft.sizes = (2, 30)
        self._people_only(name)
        draft.wording = self.wording({
            "report": (f"Who are {near}?", f"I need the names of {near}."),
            "report/terse": (f"Names of {near}.",),
            "report/polite": (f"Could you give me the names of {near}?",),
            "report/implicit": (f"I should know the names of {near} by heart, and I don't.",),
            "report_whole": (f"Who are {far}?".replace("{start}", "{target_name}"),
                             f"I need the names of {far}.".replace("{start}", "{target_name}")),
        })  # fmt: skip
        return draft.family({"start": self.told}, self.sets([*self._sized(2, 30), *self.all_listed()]))

    def _people_only(self, name: Attribute) -> None:
        if not self.chain.last.people:
            raise UnsayableError(f"who are {self.chain.last.plural}?")

    def _listing(self, name: Attribute, near: str, far: str, having: str) -> Words:
        words = self.wording({
            "report": (f"Which of {near} {{policy}}? I need their {name.noun}s.",
                       f"Give me the {name.noun}s of those of {near} that {{policy}}."),
            "report/terse": (f"The {name.noun}s of those of {near} that {{policy}}.",),
            "report/polite": (f"Could you give me the {name.noun}s of those of {near} that {{policy}}?",),
            "report/implicit": (f"I wish I had the {name.noun}s of those of {near} that {{policy}}.",),
            "report_whole": (f"Which of {far} {{policy}}? I need their {name.noun}s.".replace("{start}", "{target_name}"),),
            "policy": (having,),
        })  # fmt: skip
        if self.chain.last.people:
            words = {k: tuple(t.replace(" that {policy}", " who {policy}") for t in v) for k, v in words.items()}
        words["text"] = ("{target} {report}", "{report_whole}")
        return words

    def total(self, number: Attribute) -> IntentFamily:
        """What do the fares of its tickets come to?"""
        gold, word = self.gold([number]), asked(number)
        draft = self._draft(f"total-{slug(number.words)}", f"Total {number.words} of {self.chain.last.plural}")
        draft.constants = dict(word.constants)
        draft.sizes = (2, 40)
        draft.answer = {"total": answer_of(
            number, f"SELECT sum(value) FROM ({self._rows(None, number)})", f"{number.words} of all of them together"  # noqa: S608
        )}  # fmt: skip
        shown = gold.value(number, "x")
        draft.gold = [*gold.lines, f'return {{"total": sum({shown} for x in {gold.variable})}}']
        near, far = self._phrases()
        draft.wording = self.wording({
            "report": (f"Add up {word.several} of all {near} and give me the sum.",
                       f"What do {word.several} of all {near} come to together?"),
            "report/terse": (f"Sum of {word.several} of all {near}.",),
            "report/polite": (f"Could you add up {word.several} of all {near} for me?",),
            "report/implicit": (f"I would like to see {word.several} of all {near} in one sum.",),
            "report_whole": (f"What do {word.several} of all {far} add up to?".replace("{start}", "{target_name}"),),
        })  # fmt: skip
        missing = f"NOT EXISTS (SELECT 1 FROM ({self._rows(None, number, self.own)}) WHERE value IS NULL)"  # noqa: S608
        spread = f"(SELECT count(DISTINCT value) FROM ({self._rows(None, number, self.own)})) > 1"  # noqa: S608
        return draft.family({"start": self.told}, self.sets([*self._sized(2, 40), *self.all_listed(), missing, spread]))

    def highest(self, name: Attribute, number: Attribute) -> IntentFamily:
        """Which of its parts has the highest unit cost, and what is it?"""
        gold, word = self.gold([name, number]), asked(number)
        draft = self._draft(f"highest-{slug(number.words)}", f"Highest {number.words} among {self.chain.last.plural}")
        draft.constants = dict(word.constants)
        draft.sizes = (2, 40)
        rows = f"SELECT * FROM ({self._rows(name, number)}) ORDER BY value DESC LIMIT 1"  # noqa: S608
        draft.answer = {
            slug(name.noun): answer_of(name, f"SELECT name FROM ({rows})"),  # noqa: S608
            slug(number.words): answer_of(number, f"SELECT value FROM ({rows})"),  # noqa: S608
        }
        shown, value = gold.value(name, "top"), gold.value(number, "top")
        draft.gold = [
            *gold.lines, f"top = max({gold.variable}, key=lambda x: {gold.value(number, 'x')})",
            f'return {{"{slug(name.noun)}": {shown}, "{slug(number.words)}": {value}}}',
        ]  # fmt: skip
        near, far = self._phrases()
        high = f"the highest {number.noun}" if number.noun else f"the highest entry under \"{'{entry_1}'}\""
        draft.wording = self.wording({
            "report": (f"Which of {near} has {high}, and what is it?",
                       f"I need the {name.noun} of the one of {near} with {high}, and the figure itself."),
            "report/terse": (f"Which of {near} has {high}, and how much?",),
            "report/polite": (f"Could you find out which of {near} has {high}, and tell me how high it is?",),
            "report/implicit": (f"I wonder which of {near} has {high}, and how high it is.",),
            "report_whole": (f"Which of {far} has {high}, and what is it?".replace("{start}", "{target_name}"),),
        })  # fmt: skip
        missing = f"NOT EXISTS (SELECT 1 FROM ({self._rows(name, number, self.own)}) WHERE value IS NULL OR name IS NULL)"  # noqa: S608
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

    def _conditioned(self, draft: Draft, choice: Attribute, word: Asked) -> None:
        draft.constants |= word.constants
        draft.target = self._rows(None, choice)
        draft.policy = "row.value == 1" if choice.nature == "tick" else "row.value == wanted"
        draft.sizes = (3, 60)
        if choice.nature != "tick":
            draft.mentions = {"wanted": Mention(sql="SELECT :wanted", say="label")}

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
        return (
            f"SELECT p.start AS start, w.v AS wanted FROM ({inner}) p JOIN ({values}) w "  # noqa: S608
            f"WHERE w.v IS NOT NULL AND (SELECT count(*) FROM ({rows}) WHERE value = w.v) "
            f"BETWEEN 1 AND (SELECT count(*) FROM ({rows})) - 1 ORDER BY 1, 2 LIMIT {MOST_SETS}"
        )

    def _sized(self, least: int, most: int) -> list[str]:
        """Conditions: so many last rows; one row on the way to the fan, something at each place after it."""
        fan = self.chain.fan() or 0
        one = [f"(SELECT count(*) FROM ({self.chain.keys(p, self.own)})) = 1" for p in range(1, fan)]
        count = f"(SELECT count(*) FROM ({self._rows(start=self.own)}))"  # noqa: S608
        return [*one, f"{count} BETWEEN {least} AND {most}"]

    def _phrases(self) -> tuple[str, str]:
        place = len(self.chain.hops)
        return reached(self.chain, place, self.it).words, reached(self.chain, place, self.start).words


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
        "report/implicit": (f"It would help to know {both}.", f"I ought to know {both}, and I don't."),
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
