"""The last touch on a text: spaces, punctuation, capitals, a/an. What was said of values is never changed.

Values stand in the draft as one placeholder each (`mark(n)`), so that no rule can reach into a title or a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from envforge.core.articles import vowel_sound
from envforge.core.records.intent import Say
from envforge.synth.wording.lexicon import ABBREVIATIONS, LENGTHY, LONG, PROPER

_FIRST = 0xE000
_LAST = 0xF8FF
_MARK = f"[{chr(_FIRST)}-{chr(_LAST)}]"
_RELATIVE = re.compile(r"(today|tomorrow|yesterday)\b")
_REQUEST = re.compile(r"(?i)(?:could|can|would|will|please|i'd|i need|i could|which|what|how|who|where|is|are|do)\b")


@dataclass(frozen=True)
class Value:
    """A value's words as they go into the text; `name` is the mention, reference or constant that they say."""

    name: str
    words: str
    say: Say = "text"


@dataclass(frozen=True)
class Span:
    """Where in a text a value stands."""

    start: int
    end: int
    name: str
    say: Say


def mark(number: int) -> str:
    """The placeholder of the value `number` in a draft. Raises ValueError past some thousands."""
    if _FIRST + number > _LAST:
        raise ValueError(f"a text cannot say more than {_LAST - _FIRST + 1} values")
    return chr(_FIRST + number)


def polish(draft: str, values: Sequence[Value]) -> tuple[str, tuple[Span, ...]]:
    """The finished text and where its values stand."""
    said = list(values)
    text = _spaces(draft)
    text = _prepositions(text, said)
    text = _punctuation(text, said)
    text = re.sub(rf"\b([Aa])n? (?=[\w$\"“]|{_MARK})", lambda m: _article(m, said), text)
    text = _capitals(text, said)
    text = re.sub(rf"({_MARK})\.", lambda m: _end(m, said), text)
    return _filled(text, said)


def fits(frame: str, draft: str) -> bool:
    """Whether an opening or closing goes with a draft.

    One with a colon announces a request; one about length wants a long text; no sentence begins with the same word,
    and nobody says please twice in one breath.
    """
    if re.search(r"(?i)\bplease\W*$", frame) and re.match(r"(?i)please\b", draft):
        return False
    if frame.endswith(":") and not _REQUEST.match(draft):
        return False
    if frame in LENGTHY and len(draft.split()) < LONG:
        return False
    first = re.escape(re.split(r"\W", frame)[0])
    return re.search(rf"(?i)(?:^|[.?!] ){first}\b", draft) is None


def join_opening(opening: str, draft: str, names: str = "") -> str:
    """An opening before a draft; after a comma or colon the draft goes on in small letters.

    The first word keeps its capital where it is one of `names` (any text that holds them) or is written in capitals.
    """
    first = re.match(r"[A-Z][a-z]*(?:['’][a-z]+)?(?![\w])", draft)
    if opening.endswith((",", ":")) and first and first.group() not in {*PROPER, *re.findall(r"\w+", names)}:
        draft = draft[0].lower() + draft[1:]
    return f"{opening} {draft}"


def _spaces(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _prepositions(text: str, said: Sequence[Value]) -> str:
    """ "on tomorrow" is "tomorrow"; "on 7 am on Thursday" is "at 7 am on Thursday"."""

    def mend(match: re.Match[str]) -> str:
        value = said[ord(match.group(2)) - _FIRST]
        if value.say not in ("date", "date_time"):
            return match.group()
        if _RELATIVE.match(value.words):
            return match.group(2)
        at = "At" if match.group(1)[0].isupper() else "at"
        return match.group() if value.say == "date" else f"{at} {match.group(2)}"

    return re.sub(rf"\b([Oo]n|[Aa]t) ({_MARK})", mend, text)


def _punctuation(text: str, said: list[Value]) -> str:
    text = re.sub(r" +([,.;:?!])", r"\1", text)
    text = re.sub(r",(?:,)+", ",", text)
    text = re.sub(r"[,;:]+([.?!:;)])", r"\1", text)
    text = re.sub(r"(?<!\.)\.\.(?!\.)", ".", text)
    text = re.sub(r"([?!])\.", r"\1", text)

    for match in re.finditer(rf"({_MARK})\.", text):
        # One point is enough: the sentence keeps it, the value gives its own away.
        at = ord(match.group(1)) - _FIRST
        said[at] = replace(said[at], words=said[at].words.removesuffix("."))
    return text


def _end(match: re.Match[str], said: Sequence[Value]) -> str:
    """A quote that ends like a sentence ends the sentence around it."""
    ends = re.search(r"[.?!][\"”]$", said[ord(match.group(1)) - _FIRST].words)
    return match.group(1) if ends else match.group()


def _article(match: re.Match[str], said: Sequence[Value]) -> str:
    text, end = match.string, match.end()
    if match.group(1) == "A" and not _starts_sentence(text, match.start()):
        return match.group()
    letter = text[end]
    following = said[ord(letter) - _FIRST].words if re.match(_MARK, letter) else re.split(r"[^\w$\"“.,]", text[end:])[0]
    return match.group(1) + ("n " if vowel_sound(following.lstrip('“"')) else " ")


def _starts_sentence(text: str, at: int) -> bool:
    before = text[:at]
    if not before.strip() or before.endswith("\n") or re.search(r"\n[-•*] $", before):
        return True
    words = before.split()
    return bool(re.search(r"[.?!][\"”')]*\s$", before)) and words[-1].lower() not in ABBREVIATIONS


def _capitals(text: str, said: list[Value]) -> str:
    letters = list(text)
    for at, letter in enumerate(letters):
        if not (letter.isalpha() or re.match(_MARK, letter)) or not _starts_sentence(text, at):
            continue
        if letter.isalpha():
            letters[at] = letter.upper()
            continue
        value = said[ord(letter) - _FIRST]
        if value.say not in ("quoted", "code") and re.match(r"[a-z][a-z']*(?![\w.@])", value.words):
            said[ord(letter) - _FIRST] = replace(value, words=value.words[0].upper() + value.words[1:])
    return "".join(letters)


def _filled(text: str, said: Sequence[Value]) -> tuple[str, tuple[Span, ...]]:
    pieces: list[str] = []
    spans: list[Span] = []
    length = 0
    for piece in re.split(rf"({_MARK})", text):
        value = said[ord(piece) - _FIRST] if re.fullmatch(_MARK, piece) else None
        words = piece if value is None else value.words
        if value is not None:
            spans.append(Span(length, length + len(words), value.name, value.say))
        pieces.append(words)
        length += len(words)
    return "".join(pieces), tuple(spans)
