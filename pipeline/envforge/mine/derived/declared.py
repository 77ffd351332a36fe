"""An archetype with its histories and figures written out: the tables, columns and tools that they bring."""

from __future__ import annotations

from typing import TypeVar

from envforge.core.errors import ConfigError
from envforge.core.records.archetype import Archetype, Lifecycle, Role, RoleField
from envforge.core.records.blueprint import Operation
from envforge.core.records.derived import Figure, History
from envforge.core.records.domain import Column, Table
from envforge.mine.derived.parts import Subject, history_table, history_tool
from envforge.mine.derived.references import check_figure, check_history

ArchetypeT = TypeVar("ArchetypeT", bound=Archetype)


def written_out(archetype: ArchetypeT) -> ArchetypeT:
    """The archetype with all that its histories and figures bring. Raises ConfigError naming the part at fault."""
    tables = {table.name: table for table in archetype.tables}
    operations: list[Operation] = []
    histories: list[History] = []
    for history in archetype.histories:
        where = f"{archetype.id}, history {history.table}"
        life = _life_of(archetype, history, where)
        subject = _subject(archetype, history.of, where)
        actor = _actor(archetype, history, where) if history.actor else None
        known = history.model_copy(update={"key": subject.key, "owner": subject.column})
        _known_states(known, life, where)
        check_history(archetype, history, life, where)
        if known.table in tables:
            raise ConfigError(f"the table {known.table} is there already", where=where, remedy="call it differently")
        tables[known.table] = history_table(known, subject, actor, tuple(life.states))
        operations.append(history_tool(known, subject, actor, tuple(life.states)))
        histories.append(known)
    roles = dict(archetype.roles)
    figures: list[Figure] = []
    for figure in archetype.figures:
        where = f"{archetype.id}, figure {figure.table}.{figure.column}"
        known = figure.model_copy(update={"key": _subject(archetype, figure.table, where).key})
        _is_measured(known, where)
        check_figure(archetype, figure, where)
        if figure.table.startswith("@"):
            name = figure.table.removeprefix("@")
            roles[name] = _with_field(roles[name], figure, where)
        else:
            tables[figure.table] = _with_column(tables[figure.table], figure, where)
        figures.append(known)
    return archetype.model_copy(
        update={
            "roles": roles,
            "tables": tuple(tables.values()),
            "operations": (*archetype.operations, *operations),
            "histories": tuple(histories),
            "figures": tuple(figures),
        }
    )


def _life_of(archetype: Archetype, history: History, where: str) -> Lifecycle:
    for life in archetype.lifecycles:
        if (life.table, life.column) == (history.of, history.state):
            return life
    remedy = "state its states and transitions under lifecycles"
    raise ConfigError(f"{history.of} has no lifecycle of {history.state}", where=where, remedy=remedy)


def _known_states(history: History, life: Lifecycle, where: str) -> None:
    named = {*history.milestones, *(state for one in history.detours for state in (one.state, *one.through))}
    strangers = sorted(named - life.states.keys())
    if strangers:
        raise ConfigError(f"{strangers[0]!r} is no state", where=where, remedy=f"states: {', '.join(life.states)}")


def _is_measured(figure: Figure, where: str) -> None:
    if (figure.fn == "sum") is not bool(figure.measure):
        raise ConfigError("a sum has a measure, a count has none", where=where, remedy="name the column to add up")


def _subject(archetype: Archetype, table: str, where: str) -> Subject:
    """A role's table, as it will be called, or a table that the archetype adds."""
    if table.startswith("@"):
        role = archetype.roles.get(table[1:])
        if role is None or not (role.required or role.add):
            remedy = "name a role that is always played: required, or with a table to add"
            raise ConfigError(f"{table} may not be there", where=where, remedy=remedy)
        names = (f"{table}.{word}" for word in ("id", "fk", "entity", "label", "labels", "json_type"))
        key, column, entity, label, labels, json_type = names
        return Subject(table, key, column, entity, label, labels, json_type)
    added = next((one for one in archetype.tables if one.name == table), None)
    if added is None or len(added.primary_key) != 1:
        raise ConfigError(f"{table} is no table with one key", where=where, remedy="name a role or an archetype table")
    return subject_of(added)


def subject_of(table: Table) -> Subject:
    """A table that is known, with a key of one column."""
    key = table.primary_key[0]
    column = key if key == table.entity or key.startswith(f"{table.entity}_") or key != "id" else f"{table.entity}_id"
    kind = table.column(key).type
    json_type = "integer" if kind == "integer" else "string"
    return Subject(table.name, key, column, table.entity, table.label, table.name.replace("_", " "), json_type, kind)


def _actor(archetype: Archetype, history: History, where: str) -> Subject:
    """Whom the column with the actor refers to."""
    role = archetype.roles.get(history.of.removeprefix("@"))
    field = role.fields.get(history.actor.rpartition(".")[2]) if role else None
    if field is None or field.references is None:
        remedy = "name a field of the role that refers to another role"
        raise ConfigError(f"{history.actor} refers to nobody", where=where, remedy=remedy)
    return _subject(archetype, f"@{field.references}", where)


def _with_field(role: Role, figure: Figure, where: str) -> Role:
    if figure.column in role.fields:
        raise ConfigError("the role has such a field", where=where, remedy="call it differently")
    # No column of a source stands for it: what a source counts may be something else.
    field = RoleField(avoid=tuple(figure.column.split("_")), add=_column(figure))
    return role.model_copy(update={"fields": {**role.fields, figure.column: field}})


def _with_column(table: Table, figure: Figure, where: str) -> Table:
    if table.has(figure.column):
        raise ConfigError("the table has such a column", where=where, remedy="call it differently")
    return table.model_copy(update={"columns": (*table.columns, _column(figure))})


def _column(figure: Figure) -> Column:
    return Column(
        name=figure.column,
        type="integer",
        nullable=False,
        default=0,
        unit=figure.unit,
        origin="synthetic",
        description=figure.description,
    )
