"""Matching: which table plays which role of an archetype, judged by shape alone.

Every role has features with weights; a table's score for a role is the share of weight it earns. Roles refer to
each other, so the assignment is improved step by step until no single change raises the total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envforge.core.contracts import Row
from envforge.core.records.archetype import Archetype, Feature, Role
from envforge.core.records.domain import Domain, Table
from envforge.mine.archetypes.fields import bind_fields, words
from envforge.mine.archetypes.local_names import called_locally
from envforge.mine.archetypes.refs import Binding, BoundRole

Assignment = dict[str, str | None]
_OPTIONAL_WEIGHT = 0.4
_ROUNDS = 12


@dataclass(frozen=True)
class ArchetypeMatch:
    """How well a domain fits an archetype. `roles`: role -> table; `fields`: role -> field -> column."""

    archetype: Archetype
    score: float
    roles: dict[str, str]
    fields: dict[str, dict[str, str]]
    reasons: tuple[str, ...]
    accepted: bool
    binding: Binding

    @property
    def source(self) -> str:
        """The source that provenance names for rows of this archetype."""
        digest = self.archetype.content_id("archetype").removeprefix("archetype-")
        return f"archetype:{self.archetype.id}@{digest[:12]}"


def match_archetypes(
    domain: Domain, rows: Mapping[str, Sequence[Row]], archetypes: Sequence[Archetype]
) -> list[ArchetypeMatch]:
    """All archetypes, best match first, those for bare data after the others; only accepted ones have `accepted`."""
    matches = [_Matcher(domain, rows, archetype).match() for archetype in archetypes]
    return sorted(matches, key=_rank)


def _rank(match: ArchetypeMatch) -> tuple[bool, bool, float, str]:
    return not match.accepted, match.archetype.data_only, -match.score, match.archetype.id


class _Matcher:
    def __init__(self, domain: Domain, rows: Mapping[str, Sequence[Row]], archetype: Archetype) -> None:
        self.domain = domain
        self.rows = rows
        self.archetype = archetype
        self.tables = {table.name: table for table in domain.tables}
        self.candidates = {role: self._candidates(spec) for role, spec in archetype.roles.items()}
        self.heeded = {role: _heeded(spec) for role, spec in archetype.roles.items()}
        self.known: dict[tuple[str, str, tuple[str | None, ...]], float] = {}

    def _candidates(self, role: Role) -> list[str]:
        if any(feature.kind == "link" for feature in role.features):
            return sorted(name for name, table in self.tables.items() if table.kind == "link")
        needs_key = [name for name, table in self.tables.items() if len(table.primary_key) == 1]
        return sorted(needs_key) if not _wants_bag(role) else sorted(self.tables)

    def match(self) -> ArchetypeMatch:
        roles = self._assign()
        scores = {role: self._score(role, table, roles) for role, table in roles.items() if table}
        reasons: list[str] = []
        accepted = True
        bound: dict[str, BoundRole | None] = {}
        for name, spec in self.archetype.roles.items():
            table = roles[name]
            if table is None:
                bound[name] = _added(spec)
                if spec.required and spec.add is None:
                    accepted = False
                reasons.append(self._absence(name, spec, roles))
                continue
            fields = bind_fields(spec, self.tables[table], roles)
            missing = [field for field, want in spec.fields.items() if want.required and field not in fields]
            reasons.append(_presence(name, table, scores[name], fields, missing))
            if missing:
                accepted = accepted and not spec.required
                bound[name] = None
                continue
            bound[name] = BoundRole.of(self.tables[table], fields, _adds(spec))
        bound = called_locally(self.archetype, bound, self.tables)
        clashes = self._clashes(roles)
        if clashes:
            accepted = False
            reasons.append(f"tables of the archetype are already there: {', '.join(clashes)}")
        if self.archetype.data_only and self.domain.operations:
            accepted = False
            reasons.append(f"the source brings operations ({len(self.domain.operations)}): it is for bare data")
        return ArchetypeMatch(
            archetype=self.archetype,
            score=round(self._mean(roles), 4),
            roles={role: found.table for role, found in bound.items() if found and found.table in self.tables},
            fields={role: dict(found.fields) for role, found in bound.items() if found},
            reasons=tuple(reasons),
            accepted=accepted,
            binding=Binding.for_archetype(self.archetype, bound),
        )

    def _clashes(self, roles: Assignment) -> list[str]:
        new = {table.name for table in self.archetype.tables}
        new |= {spec.add.name for role, spec in self.archetype.roles.items() if spec.add and not roles[role]}
        return sorted(new & set(self.tables))

    def _assign(self) -> Assignment:
        roles: Assignment = dict.fromkeys(self.archetype.roles)
        best = self._total(roles)
        for _ in range(_ROUNDS):
            changed = False
            for role in self.archetype.roles:
                for table in [*self.candidates[role], None]:
                    trial = _with(roles, role, table)
                    total = self._total(trial)
                    if total > best + 1e-9:
                        roles, best, changed = trial, total, True
            if not changed:
                break
        return self._worthy(roles)

    def _worthy(self, roles: Assignment) -> Assignment:
        """The roles whose score is enough; without a role that falls away, those that refer to it are judged again."""
        while True:
            kept = {
                role: table
                if table and self._score(role, table, roles) >= self.archetype.roles[role].minimum_score
                else None
                for role, table in roles.items()
            }
            if kept == roles:
                return kept
            roles = kept

    def _total(self, roles: Assignment) -> float:
        """What the assignment is improved by: the roles' scores, optional ones counting less."""
        return sum(
            (1.0 if self.archetype.roles[name].required else _OPTIONAL_WEIGHT) * self._score(name, table, roles)
            for name, table in roles.items()
            if table
        )

    def _mean(self, roles: Assignment) -> float:
        """Mean score of the roles that a mined table must play."""
        needed = [name for name, spec in self.archetype.roles.items() if spec.required and spec.add is None]
        scores = [self._score(name, table, roles) if (table := roles[name]) else 0.0 for name in needed]
        return sum(scores) / len(scores) if scores else 0.0

    def _score(self, name: str, table: str, roles: Assignment) -> float:
        """The share of weight a table earns; it depends on the roles that this one refers to, and no others."""
        key = (name, table, tuple(roles.get(other) for other in self.heeded[name]))
        if key not in self.known:
            role = self.archetype.roles[name]
            fields = bind_fields(role, self.tables[table], roles)
            weight = sum(feature.weight for feature in role.features)
            earned = (f.weight for f in role.features if self._has(f, fields, self.tables[table], roles))
            self.known[key] = 0.0 if _is_foreign(role, self.tables[table]) else sum(earned) / weight
        return self.known[key]

    def _has(self, feature: Feature, fields: Mapping[str, str], table: Table, roles: Assignment) -> bool:
        match feature.kind:
            case "field":
                return feature.value in fields
            case "named":
                parts = words(table.entity)
                return any(words(value) <= parts for value in feature.values)
            case "references":
                target = roles.get(feature.value)
                return any(c.references and c.references.table == target for c in table.columns) if target else False
            case "referenced":
                return self._referenced(table) >= feature.minimum
            case "self_parent":
                return any(c.references and c.references.table == table.name for c in table.columns)
            case "typed":
                return any(c.role == "type" and len(c.enum) >= feature.minimum for c in table.columns)
            case "rows":
                return len(self.rows.get(table.name, ())) >= feature.minimum
            case "timestamped":
                return sum(column.type == "timestamp" for column in table.columns) >= feature.minimum
            case "link":
                return table.kind == "link"
            case "operation":
                return any(o.table == table.name and o.verb == feature.value for o in self.domain.operations)
            case _:
                return self._in_bag(feature.kind, table.name)

    def _referenced(self, table: Table) -> int:
        return sum(
            1
            for other in self.domain.tables
            for column in other.columns
            if column.references and column.references.table == table.name
        )

    def _in_bag(self, kind: str, table: str) -> bool:
        part = {"bag_collection": "collection_table", "bag_item": "item_table", "bag_definition": "definition_table"}
        part |= {"bag_option": "option_table", "bag_value": "value_table"}
        return any(getattr(bag, part[kind]) == table for bag in self.domain.bags)

    def _absence(self, name: str, spec: Role, roles: Assignment) -> str:
        if spec.add is not None:
            return f"{name}: no table plays it, {spec.add.name} is added"
        free = [table for table in self.candidates[name] if table not in roles.values()]
        nearest = max(free, key=lambda table: self._score(name, table, roles), default=None)
        if nearest is None:
            return f"{name}: no table plays it"
        return f"{name}: no table plays it (nearest {nearest}, {self._score(name, nearest, roles):.2f})"


def _is_foreign(role: Role, table: Table) -> bool:
    """True if a column speaks of what the role knows nothing of: interest on a loan, the area of a parcel."""
    return any(words(value) <= words(column.name) for value in role.foreign for column in table.columns)


def _with(roles: Assignment, role: str, table: str | None) -> Assignment:
    """A new assignment; a role that held the table before gets the table that is given up."""
    trial = dict(roles)
    for other, held in roles.items():
        if held == table and table is not None and other != role:
            trial[other] = roles[role]
    trial[role] = table
    return trial


def _heeded(role: Role) -> tuple[str, ...]:
    """The roles that a role's fields and features refer to."""
    named = {field.references for field in role.fields.values() if field.references}
    return tuple(sorted(named | {feature.value for feature in role.features if feature.kind == "references"}))


def _wants_bag(role: Role) -> bool:
    return any(feature.kind in ("bag_option", "bag_value") for feature in role.features)


def _adds(role: Role) -> dict[str, str]:
    return {name: field.add.name for name, field in role.fields.items() if field.add is not None}


def _added(role: Role) -> BoundRole | None:
    if role.add is None:
        return None
    fields = {name: name for name in role.fields if role.add.has(name)}
    return BoundRole.of(role.add, fields, _adds(role))


def _presence(role: str, table: str, score: float, fields: Mapping[str, str], missing: Sequence[str]) -> str:
    found = ", ".join(f"{field}={column}" for field, column in fields.items())
    lacking = f"; lacks {', '.join(missing)}" if missing else ""
    return f"{role}: {table} ({score:.2f}; {found}){lacking}"
