"""One fault of each kind for a task, as far as its gold solution has a place for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from envforge.core.records.mistake import MistakeKind
from envforge.rollout.agents.agent import Answer, Call, GiveUp
from envforge.rollout.agents.sampling import Sampler
from envforge.rollout.flaws.constraints import ignored_constraint
from envforge.rollout.flaws.flawed import Flaw
from envforge.rollout.flaws.parts import INVENTED, Played, another, invented

CONTEXT = "context"
"""Reason of a giving up that stands for a full context."""


def wrong_tool(played: Played) -> Flaw | None:
    """Another tool on the same record; a writing one is believed to have worked."""
    for number in played.numbers():
        for name, value, _ in played.records(number):
            kind = played.spec(number).consumes[name]
            others = [
                tool
                for tool in played.assignment.tools
                if tool.name != played.turns[number].tool
                and kind in tool.consumes.values()
                and tool.annotations.read_only == (not played.writes(number))
            ]
            if not others:
                continue
            tool = played.random.choice(others)
            sampler = Sampler(played.random.randrange(1 << 30), "wrong tool")
            required: Sequence[str] = tool.parameters.get("required", ())
            properties: Mapping[str, Any] = tool.parameters.get("properties", {})
            arguments = {part: sampler.value(properties[part], tool.parameters) for part in required}
            arguments[next(part for part, consumed in tool.consumes.items() if consumed == kind)] = value
            call = Call(tool.name, arguments)
            believe = {number: played.turns[number].observation} if played.writes(number) else {}
            return Flaw("wrong_tool", "same record", change=_only(number, call), believe=believe)
    return None


def wrong_argument(played: Played) -> Flaw | None:
    """Another value, or now and then another record that is called otherwise."""
    if played.random.random() < 0.3:
        flaw = _other_record(played, "wrong_argument", "another record", alike=False)
        if flaw:
            return flaw
    for number in played.numbers():
        for name in played.plain_arguments(number):
            if played.is_search(number, name):
                continue
            schema = played.spec(number).parameters.get("properties", {}).get(name, {})
            value = another(played.turns[number].arguments[name], schema, played.random)
            if value is not None:
                return Flaw("wrong_argument", "another value", change=_with(number, name, value))
    return None


def missing_step(played: Played) -> Flaw | None:
    """A call in the middle, or a writing one anywhere, is left out; a read is believed to have shown nothing."""
    last = len(played.turns) - 1
    answers = bool(played.assignment.task.answer_schema.get("properties"))
    for number in played.numbers():
        seen = played.turns[number].observation
        if played.writes(number) and (answers or number < last):
            return Flaw("missing_step", "a change", skip={number: seen})
        emptied = _emptied(seen)
        if number < last and emptied is not None:
            return Flaw("missing_step", "a look", skip={number: emptied})
    return None


def premature_stop(played: Played) -> Flaw | None:
    """The work ends after a part of the calls: given up, without an answer, or with an empty one."""
    if len(played.turns) < 2:
        return None
    number = played.random.randint(1, len(played.turns) - 1)
    way = played.random.choice(("gave up", "no answer", "blank answer"))
    blank = _blank(played.assignment.task.answer_schema)
    action = {"gave up": GiveUp("that is enough"), "no answer": Answer(None), "blank answer": Answer(blank)}[way]
    return Flaw("premature_stop", way, stop=(number, action))


def hallucinated_entity(played: Played) -> Flaw | None:
    """A key or a name that nobody has: in a call, in a search, or in the answer."""
    draw = played.random.random()
    if draw < 0.25:
        flaw = _invented_answer(played)
        if flaw:
            return flaw
    for number in played.numbers():
        if draw < 0.5:
            for name in played.plain_arguments(number):
                if played.is_search(number, name):
                    value = played.random.choice(INVENTED)
                    return Flaw("hallucinated_entity", "a name", change=_with(number, name, value))
        for _, value, _ in played.records(number):
            new = invented(value, played.random)
            return Flaw("hallucinated_entity", "a key", change=_instead(number, value, new))
    return None


def namesake_confusion(played: Played) -> Flaw | None:
    """A record whose name has a word in common with the right one's, from some call on."""
    return _other_record(played, "namesake_confusion", "a like name", alike=True)


def state_damage(played: Played, harm: Sequence[Call]) -> Flaw | None:
    """A change of another sort on top, of those that work in a fresh World."""
    used = {turn.tool for turn in played.turns}
    said = json.dumps([turn.arguments for turn in played.turns], ensure_ascii=False)
    fit = [
        call
        for call in harm
        if call.tool not in used and not any(json.dumps(value) in said for value in call.arguments.values())
    ]
    if not fit:
        return None
    number = played.random.randint(0, len(played.turns))
    return Flaw("state_damage", "on top", before={number: [played.random.choice(fit)]})


def misshapen(played: Played) -> Flaw | None:
    """The right answer in a shape that it may not have."""
    schema = played.assignment.task.answer_schema
    fields = list(schema.get("properties", {}))
    if not fields:
        return None
    field = played.random.choice(fields)
    ways: dict[str, Callable[[Any], Any]] = {
        "prose": lambda answer: "The answer is " + ", ".join(f"{name} {value}" for name, value in answer.items()),
        "json in a text": lambda answer: json.dumps(answer),
        "wrapped": lambda answer: {"answer": answer},
        "another name": lambda answer: {f"the_{name}" if name == field else name: answer[name] for name in answer},
        "a field too many": lambda answer: {**answer, "notes": "see above"},
        "a field too few": lambda answer: {name: value for name, value in answer.items() if name != field},
        "another type": lambda answer: {**answer, field: _in_words(answer[field])},
        "a list": lambda answer: list(answer.values()),
    }
    way = played.random.choice(sorted(ways))
    return Flaw("format", way, answer=ways[way])


def loop(played: Played) -> Flaw | None:
    """One to three calls over and over, until there are no more turns."""
    number = played.random.randint(1, len(played.turns))
    return Flaw("loop", "over and over", cycle=(number, played.random.randint(1, min(3, number))))


def context_overflow(played: Played) -> Flaw | None:
    """The context is full after a part of the calls."""
    number = played.random.randint(1, len(played.turns))
    return Flaw("context_overflow", "full", stop=(number, GiveUp(CONTEXT)))


Plan = Callable[[Played], Flaw | None]
PLANS: Mapping[MistakeKind, Plan] = {
    "wrong_tool": wrong_tool,
    "wrong_argument": wrong_argument,
    "missing_step": missing_step,
    "premature_stop": premature_stop,
    "hallucinated_entity": hallucinated_entity,
    "ignored_constraint": ignored_constraint,
    "namesake_confusion": namesake_confusion,
    "format": misshapen,
    "loop": loop,
    "context_overflow": context_overflow,
}
"""state_damage is planned with the harm that a World lets happen (see labelled.py)."""


def _only(number: int, other: Call) -> Callable[[int, Call], Call]:
    return lambda at, call: other if at == number else call


def _with(number: int, name: str, value: Any) -> Callable[[int, Call], Call]:
    return lambda at, call: Call(call.tool, {**call.arguments, name: value}) if at == number else call


def _instead(number: int, old: Any, new: Any) -> Callable[[int, Call], Call]:
    """From a call on, one record for another."""

    def change(at: int, call: Call) -> Call:
        if at < number:
            return call
        return Call(call.tool, {name: new if value == old else value for name, value in call.arguments.items()})

    return change


def _other_record(played: Played, kind: MistakeKind, way: str, *, alike: bool) -> Flaw | None:
    for number in played.numbers():
        for _, value, table in played.records(number):
            other = played.other_record(table, value, alike=alike)
            if other is not None:
                return Flaw(kind, way, change=_instead(number, value, other))
    return None


def _emptied(seen: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a list would say that holds nothing; None for what is no list."""
    result = seen.get("result")
    if not isinstance(result, dict):
        return None
    fields: dict[str, Any] = cast("dict[str, Any]", result)
    if not any(isinstance(value, list) and value != [] for value in fields.values()):
        return None
    empty: dict[str, Any] = {name: [] if isinstance(value, list) else value for name, value in fields.items()}
    if "next_cursor" in empty:
        empty["next_cursor"] = None
    return {"result": empty}


def _blank(schema: Mapping[str, Any]) -> dict[str, Any]:
    blanks: dict[str, Any] = {"integer": 0, "number": 0, "string": "", "boolean": False, "array": [], "object": {}}
    properties: Mapping[str, Any] = schema.get("properties", {})
    return {name: blanks.get(str(inner.get("type"))) for name, inner in properties.items()}


def _invented_answer(played: Played) -> Flaw | None:
    answer = played.gold.answer
    if not isinstance(answer, dict):
        return None
    for name, value in cast("dict[str, Any]", answer).items():
        new = played.random.choice(INVENTED)
        if isinstance(value, list) and value and isinstance(value[0], str):
            return Flaw(
                "hallucinated_entity", "in the answer", answer=lambda a, n=name, v=new: {**a, n: [v, *a[n][1:]]}
            )
        if isinstance(value, str) and any(letter.isalpha() for letter in value):
            return Flaw("hallucinated_entity", "in the answer", answer=lambda a, n=name, v=new: {**a, n: v})
    return None


def _in_words(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value} in all"
    if isinstance(value, list):
        return ", ".join(str(item) for item in cast("list[Any]", value)) or "none"
    return [value]
