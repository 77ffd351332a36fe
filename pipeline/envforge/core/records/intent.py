"""Goals: what people want of an environment, as data that is rendered three ways (text, gold program, SQL oracle).

A family is written once per kind of domain (themes/intents/<archetype>.yaml) or proposed by a grammar or a walk over
the tool graph; an Intent is a family bound to one set of values of one database.
SQL sees the initial database; `:name` is a parameter. Gold programs see mentions only, and tools.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from envforge.core.records.base import Record

IntentKind = Literal["question", "state_change", "policy_change", "batch"]
Say = Literal[
    "text",
    "quoted",
    "name",
    "place",
    "date",
    "clock",
    "date_time",
    "month",
    "number",
    "money",
    "duration",
    "code",
    "label",
    "list",
]
"""How a value is spoken: as it is; in quotes; a person's name; a place; "Thursday the 17th"; "7:05 am"; both of these;
"March 2013"; "twelve" or "1,204"; "$120"; minutes as "two hours"; a code as it is; an enum's label; "a, b and c"."""
Match = Literal["exact", "number", "set", "ordered", "normalised_text"]
Register = Literal["terse", "polite", "rambling", "implicit"]
"""How a person speaks: in few words; with please and thank you; at length; hinting at what is wanted."""


class Mention(Record):
    """Something a person says: a value found by SQL, and how it is spoken. A gold program knows it by its name."""

    sql: str = Field(description="SELECT with one column; one row, or many for say=list")
    say: Say = "text"
    labels: dict[str, str] = Field(default_factory=dict, description="say=label: value -> words")


class Reference(Record):
    """A row that a person refers to by attributes: the first set of columns that fits one row only is used.

    A gold program knows it as a dict of the columns that were said.
    """

    table: str
    key: str = Field(description="SELECT of the primary key's value, by parameters")
    by: tuple[tuple[str, ...], ...] = Field(description="sets of columns, the shortest first")
    among: str = Field(default="", description="SQL condition on the table that the words around it already say")
    say: dict[str, str] = Field(
        description="columns joined by '+' -> words with {column} or {column|how}, how as in Mention.say"
    )
    short: str = Field(default="", description="the same for when it was said once: '{first_name}', 'that flight'")


class Expectation(Record):
    """Rows of one table that the goal changes, each fully said by SQL on the initial database.

    `rows` is a SELECT; its columns are columns of the table. update: the primary key and the final values; delete: the
    primary key; insert: the constrained columns of the new rows (ids and clocks are left out). Columns of new rows that
    are not named must be as tools leave them where nothing is said. Documents are rows of `envforge_documents` (path,
    text); SQL may name them, but not read them. An update of documents may say edits instead of texts
    (docs/archetypes.md, "Documents").
    """

    table: str
    change: Literal["insert", "update", "delete"]
    rows: str
    free: tuple[str, ...] = Field(
        default=(), description="further columns of these rows that may change too; of new rows: that may hold anything"
    )
    normalised: tuple[str, ...] = Field(default=(), description="columns compared without case, spacing, punctuation")
    unnamed: dict[str, Any] = Field(
        default_factory=dict,
        description="insert: values of columns that `rows` does not name; binding fills it in (synth/defaults.py)",
    )
    fresh: tuple[str, ...] = Field(
        default=(), description="insert: columns that hold what no row held before, where `rows` does not name them"
    )
    of_new: dict[str, str] = Field(
        default_factory=dict,
        description="insert: columns that refer to a row which is new as well -> its table; SQL can't know its key",
    )


class Allowance(Record):
    """Side effects that the goal leaves free: rows of `table` whose `column` has a value of `values`."""

    table: str
    changes: tuple[Literal["insert", "update", "delete"], ...] = ("insert", "update", "delete")
    column: str = Field(default="", description="nothing: any row of the table")
    values: str = Field(default="", description="SELECT of the admissible values of `column`")
    columns: tuple[str, ...] = Field(default=(), description="of an update: only these; nothing: all")


class AnswerField(Record):
    """A part of the answer: its value by SQL on the initial database, and how it is compared."""

    sql: str = Field(description="one value (one row, one column), or a row per item for match set and ordered")
    match: Match = "exact"
    tolerance: float = 0.0
    description: str = Field(description="what stands in the answer schema; no hint at the way to it")
    json_type: Literal["string", "integer", "number", "boolean", "array"] = "string"
    item_type: Literal["string", "integer", "number", "object"] = "string"
    fields: tuple[str, ...] = Field(default=(), description="of item_type object: names of the columns, in order")
    optional: bool = Field(default=False, description="the value may be null")


class Reading(Record):
    """Another way to understand the words. Where it leads elsewhere, the bank that rules it out must be said."""

    bank: str
    target: str = Field(description="the target, as this reading has it")


class IntentFamily(Record):
    """A goal people have in this kind of domain. Instances are the rows of `parameter_sets`."""

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    kind: IntentKind
    title: str = Field(description="the goal in a few words, for people who read lists of tasks")
    parameter_sets: str = Field(description="SELECT whose columns are parameters, a row per admissible set")
    mentions: dict[str, Mention] = Field(default_factory=dict)
    references: dict[str, Reference] = Field(default_factory=dict)
    constants: dict[str, Any] = Field(default_factory=dict, description="values that the words themselves fix")
    target: str = Field(description="SELECT of the candidate rows: what the goal is about; its first column is a key")
    policy: str = Field(default="", description="condition per candidate: expression over `row` and parameters")
    sizes: tuple[int, int] = Field(default=(1, 60), description="least and most candidates")
    readings: tuple[Reading, ...] = ()
    expect: tuple[Expectation, ...] = ()
    allow: tuple[Allowance, ...] = ()
    answer: dict[str, AnswerField] = Field(default_factory=dict)
    computes: bool = Field(
        default=False, description="the answer is worked out: it is not a set of values that results show"
    )
    gold: str = Field(description="Python: body of solve(call); `call` and `pages` reach tools; ends in return {...}")
    alternatives: tuple[str, ...] = Field(default=(), description="other bodies that must be accepted too")
    wording: dict[str, tuple[str, ...]] = Field(
        description="banks of words: 'text' (the whole), one per node (target, policy, change, report, the readings' "
        "banks) and any others; {bank}, {mention}, {reference}; 'bank/register' for one register only"
    )


class Intent(Record):
    """A family bound to values of one database: what text, gold and oracle all render."""

    family: str
    kind: IntentKind
    source: Literal["walk", "archetype", "grammar"]
    parameters: dict[str, Any] = Field(description="values for :names of the family's SQL")
    said: dict[str, Any] = Field(
        description="mention, reference (a dict of its said columns) or constant -> what a gold program starts from"
    )
    spoken: dict[str, str] = Field(description="mention or reference -> the words that stand for it in the text")
    banks: tuple[str, ...] = Field(description="nodes that the text must say")
    candidates: int = Field(description="rows of the target")
    chosen: int = Field(description="rows that pass the policy")
    expect: tuple[Expectation, ...] = ()
    allow: tuple[Allowance, ...] = ()
    answer: dict[str, AnswerField] = Field(default_factory=dict)
