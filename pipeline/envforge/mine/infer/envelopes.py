"""Envelopes: what stands inside `{data: …}`, list wrappers and pages of results."""

from __future__ import annotations

from dataclasses import dataclass

from envforge.mine.infer.lexicon import COLLECTION_WRAPPERS, ID_FIELDS, OUTCOME_META, PAGE_META, WRAPPERS
from envforge.mine.infer.names import plural, singular, snake
from envforge.mine.infer.typeviews import ObjectView, Typed, identity, merge_objects

_MAX_LAYERS = 3


@dataclass(frozen=True)
class Unwrapped:
    """The record type inside an answer, and whether the answer holds many of it."""

    item: Typed
    many: bool
    wrapper: str | None = None

    def members(self) -> dict[str, ObjectView]:
        """The entities that the answer may hold, by identity, each as one merged view."""
        grouped: dict[str, list[Typed]] = {}
        for member in self.item.members():
            view = member.view()
            if view is not None:
                grouped.setdefault(identity(view) or "", []).append(member)
        found: dict[str, ObjectView] = {}
        for name, members in grouped.items():
            view = _union(members)
            if view is not None:
                found[name] = view
        return found


def unwrap(success: Typed, about: str = "") -> Unwrapped | None:
    """What `success` is really about; None when it says nothing (no body, untyped, a bare scalar).

    `about` is the noun that the path ends with: of several lists in an envelope it tells the one that is meant.
    """
    wrapper: str | None = None
    for _ in range(_MAX_LAYERS):
        alternatives = [member for member in success.members() if member.expr.kind in {"object", "array"}]
        if not alternatives:
            return None
        lists = [one for one in alternatives if one.expr.kind == "array"]
        if lists:
            item = lists[0].item()
            return Unwrapped(_bare(item), True, wrapper) if item is not None and item.view() is not None else None
        view = success.view()
        if view is None:
            return None
        inner = _wrapped_field(view, about)
        if inner is None:
            return Unwrapped(success, False, wrapper)
        wrapper, success = inner, view.typed(inner)
    return None


def _bare(item: Typed) -> Typed:
    """The record of a list whose every item is an object around one (`[{order: {…}}]`)."""
    view = item.view()
    if view is None or len(view.fields) != 1:
        return item
    only = view.typed(next(iter(view.fields)))
    inner = only.view()
    return only if inner is not None and len(inner.fields) >= 3 and _has_id(inner) else item


def _wrapped_field(view: ObjectView, about: str) -> str | None:
    """The field that holds the answer proper, if `view` is an envelope around it."""
    others = [name for name in view.fields if snake(name) not in PAGE_META and not _is_echo(view, name)]
    told = [name for name in others if snake(name) not in OUTCOME_META or _is_asked_for(view, name, about)]
    for name in (found for wrapper in WRAPPERS for found in view.fields if snake(found) == wrapper):
        few = len(told) <= 3 and snake(name) not in COLLECTION_WRAPPERS
        if _holds_records(view.typed(name)) and (few or not _has_id(view)):
            return name
    arrays = [name for name in told if view.typed(name).resolved().kind == "array" and _holds_records(view.typed(name))]
    if len(arrays) == 1 and _surrounds(view, arrays[0], told):
        return arrays[0]
    meant = next((name for name in arrays if about and singular(snake(name)) == about), None)
    if meant is not None and not _has_id(view):
        return meant
    if len(told) == 1 and (len(view.fields) == 1 or (len(others) > 1 and not _has_id(view))):
        only = told[0]
        inner = view.typed(only).view()
        if inner is not None and len(inner.fields) >= 3 and (_names(inner, only) or _has_id(inner)):
            return only
    return None


def _is_asked_for(view: ObjectView, name: str, about: str) -> bool:
    """True for a list of records that the path calls by the same name: `/rooms/{id}/messages` answers `messages`."""
    typed = view.typed(name)
    return singular(snake(name)) == about and typed.resolved().kind == "array" and _holds_records(typed)


def _surrounds(view: ObjectView, array: str, told: list[str]) -> bool:
    """True if what stands beside the list is about the page, not about a record that has the list."""
    if (len(told) == 1 or _is_paged(view)) and len(told) <= 2:
        return True
    if _has_id(view) or not _is_paged(view):
        return False
    return all(name == array or not _holds_records(view.typed(name)) for name in told)


def _has_id(view: ObjectView) -> bool:
    return any(snake(name) in ID_FIELDS for name in view.fields)


def _is_echo(view: ObjectView, name: str) -> bool:
    """True for `type: "user", user: {}` beside the results: the wrapper naming its content."""
    value = view.const(name)
    if value is not None:
        return True
    expr = view.typed(name).resolved()
    return expr.kind == "object" and not expr.fields and view.const("type") == name


def _is_paged(view: ObjectView) -> bool:
    return any(snake(name) in PAGE_META for name in view.fields)


def _holds_records(typed: Typed) -> bool:
    for member in typed.members():
        if member.expr.kind == "object" and member.expr.fields:
            return True
        item = member.item() if member.expr.kind == "array" else None
        if item is not None and item.view() is not None:
            return True
    return False


def _names(inner: ObjectView, field: str) -> bool:
    named = identity(inner)
    return named is not None and snake(field) in {named, plural(named)}


def _union(members: list[Typed]) -> ObjectView | None:
    if len(members) == 1:
        return members[0].view()
    types = members[0].types
    objects = [member.expr for member in members if member.expr.kind == "object" and member.expr.fields]
    return merge_objects(types, objects, None) if objects else None
