"""Checks of an archetype on its own: references exist, expressions are in the language, queries prepare.

The roles are bound to themselves: a table per role with a column per field stands in for the mined schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from envforge.core.errors import ConfigError
from envforge.core.expressions import CHECK_FUNCTIONS, TIME_FUNCTIONS, WORLD_FUNCTIONS, parse
from envforge.core.programs import parse_body
from envforge.core.records.archetype import Archetype
from envforge.core.records.blueprint import (
    Adapter,
    Aggregate,
    Append,
    Condition,
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
from envforge.core.records.domain import Column, Table
from envforge.core.records.intent import IntentFamily
from envforge.core.steps import all_steps
from envforge.mine.archetypes.documents import check_plans
from envforge.mine.archetypes.goals import WORD_SLOT
from envforge.mine.archetypes.refs import Binding, identity
from envforge.mine.archetypes.resolve import resolve_part
from envforge.mine.archetypes.sqlcheck import SqlChecker
from envforge.mine.scenario.compiler import compile_process
from envforge.mine.scenario.functions import FUNCTION_NAMES
from envforge.mine.scenario.text import SLOT

_EMBEDDED = re.compile(r"\{([^{}]+)\}")


def check_archetype(archetype: Archetype) -> None:
    """Raises ConfigError naming the part that is wrong."""
    binding = identity(archetype)
    tables = [*_stand_ins(archetype, binding), *(resolve_part(table, binding) for table in archetype.tables)]
    _check_references(archetype, binding)
    for process in archetype.scenario:
        resolved = resolve_part(process, binding)
        compile_process(resolved, functions=FUNCTION_NAMES, where=archetype.id)
    views = [resolve_part(view, binding) for view in archetype.views]
    operations = [resolve_part(operation, binding) for operation in archetype.operations]
    _check_expressions(archetype, views, operations)
    for family in archetype.intents:
        _check_words(resolve_part(family, binding), archetype.id)
    checker = SqlChecker(tables, archetype.id)
    checker.check(
        operations=operations,
        plants=[resolve_part(plant, binding) for plant in archetype.plants],
        intents=[resolve_part(family, binding) for family in archetype.intents],
        densities=[resolve_part(density, binding) for density in archetype.densities],
    )
    check_plans([resolve_part(plan, binding) for plan in archetype.documents], checker, archetype.id)
    checker.close()


def _check_words(family: IntentFamily, archetype: str) -> None:
    """The gold programs, the policy and the banks of words of a goal know only what is given."""
    where = f"{archetype}, intent family {family.id}"
    said = {*family.mentions, *family.references, *family.constants}
    for number, body in enumerate((family.gold, *family.alternatives)):
        parse_body(body, said, where=f"{where}, {'gold' if not number else f'alternative {number}'}")
    if family.policy:
        parse(family.policy, functions=TIME_FUNCTIONS, where=f"{where}, policy")
    if "text" not in family.wording:
        raise ConfigError("has no bank 'text'", where=f"{where}, wording")
    banks = {name.partition("/")[0] for name in family.wording}
    for name, templates in family.wording.items():
        for slot in (slot for template in templates for slot in WORD_SLOT.findall(template)):
            if slot not in banks | said:
                raise ConfigError(f"{{{slot}}} is no bank, mention or reference", where=f"{where}, wording {name}")


def _stand_ins(archetype: Archetype, binding: Binding) -> list[Table]:
    """A table per role: its key, its fields, and the columns of a table it would add."""
    tables: list[Table] = []
    for role, spec in archetype.roles.items():
        names = dict.fromkeys(["id", *spec.fields])
        columns = tuple(Column(name=name, type="text") for name in names)
        tables.append(Table(name=role, entity=role, label=role, columns=columns, primary_key=("id",)))
        if spec.add is not None:
            resolve_part(spec.add, binding)
    return tables


def _check_references(archetype: Archetype, binding: Binding) -> None:
    """Names that other parts of the file must know."""
    processes = {process.name for process in archetype.scenario}
    for density in archetype.densities:
        if density.process not in processes:
            raise ConfigError(f"no process {density.process!r}", where=f"{archetype.id}, density {density.name}")
    kinds = [process.fixed for process in archetype.scenario]
    if kinds != sorted(kinds, reverse=True):
        raise ConfigError("a fixed process stands after one that is not", where=f"{archetype.id}, scenario")
    for process in archetype.scenario:
        for need in process.needs:
            binding.is_bound(*need.lstrip("@").split(".", 1))
    known = {*archetype.roles, *(table.name for table in archetype.tables)}
    for written in [*archetype.reference_rows, *archetype.chronological]:
        if written.lstrip("@") not in known:
            raise ConfigError(f"no table {written!r}", where=archetype.id, remedy="name a table of the archetype")
    for bank, templates in archetype.text.items():
        if not templates:
            raise ConfigError("the text bank is empty", where=f"{archetype.id}, text {bank}")
        if any(bank in SLOT.findall(template) for template in templates):
            raise ConfigError("the text bank names itself", where=f"{archetype.id}, text {bank}")


def _check_expressions(archetype: Archetype, views: Sequence[View], operations: Sequence[Operation]) -> None:
    functions = TIME_FUNCTIONS | CHECK_FUNCTIONS | WORLD_FUNCTIONS | {view.name for view in views}
    for view in views:
        for key, text in view.fields.items():
            parse(text, functions=functions, where=f"{archetype.id}, view {view.name}.{key}")
    for operation in operations:
        for number, step in enumerate(all_steps(operation.steps), start=1):
            for text in step_expressions(step):
                where = f"{archetype.id}, operation {operation.name}, step {number} ({step.do})"
                parse(text, functions=functions, where=where)


def step_expressions(step: Step) -> Iterable[str]:
    """The expressions of one step, without those of steps inside it."""
    match step:
        case Fetch() | Delete():
            yield from step.where.values()
        case Require():
            yield step.that
            for text in (step.message, step.hint):
                yield from _EMBEDDED.findall(text)
        case Let() | Append():
            yield step.value
        case Select():
            yield from _condition_values([*step.where, *step.any_of])
        case Aggregate():
            yield from _condition_values(step.where)
        case Insert():
            yield from step.values.values()
        case Update():
            for mapping in (step.where, step.set, step.set_given):
                yield from mapping.values()
        case Sql():
            yield from step.parameters.values()
        case Each():
            yield step.over
        case When():
            yield step.that
        case Adapter():
            yield from step.arguments.values()
        case Return():
            yield from step.value.values()


def _condition_values(conditions: Sequence[Condition]) -> Iterable[str]:
    for condition in conditions:
        if condition.value is not None:
            yield condition.value
