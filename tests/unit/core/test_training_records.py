"""What a training set may not be."""

from typing import Any

import pytest
from pydantic import ValidationError

from envforge.core.records.completion import Message, ToolCall
from envforge.core.records.training import SftExample, TrainingEnvironment, TrainingSet, leaks

CALL = ToolCall(id="call00000", name="find", raw_arguments="{}", arguments={})
ASKS = Message(role="assistant", tool_calls=(CALL,))
RESULT = Message(role="tool", content="{}", tool_call_id=CALL.id)
DONE = Message(role="assistant", content="Done.")


def _environment(**changed: Any) -> TrainingEnvironment:
    known: dict[str, Any] = {
        "environment_id": "ferry",
        "environment_hash": "a",
        "theme": "ferry",
        "family": "ferry-1",
        "database_seed": 0,
        "grounding": "mined",
        "split": "train",
        "tasks": "b",
    }
    return TrainingEnvironment(**{**known, **changed})


def _example(*messages: Message) -> SftExample:
    return SftExample(
        environment_id="ferry", environment_hash="a", family="ferry-1", database_seed=0, task_id="t", level=1,
        kind="graph", source="gold", agent="gold", key="k", messages=messages,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("held_out", "word"),
    [
        ({"split": "heldout_family", "environment_hash": "c", "database_seed": 1}, "the family ferry-1"),
        ({"split": "heldout_family", "environment_hash": "c", "family": "ferry-2"}, "the theme ferry"),
        ({"split": "heldout_family", "theme": "quay", "family": "quay-1"}, "under another name"),
        ({"split": "heldout_seed", "environment_hash": "c"}, "the database 0"),
    ],
)
def test_what_is_on_both_sides_is_a_leak(held_out: dict[str, Any], word: str) -> None:
    both = (_environment(), _environment(environment_id="other", **held_out))
    assert word in leaks(both)[0]
    with pytest.raises(ValidationError, match=word):
        TrainingSet(data="workspace", seed=0, levels=(1,), environments=both)


def test_another_family_and_another_database_are_no_leak() -> None:
    other = _environment(split="heldout_family", theme="quay", family="quay-1", environment_hash="c")
    seed = _environment(split="heldout_seed", database_seed=1, environment_hash="d")
    assert not leaks((_environment(), other, seed))


def test_a_conversation_is_whole() -> None:
    example = _example(ASKS, RESULT, DONE)
    assert [message["role"] for message in example.chat()] == ["assistant", "tool", "assistant"]
    assert example.chat()[0]["tool_calls"][0]["function"] == {"name": "find", "arguments": {}}
    assert example.chat()[1]["tool_call_id"] == CALL.id


@pytest.mark.parametrize(
    ("messages", "word"),
    [((ASKS, DONE), "is not answered"), ((RESULT, DONE), "answers no call"), ((ASKS, RESULT), "closing words")],
)
def test_a_conversation_with_a_gap_is_refused(messages: tuple[Message, ...], word: str) -> None:
    with pytest.raises(ValidationError, match=word):
        _example(*messages)
