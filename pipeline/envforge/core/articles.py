"""The indefinite article of what is called by words that come from data: "a user", "an agent", "an 11 am flight"."""

from __future__ import annotations

import re

_VOWEL_SOUND = re.compile(r"(?i)[aeiou]|hour|hon(?:est|our)|heir")
_CONSONANT_SOUND = re.compile(r"(?i)(?:uni(?!n|m|d)|us[aeu]|eu|one\b|once\b|ut[eio]|ur[il]|(?-i:U[A-Z0-9]{1,3}\b))")
_VOWEL_NUMBER = re.compile(r"\$?(?:8\d*|11|18)(?![\d.])|\$?8[\d,]*\b")
_ACRONYM = re.compile(r"[AEFHILMNORSX](?:[A-Z0-9]+\b|-)")


def vowel_sound(words: str) -> bool:
    """Whether the words begin with a vowel when they are spoken."""
    if _CONSONANT_SOUND.match(words):
        return False
    return bool(_VOWEL_NUMBER.match(words) or _ACRONYM.match(words) or _VOWEL_SOUND.match(words))


def with_article(label: str) -> str:
    """`a page`, `an airport`, `a user`, `an hour`."""
    return f"{'an' if vowel_sound(label) else 'a'} {label}"
