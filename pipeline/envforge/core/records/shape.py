"""Shapes: what rows of a schema look like that no archetype knows, as data (themes/shapes/*.yaml).

An archetype tells the life of one kind of domain. A shape tells what holds wherever people keep records of
something: how such things are called, which words of a column's name say what it holds, how states, times and
numbers are spread. It never names a product, and where it has no words for a column, the column is left out.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from envforge.core.records.base import Record
from envforge.core.records.extraction import ColumnType

ValueKind = Literal[
    "choice", "number", "money", "moment", "duration", "form", "name", "slug", "about", "remark", "person", "place",
    "organisation", "mail", "address", "tags", "map", "uuid", "latest",
]  # fmt: skip


class EntityKind(Record):
    """A kind of thing that tables hold, known by the words of the entity's name: `words` at its end."""

    name: str
    words: tuple[str, ...] = Field(description="an entity is of this kind if its name ends with one of them")
    style: str = Field(description="naming style")
    rows: tuple[int, int] | None = Field(default=None, description="how many rows, instead of what the role says")
    beside: tuple[str, ...] = Field(
        default=(), description="words, one of which the names of its columns must hold besides"
    )
    without: tuple[str, ...] = Field(default=(), description="words, none of which its columns' names may hold")
    has: tuple[str, ...] = Field(default=(), description="columns that make a table of this kind whatever its name")


class Subject(Record):
    """What a named thing is about: its name as an identifier and as people write it, and one true sentence on it."""

    slug: str
    title: str
    about: str = ""


class NamingStyle(Record):
    """How things of a kind are called. A form may hold {slug} {title} {label} {env} {region} {number} and banks.

    `source` says where the subject of a row comes from: a bank of subjects, people, places, organisations, or
    `ordered` subjects (each at most once, in order: sizes and plans).
    """

    source: Literal["subjects", "ordered", "person", "place", "organisation"] = "subjects"
    subjects: str = Field(default="", description="bank of subjects")
    forms: tuple[str, ...]
    identifier: bool = Field(default=False, description="names are identifiers: unique, lower case")


class ValueRule(Record):
    """What the name (and the description) of a column say about its values. The first rule that fits decides.

    `words`: alternatives; the blanks of one separate words that must all be in the column's name.
    """

    make: ValueKind
    words: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    alone: bool = Field(default=False, description="no other words in the name than these and the entity's")
    only_beside: tuple[str, ...] = Field(
        default=(), description="words, one of which the name of another column must hold"
    )
    said: tuple[str, ...] = Field(default=(), description="pieces of text, one of which the description must hold")
    formats: tuple[str, ...] = ()
    types: tuple[ColumnType, ...] = ("text",)
    kinds: tuple[str, ...] = Field(default=(), description="kinds of entities it holds for; nothing: for all")
    of: dict[str, float] = Field(default_factory=dict, description="choice, tags, map: values with their weights")
    bank: str = Field(default="", description="choice: the bank of values; person, place, organisation: the part")
    forms: tuple[str, ...] = Field(default=(), description="form: # a digit, ? a letter, * a hexadecimal digit, {bank}")
    low: float = 0
    high: float = 1
    digits: int = 0
    skew: float = Field(default=1.0, description="number: 1 is even; above, small ones are more frequent")
    share: float = Field(default=1.0, description="share of rows that hold a value where the column may be empty")
    unique: bool = False
    phases: tuple[str, ...] = Field(default=(), description="phases in which there is such a value; nothing: all")
    when: dict[str, float] = Field(default_factory=dict, description="phase -> the value that it fixes")
    part: Literal["", "net", "tax", "discount", "extra", "total", "paid", "due", "refunded"] = Field(
        default="", description="money: its part in a sum; net - discount + extra + tax is the total"
    )
    place: int = Field(default=0, description="moment: its place in a life; 5 due, 9 ahead")


class Phase(Record):
    """A part of a life, and the words that states have in it."""

    name: str
    words: tuple[str, ...]
    weight: float
    label: str = ""


class Flag(Record):
    """How often a truth value is true, by the words of the column's name."""

    words: tuple[str, ...]
    share: float


class Signs(Record):
    """Words in names and pieces of descriptions that tell what a column is, apart from the rules."""

    time_words: tuple[str, ...] = Field(description="last words of a name that holds a time")
    time_said: tuple[str, ...]
    time_formats: tuple[str, ...]
    day_words: tuple[str, ...] = Field(description="last words of a name that holds a day without a time")
    day_formats: tuple[str, ...]
    epoch_said: tuple[str, ...] = Field(description="a number of seconds (or, with milli_said, of thousandths)")
    milli_said: tuple[str, ...]
    minor_said: tuple[str, ...] = Field(description="an amount in the smallest unit of its currency")
    secret_words: tuple[str, ...] = Field(description="what no record shows")
    state_words: tuple[str, ...]
    name_words: tuple[str, ...] = Field(description="words that say no more than that it is a name")
    shown_words: tuple[str, ...] = Field(description="words of a name that is written for people")
    picture_words: tuple[str, ...]
    seldom_words: tuple[str, ...] = Field(
        description="what is said only of what came to nothing, where it may be empty"
    )
    rare_words: tuple[str, ...] = Field(description="choices that are seldom made")
    person_kinds: tuple[str, ...]
    created_words: tuple[str, ...]
    updated_words: tuple[str, ...]


class RowShape(Record):
    """One file of themes/shapes."""

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    version: int
    title: str
    about: str
    clock: str = Field(description="the World's epoch where neither theme nor rows fix one")
    locale: str = Field(default="en_US", description="the dominant locale of people's names")
    least: int = Field(default=4, description="entities that can be listed and written, below which rows make no sense")
    days: int = Field(default=540, description="how far back the records go")
    histories: int = Field(
        default=0, ge=0, description="of at most so many tables the changes of their states are kept"
    )
    rows: dict[Literal["root", "middle", "leaf", "reference", "link"], tuple[int, int]] = Field(
        description="rows by the part a table plays; link: per row of its first parent"
    )
    kinds: tuple[EntityKind, ...]
    fallback: str = Field(description="the naming style of things of no known kind")
    fallback_like: tuple[str, ...] = Field(
        default=(), description="styles that things of no known kind take where most known ones beside them have it"
    )
    styles: dict[str, NamingStyle]
    subjects: dict[str, tuple[Subject, ...]]
    banks: dict[str, tuple[str, ...]] = Field(description="words and whole texts, picked one by one")
    tables: dict[str, tuple[dict[str, str | float], ...]] = Field(
        description="facts that belong together, by row: places, countries, currencies"
    )
    values: tuple[ValueRule, ...]
    signs: Signs
    phases: tuple[Phase, ...] = Field(description="in the order of a life")
    plain_states: dict[str, float] = Field(description="states where the source lists none")
    flags: tuple[Flag, ...]
    flag: float = Field(default=0.15, description="share of true where no flag's words fit")
    unowned: float = Field(default=0.1, description="share of empty references that may be empty")
