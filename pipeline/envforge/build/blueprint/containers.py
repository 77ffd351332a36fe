"""Parents: a tool may name a container by one id, or by an object with exactly one key when there are several kinds."""

from __future__ import annotations

from dataclasses import dataclass, field

from envforge.build.blueprint import columns as facts
from envforge.build.blueprint import parts
from envforge.build.blueprint.drawing import CannotDraw, Drawing
from envforge.build.blueprint.views import parent_key, parent_roots, parent_schema, parent_variants
from envforge.core.records.blueprint import Condition, Fetch, Let, Parameter, Require, Step, When
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Table


def _no_steps() -> list[Step]:
    return []


@dataclass
class Container:
    """How a tool takes a container: the parameter, the look-ups, and what they mean for rows inside it."""

    parameter: Parameter
    steps: list[Step]
    values: dict[str, str]
    """Column of the contained table → expression, for inserts and moves."""
    conditions: list[Condition]
    """WHERE conditions that select the rows inside, for lists."""
    alive: list[Step] = field(default_factory=_no_steps)
    """Requires that the container is not in the trash."""
    rows: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    """Parent column → name of the fetched row (None when it is another kind of parent)."""


def container_of(drawing: Drawing, table: Table, given: BoundParameter, operation: BoundOperation) -> Container:
    """The container that parameter `given` names. Raises CannotDraw when no column holds it."""
    candidates = _parent_references(table, given, operation)
    if not candidates:
        raise CannotDraw("no_parent_column", f"no column of {table.name} holds what {given.name} names")
    if len(candidates) == 1:
        return _single(drawing, table, given, candidates[0])
    if given.json_type.get("type") == "object" or given.json_type.get("properties"):
        return _by_key(drawing, table, given, candidates)
    return _by_any_id(drawing, table, given, candidates)


def _parent_references(table: Table, given: BoundParameter, operation: BoundOperation) -> list[Column]:
    """The columns a container parameter can stand for, the stated one alone when it is stated."""
    if given.column and table.has(given.column) and table.column(given.column).references:
        return [table.column(given.column)]
    columns = [column for column, _ in facts.parent_columns(table)]
    if given.semantic and given.semantic.split(".")[0] != table.entity:
        named = [column for column in columns if parent_key(column).removesuffix("_id") == given.semantic.split(".")[0]]
        if named and "properties" not in given.json_type:
            return named
    if not columns and operation.parent_entity:
        columns = [
            column for column, _ in facts.references_of(table) if column.name.startswith(operation.parent_entity)
        ]
    return columns


def _single(drawing: Drawing, table: Table, given: BoundParameter, column: Column) -> Container:
    assert column.references is not None
    target = drawing.table(column.references.table)
    parameter = Parameter(
        name=given.name,
        json_schema=facts.column_schema(column),
        description=f"The {facts.words(column.references.column)} of the {target.label}.",
        semantic=facts.semantic_of(drawing.tables, table, column),
    )
    row = _row_name(target, table)
    values = {column.name: f"{row}.{column.references.column}"}
    kind = facts.parent_type(table)
    if kind:
        values[kind.name] = f'"{_variant(table, column)}"'
    return Container(
        parameter=parameter,
        steps=[parts.fetch(drawing, target, {column.references.column: given.name}, name=row)],
        values=values,
        conditions=[Condition(column=column.name, value=f"{row}.{column.references.column}")],
        alive=parts.alive(drawing, target, row),
        rows={column.name: row},
    )


def _row_name(target: Table, table: Table) -> str:
    return f"parent_{target.entity}" if target.name == table.name else target.entity


def _variant(table: Table, column: Column) -> str:
    return next((value for value, found in parent_variants(table) if found.name == column.name), parent_key(column))


def _by_any_id(drawing: Drawing, table: Table, given: BoundParameter, columns: list[Column]) -> Container:
    """One id that may belong to any of several tables: `block_id` takes a block's or a page's id."""
    targets = [(column, drawing.table(column.references.table)) for column in columns if column.references]
    held = [pair for pair in targets if _holds_any(drawing, table, pair[0])] or targets
    names = [f"parent_{target.entity}" for _, target in held]
    steps: list[Step] = []
    for (_, target), name in zip(held, names, strict=True):
        steps.append(parts.fetch(drawing, target, {parts.key_of(target).name: given.name}, name=name, optional=True))
    labels = " or ".join(target.label for _, target in held)
    hints = [hint for _, target in held if (hint := drawing.find_hint(target))]
    missing = " and ".join(f"{name} is None" for name in names)
    steps.append(
        Require(
            that=f"not ({missing})",
            code="not_found",
            message=f"There is no {labels} with id {{{given.name}}}.",
            hint=" ".join(dict.fromkeys(hints)),
        )
    )
    values: dict[str, str] = {}
    alive: list[Step] = []
    for (column, target), name in zip(held, names, strict=True):
        values[column.name] = f"{name}.{parts.key_of(target).name} if {name} is not None else None"
        checks = parts.alive(drawing, target, name)
        if checks:
            alive.append(When(that=f"{name} is not None", then=tuple(checks)))
    conditions = [Condition(column=column.name, value=values[column.name], optional=True) for column, _ in held]
    kind = facts.parent_type(table)
    if kind:
        values[kind.name] = _kind_expression(table, [column for column, _ in held], names)
    first = next((target for _, target in held if target.name != table.name), held[0][1])
    semantics = sorted({f"{target.entity}.{parts.key_of(target).name}" for _, target in held})
    parameter = Parameter(
        name=given.name,
        json_schema={"type": "string", "x-semantics": semantics},
        description=f"The id of the {labels} that contains them.",
        semantic=f"{first.entity}.{parts.key_of(first).name}",
    )
    rows = {column.name: name for (column, _), name in zip(held, names, strict=True)}
    return Container(parameter, steps, values, conditions, alive, rows)


def _holds_any(drawing: Drawing, table: Table, column: Column) -> bool:
    return any(row.get(column.name) is not None for row in drawing.database.rows.get(table.name, []))


def _kind_expression(table: Table, columns: list[Column], names: list[str]) -> str:
    text = f'"{_variant(table, columns[-1])}"'
    for column, name in reversed(list(zip(columns[:-1], names[:-1], strict=True))):
        text = f'"{_variant(table, column)}" if {name} is not None else {text}'
    return text


def _by_key(drawing: Drawing, table: Table, given: BoundParameter, columns: list[Column]) -> Container:
    """An object with exactly one key: `{"page_id": …}` or `{"data_source_id": …}`."""
    allowed = set((given.json_type.get("properties") or {}).keys())
    kept = [column for column in columns if not allowed or parent_key(column) in allowed] or columns
    roots = [root for root in parent_roots(table) if not allowed or root in allowed]
    keys = [parent_key(column) for column in kept] + roots
    schema = parent_schema(table, drawing.tables)
    schema["properties"] = {key: schema["properties"][key] for key in keys}
    schema["maxProperties"] = 1
    names = ", ".join(keys)
    parent = given.name
    steps: list[Step] = [
        Require(
            that=f"len({parent}) == 1 and all(key in {keys!r} for key in {parent})",
            code="invalid_argument",
            message=f"{parent} must have exactly one of the keys {names}.",
            hint=f'For example {{"{keys[0]}": "..."}}.'.replace("{", "{{").replace("}", "}}"),
        )
    ]
    values: dict[str, str] = {}
    alive: list[Step] = []
    rows: dict[str, str] = {}
    for column in kept:
        assert column.references is not None
        key, target = parent_key(column), drawing.table(column.references.table)
        row = f"parent_{target.entity}"
        held = f'{parent}.get("{key}")'
        steps.append(Let(name=column.name, value=held))
        found = parts.fetch(drawing, target, {column.references.column: column.name}, name=row)
        inside: list[Step] = [found, *parts.alive(drawing, target, row)]
        steps.append(When(that=f"{column.name} is not None", then=tuple(inside)))
        values[column.name] = column.name
        rows[column.name] = row
    for column in columns:
        values.setdefault(column.name, "None")
    kind = facts.parent_type(table)
    if kind:
        values[kind.name] = _kind_from_key(table, kept, roots)
    parameter = Parameter(
        name=parent,
        json_schema=schema,
        description=f"Where it goes: an object with exactly one of {names}.",
    )
    return Container(parameter, steps, values, [], alive, rows)


def _kind_from_key(table: Table, columns: list[Column], roots: list[str]) -> str:
    ends = [*(f'"{root}"' for root in roots)] or [f'"{_variant(table, columns[-1])}"']
    text = ends[0]
    for column in reversed(columns if roots else columns[:-1]):
        text = f'"{_variant(table, column)}" if {column.name} is not None else {text}'
    return text


__all__ = ["Container", "Fetch", "container_of"]
