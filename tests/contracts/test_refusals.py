"""Operations of the archetypes and links that ship: one code per fault, said in words, with a way out.

`conflict`: it is so already, or it collides with another row. `not_allowed`: a state, a permission or a rule of the
trade forbids it. `not_found`: something named is not there. `invalid_argument`: malformed or out of range.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from envforge.core.records.archetype import Archetype, Lifecycle
from envforge.core.records.blueprint import Each, ErrorCode, Fetch, Operation, Require, Step, Update, When
from envforge.mine.archetypes import load_archetypes
from envforge.mine.links.catalogue import load_links

THEMES = Path(__file__).parents[2] / "themes"
# Not checked here: each process of the tests would do that before its first test. test_shipped_data.py checks them.
SIDES = load_archetypes([THEMES / "archetypes"], shipped=[THEMES / "archetypes"])
ARCHETYPES = [*SIDES, *load_links([THEMES], SIDES)]
_REFERENCE = re.compile(r"@(\w+)\.(\w+)")
_CODED = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def steps_of(steps: Sequence[Step]) -> Iterator[Step]:
    """Every step, in order."""
    for step in steps:
        yield step
        if isinstance(step, When):
            yield from steps_of(step.then)
            yield from steps_of(step.otherwise)
        elif isinstance(step, Each):
            yield from steps_of(step.steps)


def plain(text: str) -> str:
    """With names in place of references, so that it can be parsed."""
    return _REFERENCE.sub(r"\1__\2", text.replace("<<", "").replace(">>", ""))


def holds(node: ast.expr, column: str, state: str) -> bool | None:
    """What a condition says of a row in this state; None where that is not all it asks."""
    if isinstance(node, ast.BoolOp):
        parts = [holds(one, column, state) for one in node.values]
        decided = isinstance(node.op, ast.Or)
        return decided if decided in parts else None if None in parts else not decided
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = holds(node.operand, column, state)
        return None if inner is None else not inner
    if isinstance(node, ast.Compare) and ast.unparse(node.left) == column and len(node.ops) == 1:
        try:
            other = ast.literal_eval(node.comparators[0])
        except ValueError:
            return None
        tests: dict[type[ast.cmpop], bool] = {ast.Eq: state == other, ast.NotEq: state != other}
        if isinstance(other, tuple | list):
            tests |= {ast.In: state in other, ast.NotIn: state not in other}
        return tests.get(type(node.ops[0]))
    return None


def wrong_codes(operation: Operation, lives: Sequence[Lifecycle]) -> Iterator[str]:
    """States in which the operation is refused with another code than the fault has."""
    steps = list(steps_of(operation.steps))
    for life in lives:
        rows = [one.name for one in steps if isinstance(one, Fetch) and one.table == life.table and not one.optional]
        changes = [
            one for one in steps if isinstance(one, Update) and one.table == life.table and life.column in one.set
        ]
        changes = [
            one for one in changes if any(value.startswith(f"{row}.") for value in one.where.values() for row in rows)
        ]
        texts = {one.set[life.column] for one in changes}
        reached = {text.strip("'") for text in texts if re.fullmatch(r"'\w+'", text)}
        if not rows or not changes or not reached:
            continue
        column = f"{rows[0]}.{plain(life.column)}"
        for state in life.states:
            refused = next((one for one in steps if isinstance(one, Require) and refuses(one, column, state)), None)
            if refused is None or (state in reached and len(reached) > 1):
                continue
            code = "conflict" if state in reached else "not_allowed"
            earlier = [one for one in steps[: steps.index(refused)] if isinstance(one, Require)]
            if state in reached and any(one.code == "conflict" and f"{rows[0]}." in one.that for one in earlier):
                continue  # what is so already was told by another column: a merged change is closed, too
            if refused.code != code:
                yield f"{operation.name}: {state} is refused with {refused.code}, not {code}: {refused.message}"


def refuses(step: Require, column: str, state: str) -> bool:
    return holds(ast.parse(plain(step.that), mode="eval").body, column, state) is False


def collisions(operation: Operation) -> Iterator[str]:
    """Requires that a twin is not there, or that something is not what is asked for already, with another code."""
    for step in steps_of(operation.steps):
        if isinstance(step, Require) and re.search(r"\balready\b", step.message) and step.code not in _SO_ALREADY:
            yield f"{operation.name}: {step.code} says that something is so already: {step.message}"


_SO_ALREADY = ("conflict", "limit_exceeded")


def coded_words(operation: Operation) -> Iterator[str]:
    """Values in messages as a database has them: "on_loan" instead of "on loan"; names of tools and arguments may."""
    for step in steps_of(operation.steps):
        if isinstance(step, Require):
            told = re.sub(r"\{[^{}]*\}|@\w+(?:\.\w+)?\w*|<<|>>", " ", step.message)
            known = {one.name for one in operation.parameters}
            yield from (
                f"{operation.name}: {word} in {step.message!r}" for word in _CODED.findall(told) if word not in known
            )


@pytest.fixture(params=ARCHETYPES, ids=lambda one: one.id)
def archetype(request: pytest.FixtureRequest) -> Archetype:
    return request.param


def test_a_state_that_is_reached_already_is_a_conflict_and_every_other_is_not_allowed(archetype: Archetype) -> None:
    assert [one for operation in archetype.operations for one in wrong_codes(operation, archetype.lifecycles)] == []


def test_what_is_so_already_is_a_conflict(archetype: Archetype) -> None:
    assert [one for operation in archetype.operations for one in collisions(operation)] == []


def test_messages_are_said_in_words(archetype: Archetype) -> None:
    assert [one for operation in archetype.operations for one in coded_words(operation)] == []


def test_every_refusal_says_what_to_do(archetype: Archetype) -> None:
    for operation in archetype.operations:
        for step in steps_of(operation.steps):
            if isinstance(step, Require) or (isinstance(step, Fetch) and not step.optional and step.message):
                assert step.hint, f"{operation.name}: {step.message}"


def lending(*requires: Require) -> Operation:
    """An operation that lends a copy after these."""
    return Operation(
        name="lend_copy", verb="update", entity="copy", summary="Lend it.", parameters=(),
        steps=(
            Fetch(name="copy", table="copies", where={"copy_id": "1"}), *requires,
            Update(table="copies", where={"copy_id": "copy.copy_id"}, set={"state": "'on_loan'"}),
        ),
        returns={"type": "object"},
    )  # fmt: skip


def refusal(that: str, code: ErrorCode, message: str = "It is not.") -> Require:
    return Require(that=that, code=code, message=message, hint="Wait.")


LIFE = Lifecycle(
    table="copies", column="state", states={"here": "here", "on_loan": "on loan", "lost": "lost"}, initial="here"
)


def test_one_code_for_two_faults_is_found() -> None:
    one_for_both = lending(refusal("copy.state == 'here'", "conflict"))
    assert len(list(wrong_codes(one_for_both, [LIFE]))) == 1
    assert "lost is refused with conflict" in next(wrong_codes(one_for_both, [LIFE]))
    other_for_both = lending(refusal("copy.state in ('here',) and copy.age > 2", "not_allowed"))
    assert "on_loan is refused with not_allowed" in next(wrong_codes(other_for_both, [LIFE]))
    right = lending(refusal("copy.state != 'on_loan'", "conflict"), refusal("copy.state == 'here'", "not_allowed"))
    assert list(wrong_codes(right, [LIFE])) == []
    told_elsewhere = lending(
        refusal("copy.lent_at is None", "conflict"), refusal("copy.state == 'here'", "not_allowed")
    )
    assert list(wrong_codes(told_elsewhere, [LIFE])) == []


def test_words_of_a_database_and_wrong_collisions_are_found() -> None:
    assert list(collisions(lending(refusal("False", "not_allowed", "It is lent already."))))
    assert not list(collisions(lending(refusal("False", "conflict", "It is lent already."))))
    assert list(coded_words(lending(refusal("False", "conflict", "It is on_loan."))))
    assert not list(coded_words(lending(refusal("False", "conflict", "It is {copy.lent_state}."))))
