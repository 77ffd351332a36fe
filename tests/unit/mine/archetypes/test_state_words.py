"""Messages say states as people do."""

from __future__ import annotations

from envforge.core.records.archetype import Lifecycle
from envforge.core.records.blueprint import Each, Fetch, Operation, Parameter, Require, Step, When
from envforge.core.records.domain import Column, Table
from envforge.mine.archetypes.state_words import in_words, spoken

LIFE = Lifecycle(
    table="copies", column="state", states={"on_loan": "on loan", "draft": "a draft", "lost": "lost"}, initial="lost"
)
COPIES = Table(
    name="copies",
    entity="copy",
    label="copy",
    primary_key=("copy_id",),
    columns=(
        Column(name="copy_id", type="integer", description="Key."),
        Column(name="state", type="text", description="How it stands."),
        Column(name="kind", type="text", enum=("big_print", "plain"), nullable=False, description="What it is."),
        Column(name="cover", type="text", enum=("hard_back", "soft"), description="How it is bound."),
    ),
)


def refusal(message: str) -> Require:
    return Require(that="False", code="not_allowed", message=message, hint="Wait.")


def told(*steps: Step) -> list[str]:
    """The messages of an operation on one copy that is asked for a state, as they are put in words."""
    fetched = Fetch(name="copy", table="copies", where={"copy_id": "copy_id"}, message="There is no copy {copy_id}.")
    wanted = Parameter(
        name="state", json_schema={"type": "string", "enum": ["on_loan", "lost"]}, description="The state it gets."
    )
    operation = Operation(
        name="lend_copy", verb="update", entity="copy", summary="Lend it.", parameters=(wanted,),
        steps=(fetched, *steps), returns={"type": "object"},
    )  # fmt: skip
    (changed,) = in_words([operation], [LIFE], [COPIES])
    return [step.message for step in changed.steps[1:] if isinstance(step, Require)]


def test_a_state_is_said_by_its_label() -> None:
    row = "'a draft' if copy.state == 'draft' else copy.state.replace('_', ' ')"
    assert told(refusal("Copy {copy_id} is {copy.state}.")) == [f"Copy {{copy_id}} is {{{row}}}."]
    assert eval(spoken("state", LIFE.states), {"state": "on_loan"}) == "on loan"
    assert eval(spoken("state", LIFE.states), {"state": "draft"}) == "a draft"


def test_an_argument_is_said_like_the_state_that_it_names() -> None:
    assert told(refusal("It is {state} already.")) == ["It is {state.replace('_', ' ')} already."]


def test_other_values_of_a_list_lose_their_underscores_and_what_may_be_missing_stays() -> None:
    assert told(refusal("A {copy.kind} one.")) == ["A {copy.kind.replace('_', ' ')} one."]
    assert told(refusal("A {copy.cover} one.")) == ["A {copy.cover} one."]
    assert told(refusal("{copy.copy_id} {copy.state!r} {other.state}")) == [
        "{copy.copy_id} {copy.state!r} {other.state}"
    ]


def test_steps_inside_of_others_are_put_in_words_as_well() -> None:
    inner = (refusal("It is {copy.kind}."),)
    nested = (When(that="True", then=inner, otherwise=inner), Each(over="[]", item="one", steps=inner))
    operation = Operation(
        name="lend_copy", verb="update", entity="copy", summary="Lend it.", parameters=(),
        steps=(Fetch(name="copy", table="copies", where={"copy_id": "1"}), *nested), returns={"type": "object"},
    )  # fmt: skip
    (changed,) = in_words([operation], [LIFE], [COPIES])
    _, when, each = changed.steps
    assert isinstance(when, When) and isinstance(each, Each)
    for step in (*when.then, *when.otherwise, *each.steps):
        assert isinstance(step, Require) and step.message == "It is {copy.kind.replace('_', ' ')}."
