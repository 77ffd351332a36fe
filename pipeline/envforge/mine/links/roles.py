"""The roles of a link: those of its two archetypes, and a role for each table that these bring themselves."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from envforge.core.contracts import Database
from envforge.core.records.archetype import Archetype, Role, RoleField
from envforge.core.records.domain import Table
from envforge.core.records.link import Link, LinkedSide
from envforge.mine.archetypes.match import ArchetypeMatch
from envforge.mine.archetypes.refs import Binding, BoundRole, UnboundError
from envforge.mine.archetypes.resolve import resolve_part

_KEY_OF_ROLE = re.compile(r"@([a-z][a-z0-9_]*)\.fk")


@dataclass(frozen=True)
class Part:
    """A role as an archetype knows it: a part that a mined table plays, or a table that the archetype brings."""

    name: str
    role: Role
    table: Table | None = None
    """The table that the archetype brings, as its file writes it."""


def parts_of(archetype: Archetype) -> Iterator[Part]:
    """The roles of an archetype, and its own tables by the names of their entities (`@booking.status`)."""
    for name, role in archetype.roles.items():
        fields = {field: RoleField() for field in role.fields}
        yield Part(name, Role(title=role.title, required=False, features=(), fields=fields, drop_unfilled=False))
    for table in archetype.tables:
        if "@" in table.entity or table.entity in archetype.roles:
            continue
        fields = {field_of(column.name): RoleField() for column in table.columns}
        role = Role(title=table.label, required=False, features=(), fields=fields, drop_unfilled=False)
        yield Part(table.entity, role, table)


def field_of(column: str) -> str:
    """What a link calls a column of a table that an archetype brings: `@departure.fk` is the field `departure`."""
    return _KEY_OF_ROLE.sub(r"\1", column)


def renamed_roles(host: Archetype, tracked: Archetype, side: LinkedSide) -> dict[str, str]:
    """Roles of the tracked side → what the link calls them: a name that the host has too gets the side's prefix."""
    taken = {part.name for part in parts_of(host)}
    names = [part.name for part in parts_of(tracked)]
    return {name: f"{side.prefix}_{name}" if name in taken else name for name in names}


def with_roles(link: Link, host: Archetype, tracked: Archetype) -> Link:
    """The link with the roles and the constants of both sides; its own constants win, then those of what is tracked."""
    called = renamed_roles(host, tracked, link.tracked)
    roles = {part.name: part.role for part in parts_of(host)}
    roles |= {called[part.name]: part.role for part in parts_of(tracked)}
    constants = {**host.constants, **tracked.constants, **link.constants}
    return link.model_copy(update={"roles": roles, "constants": constants})


def link_match(link: Link, joined: Database, host: ArchetypeMatch, tracked: ArchetypeMatch) -> ArchetypeMatch:
    """The link, its roles bound to the tables that play them in the joined database.

    A table or column that nothing filled is no longer there: it is bound to nothing.
    """
    called = renamed_roles(host.archetype, tracked.archetype, link.tracked)
    tables = {table.name: table for table in joined.domain.tables}
    bound = dict(_bound_parts(host, tables))
    bound |= {called[name]: role for name, role in _bound_parts(tracked, tables)}
    whole = with_roles(link, host.archetype, tracked.archetype)
    return ArchetypeMatch(
        archetype=whole,
        score=1.0,
        # The tables have been extended by their own archetypes: the link takes them as they are.
        roles={},
        fields={},
        reasons=(),
        accepted=True,
        binding=Binding.for_archetype(whole, bound),
    )


def _bound_parts(match: ArchetypeMatch, tables: Mapping[str, Table]) -> Iterator[tuple[str, BoundRole | None]]:
    for part in parts_of(match.archetype):
        if part.table is None:
            yield part.name, _as_it_is(match.binding.roles[part.name], tables)
            continue
        fields: dict[str, str] = {}
        for column in part.table.columns:
            with contextlib.suppress(UnboundError):  # a column for what this schema does not have
                fields[field_of(column.name)] = match.binding.resolve(column.name)
        yield part.name, _as_it_is(BoundRole.of(resolve_part(part.table, match.binding), fields, {}), tables)


def _as_it_is(found: BoundRole | None, tables: Mapping[str, Table]) -> BoundRole | None:
    """The role over the columns that its table has in the end; none of them is the link's to fill."""
    table = tables.get(found.table) if found is not None else None
    if found is None or table is None:
        return None
    fields = {name: column for name, column in found.fields.items() if table.has(column)}
    filled = {*fields.values(), found.key}
    complete = all(c.nullable or c.default is not None or c.name in filled for c in table.columns)
    return replace(found, fields=fields, added=frozenset[str](), complete=complete)
