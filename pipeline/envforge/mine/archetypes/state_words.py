"""States in messages as people say them: "on loan" for on_loan, "a draft" for draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from envforge.core.records.archetype import Lifecycle
from envforge.core.records.blueprint import Each, Fetch, Operation, Require, Step, When
from envforge.core.records.domain import Table
from envforge.core.steps import all_steps

Known: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""(table, column) -> value -> words for it."""
_SHOWN = re.compile(r"\{(?:(?P<row>\w+)\.)?(?P<name>\w+)\}")


def in_words(
    operations: Sequence[Operation], lives: Sequence[Lifecycle], tables: Sequence[Table]
) -> tuple[Operation, ...]:
    """The operations, with states and other values of a list in plain words where a message shows them.

    Only what stands in braces by itself is put in words, `{copy.state}` or `{state}`; not an expression.
    """
    known = {(life.table, life.column): life.states for life in lives}
    known |= {
        (table.name, column.name): {value: value.replace("_", " ") for value in column.enum}
        for table in tables
        for column in table.columns
        if column.enum and not column.nullable and (table.name, column.name) not in known
    }
    return tuple(_told(operation, known) for operation in operations)


def spoken(value: str, words: Mapping[str, str]) -> str:
    """An expression for a value in words: labels of their own first, all others without underscores."""
    own = {one: said for one, said in words.items() if said != one.replace("_", " ")}
    joined = any("_" in one for one in words if one not in own)
    rest = f"{value}.replace('_', ' ')" if joined else value
    return "".join(f"{said!r} if {value} == {one!r} else " for one, said in own.items()) + rest


def _told(operation: Operation, known: Known) -> Operation:
    rows = {step.name: step.table for step in all_steps(operation.steps) if isinstance(step, Fetch)}
    given = {one.name: _choices(one.json_schema.get("enum")) for one in operation.parameters if one.required}

    def said(match: re.Match[str]) -> str:
        row, name = match.group("row", "name")
        words = known.get((rows.get(row, ""), name), {}) if row else _named(given.get(name, ()), known)
        return f"{{{spoken(match.group()[1:-1], words)}}}" if words else match.group()

    return operation.model_copy(update={"steps": _changed(operation.steps, lambda text: _SHOWN.sub(said, text))})


def _named(choices: Sequence[str], known: Known) -> Mapping[str, str]:
    """Words for what an argument may be: those of the states that have these names, if there are some."""
    if not any("_" in value for value in choices):
        return {}
    nothing: Mapping[str, str] = {}
    states = next((words for words in known.values() if set(choices) <= set(words)), nothing)
    return {value: states.get(value, value.replace("_", " ")) for value in choices}


def _choices(stated: Any) -> tuple[str, ...]:
    return tuple(one for one in cast("Sequence[Any]", stated or ()) if isinstance(one, str))


def _changed(steps: Sequence[Step], put: Callable[[str], str]) -> tuple[Step, ...]:
    """The steps with every message of a require put in words."""
    return tuple(_one(step, put) for step in steps)


def _one(step: Step, put: Callable[[str], str]) -> Step:
    if isinstance(step, Require):
        return step.model_copy(update={"message": put(step.message)})
    if isinstance(step, When):
        return step.model_copy(update={"then": _changed(step.then, put), "otherwise": _changed(step.otherwise, put)})
    return step.model_copy(update={"steps": _changed(step.steps, put)}) if isinstance(step, Each) else step
