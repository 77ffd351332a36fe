"""What a model is shown each turn, and the form its answer must have."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from envforge.agents.assignment import AgentTool, Assignment
from envforge.core.records.agent import AgentStep
from envforge.core.records.completion import CompletionRequest, Message

_OLDER = 400
_MARKS = re.compile(r"</?(seen|briefing)\b", re.IGNORECASE)


def step_schema(tools: Sequence[AgentTool]) -> dict[str, Any]:
    """One step: a short thought, and one of the actions on offer with its arguments."""
    actions = [_action_schema(tool) for tool in tools]
    return {
        "type": "object",
        "properties": {"thought": {"type": "string"}, "step": {"anyOf": actions}},
        "required": ["thought", "step"],
        "additionalProperties": False,
    }


def _action_schema(tool: AgentTool) -> dict[str, Any]:
    properties: dict[str, Any] = {"action": {"type": "string", "enum": [tool.name]}, **tool.parameters}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def step_request(assignment: Assignment, tools: Sequence[AgentTool], steps: Sequence[AgentStep]) -> CompletionRequest:
    """The question for the next step."""
    said = f"{_standing(assignment, steps)}\n\nAnswer with the JSON of the next step only."
    return _request(assignment, tools, said, assignment.answer_tokens)


def code_request(
    assignment: Assignment, tool: AgentTool, steps: Sequence[AgentStep], pending: dict[str, Any]
) -> CompletionRequest:
    """The question for the code of a step that needs some."""
    wanted = json.dumps({"action": tool.name, **pending["arguments"]}, ensure_ascii=False)
    said = f"{_standing(assignment, steps)}\n\nYour step: {wanted}\n{tool.wants_code}"
    return _request(assignment, [tool], said, assignment.code_tokens)


def _request(assignment: Assignment, tools: Sequence[AgentTool], said: str, most: int) -> CompletionRequest:
    system = assignment.prompt.filled(tools="\n".join(_described(tool) for tool in tools))
    messages = (Message(role="system", content=system), Message(role="user", content=said))
    return CompletionRequest(messages=messages, max_tokens=most, temperature=0.0, stage=assignment.agent)


def _described(tool: AgentTool) -> str:
    return f"- {tool.name}({', '.join(tool.parameters)}): {tool.description}"


def _standing(assignment: Assignment, steps: Sequence[AgentStep]) -> str:
    parts = [f"Goal: {assignment.goal}"]
    briefing = assignment.briefing()
    if briefing:
        parts.append(f"<briefing>\n{quoted(briefing)}\n</briefing>")
    shown = steps[-assignment.shown_steps :]
    if len(shown) < len(steps):
        parts.append(f"({len(steps) - len(shown)} earlier steps are not shown.)")
    parts += [_told(step, assignment.shown_characters if step is shown[-1] else _OLDER) for step in shown]
    return "\n\n".join(parts)


def _told(step: AgentStep, most: int) -> str:
    wanted = json.dumps({"action": step.action, **step.arguments}, ensure_ascii=False) if step.action else "(no step)"
    wanted = quoted(clipped(wanted, _OLDER))
    return f"Step {step.number}: {wanted}\n<seen>\n{quoted(clipped(step.observation, most))}\n</seen>"


def clipped(text: str, most: int) -> str:
    """The beginning of a text, with what is missing said."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most} more characters)"


def quoted(text: str) -> str:
    """Text of strangers that cannot end the quotation it stands in."""
    return _MARKS.sub(lambda found: found[0].replace("<", "‹"), text)
