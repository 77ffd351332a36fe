"""An agent that makes valid calls at random, and then answers at random: what luck is worth."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from envforge.core.records.environment import ToolSpec
from envforge.rollout.agents.agent import Action, Answer, Assignment, Call, Seen
from envforge.rollout.agents.sampling import Sampler
from envforge.rollout.agents.seen_values import SeenValues
from envforge.world.arguments import ArgumentCheck

CALLS = 12
_TRIES = 8
_SEEN_SHARE = 0.8
"""How often an argument is a value that was seen, where one may fit."""


@lru_cache(maxsize=1024)
def _check(spec: str) -> ArgumentCheck:
    """Compiling a schema costs more than an episode: once per tool."""
    return ArgumentCheck(ToolSpec.model_validate_json(spec))


class RandomAgent:
    """Draws tools and arguments: seen values of the same type or name, else what the JSON Schema admits."""

    name = "random"

    def __init__(self, assignment: Assignment, seed: int, calls: int = CALLS) -> None:
        self._schema = assignment.task.answer_schema
        self._tools = {tool.name: (tool, _check(tool.model_dump_json(by_alias=True))) for tool in assignment.tools}
        self._sampler = Sampler(seed, "random agent")
        self._seen = SeenValues()
        self._left = calls
        self._last: ToolSpec | None = None

    def act(self, seen: Seen | None) -> Action:
        """A valid call while some are left, then an answer that fits the schema."""
        if seen is not None and self._last is not None:
            self._seen.learn(self._last, seen)
        if self._left > 0 and self._tools:
            self._left -= 1
            call = self._draw()
            if call is not None:
                return call
        return Answer(self._answer())

    def close(self) -> None:
        """Nothing to free."""

    def _draw(self) -> Call | None:
        """A call that fits its schema; None when none was found."""
        for _ in range(_TRIES):
            tool, check = self._tools[self._sampler.random.choice(list(self._tools))]
            arguments = self._arguments(tool)
            if check.problem(arguments) is None:
                self._last = tool
                return Call(tool.name, arguments)
        return None

    def _arguments(self, tool: ToolSpec) -> dict[str, Any]:
        drawn: dict[str, Any] = self._sampler.value(tool.parameters) or {}
        for name, value in drawn.items():
            known = self._seen.like(tool, name)
            if known and self._sampler.random.random() < _SEEN_SHARE:
                picked = self._sampler.random.choice(known)
                drawn[name] = [picked] if isinstance(value, list) else picked
        return drawn

    def _answer(self) -> Any:
        drawn: Any = self._sampler.value(self._schema)
        if not isinstance(drawn, dict):
            return drawn
        answer = cast("dict[str, Any]", drawn)
        for name in answer:
            known = self._seen.named(name)
            if known and self._sampler.random.random() < _SEEN_SHARE:
                answer[name] = self._sampler.random.choice(known)
        return answer
