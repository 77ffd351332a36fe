"""What a tool has to do, told a second time: the blueprint's steps carried out one by one in plain Python.

The lowering turns steps into SQL and Python text; the reference shares none of it. It reads whole tables, filters,
joins and sorts them row by row, and so says what the unit tests expect. Along the way it notes which branches,
conditions and failures a call has met, so that a few calls can be chosen that meet all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envforge.build.adapters.tables import BagTables, bag_tables
from envforge.build.unit_tests.adapters import run_adapter
from envforge.build.unit_tests.arguments import bad_argument
from envforge.build.unit_tests.derived import Keeper
from envforge.build.unit_tests.expressions import Evaluator, shown
from envforge.build.unit_tests.kinds import is_list, is_object
from envforge.build.unit_tests.selecting import aggregated, selected
from envforge.build.unit_tests.tables import JsonText, Tables
from envforge.build.unit_tests.told import Feature, Found, Refusal, Told
from envforge.core.contracts import Row
from envforge.core.records.blueprint import (
    Adapter,
    Aggregate,
    Append,
    Blueprint,
    Delete,
    Each,
    Fetch,
    Insert,
    Let,
    Operation,
    Require,
    Return,
    Select,
    Sql,
    Step,
    Update,
    View,
    When,
)
from envforge.world.api import ToolError
from envforge.world.changes import TableChanges
from envforge.world.engine.contract import SQLError
from envforge.world.environment import Environment
from envforge.world.live import LiveWorld

_WHOLE_ROW = re.compile(r"SELECT \* FROM (\w+) WHERE")


class _Done(Exception):
    def __init__(self, value: dict[str, Any]) -> None:
        super().__init__("returned")
        self.value = value


class Reference:
    """The reference for the tools of one environment, over its initial rows."""

    def __init__(self, blueprint: Blueprint, environment: Environment) -> None:
        self.blueprint = blueprint
        self.environment = environment
        self.live = LiveWorld(environment.plan, environment.fresh_engine())
        self.tables = Tables(self.live, blueprint.tables)
        self._keeper = Keeper(self.tables, blueprint.histories, blueprint.figures, self.live.now)
        self._views = {view.name: view for view in blueprint.views}
        self.evaluator = Evaluator(
            {"now": self.live.now, "new_id": self.mint, **{name: self._view(name) for name in self._views}}
        )
        self.features: set[Feature] = set()
        self.found: list[Found] = []
        self.fetched: dict[str, tuple[str, tuple[Any, ...]]] = {}
        self._minted: dict[Any, str] = {}
        self._operation: Operation | None = None
        self.bag: BagTables | None = bag_tables(blueprint) if blueprint.bags else None
        self.definitions: dict[Any, Any] = {}
        """What `bag_values.definitions_of` has read of the initial rows."""

    def close(self) -> None:
        """Free the World."""
        self.live.close()

    def run(self, operation: Operation, arguments: Mapping[str, Any], *, keep: bool = False) -> Told:
        """What a call does. The World is back at its start afterwards, unless `keep`."""
        self.features, self.found, self._minted, self._operation = set(), [], {}, operation
        self.fetched = {}
        now = self.live.now()

        def called(_: LiveWorld) -> dict[str, Any]:
            return self._call(operation, arguments)

        try:
            result = self.live.run(called, {})
            changes = self.live.changes()
            self._note_result(result, changes)
            told = Told(
                shown(result),
                changes=changes,
                now=now,
                minted=self._minted,
                features=frozenset(self.features),
                found=tuple(self.found),
                fetched=dict(self.fetched),
            )
        except (Refusal, ToolError) as refusal:
            self.features.add(("refused", refusal.code, _place_of(refusal)))
            told = Told(
                code=refusal.code,
                message=refusal.message if isinstance(refusal, Refusal) else None,
                hint=refusal.hint,
                now=now,
                features=frozenset(self.features),
                fetched=dict(self.fetched),
            )
        except (SQLError, TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError) as error:
            told = Told(fault=f"{type(error).__name__}: {error}", now=now)
        if not keep:
            self.tables.reset()
        return told

    def _call(self, operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
        fault = bad_argument(self.environment.checks[operation.name], operation, arguments)
        if fault is not None:
            self.features.add(("bad", *fault))
            raise Refusal("invalid_argument")
        scope: dict[str, Any] = {}
        for parameter in operation.parameters:
            default = parameter.default if parameter.default is not None else parameter.json_schema.get("default")
            scope[parameter.name] = arguments.get(parameter.name, default)
            if parameter.name in arguments:
                self.features.add(("given", parameter.name))
        try:
            self._steps(operation.steps, scope, "")
        except _Done as done:
            return done.value
        raise ValueError("the steps return nothing")

    def mint(self, table: str) -> Any:
        """A fresh id, remembered as such."""
        minted = self.live.new_id(table)
        self._minted[minted] = table
        return minted

    def _view(self, name: str) -> Any:
        def show(row: Row) -> dict[str, Any]:
            view: View = self._views[name]
            whole = self.tables.typing[view.table](row)
            return {key: self.evaluator.value(text, {"row": whole}) for key, text in view.fields.items()}

        return show

    def _note_result(self, result: Mapping[str, Any], changes: Mapping[str, TableChanges]) -> None:
        self.features.add(("success",))
        self.features |= set(_result_features(result, ""))
        for table, change in changes.items():
            for row in change.inserted:
                self.features |= {("filled", table, name) for name, value in row.items() if value is not None}
            for before, after in change.updated:
                self.features |= {("changed", table, name) for name in before if before[name] != after[name]}
            if change.deleted:
                self.features.add(("deleted", table))

    # Steps

    def _steps(self, steps: Sequence[Step], scope: dict[str, Any], place: str) -> None:
        for number, step in enumerate(steps):
            self._step(step, scope, f"{place}{number}")

    def _step(self, step: Step, scope: dict[str, Any], place: str) -> None:
        value = self.evaluator.value
        if isinstance(step, Let):
            scope[step.name] = value(step.value, scope)
        elif isinstance(step, Append):
            scope[step.to].append(shown(value(step.value, scope)))
        elif isinstance(step, Return):
            raise _Done({key: value(text, scope) for key, text in step.value.items()})
        elif isinstance(step, When):
            holds = bool(value(step.that, scope))
            self.features.add(("branch", place, holds))
            self._steps(step.then if holds else step.otherwise, scope, f"{place}.{holds}.")
        elif isinstance(step, Each):
            items = list(value(step.over, scope))
            self.features.add(("loop", place, min(len(items), 2)))
            for item in items:
                scope[step.item] = item
                self._steps(step.steps, scope, f"{place}.")
        elif isinstance(step, Require):
            self._require(step, scope, place)
        elif isinstance(step, Insert | Update | Delete):
            self._write(step, scope, place)
        else:
            self._read(step, scope, place)

    def _require(self, step: Require, scope: dict[str, Any], place: str) -> None:
        if not self.evaluator.value(step.that, scope):
            self.features.add(("required", place))
            raise Refusal(step.code, self.evaluator.message(step.message, scope), step.hint)

    def _read(self, step: Fetch | Select | Aggregate | Sql | Adapter, scope: dict[str, Any], place: str) -> None:
        if isinstance(step, Fetch):
            scope[step.name] = self._fetch(step, scope, place)
        elif isinstance(step, Select):
            scope[step.name] = selected(self, step, scope, place)
        elif isinstance(step, Aggregate):
            scope[step.name] = aggregated(self, step, scope, place)
        elif isinstance(step, Sql):
            scope[step.name] = self._sql(step, scope, place)
        else:
            arguments = {name: self.evaluator.value(text, scope) for name, text in step.arguments.items()}
            result = run_adapter(self, step.adapter, arguments)
            if step.name is not None:
                scope[step.name] = result

    def _fetch(self, step: Fetch, scope: dict[str, Any], place: str) -> Row | None:
        where = {column: self.evaluator.value(text, scope) for column, text in step.where.items()}
        found = self.tables.find(step.table, where)
        self.features.add(("fetched", place, bool(found)))
        if found:
            key = self.tables.tables[step.table].primary_key
            self.fetched[step.name] = (step.table, tuple(found[0][name] for name in key))
            return dict(found[0])
        if step.optional:
            return None
        raise Refusal("not_found", self.evaluator.message(step.message, scope) if step.message else None, step.hint)

    def _sql(self, step: Sql, scope: dict[str, Any], place: str) -> Any:
        values = {name: self.evaluator.value(text, scope) for name, text in step.parameters.items()}
        found = self.live.query(step.query, {name: _bindable(value) for name, value in values.items()})
        rows = [self._typed_by_name(step.query, row) for row in found]
        self.features.add(("queried", place, min(len(rows), 2)))
        whole = _WHOLE_ROW.match(step.query)
        if step.one and not step.always and rows and whole and whole[1] in self.tables.tables:
            key = self.tables.tables[whole[1]].primary_key
            self.fetched[step.name] = (whole[1], tuple(rows[0][name] for name in key))
        return (rows[0] if rows else None) if step.one else rows

    def _typed_by_name(self, query: str, row: Row) -> Row:
        # SQLite does not say where a result column comes from; a name that means one type in all tables read does.
        read = [table for name, table in self.tables.tables.items() if name in query]
        out = dict(row)
        for name, held in row.items():
            kinds = {table.column(name).type for table in read if table.has(name)}
            if held is not None and kinds == {"boolean"}:
                out[name] = bool(held)
            elif held is not None and kinds == {"json"}:
                out[name] = JsonText(held)
        return out

    def _write(self, step: Insert | Update | Delete, scope: dict[str, Any], place: str) -> None:
        if isinstance(step, Insert):
            values = {column: self.evaluator.value(text, scope) for column, text in step.values.items()}
            scope[step.name] = self._keeper.around(step.table, lambda: self.tables.insert(step.table, values))
            return
        where = {column: self.evaluator.value(text, scope) for column, text in step.where.items()}
        if isinstance(step, Delete):
            self._keeper.around(step.table, lambda: self.tables.delete(step.table, where), gone=where)
            return
        given = {column: self._given(text, scope) for column, text in step.set_given.items()}
        given = {column: value for column, value in given.items() if value is not None}
        if step.set_given and not given and self._writes_nothing_else(step):
            self.features.add(("nothing", place))
            raise Refusal("invalid_argument")
        fixed = {column: self.evaluator.value(text, scope) for column, text in step.set.items()}
        if given or fixed:
            self._keeper.around(step.table, lambda: self.tables.update(step.table, where, {**given, **fixed}))

    def _given(self, text: str, scope: dict[str, Any]) -> Any:
        parameters = {parameter.name for parameter in self._operation.parameters} if self._operation else set[str]()
        missing = any(scope.get(name) is None for name in self.evaluator.names(text) & parameters)
        return None if missing and not text.isidentifier() else self.evaluator.value(text, scope)

    def _writes_nothing_else(self, step: Update) -> bool:
        assert self._operation is not None
        adapters = ("write_properties", "define_properties", "append_children")
        for other in flat(self._operation.steps):
            if isinstance(other, Insert | Update | Delete) and other != step:
                return False
            if isinstance(other, Adapter) and other.adapter in adapters:
                return False
        return True


def _place_of(error: BaseException) -> tuple[str, int]:
    """Which rule of the reference refused: function and line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (trace.tb_frame.f_code.co_name, trace.tb_lineno) if trace is not None else ("", 0)


def flat(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps, those inside of others too."""
    for step in steps:
        yield step
        if isinstance(step, Each):
            yield from flat(step.steps)
        elif isinstance(step, When):
            yield from flat(step.then)
            yield from flat(step.otherwise)


def requirements(steps: Sequence[Step], place: str) -> Iterator[str]:
    """The places of all Require steps, as features name them."""
    for number, step in enumerate(steps):
        if isinstance(step, Require):
            yield f"{place}{number}"
        elif isinstance(step, Each):
            yield from requirements(step.steps, f"{place}{number}.")
        elif isinstance(step, When):
            yield from requirements(step.then, f"{place}{number}.True.")
            yield from requirements(step.otherwise, f"{place}{number}.False.")


def _bindable(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _result_features(value: Any, path: str) -> Iterator[Feature]:
    if is_object(value):
        for key, inner in value.items():
            yield from _result_features(inner, f"{path}.{key}")
    elif is_list(value):
        yield ("items", path, min(len(value), 2))
        for inner in value[:20]:
            yield from _result_features(inner, f"{path}[]")
    else:
        yield ("shown", path, value if isinstance(value, bool) else value is None)
