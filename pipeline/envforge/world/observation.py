"""Observation: what a call answered, whole for the host and bounded for an agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from envforge.core.records.environment import ToolSpec
from envforge.world.arguments import CallError
from envforge.world.fitting import Cut, Fitted, Fitter, Place, find_place, json_text, place_text, size_of

SHOWN_BYTES = 32_768
"""Bytes of JSON that an agent is shown for one call, unless told otherwise."""
LEAST_BYTES = 512
_SHALLOW = 250
"""Lists and objects; fewer cannot be nested too deep."""
_MOST_NAMED = 8
_MOST_FILTERS = 6
_LONGEST_ADVICE = 200

_CURSORS = ("start_cursor", "cursor", "page_token", "next_page_token", "next_cursor", "after_cursor", "starting_after")
_OFFSETS = ("offset", "skip", "start_at", "startat", "start", "start_index", "page", "page_number")
_SIZES = ("page_size", "pagesize", "limit", "per_page", "perpage", "max_results", "maxresults", "page_limit", "size",
          "count", "top", "first")  # fmt: skip
PAGING = frozenset((*_CURSORS, *_OFFSETS, *_SIZES))
"""Names of parameters that say which part of a list is wanted."""
_NO_PAGES = "The tool does not page through this: the rest is not shown."

Advice = Callable[[Cut], str]


@dataclass(frozen=True)
class Observation:
    """What a call answered: a result, or an error that says whose it is.

    `result` is whole. `to_json` and `text` are what an agent is shown; `page` gives the rest without a new call.
    """

    ok: bool
    result: dict[str, Any] | None = None
    error: CallError | None = None
    spec: ToolSpec | None = field(default=None, compare=False, repr=False)
    """The tool that answered: how it pages."""

    @cached_property
    def size(self) -> int:
        """Bytes of its JSON, whole."""
        return size_of(self._whole)

    def to_json(self, limit: int | None = SHOWN_BYTES) -> dict[str, Any]:
        """{"result" or "error": …}; cut to `limit` bytes of JSON with "truncated" beside it. None: whole.

        Raises ValueError for a limit under LEAST_BYTES.
        """
        name, body = self._body()
        if limit is None or self._fits(limit):
            return {name: body}
        return _bounded(name, body, limit, self._advice)

    def text(self, limit: int | None = SHOWN_BYTES) -> str:
        """`to_json` as text: never more than `limit` bytes in UTF-8."""
        if limit is None or self._fits(limit):
            return self._whole
        return json_text(self.to_json(limit))

    def page(self, at: str = "", start: int = 0, limit: int = SHOWN_BYTES) -> dict[str, Any]:
        """Whole items, characters or fields of the list, text or object at `at`, from number `start` on.

        {"at", "start", "of", "next", "part"}: `next` is the `start` of the page after, None on the last one. An item
        too large for a page is cut, with "truncated" beside it. Raises LookupError when nothing is there to page
        through, ValueError for a limit under LEAST_BYTES or a start outside.
        """
        place, value = find_place(self._body()[1], at)
        if not isinstance(value, (list, str, dict)):
            raise LookupError(f"{at!r} is neither a list nor a text nor an object")
        if not 0 <= start <= _length(value):
            raise ValueError(f"{at or 'the result'} has {_length(value)} parts; none has the number {start}")
        return _page(place, value, start, limit, self._advice)

    @cached_property
    def _whole(self) -> str:
        return json_text(self.to_json(None))

    def _fits(self, limit: int) -> bool:
        """Whole within so many bytes, and surely not nested too deep: most answers need not be looked into."""
        try:
            text = self._whole
        except RecursionError:
            return False
        return limit >= LEAST_BYTES and self.size <= limit and text.count("{") + text.count("[") < _SHALLOW

    def _body(self) -> tuple[str, dict[str, Any]]:
        return ("error", self.error.to_json()) if self.error is not None else ("result", self.result or {})

    def _advice(self, cut: Cut) -> str:
        if self.error is not None or self.spec is None:
            return ""
        return how_to_go_on(self.spec, cut)[:_LONGEST_ADVICE]


def how_to_go_on(spec: ToolSpec, cut: Cut) -> str:
    """How the tool itself gives what was cut, in words for an agent."""
    properties: dict[str, Any] = spec.parameters.get("properties", {})
    size, cursor, offset = (_one_of(properties, names) for names in (_SIZES, _CURSORS, _OFFSETS))
    if any(isinstance(part, int) for part in cut.place):
        return f"Ask with {size}=1: an item alone has more room." if size else _NO_PAGES
    if cut.kind != "items":
        return _NO_PAGES
    fewer = f"Ask again with {size}={max(1, cut.shown)}"
    if size and cursor:
        return f"{fewer}, then go on with {cursor}; a cursor in this answer skips what is not shown."
    if size and offset:
        return f"{fewer}, then go on with {offset}."
    narrower = _narrower(spec, properties, {size, cursor, offset})
    if size:
        return f"{fewer}{narrower and f', or narrow it with {narrower}'}."
    if offset:
        return f"Go on with {offset}."
    return f"Narrow it with {narrower}." if narrower else _NO_PAGES


def _one_of(properties: dict[str, Any], names: tuple[str, ...]) -> str:
    lowered = {name.lower(): name for name in properties}
    return next((lowered[name] for name in names if name in lowered), "")


def _narrower(spec: ToolSpec, properties: dict[str, Any], but: set[str]) -> str:
    required = spec.parameters.get("required", ())
    return ", ".join([name for name in properties if name not in but and name not in required][:_MOST_FILTERS])


def _bounded(name: str, body: dict[str, Any], limit: int, advice: Advice) -> dict[str, Any]:
    """The answer in at most `limit` bytes."""

    def answer(fitted: Fitted) -> dict[str, Any]:
        return {name: fitted.value, **_truncated(fitted.cuts, advice)}

    nothing = Fitted({}, 2, (Cut((), 0, len(body), "fields"),))
    return _shrunk(body, (), limit, answer) or answer(nothing)


def _page(place: Place, value: Any, start: int, limit: int, advice: Advice) -> dict[str, Any]:
    is_list = isinstance(value, list)
    rest = _from(value, start)

    def answer(fitted: Fitted) -> dict[str, Any]:
        cuts = [cut for cut in fitted.cuts if cut.place != place]
        if is_list:
            # The fitter counts from the start of what it was given.
            cuts = [replace(cut, place=_moved(cut.place, len(place), start)) for cut in cuts]
        shown = len(fitted.value)
        if rest and not shown and not isinstance(value, str):
            # The next part does not fit even when it is cut: it has pages of its own.
            inner: str | int = start if is_list else next(iter(rest))
            cuts = [Cut((*place, inner), 0, _length(value[inner]), "fields")]
            shown = 1
        following = start + shown if start + shown < _length(value) else None
        head = {"at": place_text(place), "start": start, "of": _length(value), "next": following}
        return {**head, "part": fitted.value, **_truncated(cuts, advice)}

    page = _shrunk(rest, place, limit, answer)
    if page is None:
        page = answer(Fitted("" if isinstance(value, str) else [] if is_list else {}, 2))
    if size_of(json_text(page)) > limit and "truncated" in page:
        page["truncated"] = [{"more": 1}]  # its name fills the page
    if size_of(json_text(page)) > limit or (isinstance(value, str) and rest and not page["part"]):
        raise ValueError(f"a limit of {limit} bytes has no room for the name of the place")
    return page


def _from(value: Any, start: int) -> Any:
    if not isinstance(value, dict):
        return value[start:]
    return dict(list(cast("dict[str, Any]", value).items())[start:])


def _shrunk(value: Any, place: Place, limit: int, answer: Callable[[Fitted], dict[str, Any]]) -> dict[str, Any] | None:
    """The largest answer of at most `limit` bytes that was found; None when there is room for nothing."""
    if limit < LEAST_BYTES:
        raise ValueError(f"a limit of {limit} bytes is too small; it is at least {LEAST_BYTES}")
    fitter = Fitter(value)
    room = limit
    try:
        while room >= len("{}"):
            found = answer(fitter.fit(room, value, place))
            over = size_of(json_text(found)) - limit
            if over <= 0:
                return found
            room -= max(over, room // 16)
    except RecursionError:
        return None  # nested too deep to be shown
    return None


def _moved(place: Place, index: int, by: int) -> Place:
    number = place[index]
    return (*place[:index], number + by if isinstance(number, int) else number, *place[index + 1 :])


def _length(value: Any) -> int:
    return len(cast("str", value)) if isinstance(value, (list, dict, str)) else 1


def _truncated(cuts: Sequence[Cut], advice: Advice) -> dict[str, Any]:
    marks: list[dict[str, Any]] = []
    for cut in cuts[:_MOST_NAMED]:
        following = advice(cut)
        mark = {"at": place_text(cut.place), "shown": cut.shown, "of": cut.of}
        marks.append({**mark, "next": following} if following else mark)
    if len(cuts) > _MOST_NAMED:
        marks.append({"more": len(cuts) - _MOST_NAMED})
    return {"truncated": marks} if marks else {}
