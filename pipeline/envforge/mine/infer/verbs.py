"""Verbs: what an operation does, told by method, path, name and answer; or why it is no tool."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from envforge.core.records.domain import Verb
from envforge.mine.infer.calls import Call, Segment
from envforge.mine.infer.entities import Subject
from envforge.mine.infer.lexicon import QUERIES, REJECTED_WORDS, VERB_WORDS
from envforge.mine.infer.names import singular, snake


@dataclass(frozen=True)
class Doing:
    """A verb and what told it; `action` is the word of the lexicon behind a transition or transfer."""

    verb: Verb
    evidence: str
    action: str = ""


@dataclass(frozen=True)
class Refusal:
    """Why an operation does not become a tool."""

    reason: str
    detail: str


def classify(subject: Subject, entities: Collection[str]) -> Doing | Refusal:
    """The verb of a call, or why it has none."""
    call = subject.call
    refused = _refused(call, entities)
    if refused is not None:
        return refused
    segments = call.segments()
    action = _action(call, segments, entities)
    if action is not None:
        return _acting(action, call, subject)
    return _by_method(call, subject, segments)


def _refused(call: Call, entities: Collection[str]) -> Refusal | None:
    if call.first.deprecated:
        return Refusal("deprecated", "the source marks it as deprecated")
    in_path = {word for segment in call.segments() if segment.kind == "word" for word in _forms(segment)}
    named = set(call.words())
    for reason, words in REJECTED_WORDS.items():
        hit = sorted(word for word in (in_path | named) & words if singular(word) not in entities)
        if hit:
            return Refusal(reason, f"its path or name says {hit[0]!r}")
    return None


def _forms(segment: Segment) -> set[str]:
    plain = snake(segment.text)
    return {plain, segment.noun, *plain.split("_")}


def _action(call: Call, segments: tuple[Segment, ...], entities: Collection[str]) -> str | None:
    """The verb that stands as the last word of the path (`/x/{id}/move`, `/search`)."""
    if not segments or segments[-1].kind != "word":
        return None
    last = snake(segments[-1].text)
    word = last.split("_")[0] if last not in VERB_WORDS else last
    if segments[-1].noun in entities or word not in VERB_WORDS:
        return None
    if last != word and call.method == "get":
        return None
    if VERB_WORDS[word] in {"search", "filter", "get", "list"} or len(segments) > 1:
        return word
    return None


def _acting(action: str, call: Call, subject: Subject) -> Doing | Refusal:
    verb = VERB_WORDS[action]
    if action == "remove" and call.method == "post":
        verb = "unlink"
    if verb == "transition" and call.method == "delete":
        action = f"un{action}"
    if call.method == "get" and verb not in {"search", "filter", "list", "get"}:
        return Refusal("not_a_record", f"reads the state of {action!r}, not a record")
    if verb in {"search", "filter"} and not subject.many:
        return Refusal("untyped", f"{action} answers no list of records")
    return Doing(verb, f"path ends with {action!r}", action)


def _by_method(call: Call, subject: Subject, segments: tuple[Segment, ...]) -> Doing | Refusal:
    ends_with_parameter = bool(segments) and segments[-1].kind == "param"
    word = call.words()[0] if call.words() else ""
    where = "an item" if ends_with_parameter else "a collection"
    if call.method == "get":
        if subject.many:
            return _reading_many(call)
        return Doing("get", f"GET of {where}, one record")
    if call.method == "post":
        named = _named_action(call, ends_with_parameter)
        if named is not None:
            return named
        if ends_with_parameter:
            return Doing("update", "POST to an item")
        if _returns_its_item(subject):
            return Refusal("unknown_verb", f"{segments[-1].text!r} is no verb that has a meaning here")
        links = VERB_WORDS.get(_said(call)) == "link" and bool(call.path_parameters() or not call.first.path)
        if links and not (segments and segments[-1].noun in subject.answered):
            return Doing("link", f"named {_said(call)!r}", _said(call))
        return Doing("create", "POST to a collection")
    if call.method in {"patch", "put"}:
        if VERB_WORDS.get(_said(call)) == "create" and not ends_with_parameter:
            return Doing("create", f"named {_said(call)!r}, on the items of a record")
        if subject.many:
            return Refusal("whole_collection", "replaces all items of a collection")
        return Doing("update", f"{call.method.upper()} of {where}")
    if call.method == "delete":
        if not ends_with_parameter:
            return Refusal("whole_collection", "deletes all items of a collection, or a setting")
        return Doing("delete", "DELETE of an item")
    verb = VERB_WORDS.get(word)
    action = word if verb in {"transition", "transfer"} else ""
    if verb is None:
        return Refusal("unknown_verb", "no method and no verb in its name")
    return Doing(verb, f"named {word!r}", action)


def _returns_its_item(subject: Subject) -> bool:
    """True for `/accounts/{id}/refresh` that answers the account: an action, not a new record."""
    if len(subject.path) < 2 or subject.path[-1][1] is not None or not subject.answered:
        return False
    noun, parameter = subject.path[-2]
    return parameter is not None and noun == subject.answered[0] and subject.path[-1][0] != noun


def _reading_many(call: Call) -> Doing:
    wanted = {snake(parameter.name) for parameter in call.parameters()}
    if VERB_WORDS.get(_said(call)) == "search" and wanted & QUERIES:
        return Doing("search", f"named {_said(call)!r}, with a free-text query")
    return Doing("list", "GET of a collection")


def _said(call: Call) -> str:
    """The verb word of the name in any source, method words last."""
    for op, _, _ in reversed(call.stated):
        words = [part for part in snake(op.id.rpartition("/")[2]).split("_") if part]
        if words and words[0] in VERB_WORDS and words[0] not in {"post", "put", "patch"}:
            return words[0]
    words = snake(call.first.summary).split("_")
    return words[0] if words else ""


def _named_action(call: Call, on_item: bool) -> Doing | None:
    """A POST whose name says more than its path (`cancelOrder` on `/orders/{id}`)."""
    word = _said(call)
    verb = VERB_WORDS.get(word)
    if verb in {"transition", "transfer"} and call.path_parameters() and (on_item or not call.first.path):
        return Doing(verb, f"named {word!r}", word)
    if verb in {"search", "filter"} and call.first.path == "":
        return Doing(verb, f"named {word!r}", word)
    return None
