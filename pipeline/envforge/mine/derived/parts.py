"""What a history brings into a domain: its table, and the tool that lists it.

Names may be references of the archetype language (`@ticket.id`): an archetype's histories are written out when it is
loaded, so that its own operations, queries and goals can name them like any other table.
"""

# Names of tables and columns come from a checked record.
# ruff: noqa: S608

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from envforge.core.records.blueprint import (
    Condition,
    Fetch,
    Operation,
    Order,
    Page,
    Parameter,
    Return,
    Select,
    Step,
    When,
    Witness,
)
from envforge.core.records.derived import AFTER, BEFORE, ENTRY, WHEN, WHO, History
from envforge.core.records.domain import Column, Reference, Table
from envforge.core.records.extraction import ColumnType

_EVIDENCE = "history"
SINCE, UNTIL = "changed_from", "changed_before"
"""Parameters of the tool: days."""


@dataclass(frozen=True)
class Subject:
    """What a column of a history refers to: a table, its key, and how these are called."""

    table: str
    key: str
    column: str
    """How the history calls the key."""
    entity: str
    label: str
    labels: str
    json_type: str
    type: ColumnType = "text"

    @property
    def semantic(self) -> str:
        """The semantic type of the key."""
        return f"{self.entity}.{self.key}"

    def reference(self) -> Reference:
        """To the key."""
        return Reference(table=self.table, column=self.key, confidence=1.0, evidence=_EVIDENCE)


def history_table(history: History, subject: Subject, actor: Subject | None, states: Sequence[str]) -> Table:
    """The table of the changes: one row per change, numbered within the row that it is about."""
    about = f"Changes of the state of {subject.labels}: one row per change, the first one when it came to be."
    columns = [
        Column(
            name=history.owner,
            type=subject.type,
            nullable=False,
            references=subject.reference(),
            description=f"The {subject.label}.",
        ),
        Column(name=ENTRY, type="integer", nullable=False, role="position", description="1 for the first change."),
        Column(
            name=BEFORE, type="text", enum=tuple(states), description="State before; NULL for what had just come to be."
        ),
        Column(name=AFTER, type="text", nullable=False, enum=tuple(states), description="State from then on."),
        Column(name=WHEN, type="timestamp", nullable=False, role="created_at", description="When it changed."),
    ]
    if actor is not None:
        text = f"The {actor.label} who looked after it then; NULL where nobody did."
        columns.append(Column(name=WHO, type=actor.type, references=actor.reference(), description=text))
    return Table(
        name=history.table,
        entity=history.table,
        label="state change",
        description=about,
        kind="child",
        origin="synthetic",
        primary_key=(history.owner, ENTRY),
        indexes=((AFTER, WHEN),),
        columns=tuple(column.model_copy(update={"origin": "synthetic"}) for column in columns),
    )


def history_tool(history: History, subject: Subject, actor: Subject | None, states: Sequence[str]) -> Operation:
    """The tool that lists a history, of one row or of all."""
    return Operation(
        name=f"list_{history.table}",
        verb="list",
        entity=history.table,
        summary=f"List how the state of {subject.labels} has changed, the oldest change first.",
        description="All conditions that are given must hold. The first change of each comes from no state. "
        "Days are read as UTC.",
        parameters=tuple(_parameters(history, subject, actor, states)),
        steps=(*_steps(history, subject, actor), _shown(history, actor)),
        returns=_returns(history, subject, actor),
        witnesses=_witnesses(history),
        origin="synthetic",
        locator=f"history:{history.table}",
    )


def _parameters(history: History, subject: Subject, actor: Subject | None, states: Sequence[str]) -> list[Parameter]:
    one_of: dict[str, Any] = {"type": "string", "enum": list(states)}
    day: dict[str, Any] = {"type": "string", "format": "date"}
    key: dict[str, Any] = {"type": subject.json_type}
    found = [
        Parameter(
            name=history.owner,
            json_schema=key,
            required=False,
            description=f"Only those of this {subject.label}.",
            semantic=subject.semantic,
        ),
        Parameter(name=BEFORE, json_schema=one_of, required=False, description="Only those from this state."),
        Parameter(name=AFTER, json_schema=one_of, required=False, description="Only those into this state."),
    ]
    if actor is not None:
        found.append(
            Parameter(
                name=WHO,
                json_schema={"type": actor.json_type},
                required=False,
                description=f"Only those that this {actor.label} looked after.",
                semantic=actor.semantic,
            )
        )
    said: dict[str, tuple[dict[str, Any], str]] = {
        SINCE: (day, "Only those on this day or later, YYYY-MM-DD."),
        UNTIL: (day, "Only those before this day, YYYY-MM-DD."),
        "start_cursor": ({"type": "string"}, "next_cursor of the page before."),
        "page_size": ({"type": "integer"}, "How many on one page."),
    }
    return [
        *found,
        *(Parameter(name=n, json_schema=s, required=False, description=text) for n, (s, text) in said.items()),
    ]


def _steps(history: History, subject: Subject, actor: Subject | None) -> list[Step]:
    known = Fetch(
        name="held",
        table=subject.table,
        where={subject.key: history.owner},
        message=f"There is no {subject.label} {{{history.owner}}}.",
        hint="Leave it out to see those of all.",
    )
    where = [
        Condition(column=history.owner, value=history.owner, optional=True),
        Condition(column=BEFORE, value=BEFORE, optional=True),
        Condition(column=AFTER, value=AFTER, optional=True),
        *([Condition(column=WHO, value=WHO, optional=True)] if actor is not None else []),
        Condition(column=WHEN, op="ge", value=SINCE, optional=True),
        Condition(column=WHEN, op="lt", value=UNTIL, optional=True),
    ]
    return [
        When(that=f"{history.owner} is not None", then=(known,)),
        Select(name="found", table=history.table, where=tuple(where), order=(Order(column=WHEN),), page=Page()),
    ]


def _fields(history: History, actor: Subject | None) -> list[str]:
    return [history.owner, ENTRY, BEFORE, AFTER, WHEN, *([WHO] if actor is not None else [])]


def _shown(history: History, actor: Subject | None) -> Return:
    pairs = ", ".join(f"'{name}': row.{name}" for name in _fields(history, actor))
    items = f"[{{{pairs}}} for row in found.items]"
    return Return(value={"items": items, "next_cursor": "found.next_cursor", "has_more": "found.has_more"})


def _returns(history: History, subject: Subject, actor: Subject | None) -> dict[str, Any]:
    text, maybe = {"type": "string"}, {"type": ["string", "null"]}
    shown: dict[str, Any] = {
        history.owner: {"type": subject.json_type, "x-semantic": subject.semantic},
        ENTRY: {"type": "integer"},
        BEFORE: maybe,
        AFTER: text,
        WHEN: text,
    }
    if actor is not None:
        shown[WHO] = {"type": [actor.json_type, "null"], "x-semantic": actor.semantic}
    return {
        "type": "object",
        "required": ["items", "next_cursor", "has_more"],
        "properties": {
            "items": {"type": "array", "items": {"type": "object", "properties": shown}},
            "next_cursor": maybe,
            "has_more": {"type": "boolean"},
        },
    }


def _witnesses(history: History) -> tuple[Witness, ...]:
    table, owner = history.table, history.owner
    longest = f"SELECT {owner} FROM {table} GROUP BY {owner} ORDER BY count(*) DESC, {owner}"
    late = (
        f"SELECT {BEFORE}, {AFTER}, substr({WHEN}, 1, 10) AS {SINCE} FROM {table} "
        f"WHERE {BEFORE} IS NOT NULL ORDER BY {WHEN} DESC, {owner}"
    )
    return (
        Witness(outcome="success", about="of the one that changed most", query=longest),
        Witness(outcome="success", about="the latest of a kind", query=late),
    )
