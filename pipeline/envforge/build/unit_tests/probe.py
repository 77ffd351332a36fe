"""Finding the calls to test: arguments that succeed in different ways, and arguments for each failure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from envforge.build.unit_tests.candidates import Candidates
from envforge.build.unit_tests.reference import Reference
from envforge.build.unit_tests.told import Feature, Told
from envforge.core.contracts import Row
from envforge.core.ids import canonical_json
from envforge.core.records.blueprint import Operation, Witness
from envforge.core.records.domain import READ_VERBS
from envforge.core.seeds import stream

MOST_CALLS = 160
MOST_SUCCESSES = 9
MORE_SUCCESSES = 7
MOST_ERRORS = 26
MOST_TYPED = 280
"""Calls to try on tools that take typed properties, children or filters: there are more ways to go wrong."""
_BIG = 2_000
_BIG_CALLS = 80
_MOST_ARRANGED = 2


@dataclass(frozen=True)
class Arranged:
    """A value that a test changes in the database before its call, because no row is in that state."""

    table: str
    key: Mapping[str, Any]
    column: str
    value: Any


@dataclass(frozen=True)
class Call:
    """A call and what the reference tells about it, after calls that come first (`before`) and what is arranged."""

    operation: Operation
    arguments: Mapping[str, Any]
    told: Told
    before: tuple[tuple[Operation, Mapping[str, Any]], ...] = ()
    arranged: tuple[Arranged, ...] = ()

    @cached_property
    def length(self) -> int:
        """How much a reader has to read."""
        return len(canonical_json(dict(self.arguments)))


@dataclass
class Probed:
    """What was found for one tool."""

    operation: Operation
    successes: list[Call]
    errors: list[Call]
    faults: list[Call]
    tried: list[Call]


def probe(reference: Reference, candidates: Candidates, operation: Operation) -> Probed:
    """Try arguments until nothing new is to be expected, and keep the few calls that show everything."""
    search = _Search(reference, candidates, operation)
    search.run()
    calls = search.calls
    good = [call for call in calls if call.told.ok]
    bad = [call for call in calls if call.told.code]
    rich = candidates.takes_typed(operation) or any(len(call.told.features) > 60 for call in good)
    most = MOST_SUCCESSES + (MORE_SUCCESSES if rich else 0)
    return Probed(
        operation,
        covering(good, most),
        _errors(bad),
        [call for call in calls if call.told.fault],
        calls,
    )


class _Search:
    def __init__(self, reference: Reference, candidates: Candidates, operation: Operation) -> None:
        self._reference = reference
        self._candidates = candidates
        self._operation = operation
        self._required = [parameter for parameter in operation.parameters if parameter.required]
        self._optional = [parameter for parameter in operation.parameters if not parameter.required]
        self._random = stream(0, "unit-tests", operation.name)
        self._seen: set[str] = set()
        self._arranged: tuple[Arranged, ...] = ()
        self.calls: list[Call] = []
        usual = MOST_TYPED if candidates.takes_typed(operation) else MOST_CALLS
        self.limit = _BIG_CALLS if self._is_big() else usual

    def _is_big(self) -> bool:
        from envforge.build.unit_tests.uses import uses_of

        tables = {use.table for uses in uses_of(self._operation).values() for use in uses if use.how != "key"}
        return any(len(self._reference.tables.rows(table)) > _BIG for table in tables)

    def run(self) -> None:
        """Witnesses and rows first, then one parameter at a time, then chance."""
        for arguments in self._witnessed():
            self._try(arguments)
        if self._success() is None:
            for arguments in self._completed():
                self._try(arguments)
        for arguments in self._first():
            if self._success() and len(self.calls) > self.limit // 3:
                break
            self._try(arguments)
        base = self._success()
        if base is None:
            base = self._by_chance(self.limit) or self._by_arranging()
        for _ in range(3):
            if base is None:
                break
            for arguments in self._around(base.arguments):
                self._try(arguments)
            better = self._success()
            if better is None or better.arguments == base.arguments:
                break
            base = better
        if base is not None:
            self._by_chance(self.limit - len(self.calls), needs_new=True)

    def _success(self) -> Call | None:
        good = [call for call in self.calls if call.told.ok]
        return max(good, key=lambda call: len(call.told.features), default=None)

    def _try(self, arguments: Mapping[str, Any]) -> Call | None:
        order = [parameter.name for parameter in self._operation.parameters]
        ordered = {name: arguments[name] for name in order if name in arguments}
        key = canonical_json(ordered)
        if key in self._seen or len(self.calls) >= self.limit:
            return None
        self._seen.add(key)
        call = Call(self._operation, ordered, self._reference.run(self._operation, ordered))
        if self._arranged and not call.told.ok:
            call = self._run_arranged(self._arranged, ordered, otherwise=call)
        self.calls.append(call)
        return call

    def _run_arranged(self, arranged: tuple[Arranged, ...], arguments: Mapping[str, Any], *, otherwise: Call) -> Call:
        """The call in a state that its test arranges, if it then succeeds."""
        for one in arranged:
            self._reference.tables.update(one.table, one.key, {one.column: one.value})
        told = self._reference.run(self._operation, arguments)
        return Call(self._operation, arguments, told, arranged=arranged) if told.ok else otherwise

    def _by_arranging(self) -> Call | None:
        """What is allowed to the author of a row only: a call that succeeds once the acting user has written it."""
        refused = [call for call in self.calls if call.told.code == "not_allowed"]
        for call in sorted(refused, key=lambda call: call.length)[:_MOST_ARRANGED]:
            for arranged in self._authorships(call):
                found = self._run_arranged((arranged,), call.arguments, otherwise=call)
                if found.told.ok:
                    self._arranged = (arranged,)
                    self.calls.append(found)
                    return found
        return None

    def _authorships(self, call: Call) -> Iterator[Arranged]:
        """Every person as the author of every row that the call looks up."""
        tables = self._reference.tables
        for name, key in call.told.fetched.values():
            table = tables.tables[name]
            where = dict(zip(table.primary_key, key, strict=True))
            for column in table.columns:
                if column.references is None or column.role != "author":
                    continue
                for person in tables.rows(column.references.table):
                    yield Arranged(name, where, column.name, person[column.references.column])

    def _witnessed(self) -> Iterator[dict[str, Any]]:
        for witness in self._operation.witnesses:
            for given in witnessed(self._reference, self._operation, witness):
                yield self._filled(given)

    def _completed(self) -> Iterator[dict[str, Any]]:
        """What was to succeed and did not, with one more argument each: a change of nothing is refused."""
        for witness in self._operation.witnesses:
            for given in witnessed(self._reference, self._operation, witness) if witness.outcome == "success" else ():
                for parameter in self._optional:
                    for value in self._candidates.valid(self._operation, parameter, given)[:2]:
                        yield self._filled({**given, parameter.name: value})

    def _filled(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with the required parameters that they lack."""
        filled = dict(arguments)
        for parameter in self._required:
            if parameter.name not in filled:
                values = self._candidates.valid(self._operation, parameter, filled)
                if values:
                    filled[parameter.name] = values[0]
        return filled

    def _first(self) -> Iterator[dict[str, Any]]:
        yield self._filled({})
        for arguments in self._candidates.correlated(self._operation):
            yield self._filled(arguments)
            needed = {name for name in arguments if name in {p.name for p in self._required}}
            yield self._filled({name: arguments[name] for name in arguments if name in needed})
        for arguments in self._candidates.typed(self._operation):
            yield self._filled(arguments)
        for parameter in self._optional:
            for value in self._candidates.valid(self._operation, parameter, self._filled({}))[:4]:
                yield self._filled({parameter.name: value})
        for parameter in self._required:
            for value in self._candidates.valid(self._operation, parameter, self._filled({})):
                yield self._filled({parameter.name: value})

    def _around(self, base: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The base with one argument changed, added, left out or spoilt."""
        for parameter in self._operation.parameters:
            without = {name: value for name, value in base.items() if name != parameter.name}
            for value in self._candidates.valid(self._operation, parameter, base):
                yield {**without, parameter.name: value}
            for value in self._candidates.invalid(self._operation, parameter):
                yield {**without, parameter.name: value}
            if not parameter.required:
                yield without
        minimal = {name: value for name, value in base.items() if name in {p.name for p in self._required}}
        yield minimal
        for arguments in self._candidates.correlated(self._operation):
            yield {**minimal, **arguments}
        for parameter in self._optional:
            for value in self._candidates.valid(self._operation, parameter, minimal)[:6]:
                yield {**minimal, parameter.name: value}

    def _by_chance(self, most: int, *, needs_new: bool = False) -> Call | None:
        """Random combinations; stops at the first success, or when `needs_new` and nothing new came for a while."""
        idle, known = 0, self._features()
        for _ in range(max(most, 0)):
            arguments: dict[str, Any] = {}
            for parameter in self._operation.parameters:
                if parameter.required or self._random.random() < 0.35:
                    values = self._candidates.valid(self._operation, parameter, arguments)
                    if values:
                        arguments[parameter.name] = self._random.choice(values)
            call = self._try(arguments)
            if call is None:
                idle += 1
            elif not needs_new and call.told.ok:
                return call
            elif needs_new:
                fresh = call.told.features - known
                known |= call.told.features
                idle = 0 if fresh else idle + 1
            if needs_new and idle > 15:
                break
        return None

    def _features(self) -> set[Feature]:
        return set[Feature]().union(*(call.told.features for call in self.calls))


def witnessed(reference: Reference, operation: Operation, witness: Witness) -> Iterator[dict[str, Any]]:
    """The arguments that a witness states, for up to three rows of its query; none where its query finds no row."""
    schemas = {parameter.name: parameter.json_schema for parameter in operation.parameters}
    rows: list[Row] = [{}]
    if witness.query:
        rows = reference.live.query(f"SELECT * FROM ({witness.query}) LIMIT 3")  # noqa: S608 - a checked blueprint's
    for row in rows:
        held = {name: _argument(value, schemas[name]) for name, value in row.items() if name in schemas}
        yield {**{name: value for name, value in held.items() if value is not None}, **witness.arguments}


def _argument(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value of a witness's query: lists and objects come as JSON text, flags as numbers."""
    if isinstance(value, str) and schema.get("type") in ("array", "object"):
        return json.loads(value)
    return bool(value) if value is not None and schema.get("type") == "boolean" else value


def covering(calls: Sequence[Call], most: int) -> list[Call]:
    """A few calls that meet all features that any of them meets, as far as `most` allows; plain ones first."""
    chosen: list[Call] = []
    met: set[Feature] = set()
    left = list(calls)
    while left and len(chosen) < most:
        best = max(left, key=lambda call: (len(call.told.features - met), -call.length))
        if chosen and not best.told.features - met:
            break
        chosen.append(best)
        met |= best.told.features
        left.remove(best)
    return chosen


def _errors(calls: Sequence[Call]) -> list[Call]:
    """One call per code and per failed requirement, the shortest first."""
    by_reason: dict[tuple[Any, ...], Call] = {}
    for call in calls:
        reason = (call.told.code, *sorted(_reason(call.told), key=str))
        held = by_reason.get(reason)
        if held is None or call.length < held.length:
            by_reason[reason] = call
    ranked = sorted(by_reason.items(), key=lambda item: (_rank(item[0]), str(item[0])))
    codes: set[str] = set()
    first = [call for _, call in ranked if not (call.told.code in codes or codes.add(call.told.code))]
    rest = [call for _, call in ranked if call not in first]
    return [*first, *rest][:MOST_ERRORS]


def _reason(told: Told) -> Iterator[Feature]:
    """Which step refused: the requirement, the look-up or the argument."""
    for feature in told.features:
        if feature[0] in ("required", "refused", "bad", "cursor", "nothing") or (
            feature[0] == "fetched" and not feature[2]
        ):
            yield feature


def _rank(reason: tuple[Any, ...]) -> int:
    kinds = [part[0] for part in reason[1:]]
    return 0 if "required" in kinds else 1 if "fetched" in kinds else 2 if not kinds else 3


def is_reader(operation: Operation) -> bool:
    """True for tools that only read."""
    return operation.verb in READ_VERBS
