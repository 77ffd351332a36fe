"""A text that somebody else worded: it says what ours says, no less and no more, or it is refused with the reasons.

Values have to stand in it word for word. Of the rest it has to keep the words that decide (not, only, most, before, …),
and of each sentence enough of what it is about. What coverage.py asks of any text holds for it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from envforge.synth.wording.coverage import GAP, remainder
from envforge.synth.wording.grammar import Phrased
from envforge.synth.wording.lexicon import CLOSINGS, FUNCTION_WORDS, OPENINGS
from envforge.synth.wording.polish import Span

LEAST_SHARED = 0.4
"""Share of a sentence's own words that have to come again: others may be said otherwise."""
SHORTEST, LONGEST = 0.5, 1.8
"""Times the words of the original, and a few more."""
_SLACK = 12
_STEM = 5
"""Letters that make two words one: change, changed, changes."""

DECIDING: Mapping[str, str] = {
    "a negation": r"not|\w+n['’]t|no|never|neither|nor|none|nobody|nothing|cannot",
    "an exception": r"except|unless|apart from|other than|anything but|all but|leave out|skip|exclud\w+|ignore|without",
    "only": r"only|solely|exclusively",
    "a highest": r"most|latest|newest|last|highest|largest|biggest|longest|maximum|top|most recent",
    "a lowest": r"least|earliest|oldest|first|lowest|smallest|shortest|fewest|minimum",
    "a bound": r"at least|at most|more than|less than|fewer than|over|under|above|below|up to|no more than|or more",
    "an earlier time": r"before|until|till|earlier than|by the end|prior to",
    "a later time": r"after|since|later than|from then on|following",
    "a condition": r"if|whether|unless|in case|depending|otherwise",
    "everyone of a kind": r"all|every|each|everyone|everybody|everything|any|both",
    "a choice": r"or|either",
    "a scope": r"directly|immediately|itself|themselves|inside|within|below|beneath|nested|whole|entire",
}
"""What changes a goal where it is dropped or added, and the words that say it."""
_DECIDING = {name: re.compile(rf"(?i)(?<!\w)(?:{words})(?!\w)") for name, words in DECIDING.items()}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_END = re.compile(r"(?<=[.?!])[\"”)]?\s+(?=\S)")
_FRAMES = sorted({frame for held in (OPENINGS, CLOSINGS) for one in held.values() for frame in one}, key=len)
_ABOUT_ITSELF = re.compile(
    r"(?i)^(?:(?:sure|certainly|of course)\b|here(?:'s| is| are)\b.{0,60}:)|\brewr(?:ite|itten|ote)\b|\breworded\b"
    r"|\bparaphras|\bas an ai\b|\bI(?: am|'m) (?:sorry|unable)|```|\*\*"
)
"""Words of a model about its own text, or a refusal."""


def reworded(phrased: Phrased, text: str, author: str) -> Phrased:
    """`text` in place of ours: the same values, found where they stand now."""
    templates = (f"{phrased.templates[0]}~{author}", *phrased.templates[1:])
    return replace(phrased, text=text, templates=templates, spans=tuple(_spans(phrased, text)))


def values_of(phrased: Phrased) -> tuple[str, ...]:
    """The words of each value as they stand in a text, in order."""
    found = (phrased.text[span.start : span.end].strip() for span in phrased.spans)
    return tuple(dict.fromkeys(words for words in found if words))


def sentences_of(phrased: Phrased) -> tuple[str, ...]:
    """The sentences of a text, what greets and thanks left out; a full stop inside of a value ends none."""
    text, masked = phrased.text, phrased.text
    for span in phrased.spans:
        masked = masked[: span.start] + "x" * (span.end - span.start - 1) + masked[span.end - 1 :]
    ends = [0, *(match.end() for match in _END.finditer(masked)), len(text)]
    parts = (text[start:end].strip() for start, end in pairwise(ends))
    return tuple(part for part in parts if part and part not in _FRAMES)


def problems(before: Phrased, after: Phrased) -> list[str]:
    """What a reworded text lost or added; nothing where it says the same."""
    old, new = remainder(before), remainder(after)
    return [
        *(f"it does not say {words!r} word for word" for words in values_of(before) if not _says(after.text, words)),
        *_of_form(before.text, after.text),
        *_of_deciding(old, new),
        *_of_sentences(old, new),
    ]


def _says(text: str, words: str) -> bool:
    return words in text or words[0].swapcase() + words[1:] in text


def _spans(phrased: Phrased, text: str) -> Iterator[Span]:
    """Every place of every value, the longest first: "New York" is no place of "York"."""
    known = {phrased.text[span.start : span.end]: span for span in phrased.spans}
    taken: list[Span] = []
    for words, span in sorted(known.items(), key=lambda entry: (-len(entry[0]), entry[0])):
        if not words.strip():
            continue
        first = f"[{re.escape(words[0].lower())}{re.escape(words[0].upper())}]"
        for match in re.finditer(rf"(?<!\w){first}{re.escape(words[1:])}(?!\w)", text):
            if all(match.end() <= one.start or match.start() >= one.end for one in taken):
                taken.append(Span(match.start(), match.end(), span.name, span.say))
    yield from sorted(taken, key=lambda span: span.start)


def _of_form(old: str, new: str) -> Iterator[str]:
    was, now = len(old.split()), len(new.split())
    if " ".join(old.split()) == " ".join(new.split()):
        yield "it is the same text"
    if now < SHORTEST * was:
        yield f"it is too short: {now} words instead of {was}"
    if now > LONGEST * was + _SLACK:
        yield f"it is too long: {now} words instead of {was}"
    if _ABOUT_ITSELF.search(new):
        yield "it speaks about itself instead of asking for something"


def _of_deciding(old: str, new: str) -> Iterator[str]:
    for name, pattern in _DECIDING.items():
        was, now = pattern.findall(old), pattern.findall(new)
        # One that is said twice is about two things: dropped once, one of them is another.
        if len(now) < len(was):
            yield f"it drops {name}: it says {_listed(now)} instead of {_listed(was)}"
        elif now and not was:
            yield f"it adds {name}: {_listed(now)}"


def _listed(words: list[str]) -> str:
    return ", ".join(repr(word) for word in words) or "nothing"


def _of_sentences(old: str, new: str) -> Iterator[str]:
    held = {_stem(word) for word in _WORD.findall(new)}
    for sentence in _END.split(old):
        own = {word.casefold() for word in _WORD.findall(sentence)} - FUNCTION_WORDS
        if own and sum(_stem(word) in held for word in own) < LEAST_SHARED * len(own):
            yield f"it leaves out: {sentence.replace(GAP, '…').strip()}"


def _stem(word: str) -> str:
    return word.casefold()[:_STEM]
