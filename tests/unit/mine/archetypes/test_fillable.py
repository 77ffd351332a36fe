"""What an archetype's operations can't fill in the schema at hand is left out, with the goals that need it."""

from __future__ import annotations

from envforge.core.records.blueprint import Insert, Operation, Require, Return, When
from envforge.core.records.domain import Column, Table
from envforge.core.records.intent import IntentFamily
from envforge.mine.archetypes.fillable import fillable, served

PATIENTS = Table(
    name="patients",
    entity="patient",
    label="patient",
    primary_key=("id",),
    columns=(
        Column(name="id", type="integer", nullable=False),
        Column(name="name", type="text"),
        Column(name="insured_with", type="text", nullable=False),
        Column(name="active", type="boolean", nullable=False, default=True),
    ),
)


def registering(**values: str) -> Operation:
    """A tool that makes a patient in one of its branches."""
    insert = Insert(name="made", table="patients", values={"id": "new_id('patients')", **values})
    steps = (
        Require(that="name != ''", code="invalid_argument", message="There is no name."),
        When(that="True", then=(insert,)),
        Return(value={"id": "1"}),
    )
    return Operation(
        name="register_patient", verb="create", entity="patient", summary="Register.", steps=steps, returns={}
    )


def goal(gold: str) -> IntentFamily:
    return IntentFamily.model_construct(id="take-on", gold=gold)


def test_a_column_that_must_have_a_value_leaves_the_tool_out() -> None:
    kept, notes = fillable([registering(name="name")], [PATIENTS])
    assert kept == ()
    assert notes == ["operation register_patient left out: nothing fills patients.insured_with"]


def test_a_tool_that_gives_every_value_stays() -> None:
    operation = registering(name="name", insured_with="'nobody'")
    assert fillable([operation], [PATIENTS]) == ((operation,), [])


def test_goals_that_call_what_was_left_out_go_too() -> None:
    operation = registering(name="name")
    families = [goal('call("register_patient", name=name)'), goal('call("list_patients")')]
    assert served(families, [operation], []) == (families[1],)
    assert served(families, [operation], [operation]) == tuple(families)


def test_other_bodies_of_a_goal_that_call_it_go_alone_and_a_value_of_its_name_is_no_call() -> None:
    operation = registering(name="name")
    family = IntentFamily.model_construct(
        id="take-on",
        gold='return {"register_patient": len(call(\'list_patients\')["items"])}',
        alternatives=("call('register_patient', name=name)", "call('list_patients')"),
    )
    (left,) = served([family], [operation], [])
    assert (left.gold, left.alternatives) == (family.gold, family.alternatives[1:])
    single = IntentFamily.model_construct(id="single", gold="call('register_patient', name=name)")
    assert served([single], [operation], []) == ()
