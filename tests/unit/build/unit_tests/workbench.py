"""A database with a history and two figures: jobs in workshops, changed by every kind of write."""

from __future__ import annotations

from typing import Any

from envforge.core.contracts import Database
from envforge.core.outcome import Produced
from envforge.core.records.archetype import Lifecycle, Transition
from envforge.core.records.blueprint import (
    Delete,
    Fetch,
    Insert,
    Operation,
    Order,
    Page,
    Parameter,
    Require,
    Return,
    Select,
    Step,
    Update,
)
from envforge.core.records.derived import Figure, History
from envforge.core.records.domain import Column, Domain, IdStyle, Reference, Table
from envforge.mine.derived.declared import subject_of
from envforge.mine.derived.filling import FillDerived
from envforge.mine.derived.parts import history_table, history_tool

STATES = ("waiting", "begun", "done")
HISTORY = History(
    table="job_history",
    of="jobs",
    state="state",
    created="came_at",
    key="job_id",
    owner="job_id",
    actor="hand",
    milestones={"done": "done_at"},
)
OPEN = Figure(
    table="workshops", column="open_jobs", key="workshop_id", of="jobs", by="workshop_id",
    where={"state": ("waiting", "begun")},
)  # fmt: skip
HOURS = Figure(
    table="workshops", column="hours", key="workshop_id", fn="sum", of="jobs", by="workshop_id", measure="hours"
)
LIFE = Lifecycle(
    table="jobs",
    column="state",
    states={"waiting": "waiting", "begun": "begun", "done": "done"},
    initial="waiting",
    transitions=(
        Transition(name="begin", source=("waiting",), target="begun"),
        Transition(name="finish", source=("begun",), target="done"),
        Transition(name="reopen", source=("done",), target="begun"),
    ),
    ordered=("came_at", "done_at"),
)
WORKSHOPS = Table(
    name="workshops",
    entity="workshop",
    label="workshop",
    primary_key=("workshop_id",),
    id_style=IdStyle(kind="integer"),
    columns=(
        Column(name="workshop_id", type="integer", nullable=False, role="id"),
        Column(name="place", type="text", nullable=False, role="title"),
        Column(name="open_jobs", type="integer", nullable=False, default=0),
        Column(name="hours", type="integer", nullable=False, default=0),
    ),
)
JOBS = Table(
    name="jobs",
    entity="job",
    label="job",
    primary_key=("job_id",),
    id_style=IdStyle(kind="integer"),
    columns=(
        Column(name="job_id", type="integer", nullable=False, role="id"),
        Column(
            name="workshop_id",
            type="integer",
            nullable=False,
            references=Reference(table="workshops", column="workshop_id", confidence=1, evidence="test"),
        ),
        Column(name="state", type="text", nullable=False, role="state", enum=STATES, default="waiting"),
        Column(name="hours", type="integer", nullable=False, default=1),
        Column(
            name="hand",
            type="integer",
            references=Reference(table="hands", column="hand_id", confidence=1, evidence="test"),
        ),
        Column(name="came_at", type="timestamp", nullable=False, role="created_at"),
        Column(name="done_at", type="timestamp"),
    ),
)
HANDS = Table(
    name="hands",
    entity="hand",
    label="hand",
    primary_key=("hand_id",),
    id_style=IdStyle(kind="integer"),
    columns=(
        Column(name="hand_id", type="integer", nullable=False, role="id"),
        Column(name="hand_name", type="text", nullable=False, role="title"),
    ),
)
_JOB_SCHEMA: dict[str, Any] = {"type": "integer", "x-semantic": "job.job_id"}
_GIVES: dict[str, Any] = {"type": "object", "required": ["job_id"], "properties": {"job_id": _JOB_SCHEMA}}
_JOB = Parameter(name="job_id", json_schema={"type": "integer"}, description="The job.", semantic="job.job_id")
_SHOP = Parameter(
    name="workshop_id", json_schema={"type": "integer"}, description="The workshop.", semantic="workshop.workshop_id"
)
_HELD = Fetch(name="held", table="jobs", where={"job_id": "job_id"}, message="There is no job {job_id}.", hint="List.")
_PLACE = Fetch(
    name="place", table="workshops", where={"workshop_id": "workshop_id"}, message="There is none.", hint="List."
)


def _operation(name: str, verb: Any, parameters: tuple[Parameter, ...], *steps: Step) -> Operation:
    return Operation(
        name=name,
        verb=verb,
        entity="job",
        summary=f"{name.replace('_', ' ').capitalize()}.",
        parameters=parameters,
        steps=(*steps, Return(value={"job_id": "job_id"})) if parameters[0] is _JOB else steps,
        returns=_GIVES,
        origin="synthetic",
    )


def _list(table: Table, entity: str) -> Operation:
    key = table.primary_key[0]
    shown = ", ".join(f"'{column.name}': row.{column.name}" for column in table.columns)
    found = {column.name: {"type": ["string", "integer", "null"]} for column in table.columns}
    semantic = {key: {"type": "integer", "x-semantic": f"{entity}.{key}"}}
    return Operation(
        name=f"list_{table.name}",
        verb="list",
        entity=entity,
        summary=f"List {table.name}.",
        parameters=(
            Parameter(
                name="start_cursor", json_schema={"type": "string"}, required=False, description="Where to go on."
            ),
            Parameter(name="page_size", json_schema={"type": "integer"}, required=False, description="How many."),
        ),
        steps=(
            Select(name="found", table=table.name, order=(Order(column=key),), page=Page()),
            Return(
                value={
                    "items": f"[{{{shown}}} for row in found.items]",
                    "next_cursor": "found.next_cursor",
                    "has_more": "found.has_more",
                }
            ),
        ),
        returns={
            "type": "object",
            "required": ["items", "next_cursor", "has_more"],
            "properties": {
                "items": {"type": "array", "items": {"type": "object", "properties": {**found, **semantic}}},
                "next_cursor": {"type": ["string", "null"]},
                "has_more": {"type": "boolean"},
            },
        },
        origin="synthetic",
    )


STATE = Parameter(name="state", json_schema={"type": "string", "enum": list(STATES)}, description="The new state.")
AMOUNT = Parameter(name="amount", json_schema={"type": "integer", "minimum": 1, "maximum": 9}, description="Hours.")
SET_STATE = _operation(
    "set_job_state",
    "transition",
    (_JOB, STATE),
    _HELD,
    Require(that="held.state != state", code="conflict", message="It is so already.", hint="Nothing to do."),
    Update(
        table="jobs",
        where={"job_id": "held.job_id"},
        set={"state": "state", "done_at": "now() if state == 'done' else None"},
    ),
)


def _changed(name: str, verb: Any, more: Parameter, values: dict[str, str], *checks: Step) -> Operation:
    update = Update(table="jobs", where={"job_id": "held.job_id"}, set=values)
    return _operation(name, verb, (_JOB, more), _HELD, *checks, update)


_NEW = {"job_id": "new_id('jobs')", "workshop_id": "place.workshop_id", "hours": "amount", "came_at": "now()"}
_BEGUN = {"workshop_id": "place.workshop_id", "state": "'begun'"}
OPERATIONS = (
    _list(WORKSHOPS, "workshop"),
    _list(JOBS, "job"),
    _list(HANDS, "hand"),
    SET_STATE,
    _changed("set_job_hours", "update", AMOUNT, {"hours": "amount"}),
    _changed("move_job", "transfer", _SHOP, {"workshop_id": "place.workshop_id"}, _PLACE),
    _operation("delete_job", "delete", (_JOB,), _HELD, Delete(table="jobs", where={"job_id": "held.job_id"})),
    _operation(
        "open_job",
        "create",
        (_SHOP, AMOUNT),
        _PLACE,
        Insert(name="made", table="jobs", values=_NEW),
        Return(value={"job_id": "made.job_id"}),
    ),
    _operation(
        "finish_all_begun",
        "transition",
        (_SHOP,),
        _PLACE,
        Update(table="jobs", where=_BEGUN, set={"state": "'done'", "done_at": "now()"}),
        Return(value={"job_id": "1"}),
    ),
)


def workbench() -> Database:
    """The database with its history and figures filled."""
    subject, actor = subject_of(JOBS), subject_of(HANDS)
    rows: dict[str, list[dict[str, Any]]] = {
        "workshops": [
            {"workshop_id": n, "place": place, "open_jobs": 0, "hours": 0}
            for n, place in enumerate(("Mill", "Quay", "Yard", "Loft"), start=1)
        ],
        "hands": [{"hand_id": n, "hand_name": name} for n, name in enumerate(("Ada", "Bo", "Cy"), start=1)],
        "jobs": [_job(n) for n in range(1, 31)],
        "job_history": [],
    }
    domain = Domain(theme="workbench", tables=(WORKSHOPS, HANDS, JOBS, history_table(HISTORY, subject, actor, STATES)))
    database = Database(
        domain=domain,
        rows=rows,
        provenance=[],
        documents={},
        clock="2025-06-02T09:00:00Z",
        operations=(*OPERATIONS, history_tool(HISTORY, subject, actor, STATES)),
        lifecycles=(LIFE,),
        histories=(HISTORY,),
        figures=(OPEN, HOURS),
    )
    outcome = FillDerived("archetype:test@0").apply(database, seed=3, round_number=0)
    assert isinstance(outcome, Produced)
    return outcome.value


def _job(number: int) -> dict[str, Any]:
    state = STATES[number % 3]
    day = f"2025-05-{1 + number % 28:02d}"
    return {
        "job_id": number,
        "workshop_id": 1 + number // 3 % 3,
        "state": state,
        "hours": 1 + number % 4,
        "hand": None if state == "waiting" else 1 + number % 2,
        "came_at": f"{day}T08:00:00Z",
        "done_at": f"{day}T16:00:00Z" if state == "done" else None,
    }
