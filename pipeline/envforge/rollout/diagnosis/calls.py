"""Mistakes in single calls: another tool, another value, another record, a filter left away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envforge.core.records.mistake import Mistake, MistakeKind
from envforge.rollout.diagnosis.case import Case, Deviation, scalars
from envforge.rollout.diagnosis.entities import alike
from envforge.rollout.diagnosis.found import Found, Weight


def wrong_arguments(case: Case) -> Iterator[Found]:
    """Calls of the right tool in the place of a gold call, with other arguments; the kind says which sort of other."""
    for pair in case.otherwise:
        kind, name = _kind(case, pair)
        turn = case.turns[pair.made]
        value = {name: turn.arguments.get(name)}
        wanted = case.gold[pair.gold].arguments.get(name)
        detail = f"{turn.tool}: {name} is {turn.arguments.get(name)!r}, not {wanted!r}"
        if kind == "ignored_constraint":
            detail = f"{turn.tool} without {name} ({wanted!r})"
        keyed = kind == "namesake_confusion" and name in case.tools[turn.tool].consumes
        harmless = turn.ok and not case.writes(turn) and not keyed and case.recovered(pair)
        weight = Weight.HARMLESS if harmless else Weight.DEED
        yield Found(weight, Mistake(kind=kind, turn=pair.made, value=value, detail=detail[:500]))


def _kind(case: Case, pair: Deviation) -> tuple[MistakeKind, str]:
    """The surest of what the differing arguments say, and the argument that says it."""
    kinds = {name: _kind_of(case, pair, name) for name in case.differing(pair)}
    order: tuple[MistakeKind, ...] = (
        "hallucinated_entity",
        "namesake_confusion",
        "wrong_argument",
        "ignored_constraint",
    )
    for kind in order:
        for name, found in kinds.items():
            if found == kind:
                return kind, name
    return "wrong_argument", next(iter(kinds), "")


def _kind_of(case: Case, pair: Deviation, name: str) -> MistakeKind:
    turn, gold = case.turns[pair.made], case.gold[pair.gold]
    if name not in turn.arguments:
        return "wrong_argument" if case.writes(turn) else "ignored_constraint"
    given, wanted = turn.arguments[name], gold.arguments.get(name)
    if isinstance(given, str | int | float) and not isinstance(given, bool):
        return _record(case, pair.made, name, given, wanted)
    if isinstance(wanted, dict) and isinstance(given, dict) and not set(scalars(given)) - set(scalars(wanted)):
        return "wrong_argument" if case.writes(turn) else "ignored_constraint"  # conditions of a filter are gone
    return "wrong_argument"


def _record(case: Case, place: int, name: str, given: str | float, wanted: Any) -> MistakeKind:
    """What it means that another record was named: by its key, or by its name in a search."""
    tables = case.entities.tables_of(wanted) if isinstance(wanted, str | int | float) else []
    known = str(given) in case.seen_before(place) or case.was_said(given)
    if name in case.tools[case.turns[place].tool].consumes or (tables and isinstance(wanted, str)):
        if any(case.entities.is_key(table, given) for table in tables):
            same = any(
                case.entities.is_key(table, given) and case.entities.called_alike(table, wanted, given)
                for table in tables
            )
            return "namesake_confusion" if same else "wrong_argument"
        return "wrong_argument" if known else "hallucinated_entity"
    if not _names_a_record(case, place, name, given) or not _is_name(case, wanted):
        return "wrong_argument"
    if case.entities.is_text(str(given)) or known:
        return "namesake_confusion" if isinstance(wanted, str) and alike(str(given), wanted) else "wrong_argument"
    return "hallucinated_entity"


def _names_a_record(case: Case, place: int, name: str, given: Any) -> bool:
    """A read's free text, no member of a list of values and no date: a name that is looked for."""
    turn = case.turns[place]
    spec = case.tools[turn.tool]
    schema: Any = spec.parameters.get("properties", {}).get(name, {})
    free = isinstance(given, str) and "enum" not in schema and "format" not in schema and "pattern" not in schema
    return free and not case.writes(turn) and any(letter.isalpha() for letter in str(given))


def _is_name(case: Case, wanted: Any) -> bool:
    """What was looked for is called so: in the database, or with a capital letter or several words."""
    return isinstance(wanted, str) and (case.entities.is_text(wanted) or wanted != wanted.lower() or " " in wanted)


def wrong_tool(case: Case) -> Iterator[Found]:
    """A missed gold call, and a call of another tool on the same record that the gold solution does not make."""
    usual = {turn.tool for turn in case.gold}
    free = list(case.stray)
    for gold in case.unexplained:
        wanted = case.gold[gold]
        for place in free:
            turn = case.turns[place]
            known = turn.tool in case.tools
            shared = set(scalars(turn.arguments)) & set(scalars(wanted.arguments))
            odd = turn.tool not in usual or not known or _comes_next(case, gold, place)
            if odd and (shared or not known) and _stands_for(case, gold, place):
                free.remove(place)
                detail = f"{turn.tool} in the place of {wanted.tool}"
                yield Found(Weight.DEED, Mistake(kind="wrong_tool", turn=place, value=turn.tool, detail=detail))
                break


def _stands_for(case: Case, gold: int, place: int) -> bool:
    """The call comes after what the gold solution has done before."""
    return place > _before(case, gold)


def _comes_next(case: Case, gold: int, place: int) -> bool:
    return place == _before(case, gold) + 1


def _before(case: Case, gold: int) -> int:
    """The last call that the gold solution makes before this one too."""
    return max((made for at, made in case.matched.items() if at < gold), default=-1)
