"""Steps as statements: each kind of step has one writer; scopes follow the branches."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from envforge.build.lower.body import Body
from envforge.build.lower.derived import refuse_adapter
from envforge.build.lower.expressions import Scope
from envforge.build.lower.fetches import write_fetch
from envforge.build.lower.layout import Doc, bracketed, quoted
from envforge.build.lower.messages import message_words
from envforge.build.lower.narrowing import narrowed, negated
from envforge.build.lower.printer import expression_doc
from envforge.build.lower.queries import prepare_filter, write_aggregate, write_select, write_sql
from envforge.build.lower.shapes import ANYTHING, ListOf, PageOf, RowOf, Shape, merged
from envforge.build.lower.uses import columns_used, is_used_later
from envforge.build.lower.writes import write_delete, write_insert, write_update
from envforge.core.errors import BuildError
from envforge.core.records.blueprint import (
    Adapter,
    Aggregate,
    Append,
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

_LONG = 4
_Test = tuple[bool, str]


def write_steps(body: Body, steps: Sequence[Step]) -> bool:
    """Write the steps in order; True if the last one always returns. Raises BuildError for dead steps."""
    done = False
    first = len(body.lines)
    for index, step in enumerate(steps):
        if done:
            raise BuildError(f"the step {step.do!r} can never run", where=body.where)
        if isinstance(step, Fetch):
            used = is_used_later(step.name, steps, index, body.operation.steps)
            body.scope[body.bind(step.name)] = write_fetch(body, step, used=used)
            continue
        if isinstance(step, Return) and len(body.lines) - first > _LONG:
            body.gap()
        done = _write(body, step)
    return done


def _write(body: Body, step: Step) -> bool:
    if isinstance(step, Return):
        return _return(body, step)
    if isinstance(step, When):
        return _when(body, step)
    if isinstance(step, Select | Aggregate | Sql | Insert):
        name = body.bind(step.name)
        body.scope[name] = _query(body, step)
    elif isinstance(step, Let):
        value = body.compile(step.value)
        body.assign(body.bind(step.name), value.node)
        body.scope[step.name] = value.shape
    elif isinstance(step, Require):
        _require(body, step)
    elif isinstance(step, Update):
        write_update(body, step, alone=_only_write(body, step))
    elif isinstance(step, Delete):
        write_delete(body, step)
    elif isinstance(step, Each):
        _each(body, step)
    elif isinstance(step, Append):
        _append(body, step)
    elif isinstance(step, Adapter):
        _adapter(body, step)
    else:
        raise BuildError(f"no way to write the step {step.do!r}", where=body.where)
    return False


def _query(body: Body, step: Select | Aggregate | Sql | Insert) -> Shape:
    if isinstance(step, Select):
        return write_select(body, step)
    if isinstance(step, Aggregate):
        return write_aggregate(body, step)
    if isinstance(step, Sql):
        return write_sql(body, step)
    return write_insert(body, step, whole=_needs_whole_row(body, step))


def _needs_whole_row(body: Body, step: Insert) -> bool:
    """True if a later step uses the new row as such, or a column of it that the step does not set."""
    return any(column not in step.values for column in columns_used(step.name, body.operation.steps))


def _only_write(body: Body, step: Update) -> bool:
    writing = [other for other in all_steps(body.operation.steps) if isinstance(other, Insert | Update | Delete)]
    adapters = [other for other in all_steps(body.operation.steps) if isinstance(other, Adapter)]
    acting = [other for other in adapters if body.module.adapters[other.adapter].writes(body.module.blueprint)]
    return not acting and all(other == step for other in writing)


def _require(body: Body, step: Require) -> None:
    condition = body.compile(step.that)
    with body.block("if", negated(condition.node)):
        body.raise_error(step.code, step.message, step.hint, when=message_words(step.message, where=body.where))
    body.scope = narrowed(body.scope, condition.node)


def _return(body: Body, step: Return) -> bool:
    properties = body.operation.returns.get("properties")
    if isinstance(properties, dict) and not body.operation.returns.get("additionalProperties"):
        missing = sorted(set(body.operation.returns.get("required", ())) - step.value.keys())
        extra = sorted(step.value.keys() - properties.keys())
        if missing or extra:
            what = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(extra)}, which is not described"
            raise BuildError(f"the result {what}", where=body.where, remedy="make returns and the return step agree")
    pairs: list[Doc] = []
    for key, text in step.value.items():
        node = body.compile(text, shown=True).node
        pairs.append(_pair(key, body.value(node)))
    body.write(("return ", bracketed("{", pairs, "}")))
    return True


def _pair(key: str, value: Doc) -> Doc:
    return (quoted(key), ": ", value)


def _each(body: Body, step: Each) -> None:
    over = body.compile(step.over)
    if isinstance(over.shape, PageOf):
        raise BuildError(f"{step.over} is a page", where=body.where, remedy=f"go over {step.over}.items")
    if not step.steps:
        raise BuildError(f"nothing is done for each {step.item}", where=body.where)
    before = dict(body.scope)
    element = over.shape.element if isinstance(over.shape, ListOf) else ANYTHING
    item = body.bind(step.item)
    body.scope[item] = element
    with body.block(f"for {item} in", over.node):
        write_steps(body, step.steps)
    body.scope = _after([before, body.scope], before)


def _when(body: Body, step: When) -> bool:
    branches = _branches(step, body.where)
    firsts = [steps[0] for _, steps in branches if steps]
    prepare_filter(body, firsts if len(firsts) == len(branches) else firsts[:1])
    rest = dict(body.scope)
    before = rest
    ends: list[Scope] = []
    done = False
    for number, (test, steps) in enumerate(branches):
        body.scope = dict(rest)
        if test is not None:
            condition = _condition(body, test)
            rest = narrowed(rest, negated(condition))
            body.scope = narrowed(body.scope, condition)
            with body.block("elif" if number else "if", condition):
                done = write_steps(body, steps)
        elif done and len(branches) == 2:
            # The first branch has returned, so the second needs no else.
            done = write_steps(body, steps)
        else:
            with body.block("else"):
                done = write_steps(body, steps)
        ends += [] if done else [body.scope]
    body.prepared.clear()
    if branches[-1][0] is not None:
        ends.append(rest)
    body.scope = _after(ends, before)
    return not ends


def _condition(body: Body, test: _Test) -> ast.expr:
    opposite, text = test
    node = body.compile(text).node
    return negated(node) if opposite else node


def _branches(step: When, where: str) -> list[tuple[_Test | None, Sequence[Step]]]:
    """(negated?, condition) and steps of each branch, a chain of whens taken as one; no condition for the last."""
    if not step.then and not step.otherwise:
        raise BuildError(f"nothing is done when {step.that}", where=where)
    if not step.then:
        return [((True, step.that), step.otherwise)]
    out: list[tuple[_Test | None, Sequence[Step]]] = [((False, step.that), step.then)]
    rest = step.otherwise
    while len(rest) == 1 and isinstance(rest[0], When) and rest[0].then:
        out.append(((False, rest[0].that), rest[0].then))
        rest = rest[0].otherwise
    return [*out, (None, rest)] if rest else out


def _after(scopes: Sequence[Scope], before: Scope) -> Scope:
    """Names that have a value whichever way was taken."""
    if not scopes:
        return before
    out: Scope = {}
    for name, shape in scopes[0].items():
        if all(name in other for other in scopes[1:]):
            for other in scopes[1:]:
                shape = merged(shape, other[name])
            out[name] = shape
    return out


def _append(body: Body, step: Append) -> None:
    target = body.scope.get(step.to)
    if target is None or isinstance(target, PageOf | RowOf):
        raise BuildError(f"{step.to!r} is not a list", where=body.where, remedy="bind it with a let step: []")
    value = body.compile(step.value, shown=True)
    body.write((f"{step.to}.append", bracketed("(", [expression_doc(value.node)], ")")))


def _adapter(body: Body, step: Adapter) -> None:
    spec = body.module.adapters.get(step.adapter)
    if spec is None:
        known = ", ".join(sorted(body.module.adapters))
        raise BuildError(f"there is no adapter {step.adapter!r}", where=body.where, remedy=f"adapters: {known}")
    refuse_adapter(body, step.adapter, spec.writes(body.module.blueprint))
    body.module.adapters_used.add(step.adapter)
    body.reads |= set(spec.reads(body.module.blueprint))
    body.writes |= set(spec.writes(body.module.blueprint))
    for code, when in (*spec.errors, *spec.more_errors(body.module.blueprint)):
        body.note_error(code, when)
    arguments: list[Doc] = ["world"]
    for name, text in step.arguments.items():
        arguments.append((f"{body.bind(name)}=", expression_doc(body.compile(text).node)))
    call: Doc = (spec.call, bracketed("(", arguments, ")"))
    if step.name is None:
        body.write(call)
        return
    body.write((f"{body.bind(step.name)} = ", call))
    body.scope[step.name] = ANYTHING
