"""A mined interface before rows are planned: references as descriptions tell them, parameters that tools can take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from envforge.core.records.domain import BoundOperation, Column, Domain, Reference, Table
from envforge.gates.tool_rules import FORBIDDEN_NAMES
from envforge.mine.infer.names import snake
from envforge.mine.shapes.reading import words_of


def interface_of(domain: Domain) -> Domain:
    """The domain with its references and parameters set right, and what records are found by always filled."""
    usable = _with_usable_parameters(_referring(domain))
    return usable.model_copy(update={"tables": tuple(_held(table, usable.operations) for table in usable.tables)})


def _held(table: Table, operations: Sequence[BoundOperation]) -> Table:
    """The table with the columns filled by which its records are found in others, and by what they are called there."""
    needed: set[str] = set()
    for operation in operations:
        way = [one for one in operation.parameters if one.meaning == "scope"]
        way += [one for one in operation.parameters if one.meaning == "key" and way]
        for at, one in enumerate(way):
            entity, _, name = str(one.semantic).partition(".")
            needed |= {name} if entity == table.entity else set()
            inner = str(way[at + 1].semantic).partition(".")[0] if at + 1 < len(way) else operation.entity
            needed |= {str(one.column)} if one.meaning == "scope" and inner == table.entity else set()
    if not needed:
        return table
    columns = tuple(c.model_copy(update={"nullable": False}) if c.name in needed else c for c in table.columns)
    return table.model_copy(update={"columns": columns})


def _referring(domain: Domain) -> Domain:
    """The domain with the references that descriptions tell: what is said to hold an id refers to the entity that it
    is called like; what is only called like one, and says nothing of an id, is a plain column again.
    """
    keys = {t.entity: t for t in domain.tables if t.kind == "entity" and len(t.primary_key) == 1}
    tables: list[Table] = []
    renamed: dict[tuple[str, str], str] = {}
    for table in domain.tables:
        columns: list[Column] = []
        for column in table.columns:
            plain = snake(column.source_name)
            if _is_guess(column) and plain and not table.has(plain):
                renamed[table.name, column.name] = plain
                column = column.model_copy(update={"references": None, "name": plain, "role": None, "type": "text"})
            columns.append(_referred(column, table, keys))
        tables.append(table.model_copy(update={"columns": tuple(columns)}))
    operations = tuple(_with_names(operation, renamed) for operation in domain.operations)
    return domain.model_copy(update={"tables": tuple(tables), "operations": operations})


def _is_guess(column: Column) -> bool:
    """True for a reference that nothing but the column's bare name speaks for."""
    reference = column.references
    said = words_of(column.description)
    return reference is not None and reference.confidence < 0.75 and not said & {"id", "identifier"}


def _referred(column: Column, table: Table, keys: Mapping[str, Table]) -> Column:
    target = keys.get(column.name.removesuffix("_id"))
    if target is None or column.references is not None or column.name in table.primary_key or column.role is not None:
        return column
    key = target.column(target.primary_key[0])
    if key.type != column.type or target.name == table.name or "id" not in words_of(column.description.split(".")[0]):
        return column
    evidence = f"called {column.name} and said to hold an id"
    reference = Reference(table=target.name, column=key.name, confidence=0.8, evidence=evidence)
    return column.model_copy(update={"references": reference})


def _with_names(operation: BoundOperation, renamed: Mapping[tuple[str, str], str]) -> BoundOperation:
    parameters = tuple(
        one.model_copy(update={"column": renamed[operation.table, one.column], "json_type": {"type": "string"}})
        if one.column and (operation.table, one.column) in renamed
        else one
        for one in operation.parameters
    )
    return operation.model_copy(update={"parameters": parameters})


def _with_usable_parameters(domain: Domain) -> Domain:
    """Nothing can be filtered by a whole list or object: the filter goes, the tool stays. A parameter that would hide
    a function of the language is called after its entity as well.
    """
    json = {(t.name, c.name) for t in domain.tables for c in t.columns if c.type == "json"}
    operations: list[BoundOperation] = []
    for one in domain.operations:
        kept = [p for p in one.parameters if p.meaning != "filter" or (one.table, p.column) not in json]
        names = {p.name for p in kept}
        parameters = tuple(
            p.model_copy(update={"name": longer})
            if p.name in FORBIDDEN_NAMES and (longer := f"{one.entity}_{p.name}") not in names
            else p
            for p in kept
        )
        operations.append(one.model_copy(update={"parameters": parameters}))
    return domain.model_copy(update={"operations": tuple(operations)})
