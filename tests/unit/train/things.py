"""A family with one tool, rows of it and an example: as little as there is to train on."""

from __future__ import annotations

from envforge.core.records.completion import FunctionTool, Message
from envforge.core.records.train_config import OwnModel
from envforge.core.records.training import FamilyTools, SftExample, TrainingRow
from envforge.train.data.conversation import asked, ending

TOOL = FunctionTool(
    name="find",
    description="Find a thing by its name.",
    parameters={"type": "object", "properties": {"name": {"type": "string"}}},
)
FAMILY = FamilyTools(family="things-0", final="final_answer", tools=(TOOL,))
OWN = OwnModel(vocabulary=320, hidden=8, layers=1, heads=2, key_value_heads=1, head_size=4, between=8)
PROMPT = (
    Message(role="system", content="You do a task for somebody. It is 2013-01-16, 12:00 UTC. Look things up first."),
    Message(role="user", content="How many things are there?"),
)


def row(number: int, level: int = 1) -> TrainingRow:
    return TrainingRow(
        environment_id="things",
        environment_hash="0" * 64,
        family="things-0",
        database_seed=0,
        grounding="spec",
        task_id=f"task-{number}",
        level=level,
        kind="graph",
        goal="count",
        instruction="How many?",
        answer_schema={},
        prompt=PROMPT,
        episode_seed=number,
        split="train",
    )


def example() -> SftExample:
    read, heard = (
        asked("find", {"name": "all"}, 0),
        Message(role="tool", content='{"result":4}', tool_call_id="call00000"),
    )
    kept = row(0).model_dump(
        include={"environment_id", "environment_hash", "family", "database_seed", "task_id", "level", "kind"}
    )
    messages = (*PROMPT, read, heard, *ending(4, "final_answer", 1))
    return SftExample(**kept, source="gold", agent="gold", key="k", messages=messages)
