"""The gold solution as an agent: calls with references to earlier results, or a program that drives the calls.

It sees what any agent sees. Where an answer was cut, a reference or a program that needs the rest fails: such a task
asks for more than an agent is shown.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, cast

from envforge.core.data_flow import resolved
from envforge.core.errors import ProgramError
from envforge.rollout.agents.agent import Action, Agent, Answer, Assignment, Call, Seen
from envforge.world.arguments import CallError
from envforge.world.observation import Observation
from envforge.world.programs import ProgramRunner, ToolRequest


def gold_agent(assignment: Assignment, seed: int) -> Agent:
    """The gold solution of a task; it draws nothing from `seed`."""
    del seed
    return ProgramAgent(assignment.program) if assignment.task.kind == "program" else GraphAgent(assignment)


class GraphAgent:
    """Makes the gold calls one by one and answers with values of their results. Raises LookupError for a dead end."""

    name = "gold"

    def __init__(self, assignment: Assignment) -> None:
        self._task = assignment.task
        self._results: dict[int, Any] = {}
        self._made = 0

    def act(self, seen: Seen | None) -> Action:
        """The next gold call, then the answer. Raises ProgramError when a gold call was refused."""
        if seen is not None:
            if "result" not in seen:
                raise ProgramError(f"gold call {self._made} was refused: {seen.get('error')}", where=self._task.id)
            self._results[self._made] = seen["result"]
        if self._made == len(self._task.gold):
            return Answer(resolved(self._task.gold_answer, self._results))
        call = self._task.gold[self._made]
        self._made += 1
        return Call(call.tool, resolved(call.arguments, self._results))

    def close(self) -> None:
        """Nothing to free."""


class ProgramAgent:
    """A solution program, run step by step in its own process: it asks for a call and waits for what came of it."""

    name = "gold"

    def __init__(self, source: str, runner: ProgramRunner | None = None) -> None:
        self._runner = runner or ProgramRunner()
        self._steps: Generator[ToolRequest, Observation, Any] = self._runner.steps(source)

    def act(self, seen: Seen | None) -> Action:
        """The program's next call, or what it returned. Raises ProgramError, SandboxError."""
        try:
            request = next(self._steps) if seen is None else self._steps.send(observed(seen))
        except StopIteration as done:
            return Answer(done.value)
        return Call(request.tool, request.arguments)

    def close(self) -> None:
        """End the program and its process."""
        self._steps.close()
        self._runner.close()


def observed(seen: Seen) -> Observation:
    """What was seen, as a program is told it. Raises ProgramError for a result that was cut."""
    if "truncated" in seen:
        raise ProgramError("an answer was cut: the program would go on with a part of it", where="gold")
    if "result" in seen:
        return Observation(True, dict(cast("Mapping[str, Any]", seen["result"])))
    told = cast("Mapping[str, Any]", seen["error"])
    return Observation(False, error=CallError(str(told["code"]), str(told["message"]), str(told.get("hint", ""))))
