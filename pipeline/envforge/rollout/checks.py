"""Checks, evaluated on the host over the changeset that an episode left and its answer.

No process that ran tool code has a part in it: the changeset is bytes, read against the environment's own template.
What each kind and match means stands in core/records/task.py, Check.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from envforge.core.errors import StoreError
from envforge.core.records.task import Check, CheckKind
from envforge.core.records.trajectory import CheckResult
from envforge.rollout.claims import Claims, fits, strays, wrong_columns
from envforge.rollout.final_state import FinalState
from envforge.rollout.values import matches, same, same_text
from envforge.world.argument_values import plain_answer
from envforge.world.environment import Environment
from envforge.world.session import diff_of

_REMEDY = "the task is not of this environment's tables; make the tasks again"
_MOST_STRAYS = 3
_MOST_ITEMS = 1000
"""Of a set that is expected: pairing takes its square."""


def evaluate(
    environment: Environment, checks: Sequence[Check], changeset: bytes, answer: Any
) -> tuple[CheckResult, ...]:
    """What each check says, in order.

    Raises SandboxError when the changeset does not fit the environment, StoreError when a check does not.
    """
    judged = _Judged(environment, checks, changeset, answer)
    return tuple(_result(judged, check) for check in checks)


class _Judged:
    """One episode as its checks see it."""

    def __init__(self, environment: Environment, checks: Sequence[Check], changeset: bytes, answer: Any) -> None:
        for check in checks:
            _refuse_strangers(environment, check)
        _refuse_doubles(environment, checks)
        self.checks = checks
        self.state = FinalState(environment, diff_of(environment, changeset))
        self.answer = plain_answer(answer)
        self.fields = {check.path for check in checks if check.kind == "answer"}


def _refuse_strangers(environment: Environment, check: Check) -> None:
    """Raises StoreError for a check over tables or columns that the environment does not have."""
    if check.kind in ("row", "absent", "count"):
        columns = _columns(check.expect) if check.kind == "row" else []
        if columns is None:
            raise _stranger(environment, check, "`expect` is no object of columns and values")
        named = [*check.where, *columns, *check.free_columns, *check.fresh, *check.of_new]
        _refuse_columns(environment, check, check.table, named)
        for table in check.of_new.values():
            _refuse_columns(environment, check, table, [])
            if len(environment.template.tables[table].primary_key) != 1:
                raise _stranger(environment, check, f"`of_new` names {table}, whose key is not one column")
        if not check.inserted and check.kind != "count":
            key = environment.template.tables[check.table].primary_key
            if set(check.where) != set(key):
                raise _stranger(environment, check, f"`where` is not the key of {check.table} ({', '.join(key)})")
            if not _are_keys(check.where.values()):
                raise _stranger(environment, check, f"`where` holds what no key of {check.table} can be")
    if check.match == "set" and isinstance(check.expect, list) and len(cast("list[Any]", check.expect)) > _MOST_ITEMS:
        raise _stranger(environment, check, f"`expect` is a set of more than {_MOST_ITEMS} items")
    for free in check.free:
        _refuse_columns(environment, check, free.table, [*free.columns, *([free.column] if free.column else ())])
        key = environment.template.tables[free.table].primary_key
        if any(len(values) != len(key) or not _are_keys(values) for values in free.keys):
            raise _stranger(environment, check, f"`free.keys` are no keys of {free.table} ({', '.join(key)})")


def _refuse_doubles(environment: Environment, checks: Sequence[Check]) -> None:
    """Raises StoreError when two checks have one id: what a verifier says is compared by id."""
    seen: set[str] = set()
    for check in checks:
        if check.id in seen:
            raise _stranger(environment, check, "another check has this id")
        seen.add(check.id)


def _are_keys(values: Iterable[Any]) -> bool:
    """True for what a column of a key can hold: a key is looked up in tables and in the database."""
    return all(
        value is None or isinstance(value, str | float) or (isinstance(value, int) and -(2**63) <= value < 2**63)
        for value in values
    )


def _columns(expect: Any) -> list[str] | None:
    return list(cast("dict[str, Any]", expect)) if isinstance(expect, dict) else None


def _refuse_columns(environment: Environment, check: Check, table: str, columns: Sequence[str]) -> None:
    known = environment.template.tables.get(table)
    if known is None:
        raise _stranger(environment, check, f"there is no table {table!r}")
    unknown = [name for name in columns if name not in known.columns]
    if unknown:
        raise _stranger(environment, check, f"{table} has no column {unknown[0]!r}")


def _stranger(environment: Environment, check: Check, message: str) -> StoreError:
    return StoreError(f"check {check.id}: {message}", where=environment.manifest.id, remedy=_REMEDY)


def _result(judged: _Judged, check: Check) -> CheckResult:
    detail = _KINDS[check.kind](judged, check)
    return CheckResult(id=check.id, passed=not detail, weight=check.weight, detail=detail)


# One function per kind: what is wrong, "" when nothing is.


def _answer(judged: _Judged, check: Check) -> str:
    if not isinstance(judged.answer, dict):
        return f"the answer is no object: {_short(judged.answer)}"
    answer = cast("dict[str, Any]", judged.answer)
    if answer.keys() != judged.fields:
        return f"the answer has the fields {_short(sorted(answer))}, not {_short(sorted(judged.fields))}"
    given = answer[check.path]
    if matches(check.match, check.expect, given, check.tolerance):
        return ""
    return f"{check.path} is {_short(given)}"


def _row(judged: _Judged, check: Check) -> str:
    if check.inserted:
        new = judged.state.inserted(check.table)
        found = sum(fits(judged.state, check, row) for row in new)
        return "" if found == check.count else f"{found} of {len(new)} new rows of {check.table} fit, not {check.count}"
    row = judged.state.row(check.table, check.where)
    name = f"{check.table} {_short(list(check.where.values()))}"
    if row is None:
        return f"{name} is not there"
    wrong = wrong_columns(check, row)
    return f"{name}: {wrong[0]} is {_short(row[wrong[0]])}" if wrong else ""


def _absent(judged: _Judged, check: Check) -> str:
    row = judged.state.row(check.table, check.where)
    return "" if row is None else f"{check.table} {_short(list(check.where.values()))} is still there"


def _count(judged: _Judged, check: Check) -> str:
    grown = judged.state.grown(check.table)
    return "" if same(check.expect, grown) else f"{check.table} has {grown:+d} rows"


def _document(judged: _Judged, check: Check) -> str:
    text = judged.state.document(check.path)
    compare = same_text if check.match == "normalised_text" else same
    return "" if compare(check.expect, text) else f"{check.path} is {'gone' if text is None else _short(text)}"


def _unchanged(judged: _Judged, check: Check) -> str:
    if judged.state.diff.empty:
        return ""
    found = strays(judged.state, Claims(judged.state, judged.checks, check.free))
    if not found:
        return ""
    more = f" and {len(found) - _MOST_STRAYS} more" if len(found) > _MOST_STRAYS else ""
    return "; ".join(found[:_MOST_STRAYS]) + more


_Kind: TypeAlias = Callable[[_Judged, Check], str]
_KINDS: Mapping[CheckKind, _Kind] = {
    "answer": _answer,
    "row": _row,
    "absent": _absent,
    "unchanged": _unchanged,
    "count": _count,
    "document": _document,
}


_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = _repr.maxlong = 80


def _short(value: Any) -> str:
    return _repr.repr(value)
