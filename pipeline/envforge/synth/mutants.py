"""Mutants of a solution: episodes that do or say something wrong, each at one place. A good task fails them all.

They stand between the gold program and its environment, so they work for any program, and run on remembered states.
Operators: write-skipped, writes-cut, write-twice, write-extra, write-undone, write-on-another, argument-changed,
arguments-swapped, entity-changed, item-dropped, pages-cut, value-misread; those of answers are in answer_mutants.py.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any, TypeVar

from envforge.core.contracts import TaskCandidate
from envforge.core.ids import canonical_json
from envforge.core.seeds import stream
from envforge.gates.atoms import Path, atoms, is_telling, lists, place, shape, value_at, with_value
from envforge.gates.solutions import Played, Variant
from envforge.synth.answer_mutants import answer_mutants
from envforge.synth.faults import Extra, Misread, Replaced, Sent, Skipped, Swapped, Twice, Undone
from envforge.synth.semantics import Semantics, shifted, siblings

_Place = TypeVar("_Place")
_PLACES = 12
"""Places per operator that are looked at; more are found where less is asked for."""


def mutants(
    semantics: Semantics, candidate: TaskCandidate, gold: Played, *, most: int, most_calls: int, seed: int
) -> list[Variant]:
    """Up to `most` mutants, spread evenly over operators and places by `seed`; those of answers among them.

    Together they need about `most_calls` calls, one of each operator in any case. Not every one is wrong: some come to
    the same as the gold. The gates tell them apart.
    """
    sites = _Sites(semantics, candidate, gold, stream(seed, "mutants", candidate.id))
    groups = {name: list(find(sites)) for name, find in OPERATORS.items()}
    groups |= answer_mutants(candidate, gold, sites.rng)
    for group in groups.values():
        sites.rng.shuffle(group)
    chosen = _spread([[sites.priced(mutant) for mutant in group] for group in groups.values()], most, most_calls)
    return [dataclasses.replace(mutant, id=f"{n:03d}:{mutant.operator}") for n, mutant in enumerate(chosen)]


def _spread(groups: Sequence[list[Variant]], most: int, most_calls: int) -> list[Variant]:
    """One of each group, then a second one, until they are enough or cost enough."""
    chosen: list[Variant] = []
    spent = 0
    for depth in range(max((len(group) for group in groups), default=0)):
        for group in groups:
            if len(group) <= depth or len(chosen) >= most:
                continue
            cost = group[depth].cost
            if not depth or not cost or spent + cost <= most_calls:
                chosen.append(group[depth])
                spent += cost
    return chosen


class _Sites:
    """Where the gold can be changed."""

    def __init__(self, semantics: Semantics, candidate: TaskCandidate, gold: Played, rng: Random) -> None:
        self.semantics, self.candidate, self.rng = semantics, candidate, rng
        self.gold = gold
        self.steps = gold.steps
        self.writes = [number for number, step in enumerate(gold.steps) if step.writes and step.seen.ok]
        self.seen = semantics.observed(gold.steps)
        self.said = {value for _, value in atoms(candidate.intent.said) if isinstance(value, str) and len(value) > 1}

    def some(self, places: Sequence[_Place]) -> list[_Place]:
        """A few of the places, in their order."""
        if len(places) <= _PLACES:
            return list(places)
        return [places[number] for number in sorted(self.rng.sample(range(len(places)), _PLACES))]

    def priced(self, mutant: Variant) -> Variant:
        """The mutant with its cost: writes after its place run again, and perhaps the reads after these."""
        first = mutant.place.partition(" ")[0]
        after = int(first) - 1 if first.isdigit() and mutant.answer is None else 0
        cost = 0 if mutant.answer is not None else len([n for n in self.writes if n >= after])
        return dataclasses.replace(mutant, cost=cost)

    def where(self, number: int, path: Path = ()) -> str:
        """A place in words: 3 change_flight.ticket_id."""
        return f"{number + 1} {self.steps[number].tool}{'.' if path else ''}{place(path)}"


def _skipped(sites: _Sites) -> Iterator[Variant]:
    for number in sites.some(sites.writes):
        yield Variant("", "write-skipped", sites.where(number), partial(Skipped, number, sites.steps, [number]))


def _cut(sites: _Sites) -> Iterator[Variant]:
    if len(sites.writes) > 1:
        last = sites.writes[(len(sites.writes) + 1) // 2 :]
        yield Variant("", "writes-cut", sites.where(last[0]), partial(Skipped, last[0], sites.steps, last))


def _twice(sites: _Sites) -> Iterator[Variant]:
    for number in sites.some(sites.writes):
        yield Variant("", "write-twice", sites.where(number), partial(Twice, number))


def _extra(sites: _Sites) -> Iterator[Variant]:
    """A write that nobody asked for, on an entity that came up."""
    if not sites.steps:
        return
    last = len(sites.steps) - 1
    used = {step.tool for step in sites.steps if step.writes}
    calls = [made for made in unrelated_writes(sites.semantics, sites.seen, sites.rng) if made[0] not in used]
    for start in range(0, len(calls), 3):
        turned = [*calls[start:], *calls[:start]]
        yield Variant("", "write-extra", sites.where(last), partial(Extra, last, turned))


def unrelated_writes(
    semantics: Semantics, seen: Mapping[str, Sequence[Any]], rng: Random
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls of writing tools whose required arguments are ids that came up, texts, or choices; some will be refused."""
    tools = [tool for tool in semantics.tools.values() if not tool.annotations.read_only]
    rng.shuffle(tools)
    for tool in tools:
        arguments: dict[str, Any] = {}
        for name in tool.parameters.get("required", ()):
            arguments[name] = _plausible(semantics, tool.name, name, seen)
        optional = [n for n in tool.parameters.get("properties", {}) if n not in arguments and n not in tool.consumes]
        spare = {n: v for n in optional if (v := _plausible(semantics, tool.name, n, seen)) is not None}
        if None not in arguments.values():
            yield tool.name, arguments | dict(list(spare.items())[:1])


def _plausible(semantics: Semantics, tool: str, name: str, seen: Mapping[str, Sequence[Any]]) -> Any:
    typed = semantics.type_of(tool, (name,))
    if typed:
        values = seen.get(typed, ())
        return values[len(values) // 2] if values else semantics.any_of(typed)
    schema = semantics.schema(tool, (name,))
    if schema.get("enum"):
        return schema["enum"][-1]
    kind = str(schema.get("type")) if not isinstance(schema.get("type"), list) else str(schema["type"][0])
    simple: dict[str, Any] = {"string": "Something nobody asked for", "integer": 1, "number": 1, "boolean": True}
    return simple.get(kind) if not schema.get("format") else None


def _undone(sites: _Sites) -> Iterator[Variant]:
    """What was made or changed is changed again by a tool that the gold has no use for."""
    used = {sites.steps[number].tool for number in sites.writes}
    for number in sites.some(sites.writes):
        step = sites.steps[number]
        values = [v for _, v in [*atoms(step.seen.result or {}), *atoms(dict(step.arguments))] if is_telling(v)]
        calls: list[tuple[str, dict[str, Any]]] = []
        for tool in sites.semantics.tools.values():
            required = list(tool.parameters.get("required", ()))
            if not tool.annotations.read_only and tool.name not in used and len(required) == 1:
                calls += [(tool.name, {required[0]: value}) for value in dict.fromkeys(values)]
        if calls:
            sites.rng.shuffle(calls)
            yield Variant("", "write-undone", sites.where(number), partial(Undone, calls))


def _on_another(sites: _Sites) -> Iterator[Variant]:
    """The same change on an entity that came up too, but was left as it is."""
    used = {canonical_json(value) for n in sites.writes for _, value in atoms(dict(sites.steps[n].arguments))}
    for number in sites.some(sites.writes):
        step = sites.steps[number]
        for path, value in atoms(dict(step.arguments)):
            kind = sites.semantics.type_of(step.tool, path)
            others = sites.semantics.neighbours(kind, value, sites.seen) if kind else []
            others = [other for other in others if canonical_json(other) not in used]
            if others:
                sites.rng.shuffle(others)
                calls = [(step.tool, with_value(dict(step.arguments), path, other)) for other in others]
                yield Variant("", "write-on-another", sites.where(number, path), partial(Extra, number, calls))


def _argument(sites: _Sites) -> Iterator[Variant]:
    places = [
        (number, path, value)
        for number, step in enumerate(sites.steps)
        for path, value in atoms(dict(step.arguments))
        if not sites.semantics.paging(step.tool, str(path[0]))
    ]
    writing = [found for found in places if sites.steps[found[0]].writes]
    reading = [found for found in places if not sites.steps[found[0]].writes]
    for number, path, value in [*sites.some(writing), *sites.some(reading)]:
        others = sites.semantics.others(sites.steps[number].tool, path, value, sites.seen)
        others = others or [other for other in [_other_text(sites, value)] if other is not None]
        others = [other for other in others if other != value]
        if others:
            change = partial(Sent, number, path, others)
            yield Variant("", "argument-changed", f"{sites.where(number, path)} -> {others[0]!r}"[:160], change)


def _other_text(sites: _Sites, value: Any) -> Any:
    """Text is changed only where it is held to what was said."""
    if not isinstance(value, str):
        return None
    inside = [said for said in sites.said if said.casefold() in value.casefold()]
    if not inside:
        return None
    if value in sites.said and len(sites.said) > 1:
        return next(said for said in sorted(sites.said) if said != value)
    words = value.split()
    return " ".join(words[:-1]) if len(words) > 1 else f"{value} 2"


def _swapped(sites: _Sites) -> Iterator[Variant]:
    """The values of two writes change places: the right value in the wrong row."""
    for first, second in pairwise(sites.writes):
        one, two = sites.steps[first], sites.steps[second]
        plain = [name for name in one.arguments if not sites.semantics.type_of(one.tool, (name,))]
        names = [name for name in plain if name in two.arguments and one.arguments[name] != two.arguments[name]]
        if one.tool == two.tool and names:
            yield Variant("", "arguments-swapped", sites.where(first), partial(Swapped, first, second, one, two, names))


def _entity(sites: _Sites) -> Iterator[Variant]:
    used: dict[tuple[str, Any], int] = {}
    for number, step in enumerate(sites.steps):
        for path, value in atoms(dict(step.arguments)):
            kind = sites.semantics.kind_of(step.tool, path, value, sites.seen)
            if kind:
                used.setdefault((kind, value), number)
    for kind, value in sites.some(list(used)):
        others = sites.semantics.neighbours(kind, value, sites.seen)
        if others:
            yield Variant("", "entity-changed", f"{kind} {value!r} -> {others[0]!r}", partial(Replaced, value, others))


def _dropped(sites: _Sites) -> Iterator[Variant]:
    places = [
        (number, path, len(items))
        for number, step in enumerate(sites.steps)
        for path, items in lists(step.seen.result or {})
        if items and not step.writes
    ]
    for number, path, length in sites.some(places):
        index = sites.rng.randrange(length)
        where = f"{sites.where(number, path)}[{index}]"
        yield Variant("", "item-dropped", where, partial(Misread, number, partial(_without, path=path, index=index)))


def _without(result: Any, path: Path, index: int) -> Any:
    items = value_at(result, path)
    return with_value(result, path, [*items[:index], *items[index + 1 :]])


def _pages(sites: _Sites) -> Iterator[Variant]:
    places = [n for n, step in enumerate(sites.steps) if (step.seen.result or {}).get("has_more") is True]
    for number in sites.some(places):
        yield Variant("", "pages-cut", sites.where(number), partial(Misread, number, _last_page))


def _last_page(result: dict[str, Any]) -> dict[str, Any]:
    ended = {name: None for name, value in result.items() if "cursor" in name and isinstance(value, str)}
    return {**result, **ended, "has_more": False}


def _misread(sites: _Sites) -> Iterator[Variant]:
    """A value that mattered later, or one that may have decided something, is taken from the item beside it."""
    later = [value for step in sites.steps for _, value in atoms(dict(step.arguments))]
    later += [value for _, value in atoms(sites.gold.answer)]
    telling = {canonical_json(value) for value in later if is_telling(value)}
    used: list[tuple[int, Path, Any]] = []
    others: list[tuple[int, Path, Any]] = []
    for number, step in enumerate(sites.steps):
        for path, value in atoms(step.seen.result or {}) if not step.writes else ():
            (used if canonical_json(value) in telling else others).append((number, path, value))
    for number, path, value in [*sites.some(used), *sites.some(others)]:
        result = sites.steps[number].seen.result
        other = next((v for v in siblings(result, path) if v != value), None)
        other = shifted(value) if other is None else other
        if other is not None:
            change = partial(Misread, number, partial(with_value, path=path, new=other))
            yield Variant("", "value-misread", f"{sites.where(number)}: {shape(path)}", change)


OPERATORS: Mapping[str, Callable[[_Sites], Iterator[Variant]]] = {
    "write-skipped": _skipped,
    "writes-cut": _cut,
    "write-twice": _twice,
    "write-extra": _extra,
    "write-undone": _undone,
    "write-on-another": _on_another,
    "argument-changed": _argument,
    "arguments-swapped": _swapped,
    "entity-changed": _entity,
    "item-dropped": _dropped,
    "pages-cut": _pages,
    "value-misread": _misread,
}
