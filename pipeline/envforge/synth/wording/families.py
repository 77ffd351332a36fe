"""What is wrong with the words of a family, seen before any goal is made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import get_args

from envforge.core.records.intent import IntentFamily, Register
from envforge.synth.wording.coverage import GAP, node_of, nodes_of, read_by_gold, stray
from envforge.synth.wording.grammar import CHOICE, DEPTH, FIRST, SLOT, alternatives
from envforge.synth.wording.lexicon import FUNCTION_WORDS

FREE = ("text", "situation", "opening")
"""Banks with words of their own beside the nodes: the whole, and why somebody asks."""


def family_problems(family: IntentFamily) -> list[str]:
    """Registers, nodes and mentions that a text may leave out; words that belong to no node; banks without use."""
    return [
        *_registers(family),
        *_nodes(family),
        *(problem for register in get_args(Register) for problem in _left_out(family, register)),
        *_words(family),
        *_without_use(family),
    ]


def needed(family: IntentFamily) -> tuple[str, ...]:
    """The nodes that a text of this family has to say when it has them."""
    parts = {"target": True, "policy": family.policy, "change": family.expect, "report": family.answer}
    return (*(node for node, there in parts.items() if there), *(reading.bank for reading in family.readings))


def bank_key(family: IntentFamily, bank: str, register: str) -> str:
    """The bank that serves a register."""
    return f"{bank}/{register}" if f"{bank}/{register}" in family.wording else bank


def _registers(family: IntentFamily) -> Iterator[str]:
    for key in family.wording:
        register = key.partition("/")[2]
        if "/" in key and register not in get_args(Register):
            yield f"bank {key}: {register!r} is no register"


def _nodes(family: IntentFamily) -> Iterator[str]:
    said = {node_of(key.partition("/")[0], nodes_of(family)) for key in family.wording}
    yield from (f"no bank says the {node}" for node in needed(family) if node not in said)


def _left_out(family: IntentFamily, register: Register) -> Iterator[str]:
    key = bank_key(family, "text", register)
    for number, template in enumerate(family.wording.get(key, ())):
        said = _always(family, template, register, ())
        for name in needed(family):
            if name not in said:
                yield f"{key}#{number} may leave out the {name} ({register})"
        for name in sorted(read_by_gold(family) - said):
            yield f"{key}#{number} may leave out {name}, which the gold program starts from ({register})"


def _always(family: IntentFamily, template: str, register: str, within: Sequence[str]) -> frozenset[str]:
    """Banks and mentions that every text made of a template says; {bank?} counts, as it is said where needed."""
    parts: list[frozenset[str]] = []
    for choice in CHOICE.finditer(template):
        ways = [_always(family, way, register, within) for way in alternatives(choice.group(1))]
        parts.append(_common(ways))
    for slot in SLOT.finditer(CHOICE.sub("", template)):
        name = slot.group("name")
        templates = family.wording.get(bank_key(family, name, register))
        if templates is None:
            whole = not slot.group("column") and slot.group("how") in (None, FIRST)
            parts.append(frozenset({name}) if whole else frozenset())
        elif name not in within and len(within) <= DEPTH:
            inside = [_always(family, one, register, (*within, name)) for one in templates]
            parts.append(_common(inside) | {name, node_of(name, nodes_of(family))})
    return frozenset(name for part in parts for name in part)


def _common(sets: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset(name for name in sets[0] if all(name in other for other in sets)) if sets else frozenset()


def _words(family: IntentFamily) -> Iterator[str]:
    banks = {key.partition("/")[0] for key in family.wording}

    def gap(slot: re.Match[str]) -> str:
        # What a bank says may end a sentence, what a mention says does not.
        return f"{GAP}." if slot.group("name") in banks else GAP

    for key, templates in family.wording.items():
        free = bool(node_of(key.partition("/")[0], (*nodes_of(family), *FREE)))
        for number, template in enumerate(templates):
            words = SLOT.sub(gap, CHOICE.sub(_spread, template))
            for problem in stray(words, family.constants):
                yield f"{key}#{number} says {problem}"
            if not free and not _says_values(template, banks) and (content := _content(words)):
                yield f"{key}#{number} says {', '.join(content)}, which belongs to no node"


def _says_values(template: str, banks: set[str]) -> bool:
    """Whether a template is words around a value: "the {leaves} flight to {end}"."""
    return any(slot.group("name") not in banks for slot in SLOT.finditer(CHOICE.sub("", template)))


def _spread(match: re.Match[str]) -> str:
    return ". ".join(alternatives(match.group(1)))


def _content(words: str) -> list[str]:
    found = re.findall(r"[^\W\d_][\w'’-]*", words)
    return sorted({word for word in found if word.replace("’", "'").casefold() not in FUNCTION_WORDS})


def _without_use(family: IntentFamily) -> Iterator[str]:
    used = {"text", *(m.group("name") for ts in family.wording.values() for t in ts for m in SLOT.finditer(t))}
    for key in family.wording:
        if key.partition("/")[0] not in used:
            yield f"bank {key} is never used"
    for name in (*family.mentions, *family.references):
        if name not in used:
            yield f"{name} is never said"
