"""The gold solution, played with tunable skill: an agent whose success rate can be set.

With probability 1 - skill a call is skipped, made twice or made with another argument, and the answer is spoiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, cast

from envforge.core.errors import ConfigError, ProgramError
from envforge.core.records.environment import ToolSpec
from envforge.core.seeds import stream
from envforge.rollout.agents.agent import Action, Agent, Answer, Assignment, Call, GiveUp, Seen
from envforge.rollout.agents.gold import gold_agent
from envforge.rollout.agents.sampling import Sampler
from envforge.rollout.agents.seen_values import SeenValues

SKILL = 0.8
_MOST_SKIPPED = 50


class ScriptedAgent:
    """Gold with slips. After a slip that the gold solution cannot digest it gives up."""

    def __init__(self, assignment: Assignment, seed: int, skill: float = SKILL) -> None:
        """Raises ConfigError for a skill outside of 0 to 1."""
        if not 0 <= skill <= 1:
            raise ConfigError(f"skill is {skill}", where="agent scripted", remedy="give a number from 0 to 1")
        self.name = f"scripted:{skill:g}"
        self._gold: Agent = gold_agent(assignment, seed)
        self._skill = skill
        self._random = stream(seed, "scripted agent")
        self._sampler = Sampler(seed, "scripted agent")
        self._tools = {tool.name: tool for tool in assignment.tools}
        self._values = SeenValues()
        self._last: Call | None = None
        self._again: Call | None = None
        self._slipped = False

    def act(self, seen: Seen | None) -> Action:
        """The gold step, or a slip. Raises what the gold solution raises when it never slipped."""
        self._learn(seen)
        if self._again is not None:
            action, self._again = self._again, None
            return action
        try:
            return self._step(seen)
        except (ProgramError, LookupError) as error:
            if not self._slipped:
                raise
            return GiveUp(f"lost after a slip: {error}")

    def close(self) -> None:
        """Free the gold solution."""
        self._gold.close()

    def _learn(self, seen: Seen | None) -> None:
        if seen is not None and self._last is not None and self._last.tool in self._tools:
            self._values.learn(self._tools[self._last.tool], seen)

    def _step(self, seen: Seen | None) -> Action:
        action = self._gold.act(seen)
        for _ in range(_MOST_SKIPPED):
            if self._random.random() < self._skill:
                break
            self._slipped = True
            if isinstance(action, Answer):
                return Answer(spoiled(action.value, self._random))
            if not isinstance(action, Call):
                break
            slip = self._random.choice(("skip", "repeat", "argument"))
            if slip == "skip":
                # Whoever believes that the call was made goes on with what was seen last.
                action = self._gold.act(seen if seen is not None and "result" in seen else {"result": {}})
                continue
            if slip == "repeat":
                self._again = action
            else:
                action = self._with_other_argument(action)
            break
        self._last = action if isinstance(action, Call) else None
        return action

    def _with_other_argument(self, call: Call) -> Call:
        names = sorted(call.arguments)
        tool = self._tools.get(call.tool)
        if not names or tool is None:
            return call
        name = self._random.choice(names)
        return Call(call.tool, {**call.arguments, name: self._other(tool, name, call.arguments[name])})

    def _other(self, tool: ToolSpec, name: str, value: Any) -> Any:
        """Another value for a parameter: one that was seen, else one that the schema admits."""
        known: Sequence[Any] = [one for one in self._values.like(tool, name) if one != value]
        if known:
            return self._random.choice(known)
        return self._sampler.value(tool.parameters["properties"].get(name, {}), tool.parameters)


def spoiled(answer: Any, random: Random) -> Any:
    """An answer that differs in one place."""
    if isinstance(answer, Mapping) and answer:
        fields = dict(cast("Mapping[str, Any]", answer))
        name = random.choice(sorted(fields))
        return {**fields, name: spoiled(fields[name], random)}
    if isinstance(answer, bool) or answer is None:
        return not answer
    if isinstance(answer, (int, float)):
        return answer + random.choice((-1, 1, 10))
    if isinstance(answer, str):
        return f"{answer} or so"
    items = cast("list[Any]", answer) if isinstance(answer, list) else []
    return items[:-1] if items else ["something else"]
