"""No secret and nobody's address or telephone number is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envforge.core.scrub import HIDDEN
from envforge.publish.refusal import Refusal
from envforge.publish.refusals.case import Case
from envforge.publish.refusals.texts import Text
from envforge.web.scrubbing.persons import persons_in
from envforge.web.scrubbing.secrets import secrets_in

_SHOWN = 4
_OF_KEYS = "take it out where it comes from and withdraw the key, then mine again"
_OF_PERSONS = "leave the column or the source out (envforge mine --keep …), or mine facts only"


def nothing_private(case: Case) -> Iterator[Refusal]:
    """Refuse each place that holds a key, a password, or an e-mail address or telephone number of a person."""
    return private_in(case.texts)


def private_in(texts: Iterable[Text]) -> Iterator[Refusal]:
    """The same of any texts."""
    for text in texts:
        for row, words, kind in text.places(lambda said: sorted(set(secrets_in(said)))):
            reason = f"holds what looks like a {kind} ({_begun(words)})"
            yield Refusal(rule="secret", file=text.file, row=row, reason=reason, remedy=_OF_KEYS)
        for row, words, kind in text.places(lambda said: sorted(set(persons_in(said)))):
            reason = f"holds what looks like somebody's {kind} ({_begun(words)})"
            yield Refusal(rule="person", file=text.file, row=row, reason=reason, remedy=_OF_PERSONS)


def _begun(words: str) -> str:
    return f"{words[: min(_SHOWN, len(words) // 3)]}{HIDDEN}"
