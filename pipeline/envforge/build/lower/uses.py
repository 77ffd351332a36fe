"""Which values the steps of an operation use: to leave out names and columns that nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envforge.build.lower.messages import split_message
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
    Require,
    Return,
    Select,
    Sql,
    Step,
    Update,
    When,
)
from envforge.core.steps import all_steps


def expressions(step: Step, where: str = "") -> Iterator[str]:
    """The expressions of a step itself, without those of the steps inside of it. Raises BuildError naming `where`."""
    if isinstance(step, Fetch):
        yield from step.where.values()
        yield from _message_expressions(where, step.message, step.hint)
    elif isinstance(step, Require):
        yield step.that
        yield from _message_expressions(where, step.message, step.hint)
    elif isinstance(step, Let | Append):
        yield step.value
        yield from (step.to,) if isinstance(step, Append) else ()
    elif isinstance(step, Select):
        yield from _condition_expressions((*step.where, *step.any_of))
    elif isinstance(step, Aggregate):
        yield from _condition_expressions(step.where)
    elif isinstance(step, Insert):
        yield from step.values.values()
    elif isinstance(step, Update):
        yield from (*step.where.values(), *step.set.values(), *step.set_given.values())
    elif isinstance(step, Delete):
        yield from step.where.values()
    else:
        yield from _other_expressions(step)


def _other_expressions(step: Sql | Each | When | Adapter | Return) -> Iterator[str]:
    if isinstance(step, Sql):
        yield from step.parameters.values()
    elif isinstance(step, Each):
        yield step.over
    elif isinstance(step, When):
        yield step.that
    elif isinstance(step, Adapter):
        yield from step.arguments.values()
    else:
        yield from step.value.values()


def _condition_expressions(conditions: Sequence[Condition]) -> Iterator[str]:
    yield from (condition.value for condition in conditions if condition.value is not None)


def _message_expressions(where: str, *messages: str) -> Iterator[str]:
    for message in messages:
        yield from (text for is_expression, text in split_message(message, where=where) if is_expression)


def columns_used(name: str, steps: Sequence[Step]) -> set[str | None]:
    """What the steps read of a value: column names, and None where they use it as a whole."""
    used: set[str | None] = set()
    for step in all_steps(steps):
        for text in expressions(step):
            tree = _parsed(text)
            members = {id(n.value): n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
            names = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name)
            used |= {members.get(id(node)) for node in names}
    return used


def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        # A message may end in a format (`{price:.2f}`); what cannot be read otherwise is refused when compiled.
        try:
            return ast.parse(text.strip().partition("!")[0].rpartition(":")[0] or "None", mode="eval")
        except SyntaxError:
            return ast.parse("None", mode="eval")


def is_used_later(name: str, steps: Sequence[Step], index: int, whole: Sequence[Step]) -> bool:
    """True if something reads the name that step `index` of `steps` binds, before it is bound again."""
    for later in steps[index + 1 :]:
        if columns_used(name, [later]):
            return True
        if getattr(later, "name", None) == name:
            return False
    return steps is not whole and bool(columns_used(name, whole))
