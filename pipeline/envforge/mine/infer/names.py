"""Names: from the spelling of a source to snake_case, singular and plural, and safe SQL/Python identifiers."""

from __future__ import annotations

import keyword
import re
import unicodedata
from functools import cache

_WORD_BREAKS = (
    re.compile(r"([a-z0-9])([A-Z])"),
    re.compile(r"([A-Z]+)([A-Z][a-z])"),
)
_NOT_WORD = re.compile(r"[^0-9A-Za-z]+")
_ARTICLES = frozenset({"a", "an", "the"})


def _set_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR: dict[str, str] = {
    "api": "apis",
    "taxi": "taxis",
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "index": "indexes",
    "criterion": "criteria",
    "analysis": "analyses",
    "axis": "axes",
    "basis": "bases",
    "crisis": "crises",
    "diagnosis": "diagnoses",
    "hypothesis": "hypotheses",
    "thesis": "theses",
    "alias": "aliases",
    "status": "statuses",
    "bonus": "bonuses",
    "bus": "buses",
    "campus": "campuses",
    "canvas": "canvases",
    "virus": "viruses",
    "gas": "gases",
    "lens": "lenses",
    "atlas": "atlases",
    "quiz": "quizzes",
    "leaf": "leaves",
    "half": "halves",
    "shelf": "shelves",
    "life": "lives",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "cookie": "cookies",
    "movie": "movies",
    "tie": "ties",
    "cache": "caches",
    "hero": "heroes",
    "potato": "potatoes",
    "cargo": "cargoes",
    "zone": "zones",
    "bias": "biases",
    "census": "censuses",
    "process": "processes",
    "address": "addresses",
    "access": "accesses",
    "class": "classes",
    "business": "businesses",
    "database": "databases",
    "base": "bases",
    "release": "releases",
    "case": "cases",
    "course": "courses",
    "expense": "expenses",
    "purchase": "purchases",
    "license": "licenses",
    "response": "responses",
    "house": "houses",
    "warehouse": "warehouses",
    "phase": "phases",
    "phrase": "phrases",
    "lease": "leases",
    "use": "uses",
    "clause": "clauses",
    "cause": "causes",
    "size": "sizes",
    "prize": "prizes",
    "archive": "archives",
}
_SINGULARS: dict[str, str] = {many: one for one, many in _IRREGULAR.items() if one != "basis"}

_UNCOUNTABLE: frozenset[str] = _set_of(
    """
    news series species equipment information weather software hardware data metadata media staff feedback
    aircraft luggage baggage money traffic research progress sms gps https dns aws cms
    css js os ios sheep fish physics mathematics economics analytics statistics logistics headquarters means
    chassis this its has was is as us plus minus always perhaps
    """
)

SQL_RESERVED: frozenset[str] = _set_of(
    """
    abort action add after all alter always analyze and as asc attach autoincrement before begin between by
    cascade case cast check collate column commit conflict constraint create cross current current_date
    current_time current_timestamp database default deferrable deferred delete desc detach distinct do drop each
    else end escape except exclude exclusive exists explain fail filter first following for foreign from full
    generated glob group groups having if ignore immediate in index indexed initially inner insert instead
    intersect into is isnull join key last left like limit match materialized natural no not nothing notnull
    null nulls of offset on or order others outer over partition plan pragma preceding primary query raise range
    recursive references regexp reindex release rename replace restrict returning right rollback row rows
    savepoint select set table temp temporary then ties to transaction trigger unbounded union unique update
    using vacuum values view virtual when where window with without rowid oid _rowid_ sqlite_master
    """
)
# Words that generated functions use themselves; a column or parameter of that name would shadow them.
PYTHON_RESERVED: frozenset[str] = frozenset(keyword.kwlist) | _set_of(
    """
    world self print open dict list str int float bool set tuple len min max sum any all
    """
)
# Built-in functions that generated code may not name at all; columns may.
_NEVER_SHADOWED: frozenset[str] = _set_of(
    "breakpoint compile delattr eval exec exit getattr globals hash id input locals memoryview quit setattr vars"
)
# Words of SQL that SQLite takes unquoted as identifiers and that read well as columns.
_HARMLESS: frozenset[str] = _set_of(
    """
    action after before column conflict current database each fail filter first following generated ignore key
    last match offset others partition plan preceding query range recursive release rename row rows temp
    temporary ties view window without
    """
)


@cache
def snake(text: str) -> str:
    """`text` as snake_case: camel humps split, accents dropped, everything else to underscores."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    plain = plain.replace("'", "").replace("’", "")
    for pattern in _WORD_BREAKS:
        plain = pattern.sub(r"\1_\2", plain)
    return _NOT_WORD.sub("_", plain).strip("_").lower()


def words(text: str) -> tuple[str, ...]:
    """The lower-case words of `text`, articles included."""
    return tuple(word for word in snake(text).split("_") if word)


def without_articles(text: str) -> str:
    """`text` as snake_case without a, an and the (`retrieve-a-page` → `retrieve_page`)."""
    return "_".join(word for word in words(text) if word not in _ARTICLES)


@cache
def singular(word: str) -> str:
    """The singular of a snake_case name (its last word); a word that is singular already stays."""
    head, _, last = word.rpartition("_")
    return f"{head}_{_singular_word(last)}" if head else _singular_word(last)


@cache
def plural(word: str) -> str:
    """The plural of a snake_case name (its last word); a word that is plural already stays."""
    head, _, last = word.rpartition("_")
    return f"{head}_{_plural_word(last)}" if head else _plural_word(last)


def safe_identifier(text: str) -> str:
    """A snake_case identifier that neither SQL nor Python reserves.

    A reserved word gets a trailing underscore, a leading digit an `n` in front, SQLite's own prefix a `the_`;
    nothing left gives `unnamed`.
    """
    name = snake(text) or "unnamed"
    if name[0].isdigit():
        name = f"n{name}"
    if name in PYTHON_RESERVED or (name in SQL_RESERVED and name not in _HARMLESS):
        return f"{name}_"
    return f"the_{name}" if name.startswith(("sqlite_", "envforge_")) else name


def safe_parameter(text: str) -> str:
    """A snake_case parameter name of a Python function; words that only SQL reserves stay as they are."""
    name = snake(text) or "unnamed"
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if name in PYTHON_RESERVED | _NEVER_SHADOWED else name


def label(name: str) -> str:
    """How a person writes a snake_case name: `data_source` → `data source`."""
    return name.replace("_", " ")


def _singular_word(word: str) -> str:
    if word in _UNCOUNTABLE or word in _IRREGULAR or len(word) <= 2:
        return word
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")) or (word.endswith("oes") and len(word) > 5):
        return word[:-2]
    if word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    return word[:-1]


def _plural_word(word: str) -> str:
    if not word or word in _UNCOUNTABLE or word in _SINGULARS:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if _singular_word(word) != word:
        return word
    if word.endswith("y") and word[-2:-1] not in {"a", "e", "i", "o", "u", ""}:
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"
