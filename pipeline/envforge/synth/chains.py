"""Chains: the data-flow of a sliced walk, from a row that people can name along keys to other rows.

A chain is three things at once: rows of the database (SQL over keys), calls (Python over tools), and words for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envforge.synth.entities import Entities, Entity, Link
from envforge.synth.landscape import Landscape
from envforge.synth.nouns import said
from envforge.synth.reaches import Finder, Reach, keys_between, value_in
from envforge.synth.sights import Sight, records_in
from envforge.synth.walks import Walk, WalkStep, sliced


@dataclass(frozen=True)
class Hop:
    """From an entity over `link` (None: its own key) by one tool to the rows that it shows."""

    link: Link | None
    reach: Reach
    entity: Entity
    middle: str = ""
    roles: tuple[str, ...] = ()
    """Roles of the columns by which it lists, those of `reach.by`."""
    tie: str = ""
    """What rows are called that tie those listed to the key."""

    @property
    def listing(self) -> bool:
        """It shows all rows that refer to the key."""
        return bool(self.reach.by)

    @property
    def between(self) -> str:
        """The word for rows between the key and those listed; "" where these are parts of parts."""
        return self.middle if len(self.reach.by) > 1 else ""

    @property
    def many(self) -> bool:
        """It may lead to more than one row."""
        return self.listing or (self.link is not None and self.link.many)


@dataclass(frozen=True)
class Chain:
    """A start and hops. `finders`: how the start is found; none when it is named by a code that a tool takes."""

    start: Entity
    finders: tuple[Finder, ...]
    hops: tuple[Hop, ...]

    @property
    def shape(self) -> str:
        """Equal for chains of one data-flow: entities, links and tools."""
        parts = [self.start.id]
        parts += [f"{h.link.column if h.link else ''}>{h.entity.id}:{h.reach.tool}" for h in self.hops]
        return " ".join(parts)

    def entity(self, place: int) -> Entity:
        """The entity after so many hops."""
        return self.hops[place - 1].entity if place else self.start

    @property
    def last(self) -> Entity:
        """Where it leads."""
        return self.entity(len(self.hops))

    @property
    def spoken(self) -> int:
        """How many relations the words of the chain hold."""
        return sum((hop.link is not None) + hop.listing + bool(hop.between) for hop in self.hops)

    def fan(self) -> int | None:
        """The first place with more than one row; None without one."""
        return next((number for number, hop in enumerate(self.hops, 1) if hop.many), None)

    def keys(self, place: int, start: str) -> str:
        """SELECT of the keys of the rows after so many hops from the start whose key the expression gives."""
        keys = f"SELECT {start}"
        for number, hop in enumerate(self.hops[:place]):
            keys = _followed(self.entity(number), hop, keys)
        return keys


def linked(entity: Entity, link: Link | None, keys: str) -> str:
    """SELECT of the keys that a link of these rows holds."""
    if link is None:
        return keys
    if link.property is not None and entity.bag is not None:
        return entity.bag.held(link.property, keys)
    return (
        f'SELECT r."{link.column}" FROM "{entity.table.name}" r '  # noqa: S608
        f'WHERE {entity.member(keys)} AND r."{link.column}" IS NOT NULL'
    )


def _followed(entity: Entity, hop: Hop, keys: str) -> str:
    through = linked(entity, hop.link, keys)
    if not hop.reach.by:
        return through
    own = hop.reach.own_key
    between = keys_between(hop.reach.by, through)
    return f'SELECT r."{own}" FROM "{hop.entity.table.name}" r WHERE r."{hop.reach.by[0].column}" IN ({between})'  # noqa: S608


def chains_of(landscape: Landscape, entities: Entities, walks: Sequence[Walk]) -> tuple[Chain, ...]:
    """The chains of all slices of the walks, each shape once, in the order in which they were met."""
    lifter = _Lifter(landscape, entities)
    named = {chain.shape: chain for chain in named_chains(landscape, entities)}
    found: dict[str, Chain] = {}
    for walk in walks:
        for sink in range(len(walk.steps)):
            for chain in map(plainer, lifter.lifted(sliced(walk, sink))):
                coded = not chain.finders and chain.start.id in named  # what has a name is not called by its code
                if not returning(chain) and not coded:
                    found.setdefault(chain.shape, chain)
    return tuple({**named, **found}.values())


def named_chains(landscape: Landscape, entities: Entities) -> Iterator[Chain]:
    """Chains without a hop: a row that somebody names, and a tool that finds it by that."""
    for entity in entities.all:
        title = {column.name for column in entity.table.columns if column.role == "title"}
        named = title or {"first_name", "last_name"} & {column.name for column in entity.table.columns}
        own = [
            one for one in landscape.finders if one.sight.table == entity.table.name and named <= set(one.sight.fields)
        ]
        if own and named and entity.collection is None:
            yield Chain(entity, tuple(one for one in own if one.sight == own[0].sight), ())


def plainer(chain: Chain) -> Chain:
    """The chain without look-ups of a row that was shown already, where the next hop needs no more of it."""
    hops: list[Hop] = []
    sight = chain.finders[0].sight if chain.finders else None
    for number, hop in enumerate(chain.hops):
        after = chain.hops[number + 1] if number + 1 < len(chain.hops) else None
        needed = after.link.column if after is not None and after.link is not None else ""
        idle = hop.link is None and not hop.listing and (sight is not None or hop is not chain.hops[0])
        if idle and (not needed or (sight is not None and needed in sight.fields)):
            continue
        if idle and not chain.finders and not hops and after is not None and after.link is None:
            continue
        hops.append(hop)
        sight = hop.reach.sight
    if not chain.finders and len(hops) > 1 and hops[0].link is None and not hops[0].listing and hops[1].link is None:
        hops = hops[1:]
    return Chain(chain.start, chain.finders, tuple(hops))


def returning(chain: Chain) -> bool:
    """It comes back to rows that it was at, or to others of their table: nobody would say such a way.

    Two ways are said: to all rows of the start's own kind at the very end ("all bookings of the customer behind it"),
    and from a row to the one of its kind that holds it.
    """
    places = [(chain.start.table.label, chain.start.id)]
    for hop in chain.hops:
        passed = [hop.link.to_label] if hop.listing and hop.link is not None else []
        passed += [hop.between] if hop.between else []
        places += [(label, label) for label in passed if label != hop.entity.table.label]
        if hop.link is not None or hop.listing:
            places.append((hop.entity.table.label, hop.entity.id))
    if len(set(places[1:])) < len(places[1:]):
        return True
    between = [label for label, _ in places[1:-1]]
    if len(set(between)) < len(between) or (places[-1][0] in between):
        return True
    if places[0] not in places[1:]:
        return False
    if places[0] not in places[1:-1] and len(places) == 3:
        return not chain.hops[-1].listing
    return not (len(places) == 2 and chain.hops[-1].link is not None)


class _Lifter:
    """From executed steps to chains."""

    def __init__(self, landscape: Landscape, entities: Entities) -> None:
        self._landscape, self._entities = landscape, entities

    def lifted(self, walk: Walk) -> Iterator[Chain]:
        """Chains that end in what the last step shows; none unless each step needs one key of the step before."""
        steps = walk.steps
        for number, step in enumerate(steps):
            origins = list(step.origins.values())
            if len(origins) != (number > 0) or (origins and origins[0].step != number - 1):
                return
        for sight in self._sights(steps[-1].tool):
            begun = self._begun(steps)
            if begun is None:
                return
            start, finders, hops = begun
            follow = self._hops(steps, start, bool(finders), sight)
            if follow is not None:
                yield Chain(start, finders, (*hops, *follow) if finders else follow)

    def _sights(self, tool: str) -> list[Sight]:
        return [sight for sight in self._landscape.sights if sight.tool == tool]

    def _begun(self, steps: Sequence[WalkStep]) -> tuple[Entity, tuple[Finder, ...], tuple[Hop, ...]] | None:
        """The start: the row that the second step came from, or the row whose code the first one took."""
        first = steps[0]
        if first.finder is not None:
            if len(steps) < 2:
                return None
            origin = next(iter(steps[1].origins.values()))
            if (origin.sight.path, origin.sight.kind) != (first.finder.sight.path, first.finder.sight.kind):
                return None
            entity = self._entity_of(origin.sight.table, origin.key)
            same = [f for f in self._landscape.finders if f.tool == first.tool and f.sight == origin.sight]
            return (entity, tuple(same), ()) if entity else None
        taken = self._coded(first)
        if taken is None:
            return None
        entity = self._entity_of(*taken)
        return (entity, (), ()) if entity else None

    def _coded(self, step: WalkStep) -> tuple[str, object] | None:
        """Table and key of the row that a first step names by its code."""
        consumes = next(t.consumes for t in self._landscape.environment.tools if t.name == step.tool)
        for parameter, value in step.arguments.items():
            kind = consumes.get(parameter, "")
            if self._landscape.keys.is_code(kind):
                return self._landscape.keys.kinds[kind][0], value
        return None

    def _entity_of(self, table: str, key: object) -> Entity | None:
        """The narrowest entity that the row belongs to."""
        found = None
        for entity in self._entities.of_table(table):
            sql = f'SELECT 1 FROM "{table}" r WHERE r."{entity.key}" = ? AND {entity.among}'  # noqa: S608
            if self._landscape.keys.rows(sql, (key,)):
                found = entity
        return found

    def _hops(self, steps: Sequence[WalkStep], start: Entity, found: bool, sink: Sight) -> tuple[Hop, ...] | None:
        """A hop per step after the finder; by a code, the first step is a hop, too."""
        entity, hops = start, list[Hop]()
        for number in range(1 if found else 0, len(steps)):
            step = steps[number]
            last = number == len(steps) - 1
            sight = sink if last else next(iter(steps[number + 1].origins.values())).sight
            key = None if last else next(iter(steps[number + 1].origins.values())).key
            column = next(iter(step.origins.values())).column if step.origins else ""
            hop = self._hop(entity, column, step, sight, key)
            if hop is None:
                return None
            hops.append(hop)
            entity = hop.entity
        return tuple(hops)

    def _hop(self, entity: Entity, column: str, step: WalkStep, sight: Sight, key: object) -> Hop | None:
        parameter = next(iter(step.origins), None)
        reach = next(
            (
                one
                for one in self._landscape.reaches
                if one.tool == step.tool and one.sight == sight and parameter in (one.parameter, None)
            ),
            None,
        )
        link = next((one for one in entity.links if one.column == column), None) if column else None
        if reach is None or (column and link is None):
            return None
        if key is None:
            key = self._shown(step, sight)
        reached = self._entity_of(sight.table, key)
        if reached is not None and not reach.by and link is None:
            reached = entity if reached.table == entity.table else None
        if reached is None:
            return None
        return Hop(link, reach, reached, self._middle(reach), self._roles(reach), self._tie(reach))

    def _roles(self, reach: Reach) -> tuple[str, ...]:
        blueprint = self._landscape.knowledge.blueprint
        return tuple(blueprint.table(by.table).column(by.column).role or "" for by in reach.by)

    def _middle(self, reach: Reach) -> str:
        """The label of the table between, unless both ways are from a part to its whole."""
        roles = self._roles(reach)
        if len(roles) < 2 or roles == ("parent", "parent") or reach.through:
            return ""
        return said(self._landscape.knowledge.blueprint.table(reach.by[1].table).label)

    def _tie(self, reach: Reach) -> str:
        """The label of the table of ties."""
        return self._landscape.knowledge.blueprint.table(reach.by[1].table).label if reach.through else ""

    def _shown(self, step: WalkStep, sight: Sight) -> object:
        records = records_in(step.result or {}, sight.path, many=sight.many)
        return next((value_in(record, sight.identity) for record in records), None)
