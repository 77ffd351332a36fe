"""Archetypes: what a kind of domain adds to a mined schema, as data (themes/archetypes/*.yaml).

An archetype never names a product. It says which roles tables play and how to recognise them by shape,
which tables and columns the operational side adds, how lives go (lifecycles), what happened (scenario),
which hard cases exist (plants), what people do with it (operations) and ask of it (intents).

In every string of an archetype `@role` stands for the bound table and `@role.field` for the bound column
(`@field` alone where only one role has it; `@role.id`, `.entity`, `.entities`, `.label`, `.labels`, `.fk` always
exist; `@const.name` is a constant). `mine.archetypes` resolves them to a plain Blueprint vocabulary, so no other
room knows of roles. docs/archetypes.md is the reference of the language.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Discriminator, Field, Tag

from envforge.core.records.base import Record
from envforge.core.records.blueprint import Operation, View
from envforge.core.records.derived import Figure, History
from envforge.core.records.document import DocumentPlan
from envforge.core.records.domain import Column, IdStyle, Table
from envforge.core.records.intent import IntentFamily
from envforge.core.records.trade import Trade


class RoleField(Record):
    """A field of a role: bound to the first column that fits by role mark, synonym and type."""

    synonyms: tuple[str, ...] = ()
    roles: tuple[str, ...] = Field(default=(), description="column roles that fit (created_at, title …)")
    types: tuple[str, ...] = ()
    references: str | None = Field(default=None, description="role whose table the column must refer to")
    avoid: tuple[str, ...] = Field(default=(), description="words in a column's name that rule it out")
    values: tuple[str, ...] = Field(default=(), description="values that the column's enumeration must have")
    required: bool = False
    add: Column | None = Field(default=None, description="column to add to the table when none fits")


class Feature(Record):
    """One thing that speaks for a table playing a role.

    kind: field (the role field `value` binds) · named (entity name is one of `values`) · references (refers
    to the table of role `value`) · referenced (≥ `minimum` columns refer to it) · self_parent · typed (has a
    type discriminator with ≥ `minimum` variants) · bag_collection, bag_item, bag_definition, bag_option,
    bag_value (is that table of a property bag) · rows (≥ `minimum` rows) · timestamped (≥ `minimum` timestamp
    columns) · operation (has a bound operation of verb `value`) · link (a table that only relates two others; a role
    with this feature is played by such tables and by no others).
    """

    kind: (
        Literal["field", "named", "references", "referenced", "self_parent", "typed", "bag_collection", "bag_item"]
        | Literal["bag_definition", "bag_option", "bag_value", "rows", "timestamped", "operation", "link"]
    )
    value: str = ""
    values: tuple[str, ...] = ()
    minimum: int = 1
    weight: float = 1.0


class Role(Record):
    """A part a mined table can play."""

    title: str
    required: bool = True
    minimum_score: float = 0.6
    foreign: tuple[str, ...] = Field(
        default=(), description="words of columns that rule a table out: it is about something else of the same name"
    )
    features: tuple[Feature, ...]
    fields: dict[str, RoleField]
    add: Table | None = Field(default=None, description="table to add when no mined table plays the role")
    id_style: IdStyle | None = None
    indexes: tuple[tuple[str, ...], ...] = Field(default=(), description="fields to index; unbound ones drop out")
    drop_unfilled: bool = Field(
        default=True, description="drop mined columns that nothing fills (nullable and without rows)"
    )
    own_tools: bool = Field(
        default=False,
        description="the archetype brings all tools of the table: a source's own would pass by its rules",
    )


class Transition(Record):
    """A step of a lifecycle; `requires` is an expression over `row`."""

    name: str
    source: tuple[str, ...]
    target: str
    requires: str = ""


class Lifecycle(Record):
    """States of a column, how a person names them, and the timestamps that must be in order."""

    table: str = Field(description="role or archetype table")
    column: str
    states: dict[str, str] = Field(description="state -> label a person would say")
    initial: str
    transitions: tuple[Transition, ...] = ()
    ordered: tuple[str, ...] = Field(default=(), description="timestamp columns, earliest first; NULLs skipped")


def _as_text(value: Any) -> Any:
    """A number, truth value or null of the file is the expression that means it."""
    return repr(value) if value is None or isinstance(value, bool | int | float) else value


Expression = Annotated[str, BeforeValidator(_as_text)]


class LetStep(Record):
    """Names a value. `let: {name: expression, …}` in order."""

    let: dict[str, Expression]


class InsertStep(Record):
    """Inserts a row into a role or archetype table; `name` binds it. Missing columns are NULL or their default."""

    insert: str
    values: dict[str, Expression]
    name: str | None = None


class UpdateStep(Record):
    """Changes a row in hand: `update: row-name`, `set: {column: expression}`."""

    update: str
    set: dict[str, Expression]


class EachStep(Record):
    """Runs `steps` for each item: `each: name`, `over: expression` (a list, or a number of times)."""

    each: str
    over: Expression
    steps: tuple[ScenarioStep, ...]


class WhenStep(Record):
    """Runs `then` or `otherwise`."""

    when: Expression
    then: tuple[ScenarioStep, ...]
    otherwise: tuple[ScenarioStep, ...] = ()


def _step_kind(value: Any) -> str | None:
    """The kind of step a mapping is: the one of the five words it holds."""
    names = set(cast("dict[str, Any]", value)) if isinstance(value, dict) else {type(value).__name__[:-4].lower()}
    return next((kind for kind in ("let", "insert", "update", "each", "when") if kind in names), None)


ScenarioStep = Annotated[
    Annotated[LetStep, Tag("let")]
    | Annotated[InsertStep, Tag("insert")]
    | Annotated[UpdateStep, Tag("update")]
    | Annotated[EachStep, Tag("each")]
    | Annotated[WhenStep, Tag("when")],
    Discriminator(
        _step_kind, custom_error_type="step", custom_error_message="a step holds let, insert, update, each or when"
    ),
]
EachStep.model_rebuild()
WhenStep.model_rebuild()


class Process(Record):
    """Something that happened in the domain, in the order of the list; rows are its traces.

    Round 0 is the scenario itself; a process of round n runs in the n-th complexify round. A process that a
    density names runs only for that density. `needs` lists roles and role.fields without which it is left out.
    A `fixed` process draws the same under every database seed: for what is added to mined tables, which all
    databases of a family share. Fixed processes come first.
    """

    name: str
    about: str = ""
    round: int = 0
    fixed: bool = False
    needs: tuple[str, ...] = ()
    steps: tuple[ScenarioStep, ...]


class Density(Record):
    """How much there must be of something: `process` is run again in a complexify round until there is."""

    name: str
    about: str = ""
    measure: str = Field(description="SELECT of one number")
    minimum: float
    process: str
    at_most: int = Field(default=200, description="runs of the process in one round")


class Plant(Record):
    """A hard case that intents rely on, planted at a stated rate and measured after the scenario.

    Both queries name the key column(s) alike. In `steps` the row of `population` is `item`.
    """

    name: str
    about: str
    population: str = Field(description="SELECT of the keys it could hold for")
    holds: str = Field(description="SELECT of the keys it holds for (a subset)")
    rate: tuple[float, float] = Field(description="allowed share, low and high")
    steps: tuple[ScenarioStep, ...] = Field(default=(), description="run in the complexify round, if short")


class Archetype(Record):
    """One file of themes/archetypes."""

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    version: int
    title: str
    about: str
    clock: str | None = Field(default=None, description="World epoch when neither theme nor rows fix one")
    constants: dict[str, Any] = Field(default_factory=dict, description="numbers and lists for expressions")
    roles: dict[str, Role]
    tables: tuple[Table, ...] = Field(
        default=(), description="operational tables to add; references may name roles: '@role.field'"
    )
    reference_rows: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)
    lifecycles: tuple[Lifecycle, ...] = ()
    text: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="text banks: name -> templates with {slots} and {nested banks}"
    )
    locale: str = Field(default="en_US", description="the dominant locale of people's names")
    data_only: bool = Field(
        default=False,
        description="it fits only where the source brings rows and no operations, and no other archetype fits",
    )
    scenario: tuple[Process, ...]
    chronological: dict[str, str] = Field(
        default_factory=dict, description="table -> timestamp column that its integer ids follow"
    )
    histories: tuple[History, ...] = Field(
        default=(), description="tables of changes; each brings its table and the tool that lists it"
    )
    figures: tuple[Figure, ...] = Field(
        default=(), description="counts and sums that tools keep; each brings its column"
    )
    densities: tuple[Density, ...] = ()
    plants: tuple[Plant, ...] = ()
    views: tuple[View, ...] = ()
    operations: tuple[Operation, ...] = ()
    documents: tuple[DocumentPlan, ...] = Field(
        default=(),
        description="documents written from the rows; in themes/documents/<id>.yaml, and only where asked for",
    )
    policies: tuple[str, ...] = Field(default=(), description="house rules in words, for documents and agents")
    intents: tuple[IntentFamily, ...] = Field(
        default=(), description="goals; a shipped archetype has them in themes/intents/<id>.yaml"
    )
    trades: tuple[Trade, ...] = Field(
        default=(),
        exclude=True,
        description="words of single trades that stand in for the banks here; in themes/trades/<id>/*.yaml",
    )
