"""The environment folder: manifest, tool descriptions, provenance, certificate."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field

from envforge.core.records.archetype import Lifecycle, Plant
from envforge.core.records.base import Record
from envforge.core.records.blueprint import Blueprint
from envforge.core.records.domain import IdStyle, Origin, Verb
from envforge.core.records.intent import IntentFamily
from envforge.core.records.trade import TradeChoice

Grounding = Literal["mined", "mixed", "spec"]
ENVIRONMENT_ID = r"^[a-z0-9]+(-[a-z0-9]+)*(--s[0-9]+)?$"
"""Also the name of its folder."""


class Clock(Record):
    """The World's clock: starts at `epoch`, moves on by `step_seconds` after each successful writing call."""

    epoch: str = Field(pattern=r"^(1[6-9]|20)\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
    step_seconds: int = Field(default=60, ge=0, le=86_400)


class ProvenanceEntry(Record):
    """Where rows come from: a table or a key range, expanded exactly by `envforge show --provenance`.

    `keys` is "all", or the first and last primary key (inclusive, in the table's key order) as lists.
    `locator` is a template: {key}, {row} and column names are filled per row.
    """

    table: str
    keys: Literal["all"] | tuple[tuple[str | int | float, ...], tuple[str | int | float, ...]] = "all"
    source: str = Field(description="source id, archetype:<id>@<hash> or operator:<name>")
    locator: str = ""
    kind: Origin
    count: int = Field(description="rows covered")


class EnvironmentManifest(Record):
    """environment.json."""

    id: str = Field(pattern=ENVIRONMENT_ID)
    format: int = 1
    theme: str
    family: str = Field(description="<theme>-<12 hex of the blueprint hash>")
    database_seed: int
    title: str
    summary: str = ""
    taxonomy: tuple[str, ...] = ()
    licence: str = Field(description="SPDX expression or 'mixed'; per source in sources.jsonl")
    facts_only: bool = False
    sources: tuple[str, ...]
    clock: Clock
    ids: dict[str, IdStyle] = Field(description="table -> how new_id mints")
    archetypes: tuple[str, ...] = ()
    trade: TradeChoice | None = Field(default=None, description="whose words the rows of the archetype use, and why")
    authors: dict[str, str] = Field(description="part -> compiled | agent:<model> | …")
    grounding: Grounding
    statistics: dict[str, Any] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict, description="path -> sha256 of every hashed file")
    environment_hash: str = ""


class ToolAnnotations(Record):
    """MCP tool annotations."""

    read_only: bool = Field(alias="readOnlyHint")
    destructive: bool = Field(alias="destructiveHint")
    idempotent: bool = Field(alias="idempotentHint")
    open_world: bool = Field(default=False, alias="openWorldHint")


class ToolErrorSpec(Record):
    """An error code the tool can answer with, and when."""

    code: str
    when: str


def _is_object(parameters: dict[str, Any]) -> dict[str, Any]:
    properties, required = parameters.get("properties", {}), parameters.get("required", [])
    if not isinstance(properties, dict) or not all(isinstance(v, dict) for v in cast("Any", properties).values()):
        raise ValueError("properties is no object of JSON Schemas")
    if not isinstance(required, list) or not all(isinstance(v, str) for v in cast("list[Any]", required)):
        raise ValueError("required is no list of names")
    return parameters


class ToolSpec(Record):
    """One entry of tools.json."""

    name: str
    verb: Verb
    entity: str
    description: str
    parameters: Annotated[dict[str, Any], AfterValidator(_is_object)] = Field(
        description="JSON Schema object, additionalProperties false"
    )
    returns: dict[str, Any]
    reads: tuple[str, ...] = Field(description="tables")
    writes: tuple[str, ...]
    consumes: dict[str, str] = Field(default_factory=dict, description="parameter -> semantic type")
    produces: dict[str, str] = Field(default_factory=dict, description="result path -> semantic type")
    annotations: ToolAnnotations
    errors: tuple[ToolErrorSpec, ...] = ()
    origin: Origin = "mined"
    source: str = ""


class EnvironmentBlueprint(Record):
    """blueprint.json: what defines the family, and what its archetypes know of its lives and goals."""

    blueprint: Blueprint
    lifecycles: tuple[Lifecycle, ...] = ()
    plants: tuple[Plant, ...] = ()
    intents: tuple[IntentFamily, ...] = ()


class GateResult(Record):
    """One gate's verdict on one artefact."""

    gate: str
    passed: bool
    measured: dict[str, Any] = Field(default_factory=dict)
    threshold: dict[str, Any] = Field(default_factory=dict)
    reasons: tuple[str, ...] = ()


class Certificate(Record):
    """certificate.json: the gates an environment passed, bound to its hash. No times, no host facts."""

    environment_id: str
    environment_hash: str
    gates: tuple[GateResult, ...]
    certified: bool
