"""What happens in one turn of an agent: its model is asked for a step, perhaps for code, and a tool is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, cast

from envforge.agents.asking import Asker, code_of
from envforge.agents.assignment import AgentTool, Assignment, Seen, ToolUse
from envforge.agents.endings import ending_of
from envforge.agents.repeats import done_before
from envforge.agents.showing import code_request, step_request, step_schema
from envforge.core.errors import DeniedError, EnvforgeError
from envforge.core.model_errors import AnswerError
from envforge.core.records.agent import AgentStep, StepOutcome
from envforge.llm.clock import Clock


class State(TypedDict):
    """What stands between two steps; plain JSON, it is a checkpoint."""

    steps: list[dict[str, Any]]
    pending: dict[str, Any]
    tokens: int
    calls: int
    seconds: float
    ended: str
    reason: str


class Turns:
    """The nodes of the graph. Each is a function of the state and of what tools left behind."""

    def __init__(
        self, assignment: Assignment, asker: Asker, clock: Clock, approved: bool, interrupt: Callable[[Any], Any]
    ) -> None:
        self._assignment, self._asker, self._clock = assignment, asker, clock
        self._milestones = assignment.milestones if approved else frozenset[str]()
        self._interrupt = interrupt

    def think(self, state: State) -> dict[str, Any]:
        """Ask for the next step."""
        began, steps = self._clock.now(), steps_of(state)
        names = self._assignment.offered()
        offers = [tool for tool in self._assignment.tools if names is None or tool.name in names]
        request = step_request(self._assignment, offers, steps)
        try:
            found = self._asker.json(request, step_schema(offers))
        except AnswerError as error:
            return self._mistaken(state, error, began, {})
        wanted = dict(found.value["step"])
        action = str(wanted.pop("action"))
        tokens, thought = found.completion.usage.total, str(found.value["thought"])[:500]
        pending = {"action": action, "arguments": wanted, "thought": thought, "code": "", "tokens": tokens}
        return {"pending": pending, **self._spent(state, tokens, began)}

    def write(self, state: State) -> dict[str, Any]:
        """Ask for the code of the step."""
        began, pending = self._clock.now(), state["pending"]
        request = code_request(self._assignment, self._tool(pending["action"]), steps_of(state), pending)
        try:
            completion = self._asker.text(request)
            code = code_of(completion)
        except AnswerError as error:
            return self._mistaken(state, error, began, pending)
        tokens = completion.usage.total
        written = {**pending, "code": code, "tokens": pending["tokens"] + tokens}
        return {"pending": written, **self._spent(state, tokens, began)}

    def act(self, state: State) -> dict[str, Any]:
        """Use the tool, unless a person says no; what came of it is the step's observation."""
        pending, steps = state["pending"], steps_of(state)
        refusal = self._refusal(pending, len(steps) + 1)
        began = self._clock.now()
        seen, outcome = (Seen(refusal, ok=False), "disapproved") if refusal else self._used(pending, steps)
        step = AgentStep(
            number=len(steps) + 1,
            action=pending["action"],
            outcome=cast("StepOutcome", outcome),
            thought=pending["thought"],
            arguments=pending["arguments"],
            code=pending["code"],
            observation=seen.text,
            tokens=pending["tokens"],
        )
        changed = self._with(state, step, None, began)
        return changed | {"ended": "finished", "reason": seen.text} if seen.ends else changed

    def _refusal(self, pending: dict[str, Any], number: int) -> str:
        """What a person said against it. First in its node, and nothing before it: after a stop it begins anew."""
        action = pending["action"]
        if action not in self._milestones:
            return ""
        told = {"agent": self._assignment.agent, "step": number, "action": action, "arguments": pending["arguments"]}
        decision = self._interrupt({**told, "briefing": self._assignment.briefing()})
        return "" if decision["approved"] else f"A person said no: {decision['words'] or 'do something else.'}"

    def _used(self, pending: dict[str, Any], steps: list[AgentStep]) -> tuple[Seen, str]:
        action, arguments, code = pending["action"], pending["arguments"], pending["code"]
        before = done_before(steps, action, arguments, code, self._assignment.changing)
        if before is not None:
            told = f"You did just this in step {before.number}, and nothing changed since. Do something else."
            return Seen(told, ok=False), "repeated"
        try:
            seen = self._tool(action).use(ToolUse(len(steps) + 1, arguments, code))
        except DeniedError as error:
            return Seen(f"Denied: {error}", ok=False), "denied"
        except EnvforgeError as error:
            return Seen(f"Failed: {error}", ok=False), "failed"
        return seen, "done" if seen.ok else "refused"

    def _tool(self, name: str) -> AgentTool:
        # Of all tools: what is on offer may have changed by what the step itself left behind before it was killed.
        return next(tool for tool in self._assignment.tools if tool.name == name)

    def _mistaken(self, state: State, error: AnswerError, began: float, pending: dict[str, Any]) -> dict[str, Any]:
        """An answer that is no step is a step too: the model is told, and a row of them ends the run."""
        steps = steps_of(state)
        tokens = error.usage.total if error.usage is not None else 0
        step = AgentStep(
            number=len(steps) + 1,
            action=pending.get("action", ""),
            arguments=pending.get("arguments", {}),
            outcome="malformed",
            thought=pending.get("thought", ""),
            observation=f"Your answer cannot be used: {error.message}",
            tokens=pending.get("tokens", 0) + tokens,
        )
        return self._with(state, step, tokens, began)

    def _with(self, state: State, step: AgentStep, tokens: int | None, began: float) -> dict[str, Any]:
        """What a step changes; with it a limit may be reached."""
        spent, steps = self._spent(state, tokens, began), [*steps_of(state), step]
        limits = self._assignment.limits
        ended, reason = ending_of(limits, steps, tokens=spent["tokens"], seconds=spent["seconds"])
        over = {"ended": ended, "reason": reason} if ended else {}
        return {"steps": [*state["steps"], step.to_json()], "pending": {}, **spent, **over}

    def _spent(self, state: State, tokens: int | None, began: float) -> dict[str, Any]:
        """`tokens` None: no call was made."""
        seconds = state["seconds"] + self._clock.now() - began
        return {
            "tokens": state["tokens"] + (tokens or 0),
            "calls": state["calls"] + (tokens is not None),
            "seconds": seconds,
        }

    def after_thinking(self, state: State) -> str:
        """To the code, to the deed, or to another thought."""
        if state["ended"]:
            return "__end__"
        if not state["pending"]:
            return "think"
        return "write" if self._tool(state["pending"]["action"]).wants_code else "act"

    def after_writing(self, state: State) -> str:
        """To the deed, if there is code."""
        return "__end__" if state["ended"] else "act" if state["pending"] else "think"

    def after_acting(self, state: State) -> str:
        """To the next thought, unless it is over."""
        return "__end__" if state["ended"] else "think"


def steps_of(state: State) -> list[AgentStep]:
    """The steps that are done."""
    return [AgentStep.model_validate(step) for step in state["steps"]]
