"""What two themes call alike gets the prefix of its side, before anything is made of it.

Only what was mined, and tables that an archetype adds for a role, can be called otherwise: everything that an archetype
says of them follows its references. A table that an archetype names itself keeps its name; the other side gives way.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from envforge.core.contracts import Database
from envforge.core.errors import BuildError
from envforge.core.records.archetype import Archetype
from envforge.core.records.domain import BoundOperation, BoundParameter, Column, Domain, Table
from envforge.core.records.link import Link
from envforge.mine.miner import Mined

_BAG_TABLES = ("collection_table", "item_table", "definition_table", "option_table", "value_table")


def told_apart(host: Mined, tracked: Mined, of_host: Database, of_tracked: Database, link: Link) -> tuple[Mined, Mined]:
    """Both themes, with prefixes where they call tables, entities or tools of a source alike.

    `of_host` and `of_tracked` are bound: they hold all tables and tools that there will be. The tracked side gives way
    where it can. Raises BuildError where neither side can.
    """
    alike = _alike(of_host, of_tracked)
    mine, theirs = _renamable(host, link.host.archetype), _renamable(tracked, link.tracked.archetype)
    give_way = {other for _, other in alike if other in theirs}
    stay = {table for table, other in alike if other not in theirs}
    stuck = sorted(stay - mine)
    if stuck:
        raise BuildError(
            f"both archetypes bring a table {stuck[0]}",
            where=f"link {link.id}",
            remedy="call it differently in one of the two archetypes",
        )
    return (
        _renamed(host, link.host.archetype, stay, link.host.prefix, set()),
        _renamed(tracked, link.tracked.archetype, give_way, link.tracked.prefix, of_host.tool_names),
    )


def _alike(host: Database, tracked: Database) -> list[tuple[str, str]]:
    """Pairs of tables, one of each side, that share their name or that of their entity."""
    return [
        (one.name, other.name)
        for one in host.domain.tables
        for other in tracked.domain.tables
        if one.name == other.name or one.entity == other.entity
    ]


def _renamable(mined: Mined, archetype: str) -> set[str]:
    return {table.name for table in mined.domain.tables} | set(_added(_of(mined, archetype)).values())


def _of(mined: Mined, archetype: str) -> Archetype:
    return next(one for one in mined.archetypes if one.id == archetype)


def _added(archetype: Archetype) -> dict[str, str]:
    """Role → the table that the archetype adds where no mined one plays it."""
    return {name: role.add.name for name, role in archetype.roles.items() if role.add is not None}


def _renamed(mined: Mined, archetype: str, tables: set[str], prefix: str, taken: Set[str]) -> Mined:
    """The theme with these tables, and tools of its source that are `taken`, under the prefix."""
    called = {name: f"{prefix}_{name}" for name in tables}
    domain = _domain(mined.domain, called, prefix, taken)
    changed = _archetype(_of(mined, archetype), called, prefix)
    return replace(
        mined,
        domain=domain,
        rows={called.get(name, name): rows for name, rows in mined.rows.items()},
        provenance=[one.model_copy(update={"table": called.get(one.table, one.table)}) for one in mined.provenance],
        archetypes=tuple(changed if one.id == archetype else one for one in mined.archetypes),
    )


def _domain(domain: Domain, called: Mapping[str, str], prefix: str, taken: Set[str]) -> Domain:
    entities = {table.entity: f"{prefix}_{table.entity}" for table in domain.tables if table.name in called}
    bags = [
        bag.model_copy(update={part: called.get(getattr(bag, part), getattr(bag, part)) for part in _BAG_TABLES})
        for bag in domain.bags
    ]
    return domain.model_copy(
        update={
            "tables": tuple(_table(table, called, prefix) for table in domain.tables),
            "operations": tuple(_operation(one, called, entities, prefix, taken) for one in domain.operations),
            "bags": tuple(bags),
            "notes": (*domain.notes, *(f"{old} is called {new} here" for old, new in sorted(called.items()))),
        }
    )


def _table(table: Table, called: Mapping[str, str], prefix: str) -> Table:
    columns = tuple(_column(column, called) for column in table.columns)
    if table.name not in called:
        return table.model_copy(update={"columns": columns})
    return table.model_copy(
        update={
            "name": called[table.name],
            "entity": f"{prefix}_{table.entity}",
            "label": f"{prefix.replace('_', ' ')} {table.label}",
            "columns": columns,
        }
    )


def _column(column: Column, called: Mapping[str, str]) -> Column:
    reference = column.references
    if reference is None or reference.table not in called:
        return column
    return column.model_copy(update={"references": reference.model_copy(update={"table": called[reference.table]})})


def _operation(
    operation: BoundOperation, called: Mapping[str, str], entities: Mapping[str, str], prefix: str, taken: Set[str]
) -> BoundOperation:
    parent = operation.parent_entity
    return operation.model_copy(
        update={
            "name": f"{prefix}_{operation.name}" if operation.name in taken else operation.name,
            "entity": entities.get(operation.entity, operation.entity),
            "table": called.get(operation.table, operation.table),
            "parent_entity": entities.get(parent, parent) if parent else parent,
            "also": tuple(called.get(name, name) for name in operation.also),
            "parameters": tuple(_parameter(one, entities) for one in operation.parameters),
        }
    )


def _parameter(parameter: BoundParameter, entities: Mapping[str, str]) -> BoundParameter:
    entity, dot, column = (parameter.semantic or "").partition(".")
    child = parameter.child
    return parameter.model_copy(
        update={
            "semantic": f"{entities.get(entity, entity)}{dot}{column}" or None,
            "child": entities.get(child, child) if child else child,
        }
    )


def _archetype(archetype: Archetype, called: Mapping[str, str], prefix: str) -> Archetype:
    """The archetype with the tables that it adds for roles under their new names."""
    roles = {
        name: role.model_copy(update={"add": _table(role.add, called, prefix)}) if role.add is not None else role
        for name, role in archetype.roles.items()
    }
    return archetype.model_copy(update={"roles": roles})
