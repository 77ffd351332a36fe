"""What an agent is shown is bounded and says so; the host can page through the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from envforge.core.records.environment import ToolSpec
from envforge.world.arguments import CallError
from envforge.world.environment import Environment
from envforge.world.fitting import find_place, place_text
from envforge.world.observation import LEAST_BYTES, SHOWN_BYTES, Observation
from envforge.world.session import Session

_NAMES = st.one_of(
    st.sampled_from(["items", "truncated", "a.b", "", "é", "[0]", '"', "next"]), st.text(max_size=3), st.just("n" * 400)
)
_TEXTS = st.one_of(st.text(max_size=8), st.sampled_from(["x" * 700, "é\U0001f600" * 200, '"\\\n\x01' * 150]))
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.just(10**700), st.floats(allow_nan=False), _TEXTS)
_SMALL: st.SearchStrategy[Any] = _SCALARS | st.fixed_dictionaries({"id": st.integers(), "title": _TEXTS})


def _fields(item: Any) -> dict[str, Any]:
    return {f"field{number}": item for number in range(60)}


def _times(item: Any) -> list[Any]:
    return [item] * 90


_MANY: st.SearchStrategy[Any] = _SMALL.map(_fields) | _SMALL.map(_times)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _SMALL | _MANY, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_NAMES, inner, max_size=5), max_leaves=8
)
_RESULTS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(_NAMES, _VALUES, max_size=5)
_LIMITS = st.sampled_from([LEAST_BYTES, 600, 1_000, 4_000, SHOWN_BYTES])


def _spec(**required: bool) -> ToolSpec:
    annotations = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
    texts = {"name": "probe", "verb": "list", "entity": "thing", "description": ""}
    properties: dict[str, Any] = {name: {} for name in required}
    entry: dict[str, Any] = {**texts, "returns": {}, "reads": [], "writes": [], "annotations": annotations}
    needed = [name for name, is_needed in required.items() if is_needed]
    return ToolSpec.model_validate({**entry, "parameters": {"properties": properties, "required": needed}})


PAGED = _spec(start_cursor=False, page_size=False)
MANY = {"items": [{"id": number, "title": "t" * 60} for number in range(240)], "has_more": False}


def _prefix(short: Any, whole: Any) -> bool:
    """True if `short` is `whole` with ends of lists, texts and objects cut off."""
    if isinstance(whole, list) and isinstance(short, list):
        some, full = cast("tuple[list[Any], list[Any]]", (short, whole))
        return len(some) <= len(full) and all(map(_prefix, some, full))
    if isinstance(whole, dict) and isinstance(short, dict):
        some, full = cast("tuple[dict[str, Any], dict[str, Any]]", (short, whole))
        return list(some) == list(full)[: len(some)] and all(_prefix(some[name], full[name]) for name in some)
    if isinstance(whole, str) and isinstance(short, str):
        return whole.startswith(short)
    return short == whole


@settings(max_examples=60, deadline=None)
@given(result=_RESULTS, limit=_LIMITS)
@example(result=MANY, limit=1_000)
@example(result={"truncated": ["x" * 300] * 9, "items": 10**700}, limit=LEAST_BYTES)
def test_never_over_the_limit_and_never_in_silence(result: dict[str, Any], limit: int) -> None:
    observation = Observation(True, result, spec=PAGED)
    text = observation.text(limit)
    assert len(text.encode("utf-8")) <= limit
    shown = json.loads(text)
    assert shown == observation.to_json(limit) == Observation(True, result, spec=PAGED).to_json(limit)
    assert set(shown) - {"truncated"} == {"result"}
    assert ("truncated" in shown) == (shown["result"] != result)
    assert _prefix(shown["result"], result)
    for mark in shown.get("truncated", []):
        if "at" in mark:
            assert len(find_place(result, mark["at"])[1]) == mark["of"] > mark["shown"]
            assert len(find_place(shown["result"], mark["at"])[1]) == mark["shown"]
    if len(json.dumps({"result": result}, ensure_ascii=False).encode("utf-8")) <= limit:
        assert "truncated" not in shown


@settings(max_examples=25, deadline=None)
@given(result=_RESULTS, limit=_LIMITS)
@example(result=MANY, limit=1_000)
@example(result={"n" * 400: {"é": "é\U0001f600" * 200}}, limit=LEAST_BYTES)
@example(result={"n" * 440: "x" * 700}, limit=LEAST_BYTES)
@example(result={"items": [10**700, {"a": "x" * 5_000, "b": ["y" * 900] * 4}, []]}, limit=LEAST_BYTES)
def test_pages_give_back_the_whole(result: dict[str, Any], limit: int) -> None:
    observation = Observation(True, result, spec=PAGED)
    assert _collected(observation, "", limit) == result


_EMPTY: dict[Any, Any] = {str: "", list: [], dict: {}}


def _collected(observation: Observation, at: str, limit: int) -> Any:
    """What lies at `at`, from pages only; a number that fills more than a page is looked up."""
    whole: Any = find_place(observation.result, at)[1]
    if type(whole) not in _EMPTY:
        return whole
    collected = _EMPTY[type(whole)]
    length, start = len(whole), cast("int | None", 0)
    while start is not None:
        try:
            page = observation.page(at, start, limit)
        except ValueError:
            assert len(at.encode()) > limit / 2  # a place with a name that fills the page
            return whole
        assert len(json.dumps(page, ensure_ascii=False).encode("utf-8")) <= limit
        assert page["start"] == start and page["of"] == length
        collected = _joined(observation, collected, page, limit)
        assert page["next"] is None or page["next"] > start
        start = page["next"]
    return collected


def _joined(observation: Observation, collected: Any, page: dict[str, Any], limit: int) -> Any:
    cut_places: list[Any] = page.get("truncated", [])
    if isinstance(collected, str):
        assert not cut_places
        return collected + page["part"]
    if not cut_places:
        return [*collected, *page["part"]] if isinstance(page["part"], list) else {**collected, **page["part"]}
    # Some parts of this page are cut: they have pages of their own.
    whole = find_place(observation.result, page["at"])[1]
    last = page["of"] if page["next"] is None else page["next"]
    if isinstance(collected, list):
        places = [f"{page['at']}[{number}]" for number in range(page["start"], last)]
        return [*cast("list[Any]", collected), *(_collected(observation, place, limit) for place in places)]
    place, _ = find_place(observation.result, page["at"])
    names = list(whole)[page["start"] : last]
    return {**collected, **{name: _collected(observation, place_text((*place, name)), limit) for name in names}}


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"start_cursor": False, "page_size": False}, ["page_size=", "then go on with start_cursor", "skips"]),
        ({"query": True, "limit": False, "offset": False}, ["limit=", "then go on with offset."]),
        ({"query": True, "limit": False, "author": False}, ["limit=", "or narrow it with author"]),
        ({"skip": False}, ["Go on with skip"]),
        ({"status": False, "owner": False}, ["Narrow it with status, owner."]),
        ({"member_id": True}, ["does not page"]),
    ],
    ids=["cursor", "offset", "size", "offset alone", "filters", "nothing"],
)
def test_the_mark_names_the_tools_own_paging(properties: dict[str, bool], words: list[str]) -> None:
    shown = Observation(True, MANY, spec=_spec(**properties)).to_json(2_000)
    (mark,) = shown["truncated"]
    assert (mark["at"], mark["of"]) == ("items", 240)
    assert len(shown["result"]["items"]) == mark["shown"] > 10
    assert all(word in mark["next"] for word in words)


def test_asking_for_as_many_as_were_shown_is_not_cut() -> None:
    observation = Observation(True, MANY, spec=PAGED)
    count = observation.to_json(2_000)["truncated"][0]["shown"]
    smaller = Observation(True, {**MANY, "items": MANY["items"][:count]}, spec=PAGED)  # type: ignore[index]
    assert "truncated" not in smaller.to_json(2_000)


def test_a_field_of_the_result_is_no_marker() -> None:
    observation = Observation(True, {"truncated": [{"at": "items"}], "items": []})
    assert observation.to_json() == {"result": {"truncated": [{"at": "items"}], "items": []}}


def test_small_fields_stay_whole_beside_a_large_one() -> None:
    result = {"id": "p-1", "body": "x" * 5_000, "tags": ["a", "b"], "blocks": [{"text": "y" * 90}] * 100}
    shown = Observation(True, result).to_json(2_000)
    assert shown["result"]["id"] == "p-1" and shown["result"]["tags"] == ["a", "b"]
    assert [mark["at"] for mark in shown["truncated"]] == ["body", "blocks"]
    assert shown["result"]["blocks"] and all(block == {"text": "y" * 90} for block in shown["result"]["blocks"])


def test_many_cuts_are_counted() -> None:
    result = {f"text{number}": "x" * 1_000 for number in range(20)}
    marks = Observation(True, result).to_json(4_000)["truncated"]
    assert [mark["at"] for mark in marks[:-1]] == [f"text{number}" for number in range(8)]
    assert marks[-1] == {"more": 12}


def test_errors_are_bounded_too() -> None:
    observation = Observation(False, error=CallError("conflict", "m" * 50_000, "h" * 50_000))
    assert len(observation.text().encode()) <= SHOWN_BYTES
    shown = observation.to_json()
    assert shown["error"]["code"] == "conflict" and {mark["at"] for mark in shown["truncated"]} == {"message", "hint"}
    assert observation.to_json(limit=None)["error"]["message"] == "m" * 50_000


@pytest.mark.parametrize(
    "at", ["nothing", "items[240]", "items[-1]", "items.0", "items[x]", "has_more", "[", ".", "items[0"]
)
def test_places_where_nothing_is(at: str) -> None:
    with pytest.raises(LookupError):
        Observation(True, MANY).page(at)


def test_a_result_that_is_nested_too_deep_is_not_shown() -> None:
    inner: dict[str, Any] = {}
    for _ in range(900):
        inner = {"in": inner}
    observation = Observation(True, {"a": inner, "b": 1})
    assert observation.to_json() == {"result": {}, "truncated": [{"at": "", "shown": 0, "of": 2}]}
    assert observation.page()["part"] == {}


def test_limits_and_starts_are_checked() -> None:
    observation = Observation(True, MANY)
    with pytest.raises(ValueError, match="at least 512"):
        observation.text(LEAST_BYTES - 1)
    with pytest.raises(ValueError, match="has 240 parts"):
        observation.page("items", 241)
    assert observation.page("items", 240) == {"at": "items", "start": 240, "of": 240, "next": None, "part": []}


def test_a_call_knows_its_tool(library: Environment, session: Session, copy: Path) -> None:
    with (copy / "data" / "books.csv").open("a", encoding="utf-8") as books:
        for number in range(1_000, 1_025):
            books.write(f"{number},{'Long title ' * 300}{number},Anon,1999,1,\n")
    assert "truncated" not in session.call("search_books", {"query": "a"}).to_json()
    with Environment.open(copy).start() as large:
        observation = large.call("search_books", {"query": "Long", "limit": 25})
    shown = observation.to_json()
    (mark,) = shown["truncated"]
    assert (mark["at"], mark["of"]) == ("books", 25) and f"limit={mark['shown']}" in mark["next"]
    rest = observation.page("books", mark["shown"])
    assert rest["part"][0] == observation.to_json(limit=None)["result"]["books"][mark["shown"]]
