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
        for start, end, kind in sorted(set(secrets_in(text.text))):
            yield _refused("secret", text, (start, end), f"holds what looks like a {kind}", _OF_KEYS)
        for start, end, kind in sorted(set(persons_in(text.text))):
            yield _refused("person", text, (start, end), f"holds what looks like somebody's {kind}", _OF_PERSONS)


def _refused(rule: str, text: Text, span: tuple[int, int], reason: str, remedy: str) -> Refusal:
    beginning = text.text[span[0] : span[0] + min(_SHOWN, (span[1] - span[0]) // 3)]
    return Refusal(
        rule=rule, file=text.file, row=text.row_at(span[0]), reason=f"{reason} ({beginning}{HIDDEN})", remedy=remedy
    )
