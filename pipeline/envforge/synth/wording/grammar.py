"""From a goal to the words of a person: banks of templates, filled in one of four registers.

The language of templates is in docs/archetypes.md, "Words".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, cast, get_args

from envforge.core.errors import ConfigError
from envforge.core.records.intent import Intent, IntentFamily, Register, Say
from envforge.synth.wording.lexicon import CLOSINGS, FRAMED, OPENINGS
from envforge.synth.wording.polish import Span, Value, fits, join_opening, mark, polish
from envforge.synth.wording.speak import speak, speak_row

DEPTH = 12
"""Banks inside banks; more is a mistake."""
CHOICE = re.compile(r"\[([^\[\]{}|]*(?:\{[^{}]*\}[^\[\]{}|]*)*(?:\|(?:[^\[\]{}|]|\{[^{}]*\})*)+)\]")
"""[could you|can you|]: one of the ways, slots inside allowed."""
SLOT = re.compile(r"\{(?P<name>[a-z][a-z0-9_]*)(?P<optional>\?)?(?:\.(?P<column>\w+))?(?:\|(?P<how>[^{}]*))?\}")

TITLE = re.compile(r"\w+\.$|(?:Dr|Mr|Mrs|Ms|Mx|Prof|Sir|Dame|Rev|Herr|Frau)$")
"""Nobody is called by a title or an initial alone."""
FIRST = "first"
"""{person|first}: in full where it stands first, the first name from there on."""


@dataclass(frozen=True)
class Phrased:
    """A text, and what it says: banks and mentions in their order, the templates chosen (`bank#number`), places."""

    text: str
    banks: tuple[str, ...]
    mentions: tuple[str, ...]
    templates: tuple[str, ...]
    spans: tuple[Span, ...]


def phrase(
    family: IntentFamily, intent: Intent, register: Register, rng: Random, *, clock: str | None = None
) -> Phrased:
    """The intent in words. Bank `text/<register>` if there is one, else `text`; so for every bank.

    `clock` (the World's epoch) is used for {reference.column|date} only. Raises ConfigError for a family whose banks
    are wrong, ValueError where a column of a reference cannot be said.
    """
    draft = _Draft(family, intent, register, rng, clock)
    words = draft.bank("text", ())
    words = draft.framed(words)
    text, spans = polish(words, draft.values)
    return Phrased(text, tuple(dict.fromkeys(draft.banks)), draft.mentions(), tuple(draft.templates), spans)


def alternatives(text: str) -> list[str]:
    """The choices of `[a|b]`, slots whole."""
    return re.split(r"\|(?![^{}]*\})", text)


class _Draft:
    """One text in the making: values stand in it as placeholders."""

    def __init__(
        self, family: IntentFamily, intent: Intent, register: Register, rng: Random, clock: str | None
    ) -> None:
        self.family, self.intent, self.rng, self.clock = family, intent, rng, clock
        self.register: Register = register
        self.values: list[Value] = []
        self.banks: list[str] = []
        self.templates: list[str] = []

    def mentions(self) -> tuple[str, ...]:
        """What was said, in order, constants left out."""
        return tuple(dict.fromkeys(v.name for v in self.values if v.name not in self.family.constants))

    def bank(self, name: str, within: tuple[str, ...]) -> str:
        """A template of the bank, filled."""
        key = f"{name}/{self.register}" if f"{name}/{self.register}" in self.family.wording else name
        templates = self.family.wording.get(key, ())
        if not templates:
            raise self._error(f"has no bank {name!r} for the register {self.register!r}")
        if name in within or len(within) > DEPTH:
            raise self._error(f"bank {name!r} comes back to itself: {' > '.join((*within, name))}")
        number = self.rng.randrange(len(templates))
        self.banks.append(name)
        self.templates.append(f"{key}#{number}")
        return self._fill(templates[number], (*within, name))

    def framed(self, words: str) -> str:
        """A greeting or thanks, where the register has them and the text has none of its own; both are too much."""
        opened = re.match(r"(?i)(hi|hello|hey|sorry|ok|so|right)\b", words)
        openings = [opening for opening in OPENINGS[self.register] if not opened and fits(opening, words)]
        if openings and self.rng.random() < FRAMED:
            return join_opening(self.rng.choice(openings), words, str(list(self.family.constants.values())))
        thanked = re.search(r"(?i)\bthank", words)
        closings = [closing for closing in CLOSINGS[self.register] if not thanked and fits(closing, words)]
        if closings and self.rng.random() < FRAMED:
            words = f"{words} {self.rng.choice(closings)}"
        return words

    def _fill(self, template: str, within: tuple[str, ...]) -> str:
        chosen = CHOICE.sub(lambda m: self.rng.choice(alternatives(m.group(1))), template)
        return SLOT.sub(lambda m: self._slot(m, within), chosen)

    def _slot(self, match: re.Match[str], within: tuple[str, ...]) -> str:
        name, column, how = match.group("name"), match.group("column"), match.group("how")
        if any(key.partition("/")[0] == name for key in self.family.wording):
            if match.group("optional") and name not in self.intent.banks:
                return ""
            return self.bank(name, within)
        if how is not None and "|" in how:
            return self._plural(name, how)
        if how == FIRST and column is None:
            return self._value(name, self._first_name(name), "name")
        if column is not None:
            return self._value(name, self._column(name, column, how), cast("Say", how or "text"))
        return self._value(name, *self._words(name))

    def _value(self, name: str, words: str, say: Say) -> str:
        self.values.append(Value(name, words, say))
        return mark(len(self.values) - 1)

    def _words(self, name: str) -> tuple[str, Say]:
        if name in self.family.constants and name not in self.intent.spoken:
            return constant_words(self.family.constants[name]), "text"
        if name not in self.intent.spoken:
            raise self._error(f"{{{name}}} is no bank, mention or reference of this goal")
        if name in self.family.references and any(value.name == name for value in self.values):
            return self._short(name), "name"
        mention = self.family.mentions.get(name)
        return self.intent.spoken[name], "name" if mention is None else mention.say

    def _short(self, name: str) -> str:
        """A reference that was said once: its short words or the surname, unless they fit another one as well."""
        full = self.intent.spoken[name]
        said = self._row(name)
        short = self.family.references[name].short or ("{last_name}" if "last_name" in said else "")
        if not short or any(column not in said for column in re.findall(r"\{(\w+)", short)):
            return full
        words = speak_row(short, said, clock=self.clock)
        others = [other for key, other in self.intent.spoken.items() if key != name]
        return full if any(words.casefold() in other.casefold() for other in others) else words

    def _first_name(self, name: str) -> str:
        """Somebody who was named in this text: the first name, unless it fits another one as well; else in full."""
        full = self._words(name)[0]
        words = full.split()
        if len(words) < 2 or not all(word[0].isupper() for word in words) or TITLE.match(words[0]):
            return full
        if not any(value.name == name for value in self.values):
            return full
        others = [other for key, other in self.intent.spoken.items() if key != name]
        return full if any(words[0].casefold() in other.casefold() for other in others) else words[0]

    def _column(self, name: str, column: str, how: str | None) -> str:
        row = self._row(name)
        if column not in row:
            raise self._error(f"{{{name}.{column}}}: this reference is said by {', '.join(row) or 'nothing'}")
        return speak_row(f"{{{column}{'|' + how if how else ''}}}", row, clock=self.clock)

    def _row(self, name: str) -> Mapping[str, Any]:
        row = self.intent.said.get(name)
        return cast("Mapping[str, Any]", row) if isinstance(row, Mapping) else {}

    def _plural(self, name: str, words: str) -> str:
        """{count|item|items}: the word that fits the number (or the length of the list) `name`."""
        forms = words.split("|")
        value = self.intent.said.get(name, self.family.constants.get(name))
        number = len(cast("list[Any]", value)) if isinstance(value, list | tuple) else value
        if len(forms) != 2 or not isinstance(number, int | float):
            raise self._error(f"{{{name}|{words}}} wants a number and two forms: one and many")
        return forms[number != 1]

    def _error(self, message: str) -> ConfigError:
        return ConfigError(message, where=f"intent family {self.family.id}, wording")


def constant_words(value: Any) -> str:
    """A constant as it is said: text as it stands, numbers and lists as people say them."""
    if isinstance(value, str):
        return value
    say: Say = "list" if isinstance(value, list | tuple) else "number"
    return speak(cast("Any", value), say)


REGISTERS: tuple[Register, ...] = get_args(Register)
