"""A query in the words of a person, as an expression of the full-text index."""

from __future__ import annotations

import re
from itertools import pairwise

from envforge.web.search.readable import pieces_of

# What questions are made of, and documents too: these words tell nothing apart.
_STOP_WORDS = """
a about all an and any are as at be by can could did do does for from had has have how i if in into is it its
may me my of on or our should so some such than that the their them then there these they this those to up us
was we were what when where which while who whom whose why will with without would you your
"""
_STOP = frozenset(_STOP_WORDS.split())
_QUOTED = re.compile(r'"([^"]*\w[^"]*)"')


def terms_of(query: str) -> list[str]:
    """What to look for: quoted phrases as they stand, then the words that tell something."""
    phrases = [" ".join(phrase.split()) for phrase in _QUOTED.findall(query)]
    words = [word.strip("\"'`.,;:!?()[]{}<>…“”‘’") for word in _QUOTED.sub(" ", query).split()]
    words = [word for word in words if re.search(r"\w", word)]
    telling = [word for word in words if word.lower() not in _STOP]
    return list(dict.fromkeys(phrases + (telling or ([] if phrases else words))))


def words_of(terms: list[str]) -> list[str]:
    """The single words of the terms, each once."""
    return list(dict.fromkeys(word.lower() for term in terms for word in re.findall(r"[^\W_]+", term)))


def match_expression(terms: list[str]) -> str:
    """Any of the terms. A word like `pg_stat_ssl` or `pageId` is looked for as a whole and in its pieces.

    Two words that follow each other are also looked for as one: people write `row id`, sources `rowid`.
    """
    wanted: dict[str, None] = {}
    for term in terms:
        wanted[literal(term)] = None
        if " " in term:
            continue
        pieces = [piece for piece in re.findall(r"[^\W_]+", term) if len(piece) > 1]
        inside = [pieces_of(term)] if pieces_of(term) else []
        wanted |= dict.fromkeys(literal(piece) for piece in [*pieces, *inside])
    single = [term for term in terms if term.isalnum()]
    wanted |= dict.fromkeys(literal(first + second) for first, second in pairwise(single))
    return " OR ".join(wanted)


def literal(text: str) -> str:
    """A phrase that the index takes as text, whatever stands in it."""
    return '"' + text.replace('"', '""').replace("\x00", " ") + '"'
