"""Words for the two ends of a chain: the row that somebody names, and what is asked of the rows that it leads to."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from envforge.core.records.intent import Reference
from envforge.synth.chain_owner import Owner, UnsayableError
from envforge.synth.chains import Chain
from envforge.synth.entities import Attribute

PLACES = frozenset({"region", "subregion", "continent"})
"""What things lie in."""
_WITH_ARTICLE = frozenset({"Americas", "Caribbean", "Antarctic", "Arctic", "Balkans", "Middle East"})
_KNOWN_BY_NAME = frozenset({"country", "city", "airport", "airline", "continent", "browser"})
"""What people call by its name alone."""


@dataclass(frozen=True)
class Asking:
    """A question without its mark, and the same after "tell me". `scope`: a sentence on what counts."""

    direct: str
    indirect: str
    scope: str = ""

    def about(self, name: str) -> Asking:
        """With other words for the start."""
        return replace(
            self, direct=self.direct.replace("{start}", name), indirect=self.indirect.replace("{start}", name)
        )


def having(attribute: Attribute, values: bool) -> tuple[str, dict[str, str]]:
    """A condition on several rows, and its constants: "are in {wanted}", 'have the status "{wanted}"'.

    `values`: what it can be is said with its verb, "have been accepted".
    """
    if attribute.nature == "tick":
        return 'have "{entry}" ticked', {"entry": attribute.label or attribute.noun}
    if not attribute.noun:
        raise UnsayableError(f"{attribute.label} is no noun")
    if attribute.noun in PLACES:
        return "are in {wanted}", {}
    return "{wanted}" if values else f'have the {attribute.noun} "{{wanted}}"', {}


def picking(which: str, owner: Owner) -> Asking:
    """A question about some of them: "how many of the tasks {policy}"; where their words hold a verb, they lead."""
    inside = f"{which} of {owner.words} {{policy}}"
    first = f"of {owner.words}, {which} {{policy}}"
    return Asking(first if " that " in owner.words else inside, inside)


def place_name(name: str) -> str:
    """As people say it: "the Americas", "Asia"."""
    return f"the {name}" if name in _WITH_ARTICLE else name


def looked_up(wanted: list[Attribute], owner: Owner) -> Asking:
    """Questions about one row: "who created it, and what is their e-mail address"."""
    nouns = [attribute.noun for attribute in wanted]
    if wanted[0].nature == "name" and owner.question:
        whose = "their" if owner.people else "its"
        more = f", and what is {whose} {nouns[1]}" if len(wanted) > 1 else ""
        name = "name" if nouns[0] in ("title", "full name") else nouns[0]
        lead = f"the {name}" + (f" and the {nouns[1]}" if len(wanted) > 1 else "")
        return Asking(f"{owner.question}{more}", f"{lead} of {owner.object}")
    both = _joined(nouns)
    return Asking(f"what {'are' if len(wanted) > 1 else 'is'} {owner.of(both)}", owner.of(both))


def _joined(nouns: list[str]) -> str:
    """Two nouns, what they begin with said once: "contact e-mail address and phone number"."""
    first, *rest = nouns
    lead, _, own = rest[0].partition(" ") if rest else ("", "", "")
    if own and first.startswith(f"{lead} ") and lead != "number":
        return f"{first} and {own}"
    return " and the ".join(nouns)


def reference(chain: Chain, key: str) -> Reference:
    """How the start is named: people by their name alone. Raises UnsayableError when people have no words for it."""
    entity = chain.start
    short = f"that {entity.label}" if not entity.people else ""
    if not chain.finders:
        return Reference(
            table=entity.table.name, key=key, by=((entity.key,),), short=short,
            say={entity.key: f"{entity.label} {{{entity.key}|code}}"},
        )  # fmt: skip
    columns = set(chain.finders[0].sight.fields)
    if {"first_name", "last_name"} <= columns:
        by = (("last_name", "first_name"),)
        say = {"last_name+first_name": "{first_name} {last_name}"}
        return Reference(table=entity.table.name, key=key, by=by, say=say, short="{first_name}")
    title = next((c.name for c in entity.table.columns if c.role == "title" and c.name in columns), "")
    if not title:
        raise UnsayableError(f"a {entity.label} has no title")
    head, inside, holder = entity.label.partition(" in the ")
    known = entity.people or entity.label in _KNOWN_BY_NAME
    words = f"{{{title}|name}}" if known else f"the {head} {{{title}|quoted}}{inside}{holder}"
    return Reference(table=entity.table.name, key=key, by=((title,),), say={title: words}, short=short)


def bare(told: Reference) -> Reference:
    """Without its noun, for two of a kind: 'the accounts "A" and "B"'."""
    say = {columns: "".join(re.findall(r"\{[^{}]*\}", words)) for columns, words in told.say.items()}
    return told.model_copy(update={"say": say})
