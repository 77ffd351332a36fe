"""Text and goal cover each other: all that is needed is said, nothing else is, and the answer is not given away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from envforge.core.programs import names_read
from envforge.core.records.intent import Intent, IntentFamily
from envforge.synth.wording.dates import ISO_DATE
from envforge.synth.wording.grammar import Phrased, constant_words
from envforge.synth.wording.lexicon import ABBREVIATIONS, PROPER
from envforge.synth.wording.speak import NUMBER_WORDS, UUID, number_words

NODES = ("target", "policy", "change", "report")
"""What a goal may hold beside its readings; `target_anything` belongs to target."""
GAP = "\x00"
"""Stands for a value in what is left of a text."""
_COUNTS = re.compile(rf"(?i)\b(?:{'|'.join(NUMBER_WORDS[2:])}|dozen|hundred|thousand|million)\b")
_TIE = re.compile(
    r"(?i)\b(?:if|when|where|should|whenever|than one or|the|any|these|of) two\b"
    r"|\b(?:two|three|four) (?:things|sums|figures|numbers|questions)\b"
)
"""Counts that are no fact of the goal: ties, and how many things somebody asks for."""
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_LONG_NUMBER = re.compile(r"(?<![\d,.$])\d{7,}(?![\d,.])")
_PARAMETER = re.compile(r":[A-Za-z_]")
_QUOTING = frozenset({"quoted", "text"})


def problems(
    family: IntentFamily, intent: Intent, phrased: Phrased, *, answer: Mapping[str, Any] | None = None
) -> list[str]:
    """What is wrong with a text; nothing if it covers the intent and the intent covers it.

    `answer` is what the oracle found: no value of it may stand in the text.
    """
    return [
        *_unsaid(family, intent, phrased),
        *_unheld(family, intent, phrased),
        *_unspeakable(phrased),
        *(f"the text says {words}" for words in stray(remainder(phrased), family.constants)),
        *(_given_away(intent, phrased, answer) if answer else ()),
    ]


def node_of(bank: str, nodes: Iterable[str]) -> str:
    """The node that a bank says: `policy` and `policy_rest` say policy; "" for a bank that says none."""
    return next((node for node in nodes if bank == node or bank.startswith(f"{node}_")), "")


def nodes_of(family: IntentFamily) -> tuple[str, ...]:
    """Every node that the family can hold, readings first, as their names may begin like a node's."""
    return (*(reading.bank for reading in family.readings), *NODES)


def read_by_gold(family: IntentFamily) -> set[str]:
    """Mentions and references that the gold program starts from."""
    return names_read(family.gold, {*family.mentions, *family.references})


def remainder(phrased: Phrased) -> str:
    """The text with a gap for each value."""
    pieces: list[str] = []
    at = 0
    for span in phrased.spans:
        end = "." if re.search(r"[.?!][\"”]?$", phrased.text[span.start : span.end]) else ""
        pieces += [phrased.text[at : span.start], GAP, end]
        at = span.end
    return "".join([*pieces, phrased.text[at:]])


def stray(text: str, constants: Mapping[str, Any]) -> Iterator[str]:
    """Numbers and names in a text without its values that are no constant of the family."""
    known = _known_words(constants)
    for match in re.finditer(r"\d[\d,.:]*", text):
        if match.group().rstrip(",.:") not in known:
            yield f"the number {match.group()!r}, which is no mention and no constant"
    for match in _COUNTS.finditer(_TIE.sub("", text)):
        if match.group().casefold() not in known:
            yield f"the number {match.group()!r}, which is no mention and no constant"
    for match in _WORD.finditer(text):
        word = match.group().replace("’", "'")
        if word[0].isupper() and not _may_be_capital(text, match.start(), word, known):
            yield f"the name {word!r}, which is no mention and no constant"


def _known_words(constants: Mapping[str, Any]) -> set[str]:
    said: list[str] = []
    for value in constants.values():
        for item in cast("Sequence[Any]", value) if isinstance(value, list | tuple) else (value,):
            if isinstance(item, int | float) and not isinstance(item, bool):
                said += number_words(item)
            elif isinstance(item, str) and item:
                said += [item, constant_words(item)]
    return {word.casefold() for text in said for word in (text, *_WORD.findall(text), *re.findall(r"\d+", text))}


def _may_be_capital(text: str, at: int, word: str, known: set[str]) -> bool:
    if word in PROPER or word.casefold() in known or word.removesuffix("'s").casefold() in known:
        return True
    before = text[:at].rstrip(" \t\"“'‘(-•*")
    if not before or before[-1] in "\n?!:":
        return True
    return before[-1] == "." and before.split()[-1].lower() not in ABBREVIATIONS


def _unsaid(family: IntentFamily, intent: Intent, phrased: Phrased) -> Iterator[str]:
    said = {node_of(bank, nodes_of(family)) for bank in phrased.banks}
    yield from (f"the text does not say the {bank}" for bank in intent.banks if bank not in said)
    text = phrased.text.casefold()
    for name in sorted(read_by_gold(family)):
        if name not in phrased.mentions:
            yield f"the text does not say {name}, which the solution starts from"
        elif name in intent.spoken and intent.spoken[name].casefold() not in text:
            yield f"the text says {name} in other words than {intent.spoken[name]!r}"


def _unheld(family: IntentFamily, intent: Intent, phrased: Phrased) -> Iterator[str]:
    said = {node_of(bank, NODES) for bank in phrased.banks} - {"", "target"}
    yield from (f"the text has a {node}, which the goal has not" for node in sorted(said - set(intent.banks)))
    used = {name for body in (family.gold, *family.alternatives) for name in names_read(body, phrased.mentions)}
    for name in phrased.mentions:
        if name not in intent.spoken:
            yield f"the text says {name}, which the goal has not"
        elif name not in used and not _same_for_all(family, name):
            yield f"the text says {name}, which no solution needs"


def _same_for_all(family: IntentFamily, name: str) -> bool:
    """Whether a mention is a word of the environment, the same in every goal, and no fact that a goal starts from."""
    return name in family.mentions and not _PARAMETER.search(family.mentions[name].sql)


def _unspeakable(phrased: Phrased) -> Iterator[str]:
    if match := re.search(r"[{}\[\]]|<<|>>|@\w+\.\w+", remainder(phrased)):
        yield f"{match.group()!r} was left open"
    if match := UUID.search(phrased.text):
        yield f"the text holds the id {match.group()}"
    spoken = "".join(
        " " if any(s.start <= at < s.end and s.say in _QUOTING for s in phrased.spans) else letter
        for at, letter in enumerate(phrased.text)
    )
    for pattern, what in (
        (ISO_DATE, "the time stamp"),
        (re.compile(r"\w*[^\W_]_\w+"), "the name of a column or tool"),
        (_LONG_NUMBER, "the id"),
    ):
        if match := pattern.search(spoken):
            yield f"the text holds {what} {match.group()}"


def _given_away(intent: Intent, phrased: Phrased, answer: Mapping[str, Any]) -> Iterator[str]:
    """An answer's value in the text; of a list, all of its values, unless it picks some out of a list that was said."""
    values = {_plain(value) for value in _flat(intent.said)}
    lists = [{_plain(item) for item in _flat(said)} for said in intent.said.values() if isinstance(said, list | tuple)]
    for field, value in answer.items():
        items = [item for item in _flat(value) if item is not None and not isinstance(item, bool) and item != ""]
        if isinstance(value, list | tuple) and any({_plain(item) for item in items} < said for said in lists):
            continue
        if items and all(_plain(item) in values or _stands(item, phrased) for item in items):
            yield f"the answer's {field} stands in the text: {value!r}"


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for item in cast("Mapping[Any, Any]", value).values():
            yield from _flat(item)
    elif isinstance(value, list | tuple | set):
        for item in cast("Iterable[Any]", value):
            yield from _flat(item)
    else:
        yield value


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).casefold()


def _stands(value: Any, phrased: Phrased) -> bool:
    """Whether a text or number stands in the text as a whole; the word "one" counts in values only."""
    if isinstance(value, int | float):
        forms: Iterable[str] = number_words(value)
        text = phrased.text if value != 1 else " ; ".join(phrased.text[s.start : s.end] for s in phrased.spans)
        end = r"(?![\w]|[,.:]\d| [ap]m\b)"
        return any(re.search(rf"(?i)(?<![\w$.,:]){re.escape(form)}{end}", text) for form in forms)
    words = str(value).casefold()
    return len(words) > 1 and bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", phrased.text.casefold()))
