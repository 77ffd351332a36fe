"""Mistakes that only the answer shows: it cannot be read, holds too much or too little, or names who is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.core.records.mistake import Mistake, MistakeKind
from envforge.core.records.task import Check
from envforge.rollout.diagnosis.case import Case
from envforge.rollout.diagnosis.entities import alike
from envforge.rollout.diagnosis.found import Found, Weight
from envforge.rollout.values import matches, same_text

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")


def answer_format(case: Case) -> Iterator[Found]:
    """An answer was given, but it is no object, has other fields, or says the right value in another form."""
    if case.trajectory.ending != "answered" or not case.answer_is_wrong or case.trajectory.answer is None:
        return
    answer = case.trajectory.answer
    fields = {check.path for check in case.checks.values() if check.kind == "answer"}
    wrong = next(name for name in case.failed if case.checks[name].kind == "answer")
    if not isinstance(answer, dict):
        detail = f"the answer is no object with {sorted(fields)}"
        yield Found(Weight.GAP, Mistake(kind="format", check=wrong, value=answer, detail=detail))
        return
    given = cast("dict[str, Any]", answer)
    if given.keys() != fields:
        detail = f"the answer has the fields {sorted(given)}, not {sorted(fields)}"
        yield Found(Weight.GAP, Mistake(kind="format", check=wrong, value=sorted(given), detail=detail))
        return
    for name in case.failed:
        check = case.checks[name]
        if check.kind == "answer" and not _same_type(check, given[check.path]):
            detail = f"{check.path} is {given[check.path]!r}, of another type than {check.expect!r}"
            weight = Weight.GAP if _same_in_words(check, given[check.path]) else Weight.CONCLUSION
            yield Found(weight, Mistake(kind="format", check=name, value=given[check.path], detail=detail[:500]))


def wrong_answer(case: Case) -> Iterator[Found]:
    """Fields of a readable answer that are wrong, each with what is wrong with it."""
    answer = case.trajectory.answer
    if case.trajectory.ending != "answered" or not isinstance(answer, dict):
        return
    given = cast("dict[str, Any]", answer)
    for name in case.failed:
        check = case.checks[name]
        if check.kind == "answer" and check.path in given and _same_type(check, given[check.path]):
            kind = _kind(case, check, given[check.path])
            weight = Weight.REST if kind == "other" else Weight.CONCLUSION
            detail = f"{check.path} is {given[check.path]!r}, not {check.expect!r}"
            yield Found(weight, Mistake(kind=kind, check=name, value=given[check.path], detail=detail[:500]))


def _kind(case: Case, check: Check, given: Any) -> MistakeKind:
    if isinstance(given, list) and isinstance(check.expect, list):
        return _of_lists(case, cast("list[Any]", check.expect), cast("list[Any]", given))
    if isinstance(given, str) and isinstance(check.expect, str):
        return _of_texts(case, check.expect, given)
    return "other"


def _of_lists(case: Case, wanted: list[Any], given: list[Any]) -> MistakeKind:
    asked, said = {canonical_json(item) for item in wanted}, {canonical_json(item) for item in given}
    more, fewer = said - asked, asked - said
    invented = [item for item in given if isinstance(item, str) and item not in wanted and _unheard(case, item)]
    if invented:
        return "hallucinated_entity"
    if more and not fewer:
        return "ignored_constraint"
    if fewer and not more:
        return "missing_step"
    texts = [item for item in wanted if isinstance(item, str) and item not in given]
    others = [item for item in given if isinstance(item, str) and item not in wanted]
    if len(texts) == len(others) == 1:
        return _of_texts(case, texts[0], others[0])
    return "other"


def _of_texts(case: Case, wanted: str, given: str) -> MistakeKind:
    if _unheard(case, given):
        return "hallucinated_entity" if any(letter.isalpha() for letter in given) else "other"
    tables = case.entities.name_tables(wanted).keys() & case.entities.name_tables(given).keys()
    return "namesake_confusion" if tables and alike(wanted, given) else "other"


def _unheard(case: Case, text: str) -> bool:
    """Neither said, nor shown in any answer of a tool, nor in the database."""
    shown = case.seen_before(len(case.turns))
    return not (text in shown or case.was_said(text) or case.entities.is_text(text))


def _same_type(check: Check, given: Any) -> bool:
    wanted = check.expect
    if isinstance(wanted, bool) or isinstance(given, bool):
        return isinstance(wanted, bool) and isinstance(given, bool)
    if isinstance(wanted, int | float):
        return isinstance(given, int | float) or given is None
    return wanted is None or isinstance(given, type(wanted))


def _same_in_words(check: Check, given: Any) -> bool:
    """The right value, said in another type: "12 pieces" for 12, "yes" for true, "a, b" for a list."""
    wanted = check.expect
    if isinstance(wanted, bool):
        return str(given).strip().casefold() in (("true", "yes", "1") if wanted else ("false", "no", "0"))
    if isinstance(wanted, int | float) and isinstance(given, str):
        numbers = [float(found.replace(",", "")) for found in _NUMBER.findall(given)]
        return any(matches("number", wanted, number, check.tolerance) for number in numbers)
    if isinstance(wanted, list) and isinstance(given, str):
        return all(str(item).casefold() in given.casefold() for item in cast("list[Any]", wanted))
    return isinstance(wanted, str) and same_text(wanted, str(given))


def unknown(case: Case) -> Iterator[Found]:
    """Something failed: the last word where no other rule has one."""
    check = case.failed[0] if case.failed else ""
    detail = next((result.detail for result in case.verdict.checks if result.id == check), case.trajectory.ending)
    yield Found(Weight.REST, Mistake(kind="other", check=check, detail=detail))
