"""More taken than the goal admits: a filter left away, one record too many, a list that is too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from envforge.rollout.agents.agent import Call
from envforge.rollout.flaws.flawed import Flaw
from envforge.rollout.flaws.parts import Played, values_of


def ignored_constraint(played: Played) -> Flaw | None:
    """A filter is left away, the same is done to one more record, or the answer lists more than was asked."""
    ways = [_without_filter, _one_more, _longer_list]
    played.random.shuffle(ways)
    for way in ways:
        flaw = way(played)
        if flaw:
            return flaw
    return None


def _without_filter(played: Played) -> Flaw | None:
    for number in played.numbers():
        if played.writes(number):
            continue
        required: Sequence[str] = played.spec(number).parameters.get("required", ())
        for name in played.plain_arguments(number):
            if name not in required and not played.is_search(number, name):
                return Flaw("ignored_constraint", "no filter", change=_dropped(number, played.turns[number].tool, name))
    return None


def _dropped(number: int, tool: str, name: str) -> Callable[[int, Call], Call]:
    def change(at: int, call: Call) -> Call:
        if at < number or call.tool != tool:
            return call
        return Call(tool, {part: value for part, value in call.arguments.items() if part != name})

    return change


def _one_more(played: Played) -> Flaw | None:
    for number in reversed(range(len(played.turns))):
        if not played.writes(number):
            continue
        for name, _, _ in played.records(number):
            turn = played.turns[number]
            column = played.spec(number).consumes[name].partition(".")[2]
            used = {str(one.arguments.get(name)) for one in played.turns if one.tool == turn.tool}
            shown = [value for field in (column, name) for value in values_of(played.turns, field)]
            others = [value for value in shown if str(value) not in used and type(value) is type(turn.arguments[name])]
            if others:
                call = Call(turn.tool, {**turn.arguments, name: played.random.choice(others)})
                return Flaw("ignored_constraint", "one more", before={len(played.turns): [call]})
    return None


def _longer_list(played: Played) -> Flaw | None:
    answer = played.gold.answer
    if not isinstance(answer, dict):
        return None
    for name, value in cast("dict[str, Any]", answer).items():
        if not (isinstance(value, list) and value and isinstance(value[0], str)):
            continue
        items = cast("list[Any]", value)
        for field in ("name", "title", "full_name", "text", "code"):
            shown = list(values_of(played.turns, field))
            others = [one for one in shown if one not in items and isinstance(one, str)]
            if set(map(str, items)) <= set(map(str, shown)) and others:
                more = played.random.sample(others, min(2, len(others)))
                return Flaw(
                    "ignored_constraint", "a longer list", answer=lambda a, n=name, m=more: {**a, n: [*a[n], *m]}
                )
    return None
