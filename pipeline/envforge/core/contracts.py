"""Every Protocol of the house. Implementations live in the rooms; wiring lives in `factory`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from envforge.core.outcome import Outcome
from envforge.core.records.archetype import Lifecycle, Plant
from envforge.core.records.blueprint import Blueprint, Operation, View
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.core.records.derived import Figure, History
from envforge.core.records.document import DocumentPlan
from envforge.core.records.domain import Domain
from envforge.core.records.environment import GateResult, ProvenanceEntry, ToolSpec
from envforge.core.records.extraction import Extraction
from envforge.core.records.finding import Finding
from envforge.core.records.intent import Intent, IntentFamily, Register
from envforge.core.records.rewarding import Calibration
from envforge.core.records.search import Hit
from envforge.core.records.source import Anchor, Source
from envforge.core.records.task import Check, RubricItem, Task
from envforge.core.records.trajectory import Trajectory

Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[str, int, int | None], None]
"""progress(label, done, total or None); never prints by itself."""


@dataclass(frozen=True)
class Exchange:
    """What a server answered over HTTP. `body` is unpacked; headers are as they came, but for cookies.

    `trail`: the answers on the way to this one (robots.txt, redirects), kept as evidence. `hidden`: the secrets and
    persons that the body no longer holds.
    """

    url: str
    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = field(repr=False)
    retrieved_at: str
    trail: tuple[Exchange, ...] = ()
    hidden: tuple[Finding, ...] = ()

    def header(self, name: str) -> str:
        """The value of a header; several are joined as HTTP says; empty when there is none."""
        return ", ".join(value for key, value in self.headers if key.lower() == name.lower())


@dataclass(frozen=True)
class Fetched:
    """A fetched file: its source record and its bytes (decoded from any transfer encoding).

    `exchange` is there when it came over HTTP just now; a replay has none.
    """

    source: Source
    body: bytes
    exchange: Exchange | None = field(default=None, compare=False, repr=False)


class Fetcher(Protocol):
    """Fetches the files of an anchor. Raises SourceError; never returns an empty body for a failure."""

    def accepts(self, spec: str) -> bool:
        """True if this backend can serve `spec`."""
        ...

    def fetch(self, anchor: Anchor) -> Sequence[Fetched]:
        """All files of the anchor that `include` selects, in path order."""
        ...


class SearchProvider(Protocol):
    """Searches one body of documents. A new provider is one new file and its line in the registry."""

    name: str

    def search(self, query: str, *, limit: int) -> tuple[Hit, ...]:
        """At most `limit` hits, best first, ranks from 1. No hits is an answer; no answer is an error.

        Raises ConfigError for what the user has to mend (a key, an address), SourceError for what failed.
        """
        ...


class Extractor(Protocol):
    """Reads one kind of file. A new kind is one new file and its line in the registry."""

    name: str

    def accepts(self, source: Source, head: bytes) -> bool:
        """True if the file looks like this extractor's kind (by MIME, path and its first 64 KiB)."""
        ...

    def extract(self, fetched: Fetched) -> Extraction:
        """Read the file. Raises ExtractError naming the file, the place in it and the remedy."""
        ...


@dataclass(frozen=True)
class Side:
    """One of the themes of a database that joins several: its tables, and the tools that it brings."""

    theme: str
    tables: frozenset[str]
    operations: frozenset[str]


@dataclass
class Database:
    """Rows in hand: per table a list of dicts (column -> value), and where they come from.

    `rows` holds tables in the Domain's order; values are None, str, int, float (booleans are 0/1 integers,
    dates 'YYYY-MM-DD', timestamps 'YYYY-MM-DDTHH:MM:SSZ', json canonical text).
    """

    domain: Domain
    rows: dict[str, list[Row]]
    provenance: list[ProvenanceEntry]
    documents: dict[str, str]
    clock: str
    """World epoch, UTC ISO 8601."""
    operations: tuple[Operation, ...] = ()
    """Operations that matched archetypes bring, with roles already resolved to tables and columns."""
    views: tuple[View, ...] = ()
    lifecycles: tuple[Lifecycle, ...] = ()
    plants: tuple[Plant, ...] = ()
    histories: tuple[History, ...] = ()
    figures: tuple[Figure, ...] = ()
    listings: tuple[Operation, ...] = ()
    """Tools that list histories, where no archetype brings them among its operations."""
    intents: tuple[IntentFamily, ...] = ()
    changelog: list[dict[str, Any]] = field(default_factory=lambda: list[dict[str, Any]]())
    """What complexify operators did: {operator, round, before, after, detail}."""
    document_plans: tuple[DocumentPlan, ...] = ()
    """Documents that are written from the rows; with them come tools that write documents."""
    sides: tuple[Side, ...] = ()
    """The themes that it joins, which share the places for tools; what is on no side links them."""

    @property
    def tool_names(self) -> frozenset[str]:
        """What the tools are called that archetypes and sources bring; look-ups of tables come on top."""
        return frozenset(one.name for one in (*self.operations, *self.listings, *self.domain.operations))


@dataclass(frozen=True)
class Tools:
    """What a tool author hands in."""

    blueprint: Blueprint
    module: str
    specs: tuple[ToolSpec, ...]
    tests: str
    rejected: tuple[dict[str, Any], ...] = ()


class ToolAuthor(Protocol):
    """Writes tools.py, tools.json and the unit tests for a domain and its rows."""

    name: str

    def write(self, database: Database, folder: Path, *, max_tools: int | None) -> Outcome[Tools]:
        """Produced(Tools), or Rejected with the reason. Without `max_tools` as many as the author holds usual.

        `folder` is a draft environment (environment.json, schema.sql, data/): the author writes tools.py and
        tools.json there and probes them in a World before it writes the tests.
        """
        ...


class Operator(Protocol):
    """A complexify operator: changes a database and says what it did."""

    name: str

    def apply(self, database: Database, *, seed: int, round_number: int) -> Outcome[Database]:
        """A new Database (the input stays unchanged), or Rejected when there is nothing to do."""
        ...


class ToolCaller(Protocol):
    """The host's handle on a live environment, as far as a gate needs it."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """An Observation."""
        ...


@dataclass(frozen=True)
class GateContext:
    """What gates may use: the folder, thresholds, and callables handed in from above."""

    folder: Path
    thresholds: Mapping[str, Any]
    rebuild: Callable[[], str] | None = None
    """Builds the environment again from the same inputs and returns its environment_hash."""
    seed: int = 0


class Gate(Protocol):
    """Accepts or rejects an environment, with a reason and evidence."""

    name: str

    def check(self, context: GateContext) -> GateResult:
        """The verdict. Raises only when the gate itself could not run."""
        ...


@dataclass(frozen=True)
class TaskCandidate:
    """A task before its gates: one goal in its three renderings, and how it is scored."""

    id: str
    kind: Literal["graph", "program"]
    family: IntentFamily
    intent: Intent
    instruction: str
    checks: tuple[Check, ...]
    answer_schema: Mapping[str, Any]
    program: str
    """Source of `solve(call)`, the gold solution; a graph task's calls are lowered to one too."""
    verifier: str = ""
    """Source of `verify(initial, final, diff, answer)`; nothing: the checks alone decide."""
    alternatives: tuple[str, ...] = ()
    """Sources of other solutions that the family gives."""
    rubric: tuple[RubricItem, ...] = ()
    register: Register = "polite"


class Judge(Protocol):
    """Says whether a thing that cannot be checked by a program was done. It scores only if it is known to be right."""

    @property
    def calibration(self) -> Calibration | None:
        """What it is known to be worth; None: nobody knows, and it may not score."""
        ...

    def is_met(self, item: RubricItem, task: Task, trajectory: Trajectory) -> bool | None:
        """True or False; None: it cannot say. Raises ModelError; never a guess."""
        ...


class Model(Protocol):
    """A language model. Anything that is not a whole, usable answer is a ModelError, never data."""

    @property
    def identity(self) -> str:
        """Which model of whom, with every setting that changes its answers; holds no secret."""
        ...

    async def complete(self, request: CompletionRequest) -> Completion:
        """The answer. Raises ModelError (see `core/model_errors.py` for its kinds)."""
        ...

    async def close(self) -> None:
        """Release connections and processes; harmless when done twice."""
        ...
