"""Candidates: a family bound to values of one database. Sound ones are Intents, the others say why they are not.

SQL on the initial database decides; no tool is asked. Lazy: one candidate after the other, in seeded order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

from envforge.core.errors import ConfigError
from envforge.core.ids import canonical_json
from envforge.core.programs import parse_body, tools_of
from envforge.core.records.environment import EnvironmentBlueprint
from envforge.core.records.intent import Expectation, Intent, IntentFamily, Mention
from envforge.core.seeds import stream
from envforge.synth.defaults import Defaults, defaults_of
from envforge.synth.doubles import Doubles
from envforge.synth.followed import Followed
from envforge.synth.oracle import oracle
from envforge.synth.policy import Policy
from envforge.synth.queries import Queries
from envforge.synth.references import Labels, resolve
from envforge.synth.rejection import Rejection, UnfitError
from envforge.synth.wording.dates import dates_together
from envforge.synth.wording.speak import speak
from envforge.world.environment import Environment

Source = Literal["walk", "archetype", "grammar"]
SPREAD = 24
"""Sets of a family whose targets are measured, so that of the few that are asked for some are large."""
MOST_BROKEN = 3
"""After so many candidates whose SQL breaks, the family is given up."""


def candidates(
    environment: Environment,
    knowledge: EnvironmentBlueprint,
    family: IntentFamily,
    seed: int,
    *,
    source: Source = "archetype",
) -> Iterator[Intent | Rejection]:
    """The family's goals in this environment, one per row of `parameter_sets`, in an order that `seed` gives.

    A family that cannot work here (tools, gold, parameter_sets) is one Rejection with `whole_family`; a family whose
    SQL keeps breaking ends with one. Raises nothing for what a family holds.
    """
    binder = _Binder(environment, knowledge, family, source, seed)
    try:
        binder.check_family()
        sets = binder.parameter_sets()
    except (ConfigError, UnfitError) as error:
        yield binder.rejection(error, {}, whole_family=True)
        return
    broken = 0
    for parameters in sets:
        try:
            yield binder.bind(parameters)
        except UnfitError as error:
            yield binder.rejection(error, parameters)
        except ConfigError as error:
            broken += 1
            yield binder.rejection(error, parameters, whole_family=broken >= MOST_BROKEN)
            if broken >= MOST_BROKEN:
                return


class _Binder:
    """One family over one environment."""

    def __init__(
        self,
        environment: Environment,
        knowledge: EnvironmentBlueprint,
        family: IntentFamily,
        source: Source,
        seed: int,
    ) -> None:
        self._environment, self._family, self._seed = environment, family, seed
        self._source: Source = source
        self._queries = Queries(environment)
        self._knowledge = knowledge
        self._labels = _labels(knowledge)
        self._followed = Followed(knowledge, self._queries)
        self._policy: Policy | None = None
        self._doubles: Doubles | None = None

    def check_family(self) -> None:
        """What no binding can mend. Raises UnfitError or ConfigError."""
        family = self._family
        parse_body(family.gold, {*family.mentions, *family.references, *family.constants}, where=self._where("gold"))
        missing = sorted(tools_of(family.gold) - {tool.name for tool in self._environment.tools})
        if missing:
            raise UnfitError("tools", f"the environment has no tool {', '.join(missing)}")
        if not family.expect and not family.answer:
            raise ConfigError("expects no change and asks nothing", where=self._where("expect"))
        if family.policy:
            self._policy = Policy(family.policy, self._where("policy"))

    def parameter_sets(self) -> list[dict[str, Any]]:
        """Every set once, in seeded order that no query plan decides; of the first ones every second is a large one."""
        rows = self._queries.rows(self._family.parameter_sets, {}, self._where("parameter_sets"))
        if not rows:
            raise UnfitError("parameter_sets", "the database has no such case")
        distinct = {canonical_json(row): row for row in rows}
        sets = [distinct[key] for key in sorted(distinct)]
        stream(self._seed, "candidates", self._family.id).shuffle(sets)
        self._doubles = Doubles(self._queries, self._family, sets)
        return [*self._spread(sets[:SPREAD]), *sets[SPREAD:]]

    def _spread(self, sets: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The largest target, one as it was drawn, the largest of those left, and so on."""
        waiting = [(self._size(one), -number, one) for number, one in enumerate(sets)]
        order: list[dict[str, Any]] = []
        while waiting:
            largest = max(waiting, key=lambda entry: entry[:2]) if len(order) % 2 == 0 else waiting[0]
            waiting.remove(largest)
            order.append(largest[2])
        return order

    def _size(self, parameters: dict[str, Any]) -> int:
        """Rows of the target; 0 where the goal will be turned down for them."""
        try:
            return len(self._target(parameters))
        except (ConfigError, UnfitError):
            return 0

    def bind(self, parameters: dict[str, Any]) -> Intent:
        """The goal with these values. Raises UnfitError, or ConfigError for SQL that breaks."""
        family = self._family
        target = self._target(parameters)
        chosen = self._chosen(target, parameters)
        said, spoken = self._spoken(parameters)
        closed = [self._closed(part) for part in family.expect]
        expect, allow = self._followed.footprint(closed, family.allow, parameters, self._where("expect"))
        intent = Intent(
            family=family.id,
            kind=family.kind,
            source=self._source,
            parameters=parameters,
            said=said,
            spoken=spoken,
            banks=self._banks(target, parameters),
            candidates=len(target),
            chosen=chosen,
            expect=expect,
            allow=allow,
            answer=family.answer,
        )
        known = oracle(self._environment, intent, self._queries)
        if family.expect and not known.changes:
            raise UnfitError("expect", "nothing would change")
        other = self._doubles.other(parameters) if self._doubles else None
        if other is not None:
            raise UnfitError("mentions", f"the words could as well mean {dict(other)}")
        return intent

    @cached_property
    def _defaults(self) -> Mapping[str, Defaults]:
        writes = {tool.name: tool.writes for tool in self._environment.tools}
        return defaults_of(self._knowledge, writes)

    def _closed(self, part: Expectation) -> Expectation:
        """New rows hold nothing that was not asked for."""
        known = self._defaults.get(part.table) if part.change == "insert" else None
        return part if known is None else known.fill(part)

    def rejection(self, error: ConfigError | UnfitError, parameters: dict[str, Any], **more: bool) -> Rejection:
        """The error, kept."""
        part = error.part if isinstance(error, UnfitError) else "family"
        reason = error.message if isinstance(error, UnfitError) else str(error)
        return Rejection(self._family.id, self._family.kind, part, reason, parameters, **more)

    def _where(self, part: str) -> str:
        return f"intent family {self._family.id}, {part}"

    def _target(self, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        rows = self._queries.rows(self._family.target, parameters, self._where("target"))
        if not rows:
            raise UnfitError("target", "the target is empty")
        if len(_keys(rows)) != len(rows):
            raise ConfigError("two rows have one key", where=self._where("target"), remedy="select a key first")
        least, most = self._family.sizes
        if not least <= len(rows) <= most:
            raise UnfitError("sizes", f"the target has {len(rows)} rows, wanted are {least} to {most}")
        return rows

    def _chosen(self, target: list[dict[str, Any]], parameters: Mapping[str, Any]) -> int:
        """How many rows the policy chooses; it must tell them apart."""
        if self._policy is None:
            return len(target)
        names = {**self._family.constants, **parameters, "clock": self._queries.clock}
        chosen = sum(self._policy.holds(row, names) for row in target)
        if chosen in (0, len(target)):
            raise UnfitError("policy", f"chooses {'none' if not chosen else 'all'} of {len(target)} rows")
        return chosen

    def _banks(self, target: list[dict[str, Any]], parameters: Mapping[str, Any]) -> tuple[str, ...]:
        """Nodes that the text must say; of a reading, only where it leads to other rows."""
        family = self._family
        banks = ["target"]
        banks += ["policy"] if family.policy else []
        banks += ["change"] if family.expect else []
        banks += ["report"] if family.answer else []
        for reading in family.readings:
            where = self._where(f"reading {reading.bank}")
            if _keys(self._queries.rows(reading.target, parameters, where)) != _keys(target):
                banks.append(reading.bank)
        return tuple(dict.fromkeys(banks))

    def _spoken(self, parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """What a gold program starts from, and the words for it."""
        family = self._family
        said: dict[str, Any] = dict(family.constants)
        spoken: dict[str, str] = {}
        rng = stream(self._seed, "speech", family.id, canonical_json(dict(parameters)))
        for name, mention in family.mentions.items():
            value = self._mentioned(name, mention, parameters)
            try:
                spoken[name] = speak(value, mention.say, labels=mention.labels, rng=rng, clock=self._queries.clock)
            except ValueError as error:
                raise UnfitError(f"mention {name}", str(error)) from error
            said[name] = value
        dates = {name: spoken[name] for name, mention in family.mentions.items() if mention.say == "date"}
        spoken |= dates_together(dates, {name: str(said[name])[:10] for name in dates})
        for name, reference in family.references.items():
            where = self._where(f"reference {name}")
            named = resolve(self._queries, name, reference, parameters, labels=self._labels, rng=rng, where=where)
            said[name], spoken[name] = named.said, named.words
        return said, spoken

    def _mentioned(self, name: str, mention: Mention, parameters: Mapping[str, Any]) -> Any:
        values = self._queries.values(mention.sql, parameters, self._where(f"mention {name}"))
        if not values or None in values:
            raise UnfitError(f"mention {name}", "there is nothing to say" if not values else "the value is NULL")
        if mention.say == "list":
            return values
        if len(values) > 1:
            raise UnfitError(f"mention {name}", f"{len(values)} values where one is said")
        if mention.say == "clock" and len(str(values[0])) > len("07:05:00Z"):
            raise UnfitError(f"mention {name}", f"{values[0]!r} has a date that is not said: select its time only")
        return values[0]


def _keys(rows: list[dict[str, Any]]) -> set[Any]:
    return {next(iter(row.values())) for row in rows}


def _labels(knowledge: EnvironmentBlueprint) -> Labels:
    """Words for the states of lifecycles."""
    labels: dict[str, dict[str, Mapping[str, str]]] = {}
    for lifecycle in knowledge.lifecycles:
        labels.setdefault(lifecycle.table, {})[lifecycle.column] = lifecycle.states
    return labels
