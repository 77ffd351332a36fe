"""How a task is told to who is trained, and how an episode reads as a conversation.

The words are those of the native protocol (rollout/prompts), so that what was trained reads alike when it is
evaluated. One thing differs: trainers fix the tools of a family once for all its tasks, so the final answer is the one
argument `answer`, and the schema that it has to fit stands in the task's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envforge.core.ids import canonical_json, sha256_text
from envforge.core.records.completion import FunctionTool, Message, ToolCall
from envforge.core.records.environment import ToolSpec
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Turn
from envforge.rollout.agents.model import FINAL
from envforge.rollout.prompts import read_prompt
from envforge.rollout.protocols.protocol import call_id
from envforge.train.data.records import FamilyTools
from envforge.world.fitting import json_text

ANSWER = "answer"
TAKEN = json_text({"result": {"taken": True}})
"""What the final answer is answered with."""
CLOSING = "Done."
"""What is said after it: an episode ends with words, not with a call."""
_WORDS = "native-1"
_FITS = "The argument `answer` of {final} has to fit this JSON Schema: {schema}"


def family_tools(family: str, specs: Sequence[ToolSpec]) -> FamilyTools:
    """What is offered in every environment of a family."""
    names = {spec.name for spec in specs}
    final = FINAL
    while final in names:
        final += "_"
    offered = [FunctionTool(name=one.name, description=one.description, parameters=one.parameters) for one in specs]
    answer = {"description": "The answer, as the task's schema wants it."}
    last = FunctionTool(
        name=final,
        description="Give the final answer. It ends the task.",
        parameters={
            "type": "object",
            "properties": {ANSWER: answer},
            "required": [ANSWER],
            "additionalProperties": False,
        },
    )
    return FamilyTools(family=family, final=final, tools=(*offered, last))


def opening(task: Task, final: str) -> tuple[Message, ...]:
    """What stands before the first answer: the rules with the World's time, and the task with its answer's schema."""
    now = f"{task.now[:10]}, {task.now[11:16]} UTC"
    system = read_prompt(_WORDS).filled(now=now, user="", final=final)
    fits = _FITS.format(final=final, schema=canonical_json(task.answer_schema))
    return (Message(role="system", content=system), Message(role="user", content=f"{task.instruction}\n\n{fits}"))


def asked(name: str, arguments: Mapping[str, Any], number: int) -> Message:
    """An assistant's message that holds one call, the episode's `number`th (from 0)."""
    given = dict(arguments)
    call = ToolCall(id=call_id(number), name=name, raw_arguments=canonical_json(given), arguments=given)
    return Message(role="assistant", tool_calls=(call,))


def answered(text: str, number: int) -> Message:
    """What the tool said to that call."""
    return Message(role="tool", content=text, tool_call_id=call_id(number))


def told(turn: Turn) -> str:
    """A recorded observation as an agent was shown it."""
    return json_text(turn.observation)


def ending(answer: Any, final: str, number: int) -> tuple[Message, ...]:
    """The final answer and the closing words."""
    closing = Message(role="assistant", content=CLOSING)
    return (asked(final, {ANSWER: answer}, number), answered(TAKEN, number), closing)


def conversation_key(messages: Sequence[Message]) -> str:
    """Hash of a conversation: what is equal in it is one example."""
    return sha256_text(canonical_json([message.to_json() for message in messages]))
