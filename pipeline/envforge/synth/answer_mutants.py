"""Wrong answers: what somebody might hand in who did everything right but the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias, cast

from envforge.core.contracts import TaskCandidate
from envforge.core.ids import canonical_json
from envforge.core.records.task import Check
from envforge.gates.atoms import atoms, shape
from envforge.gates.solutions import Played, Variant

Other: TypeAlias = tuple[str, Any]
"""What is wrong with it, and the value."""


def answer_mutants(candidate: TaskCandidate, gold: Played, rng: Random) -> dict[str, list[Variant]]:
    """Operator -> mutants; {} where nothing is asked."""
    fields = [check for check in candidate.checks if check.kind == "answer"]
    if not fields or not isinstance(gold.answer, dict):
        return {}
    groups: dict[str, list[Variant]] = {}
    answer = cast("dict[str, Any]", gold.answer)
    seen = _seen_beside(gold, answer)
    for check in fields:
        for operator, value in wrong_values(check, answer.get(check.path), seen, rng):
            place = f"answer.{check.path} = {value!r}"[:160]
            groups.setdefault(operator, []).append(
                Variant("", operator, place, answer=partial(_with, name=check.path, value=value))
            )
    for one, two in pairwise(fields):
        if canonical_json(answer.get(one.path)) != canonical_json(answer.get(two.path)):
            swap = partial(_swapped, one=one.path, two=two.path)
            groups.setdefault("answer-swapped", []).append(
                Variant("", "answer-swapped", f"answer.{one.path}, {two.path}", answer=swap)
            )
    return groups


def wrong_values(check: Check, value: Any, seen: Sequence[Any], rng: Random) -> Iterator[Other]:
    """Values that are not what the check expects, however close."""
    if isinstance(value, list):
        yield from _wrong_lists(check, cast("list[Any]", value), seen)
        return
    if isinstance(value, bool):
        yield "answer-perturbed", not value
        return
    yield ("answer-empty", None) if value is not None else ("answer-perturbed", 0)
    if isinstance(value, int | float):
        step = max(1, 2 * check.tolerance)
        yield "answer-perturbed", value + step
        yield "answer-perturbed", value - step
        yield "answer-type", str(value)
        if abs(value) > check.tolerance:
            yield "answer-unit", value * 100
            yield "answer-unit", -value
    elif isinstance(value, str):
        others = [other for other in seen if isinstance(other, str) and other.casefold() != value.casefold()]
        if others:
            yield "answer-other", rng.choice(others)
        yield "answer-perturbed", f"{value} 2"
        yield "answer-type", [value]


def _wrong_lists(check: Check, items: list[Any], seen: Sequence[Any]) -> Iterator[Other]:
    known = {canonical_json(item) for item in items}
    if items:
        yield "answer-empty", []
        yield "answer-subset", items[:-1]
        yield "answer-subset", items[1:]
        yield "answer-superset", [*items, items[0]]
        perturbed = _other_item(items[0])
        if canonical_json(perturbed) not in known:
            yield "answer-perturbed", [perturbed, *items[1:]]
    others = [other for other in seen if items and type(other) is type(items[0]) and canonical_json(other) not in known]
    if others:
        yield "answer-superset", [*items, others[0]]
        yield "answer-other", [others[-1], *items[1:]]
    if not items:
        yield "answer-superset", ["Somebody"]
    if check.match == "ordered" and len(known) > 1:
        yield "answer-order", list(reversed(items))
    yield "answer-type", ", ".join(str(item) for item in items)


def _other_item(item: Any) -> Any:
    if isinstance(item, dict):
        fields = cast("dict[str, Any]", item)
        name = list(fields)[-1]
        return {**fields, name: _other_item(fields[name])}
    if isinstance(item, bool) or item is None:
        return not item
    return item + 1 if isinstance(item, int | float) else f"{item} 2"


def _seen_beside(gold: Played, answer: Mapping[str, Any]) -> list[Any]:
    """Values seen in the places where the answer's values were seen: the other candidates'."""
    wanted = {canonical_json(value) for _, value in atoms(answer)}
    places: set[tuple[str, str]] = set()
    for step in gold.steps:
        places |= {(step.tool, shape(path)) for path, v in atoms(step.seen.result or {}) if canonical_json(v) in wanted}
    found: dict[str, Any] = {}
    for step in gold.steps:
        for path, value in atoms(step.seen.result or {}):
            if (step.tool, shape(path)) in places and value is not None:
                found.setdefault(canonical_json(value), value)
    return [value for name, value in found.items() if name not in wanted]


def _with(answer: Any, name: str, value: Any) -> Any:
    return {**answer, name: value}


def _swapped(answer: Any, one: str, two: str) -> Any:
    return {**answer, one: answer[two], two: answer[one]}
