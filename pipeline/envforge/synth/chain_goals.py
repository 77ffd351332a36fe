"""What goals of chains have in common: a draft of a family, its conditions in SQL, and the frame of its words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from envforge.core.records.intent import (
    Allowance,
    AnswerField,
    Expectation,
    IntentFamily,
    IntentKind,
    Mention,
    Reference,
)
from envforge.synth.chain_gold import Gold
from envforge.synth.chain_openings import LONG, OPENINGS, Asked
from envforge.synth.chain_owner import Owner, UnsayableError, named
from envforge.synth.chain_ways import reached
from envforge.synth.chain_words import Asking, reference
from envforge.synth.chains import Chain
from envforge.synth.entities import Attribute
from envforge.synth.landscape import Landscape
from envforge.synth.wording.families import family_problems

MOST_SETS = 240
"""Parameter sets of a family, in the order of the keys."""
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
    computes: bool = False
    expect: tuple[Expectation, ...] = ()
    allow: tuple[Allowance, ...] = ()
    gold: list[str] = field(default_factory=lambda: list[str]())
    other: list[str] = field(default_factory=lambda: list[str]())
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
            computes=self.computes,
            expect=self.expect,
            allow=self.allow,
            gold="\n".join(self.gold) + "\n",
            alternatives=("\n".join(self.other) + "\n",) if self.other and self.other != self.gold else (),
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


class Goals:
    """Goals of one chain."""

    def __init__(self, landscape: Landscape, chain: Chain) -> None:
        self.landscape, self.chain = landscape, chain
        self.told = reference(chain, "SELECT :start")
        self.it = named(chain.start, True)
        self.start = named(chain.start, False)

    def gold(self, attributes: list[Attribute], said: str = "start", tag: str = "", *, other: bool = False) -> Gold:
        """The program up to records that show the attributes."""
        gold = Gold(self.landscape, self.chain, self.told, said, tag, other=other)
        if not all(gold.shows(attribute) for attribute in attributes):
            gold.detailed()
        for attribute in attributes:
            gold.value(attribute)
        return gold

    def sets(self, conditions: list[str], more: str = "") -> str:
        """SELECT of starts (and what else is chosen) that meet the conditions."""
        start = self.chain.start
        tests = " AND ".join([start.among.replace("r.", "s."), self.told_apart, *conditions])
        extra = f", {more}" if more else ""
        return (
            f'SELECT DISTINCT s."{start.key}" AS start{extra} FROM "{start.table.name}" s '  # noqa: S608
            f"WHERE {tests} ORDER BY 1 LIMIT {MOST_SETS}"
        )

    def last_rows(self) -> str:
        """SELECT of the keys of the last rows."""
        last = self.chain.last
        return f'SELECT r."{last.key}" AS key FROM "{last.table.name}" r WHERE {last.member(self.keys())}'  # noqa: S608

    @property
    def told_apart(self) -> str:
        """Condition: no other row of the table has the name of `s`."""
        start = self.chain.start
        same = " AND ".join(f'o."{column}" = s."{column}"' for column in self.told.by[0])
        return f'(SELECT count(*) FROM "{start.table.name}" o WHERE {same}) = 1'  # noqa: S608

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
        return [f"(SELECT count(*) FROM ({self.chain.keys(place, self.own)})) = 1" for place in places]  # noqa: S608

    def all_listed(self) -> list[str]:
        """Conditions: no tool on the way leaves rows out."""
        found: list[str] = []
        for place, hop in enumerate(self.chain.hops, 1):
            if hop.reach.only is not None:
                column, values = hop.reach.only
                shown = ", ".join(repr(value) for value in values)
                own = hop.entity.member(self.chain.keys(place, self.own))
                rows = f'SELECT 1 FROM "{hop.entity.table.name}" r WHERE {own}'  # noqa: S608
                found.append(f'NOT EXISTS ({rows} AND r."{column}" NOT IN ({shown}))')
        return found

    def question(self, make: Callable[[Owner], Asking], asked: Asked, policy: str = "") -> Words:
        """Banks of a question: in one sentence, in some registers after why somebody asks.

        What takes one step is mostly asked without more ado.
        """
        one = make(reached(self.chain, self.start)).about("{target_name}")
        opened = "{situation} {report_whole}"
        told = (opened,) if self.chain.spoken > 1 else ("{report_whole}", "{report_whole}", opened)
        words = _asked("report_whole", one) | {
            "text": ("{report_whole}",),
            "text/rambling": told,
            "text/implicit": told,
            "target_name": ("{start}",),
            "situation/rambling": LONG[asked],
            "situation/implicit": OPENINGS[asked],
        }
        return words | ({"policy": (policy,)} if policy else {})


def _asked(bank: str, one: Asking) -> Words:
    """The question in each register."""
    scope = f" {one.scope}" if one.scope else ""
    return {
        bank: (f"{one.direct}?{scope}",),
        f"{bank}/polite": (
            f"[Could you|Can you|Would you] tell me {one.indirect}?{scope}",
            f"I'd like to know {one.indirect}.{scope}",
            f"Could you look up {one.indirect}?{scope}",
        ),
        f"{bank}/rambling": (f"{one.direct}?{scope}", f"Can you tell me {one.indirect}?{scope}"),
        f"{bank}/implicit": (f"{one.direct}?{scope}", f"I need to know {one.indirect}.{scope}"),
    }
