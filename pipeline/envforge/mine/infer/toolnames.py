"""Tool names: as the API names its operations, made readable where the name is only a method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from envforge.core.records.domain import BoundOperation, Verb
from envforge.mine.infer.calls import Call, name_words, nouns
from envforge.mine.infer.lexicon import HTTP_WORDS, PAGING_WORDS, PREPOSITIONS, QUALIFIERS, QUANTIFIERS, VERB_WORDS
from envforge.mine.infer.names import plural, singular, snake, words

_MAX_WORDS = 5
_GETTING = frozenset({"get", "retrieve", "read", "show", "fetch"})
_SPELLED: dict[str, str] = {"list": "list", "get": "get", "create": "create", "update": "update", "delete": "delete"}


def tool_name(call: Call, verb: Verb, entity: str) -> str:
    """The name of the tool for `call`: own name, other source's name or summary, in this order of trust."""
    own = name_words(call.first.id)
    if is_generated(call):
        return "_".join(_composed(call, verb, entity))
    chosen = own if own and own[0] not in HTTP_WORDS and own[0] in VERB_WORDS else _better(call, own, entity)
    return "_".join(_finished(list(chosen), verb, entity, [word for op, _, _ in call.stated for word in words(op.id)]))


def _better(call: Call, own: tuple[str, ...], entity: str) -> tuple[str, ...]:
    summary = summary_words(call.first.summary)
    if len(call.stated) == 1 and own and own[0] == "get" and len(own) > 1:
        return own
    for op, _, _ in call.stated[1:]:
        other = name_words(op.id)
        if other and other[0] in VERB_WORDS:
            return summary if summary and nouns(summary) == nouns(other) else other
    if summary and summary[0] in VERB_WORDS and nouns(summary) & _words_of(entity):
        return summary
    return own if own and own[0] in VERB_WORDS and own[0] not in HTTP_WORDS else ()


def is_generated(call: Call) -> bool:
    """True if the id only repeats method and path (`GetCustomersCustomer`), so nobody chose it."""
    first = call.first
    if not first.path or len(call.stated) > 1:
        return False
    path = [word for segment in call.segments() for word in words(segment.text)]
    id_words = [word for word in words(first.id) if not word.isdigit()]
    return (
        bool(path)
        and id_words[:1] == [first.method]
        and [singular(w) for w in id_words[1:]] == [singular(w) for w in path if not w.isdigit()]
    )


def _composed(call: Call, verb: Verb, entity: str) -> list[str]:
    """A name from verb and entity; an action keeps its own word."""
    if verb in {"transition", "transfer", "link", "unlink"}:
        last = call.segments()[-1].text
        return [*words(last)[:1], entity]
    return [_SPELLED.get(verb, verb), plural(entity) if verb in {"list", "search", "filter"} else entity]


def summary_words(summary: str) -> tuple[str, ...]:
    """A summary as words of a name: articles and quantifiers dropped, cut at the first preposition."""
    kept: list[str] = []
    for word in name_words(summary.replace("/", " ")):
        if word in PREPOSITIONS:
            break
        if word not in QUANTIFIERS or (kept and word in {"items", "objects"}):
            kept.append(word)
    return tuple(kept) if len(kept) <= _MAX_WORDS else ()


def _words_of(entity: str) -> frozenset[str]:
    return frozenset(singular(word) for word in entity.split("_"))


def _finished(parts: list[str], verb: Verb, entity: str, call_words: Sequence[str]) -> list[str]:
    """Lists are called list or search, and every name says what it is about."""
    if not parts or (parts[0] in HTTP_WORDS and parts[0] != "get"):
        parts = [_SPELLED.get(verb, verb), *parts[1:]]
    parts = [part for at, part in enumerate(parts) if at == 0 or part not in PAGING_WORDS]
    if verb == "list" and parts[0] in _GETTING | {"view"}:
        parts[0] = "list"
    if verb == "list" and len(parts) > 1 and parts[-1] in QUALIFIERS:
        parts.append(plural(entity))
    if parts[0] == "list" and len(parts) > 1 and verb == "list":
        parts = _plural_noun(parts, entity)
    about = {singular(part) for part in parts[1:]}
    if len(parts) == 1 and (verb != "search" or "search" not in call_words):
        parts.append(plural(entity) if verb in {"list", "filter", "search"} else entity)
    elif (
        verb in {"list", "create", "get", "update", "delete"}
        and not about & _words_of(entity)
        and parts[1] in PREPOSITIONS
    ):
        parts[1:1] = [plural(entity) if verb == "list" else entity]
    return parts


def _plural_noun(parts: list[str], entity: str) -> list[str]:
    """Make the word that is listed plural: the one before a preposition, else the last."""
    end = next((at for at, part in enumerate(parts) if at and part in PREPOSITIONS), len(parts))
    if end > 1 and (singular(parts[end - 1]) in entity.split("_") or end == len(parts)):
        word = parts[end - 1]
        parts[end - 1] = plural(word) if singular(word) == word else word
    return parts


def one_word_for_getting(operations: Sequence[BoundOperation]) -> list[BoundOperation]:
    """The operations with one word for looking an entity up, where several sources use several words.

    Only names of the form <word>_<entity> change, to the word that most of them use.
    """
    plain = {op.name: op.name.split("_", 1)[0] for op in operations if _gets_plainly(op)}
    if len(set(plain.values())) < 2:
        return list(operations)
    (word, count), *_ = Counter(plain.values()).most_common(1)
    taken = {op.name for op in operations}
    renamed: list[BoundOperation] = []
    for op in operations:
        name = f"{word}_{op.entity}"
        fits = op.name in plain and count * 2 > len(plain) and name not in taken
        renamed.append(op.model_copy(update={"name": name}) if fits else op)
    return renamed


def _gets_plainly(op: BoundOperation) -> bool:
    word, _, rest = op.name.partition("_")
    return op.verb == "get" and word in _GETTING and rest == op.entity


def unique(name: str, taken: Collection[str], parent: str | None) -> str | None:
    """`name`, or with its parent where it is taken; None if that is taken too."""
    if name not in taken:
        return name
    if parent:
        longer = f"{name}_of_{snake(parent)}"
        if longer not in taken:
            return longer
    return None
