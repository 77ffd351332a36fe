"""Executed probes: what each tool really answers to a few sound calls in a World.

What is said of a tool's results elsewhere (edges of the graph, fields of records) is said because a probe showed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, cast

from envforge.core.ids import canonical_json
from envforge.core.records.environment import EnvironmentBlueprint, ToolSpec
from envforge.core.seeds import stream
from envforge.synth.keys import Keys
from envforge.synth.paging import paging_of
from envforge.world.diff import StateDiff
from envforge.world.environment import Environment
from envforge.world.session import Session

PER_TOOL = 10
"""Successful calls that are wanted of each tool."""
TRIES = 30
ITEMS = 6
"""Items of each collection of a property bag that are looked at."""
_TEXTS = ("Note", "Call back tomorrow")
_ROWS = 40
"""Rows of a witness that probes are drawn from."""


@dataclass(frozen=True)
class Probe:
    """One call in a World at its start. `bare`: no argument is a key; `changed`: what a writing call changed."""

    tool: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any] | None
    error: str = ""
    bare: bool = False
    changed: StateDiff | None = None

    @property
    def ok(self) -> bool:
        """The call succeeded."""
        return self.result is not None


def run_probes(environment: Environment, knowledge: EnvironmentBlueprint, keys: Keys, seed: int) -> tuple[Probe, ...]:
    """Probes of all tools, each from the start of an episode; the same for the same seed. Raises SandboxError."""
    found: list[Probe] = []
    with environment.start(0) as session:
        for tool in environment.tools:
            found += _of_tool(session, Arguments(environment, knowledge, keys, tool, stream(seed, "probes", tool.name)))
    return tuple(found)


def _of_tool(session: Session, arguments: Arguments) -> Iterator[Probe]:
    """Probes until enough succeeded; those that failed are told, too."""
    tool, succeeded, seen = arguments.tool, 0, set[str]()
    wanted = PER_TOOL + len(arguments.items)
    for number, given in enumerate(arguments.sets()):
        name = canonical_json(given)
        if name in seen:
            continue
        seen.add(name)
        probe = probed(session, tool, given)
        succeeded += probe.ok and not probe.bare
        yield probe
        if succeeded >= wanted or number >= TRIES + wanted:
            return


def probed(session: Session, tool: ToolSpec, given: Mapping[str, Any]) -> Probe:
    """One call; the session is at its start again afterwards."""
    observation = session.call(tool.name, given)
    bare = not any(name in given for name in tool.consumes)
    if observation.error is not None:
        return Probe(tool.name, given, None, observation.error.code, bare)
    changed = None
    if not tool.annotations.read_only:
        changed = session.diff()
        session.reset()
    return Probe(tool.name, given, observation.result, "", bare, changed)


class Arguments:
    """Sound arguments for one tool: what witnesses say, keys of the right type, values of the columns named so."""

    def __init__(
        self, environment: Environment, knowledge: EnvironmentBlueprint, keys: Keys, tool: ToolSpec, rng: Random
    ) -> None:
        self.tool = tool
        self._environment, self._knowledge, self._keys, self._rng = environment, knowledge, keys, rng
        self._schemas = cast("Mapping[str, Mapping[str, Any]]", tool.parameters.get("properties", {}))
        self._required = [str(name) for name in tool.parameters.get("required", ())]
        self._keyed = [name for name, kind in tool.consumes.items() if kind in keys.kinds]

    def sets(self) -> Iterator[dict[str, Any]]:
        """Sets of arguments: the plainest first, then witnesses, then one for each key that may be given."""
        if not any(name in self._required for name in self.tool.consumes):
            yield from self._filled([{}])
        yield from self._witnessed()
        yield from ({name: key} for name, key in self.items)
        optional = [name for name in self._keyed if name not in self._required]
        for _ in range(TRIES):
            yield from self._filled([{}, *({name: self.value(name)} for name in optional)])
            yield from self._filled([self._row_values()])

    @cached_property
    def items(self) -> list[tuple[str, Any]]:
        """Parameter and key of items of every collection, those with most properties filled."""
        required = [name for name in self._required if name in self.tool.consumes]
        if not self.tool.annotations.read_only or len(required) != 1 or self._required != required:
            return []
        kind = self.tool.consumes[required[0]]
        return [
            (required[0], key)
            for bag in self._knowledge.blueprint.bags
            if self._keys.kind_of_table.get(bag.item_table) == kind
            for key in self._keys.filled(bag, ITEMS)
        ]

    def _filled(self, sets: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The sets with what is required beside them."""
        for given in sets:
            wanted = [name for name in self._required if name not in given]
            values = {name: self.value(name) for name in wanted}
            yield self._sized({**given, **values})

    def _sized(self, given: dict[str, Any]) -> dict[str, Any]:
        paging = paging_of(self.tool)
        return {**given, paging.size_parameter: paging.size} if paging.size_parameter else given

    def _witnessed(self) -> Iterator[dict[str, Any]]:
        operations = [one for one in self._knowledge.blueprint.operations if one.name == self.tool.name]
        for witness in operations[0].witnesses if operations else ():
            if witness.outcome != "success":
                continue
            rows: list[dict[str, Any]] = self._witness_rows(witness.query) if witness.query else [{}]
            for row in self._rng.sample(rows, min(len(rows), 4)):
                given = {k: v for k, v in {**row, **witness.arguments}.items() if v is not None and k in self._schemas}
                yield self._sized(given)

    def _witness_rows(self, query: str) -> list[dict[str, Any]]:
        parameters = {"clock": self._environment.manifest.clock.epoch}
        names, rows = self._environment.reader.query(query, parameters if ":clock" in query else ())
        return [dict(zip(names, row, strict=True)) for row in list(rows)[:_ROWS]]

    def value(self, name: str) -> Any:
        """A sound value for one parameter."""
        kind, schema = self.tool.consumes.get(name, ""), self._schemas.get(name, {})
        if kind in self._keys.kinds:
            values = self._keys.sample(kind, self._rng, 8)
            value = self._rng.choice(values) if values else None
            return [value] if schema.get("type") == "array" else value
        return self._plain(name, schema)

    def _plain(self, name: str, schema: Mapping[str, Any]) -> Any:
        choices: Any = schema.get("enum")
        if isinstance(choices, list):
            return self._rng.choice(cast("list[Any]", choices))
        kind: Any = schema.get("type", "string")
        kind = cast("list[Any]", kind)[0] if isinstance(kind, list) else kind
        if kind == "integer":
            return int(schema.get("minimum", 1))
        if kind == "array":
            return [self._plain(name, cast("Mapping[str, Any]", schema.get("items", {})))]
        if kind == "object":
            wanted = cast("Mapping[str, Any]", schema.get("properties", {}))
            names = [str(one) for one in schema.get("required", ())]
            return {one: self._plain(one, cast("Mapping[str, Any]", wanted.get(one, {}))) for one in names}
        if kind in ("boolean", "number"):
            return True if kind == "boolean" else 1.0
        return self._text(name)

    def _text(self, name: str) -> str:
        """A text of the column that is called so, in a table that the tool reads; else words."""
        own = self._keys.kind_of_table
        tables = sorted(self.tool.reads, key=lambda table: own.get(table, "").split(".")[0] != self.tool.entity)
        for table in tables:
            known = self._environment.template.tables.get(table)
            if known is not None and name in known.columns and self.tool.annotations.read_only:
                values = sorted(str(value) for value in self._keys.values(table, name) if isinstance(value, str))
                if values:
                    return self._rng.choice(values)
        return self._words(tables[0]) if tables and self.tool.annotations.read_only else self._rng.choice(_TEXTS)

    def _words(self, table: str) -> str:
        """A text out of the table: what somebody might search for."""
        known = self._environment.template.tables.get(table)
        columns = [name for name in known.columns if name not in known.primary_key] if known is not None else []
        texts = [found for name in columns if (found := self._keys.texts(table, name))]
        return self._rng.choice(self._rng.choice(texts) if texts else list(_TEXTS))

    def _row_values(self) -> dict[str, Any]:
        """One optional parameter that is no key and does not page, with a value from the rows or its choices."""
        paging = paging_of(self.tool)
        left = {*self._required, *self.tool.consumes, paging.cursor, paging.size_parameter}
        plain = [name for name, schema in self._schemas.items() if name not in left and schema.get("type") == "string"]
        return {name: self._plain(name, self._schemas[name]) for name in self._rng.sample(plain, min(len(plain), 1))}
