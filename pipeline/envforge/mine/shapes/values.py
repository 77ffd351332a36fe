"""One value of a column by its rule, in agreement with the rest of the row. Nothing here reaches anybody:
addresses stand in the domains, networks and exchanges that are reserved for examples.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from envforge.core.records.domain import Column
from envforge.core.records.shape import RowShape, ValueRule
from envforge.mine.scenario.people import plain
from envforge.mine.shapes.absence import is_of_another_variant, is_seldom, seldom_share
from envforge.mine.shapes.bounds import shortened, typed, within
from envforge.mine.shapes.naming import Named, Namer
from envforge.mine.shapes.plan import TablePlan
from envforge.mine.shapes.reading import ColumnPlan, words_of

_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWX"
_ATTEMPTS = 30
_ENDINGS = (0.0, 0.5, 0.9, 0.95, 0.99)


@dataclass
class Draft:
    """A row in the making, and what its values must agree with."""

    values: dict[str, Any]
    born: str
    named: Named
    phase: str = ""
    money: dict[str, float] = field(default_factory=lambda: dict[str, float]())


class Values:
    """Makes the values of one table, row by row."""

    def __init__(self, plan: TablePlan, shape: RowShape, namer: Namer, stream: random.Random) -> None:
        self._plan, self._shape, self._namer, self._stream = plan, shape, namer, stream
        self._taken: dict[str, set[Any]] = {}
        self._addresses: set[str] = set()
        self._positions: dict[str, dict[Any, int]] = {}
        self._minor: bool | None = None
        self._makers: Mapping[str, Callable[[ColumnPlan, ValueRule, Draft], Any]] = {
            "choice": self._choice, "number": self._number, "money": self._money, "duration": self._duration,
            "form": self._form, "name": self._name, "slug": self._slug, "about": self._about,
            "remark": self._remark, "person": self._person, "place": self._place, "mail": self._mail,
            "organisation": self._organisation, "address": self._address, "tags": self._tags, "map": self._map,
            "uuid": self._uuid, "latest": self._latest,
        }  # fmt: skip

    def make(self, plan: ColumnPlan, draft: Draft) -> Any:
        """The value of a column; None where it may be empty and is."""
        rule = plan.rule
        assert rule is not None
        if self._is_empty(plan, rule, draft):
            return None
        if draft.phase in rule.when:
            return within(typed(rule.when[draft.phase], plan.column), plan.column)
        value: Any = None
        alone = rule.unique or rule.make == "slug" or plan.way == "named_key"
        taken = self._taken.setdefault(plan.name, set()) if alone else set[Any]()
        for _ in range(_ATTEMPTS):
            value = self.once(plan, draft)
            if value is not None and value not in taken:
                break
        if value is None and not plan.column.nullable:
            value = shortened(typed(self._makers[rule.make](plan, rule, draft), plan.column), plan.column)
        if value in taken and isinstance(value, str):
            value = f"{value}-{len(taken)}"
        taken.add(value)
        return value

    def once(self, plan: ColumnPlan, draft: Draft) -> Any:
        """One value by the column's rule; None when there is none or it breaks the source's limits."""
        assert plan.rule is not None
        return within(typed(self._makers[plan.rule.make](plan, plan.rule, draft), plan.column), plan.column)

    def _is_empty(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> bool:
        if not plan.column.nullable:
            return False
        if is_of_another_variant(plan.column, self._plan, draft.values):
            return True
        if rule.phases and draft.phase:
            return draft.phase not in rule.phases
        if is_seldom(plan.column, self._shape) and not self._stream.random() < seldom_share(draft.phase):
            return True
        return rule.share < 1 and self._stream.random() > rule.share

    def _choice(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> Any:
        del plan
        if rule.of:
            return self._stream.choices(list(rule.of), weights=list(rule.of.values()))[0]
        said = draft.named.words
        if rule.bank in said:
            return said[rule.bank]
        facts = self._shape.tables.get(rule.bank)
        if facts is None:
            return self._stream.choice(self._shape.banks[rule.bank])
        fitting = [one for one in facts if all(said.get(name, value) == value for name, value in one.items())]
        return self._stream.choice(fitting or facts)[rule.bank]

    def _number(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> float:
        del draft
        value = rule.low + (rule.high - rule.low) * self._stream.random() ** rule.skew
        return round(value, rule.digits if plan.column.type == "real" else 0)

    def _money(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> float:
        if rule.part:
            value = self._sum(draft)[rule.part]
        elif rule.low >= 1000:
            value = round(self._spread(rule) / 500) * 500.0
        else:
            value = int(self._spread(rule)) + self._stream.choice(_ENDINGS)
        if plan.column.type == "integer":
            return round(value * 100) if self._in_minor_units(plan.column) else round(value)
        return round(value, 2)

    def _spread(self, rule: ValueRule) -> float:
        return rule.low * (rule.high / rule.low) ** self._stream.random()

    def _in_minor_units(self, column: Column) -> bool:
        """True if this column, or another amount beside it, is said to count the smallest unit."""
        if self._minor is None:
            said = [
                one.column.description.lower() for one in self._plan.columns if one.rule and one.rule.make == "money"
            ]
            self._minor = any(piece in text for text in said for piece in self._shape.signs.minor_said)
        return self._minor or any(piece in column.description.lower() for piece in self._shape.signs.minor_said)

    def _sum(self, draft: Draft) -> dict[str, float]:
        """One sum and its parts for a whole row; a part that the table has no column for is not in the total."""
        if not draft.money:
            parts = {one.rule.part: one.rule for one in self._plan.columns if one.rule and one.rule.part}
            net = int(self._spread(next(iter(parts.values())))) + self._stream.choice(_ENDINGS)
            discount = round(net * self._stream.choice((0, 0, 0, 0.05, 0.1, 0.2)), 2) if "discount" in parts else 0.0
            extra = self._stream.choice((0.0, 4.95, 4.95, 9.95)) if "extra" in parts else 0.0
            tax = round((net - discount) * 0.2, 2) if "tax" in parts else 0.0
            total = round(net - discount + extra + tax, 2)
            paid = total if draft.phase == "done" or (draft.phase != "draft" and self._stream.random() < 0.4) else 0.0
            refunded = paid if self._stream.random() < 0.06 else 0.0
            draft.money = {
                "net": net, "discount": discount, "extra": extra, "tax": tax, "total": total, "paid": paid,
                "due": round(total - paid, 2), "refunded": refunded,
            }  # fmt: skip
        return draft.money

    def _duration(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del plan, rule, draft
        minutes = self._stream.choice((15, 30, 45, 60, 90, 120))
        return f"PT{minutes}M" if minutes % 60 else f"PT{minutes // 60}H"

    def _form(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del plan, draft
        form = self._stream.choice(rule.forms)
        slots = {"serial": self._namer.serial()} if "{serial}" in form else {}
        text = self._namer.expanded(form, slots)
        kinds = {"#": string.digits, "*": "0123456789abcdef"} if "{" not in form else {"#": string.digits}
        if "?" in form:
            kinds["?"] = _LETTERS
        return "".join(self._stream.choice(kinds[sign]) if sign in kinds else sign for sign in text)

    def _name(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del rule
        named = draft.named
        shown = named.shown and plan.column.role != "title" and words_of(plan.name) & set(self._shape.signs.shown_words)
        return named.shown if shown else named.title

    def _slug(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del plan, rule
        return draft.named.slug

    def _about(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str | None:
        del rule
        if plan.column.nullable and self._stream.random() > 0.8:
            return None
        return draft.named.about or (None if plan.column.nullable else draft.named.title)

    def _remark(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del plan, rule, draft
        first, second = self._stream.sample(self._shape.banks["remark"], k=2)
        return first if self._stream.random() < 0.5 else f"{first} {second}"

    def _person(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> Any:
        person = self._someone(draft)
        if plan.column.enum:
            alike = [value for value in plan.column.enum if value.lower()[:1] == str(person[rule.bank])[:1]]
            return alike[0] if alike else plan.column.enum[-1]
        if rule.bank == "login":
            return f"{plain(person['first_name'])[0]}{plain(person['last_name'])}"
        value = person[rule.bank]
        # A second number is another one.
        return self._namer.person()[rule.bank] if rule.bank == "phone" and value in draft.values.values() else value

    def _someone(self, draft: Draft) -> dict[str, Any]:
        if not draft.named.person:
            draft.named.person = self._namer.person()
        return draft.named.person

    def _place(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> Any:
        del plan
        if not draft.named.place:
            draft.named.place = self._namer.place()
        return draft.named.place[rule.bank]

    def _mail(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del plan, rule
        if self._plan.style.source == "organisation":
            return f"{self._stream.choice(self._shape.banks['mailbox'])}@{draft.named.slug}.example"
        return self._someone(draft)["email"]

    def _organisation(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del plan, rule
        return draft.named.title if self._plan.style.source == "organisation" else self._namer.organisation()

    def _address(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> Any:
        slug, stream = draft.named.slug, self._stream
        match rule.bank:
            case "url":
                return self._url(plan.column, draft)
            case "ipv4" | "ipv6":
                return self._ip(rule.bank == "ipv6" or "ipv6" in draft.values.values())
            case "cidr":
                return f"10.{stream.randint(0, 255)}.{stream.choice((0, 0, 64, 128))}.0/{stream.choice((16, 20, 24))}"
            case "mac":
                return f"00:00:5e:00:53:{stream.randint(0, 255):02x}"
            case "hostname":
                return f"{slug}.example.com"
            case "path":
                return f"/{self._plan.name.replace('_', '-')}/{slug}"
            case "domains":
                return [f"{slug}.example.com", *([f"www.{slug}.example.com"] if stream.random() < 0.3 else [])]
            case _:
                return f"{slug}.example" if self._plan.style.source == "organisation" else f"{slug}.example.com"

    def _url(self, column: Column, draft: Draft) -> str:
        name = self._plan.name.replace("_", "-")
        if words_of(column.name) & set(self._shape.signs.picture_words):
            return f"https://static.example.com/{name}/{draft.named.slug}.png"
        if self._plan.style.source == "organisation":
            return f"https://www.{draft.named.slug}.example"
        key = draft.values.get(self._plan.table.primary_key[0])
        return f"https://app.example.com/{name}/{key if column.role == 'url' and key else draft.named.slug}"

    def _ip(self, six: bool) -> str:
        taken = self._addresses
        address = ""
        for _ in range(_ATTEMPTS):
            if six:
                address = f"2001:db8:{self._stream.randint(1, 0xFFFF):x}::{self._stream.randint(1, 99)}"
            else:
                address = f"{self._stream.choice(_NETWORKS)}.{self._stream.randint(2, 254)}"
            if address not in taken:
                break
        taken.add(address)
        return address

    def _tags(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> list[str]:
        del plan
        chosen = self._stream.choices(list(rule.of), weights=list(rule.of.values()), k=self._stream.randint(0, 3))
        return list(dict.fromkeys(self._namer.expanded(text, draft.named.words) for text in chosen))

    def _map(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> dict[str, str]:
        pairs = [text.split("=", 1) for text in self._tags(plan, rule, draft)]
        return {pair[0]: pair[1] for pair in reversed(pairs)}

    def _uuid(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> str:
        del plan, rule, draft
        digits = f"{self._stream.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def _latest(self, plan: ColumnPlan, rule: ValueRule, draft: Draft) -> int:
        """The next position among the rows of the same parent."""
        del rule
        parents = tuple(
            draft.values.get(one.name) for one in self._plan.of_way("reference") if one.column.role == "parent"
        )
        counts = self._positions.setdefault(plan.name, {})
        counts[parents] = counts.get(parents, 0) + 1
        return counts[parents]
