"""The kernel of all agents: think → (write code) → (ask a person) → act, as a graph whose every step is a checkpoint.

A run that is killed goes on at the step it was at: answers of the model are kept before they are used (`asking`), tools
write under the number of their step. Limits, loop detection and permissions hold outside of the model.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

from envforge.agents.asking import Asker, code_of
from envforge.agents.assignment import AgentTool, Assignment, Seen, ToolUse
from envforge.agents.endings import ending_of
from envforge.agents.repeats import done_before
from envforge.agents.showing import code_request, step_request, step_schema
from envforge.core.errors import ConfigError, DeniedError, EnvforgeError, StoreError
from envforge.core.ids import content_id
from envforge.core.model_errors import AnswerError, BudgetError
from envforge.core.prompt import Prompt
from envforge.core.records.agent import (
    AgentLimits,
    AgentRun,
    AgentStep,
    Ending,
    Permissions,
    PromptUsed,
    StepOutcome,
)
from envforge.llm.clock import Clock
from envforge.store.files import write_json

CHECKPOINTS = "checkpoints.sqlite"
RUN = "agent.json"
_ROUNDS = 100_000
"""More than any limit of steps: LangGraph wants a number of its own."""


class State(TypedDict):
    """What stands between two steps; plain JSON, it is a checkpoint."""

    steps: list[dict[str, Any]]
    pending: dict[str, Any]
    tokens: int
    calls: int
    seconds: float
    ended: str
    reason: str


@dataclass(frozen=True)
class Milestone:
    """What a person is asked about before it is done."""

    agent: str
    step: int
    action: str
    arguments: dict[str, Any]
    briefing: str


@dataclass(frozen=True)
class Decision:
    """What the person said. Words against it are told to the model."""

    approved: bool
    words: str = ""


Approve = Callable[[Milestone], Decision]


def run_key(agent: str, prompt: Prompt, goal: str, limits: AgentLimits, permissions: Permissions, identity: str) -> str:
    """What decides a run. Another prompt, goal, model or limit is another run: its tools need a folder of their own."""
    given = [prompt.sha256, goal, identity, limits.to_json(), permissions.to_json()]
    return content_id(agent, given)


def run_agent(
    assignment: Assignment, asker: Asker, folder: Path, *, approve: Approve | None = None, clock: Clock | None = None
) -> AgentRun:
    """Run the agent to its end, or on to it; the record is written to `folder`/agent.json.

    With `approve`, a person decides on the assignment's milestones. Raises ModelError when the endpoint fails (the run
    goes on when it is called again), ConfigError without the extra `agents`.
    """
    os.environ["LANGSMITH_TRACING"] = "false"
    os.environ["LANGCHAIN_TRACING_V2"] = "false"
    graph_module, saver_module, types_module = _langgraph()
    turns = _Turns(assignment, asker, clock or Clock(), approve is not None, types_module.interrupt)
    folder.mkdir(parents=True, exist_ok=True)
    thread = run_key(
        assignment.agent, assignment.prompt, assignment.goal, assignment.limits, assignment.permissions, asker.identity
    )
    settings: Any = {"configurable": {"thread_id": thread}, "recursion_limit": _ROUNDS}
    with saver_module.SqliteSaver.from_conn_string(str(folder / CHECKPOINTS)) as saver:
        graph = _graph(graph_module, turns).compile(checkpointer=saver)
        standing = graph.get_state(settings)
        # Nothing for a run that goes on: its checkpoint says where it is.
        given: Any = (
            None
            if standing.values
            else State(steps=[], pending={}, tokens=0, calls=0, seconds=0.0, ended="", reason="")
        )
        asked, spent = standing.interrupts, dict[str, str]()
        while True:
            if asked:
                decision = _decided(approve, asked[0].value)
                given = types_module.Command(resume={"approved": decision.approved, "words": decision.words})
            try:
                graph.invoke(given, settings, durability="sync")
            except BudgetError as error:
                # The checkpoint stays before the call that was not made: with a larger budget the run goes on.
                spent = {"ended": "tokens", "reason": error.message}
            standing = graph.get_state(settings)
            asked, given = standing.interrupts, None
            if not asked or spent:
                break
        state = cast("State", {**standing.values, **spent})
    run = _record(assignment, asker, state)
    write_json(folder / RUN, run.to_json())
    return run


def _langgraph() -> tuple[Any, Any, Any]:
    names = ("langgraph.graph", "langgraph.checkpoint.sqlite", "langgraph.types")
    try:
        graph, saver, types = (importlib.import_module(name) for name in names)  # only runs of agents need them
    except ImportError as error:
        remedy = "pip install 'envforge[agents]'"
        raise ConfigError(f"agents need the extra: {error.name} is missing", where="agents", remedy=remedy) from error
    return graph, saver, types


def _decided(approve: Approve | None, value: dict[str, Any]) -> Decision:
    if approve is None:
        raise StoreError("waits for a person", where=str(value["action"]), remedy="run it again with --approve")
    return approve(Milestone(**value))


def _graph(graph_module: Any, turns: _Turns) -> Any:
    graph = graph_module.StateGraph(State)
    graph.add_node("think", turns.think)
    graph.add_node("write", turns.write)
    graph.add_node("act", turns.act)
    graph.add_edge(graph_module.START, "think")
    graph.add_conditional_edges("think", turns.after_thinking, ["write", "act", "think", graph_module.END])
    graph.add_conditional_edges("write", turns.after_writing, ["act", "think", graph_module.END])
    graph.add_conditional_edges("act", turns.after_acting, ["think", graph_module.END])
    return graph


class _Turns:
    """The nodes of the graph. Each is a function of the state and of what tools left behind."""

    def __init__(
        self, assignment: Assignment, asker: Asker, clock: Clock, approved: bool, interrupt: Callable[[Any], Any]
    ) -> None:
        self._assignment, self._asker, self._clock = assignment, asker, clock
        self._milestones = assignment.milestones if approved else frozenset[str]()
        self._interrupt = interrupt

    def think(self, state: State) -> dict[str, Any]:
        """Ask for the next step."""
        began, steps = self._clock.now(), _steps(state)
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
        request = code_request(self._assignment, self._tool(pending["action"]), _steps(state), pending)
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
        pending, steps = state["pending"], _steps(state)
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
        steps = _steps(state)
        tokens = error.usage.total if error.usage is not None else 0
        step = AgentStep(
            number=len(steps) + 1,
            action=pending.get("action", ""),
            arguments=pending.get("arguments", {}),
            outcome="malformed",
            observation=f"Your answer cannot be used: {error.message}",
            tokens=tokens,
        )
        return self._with(state, step, tokens, began)

    def _with(self, state: State, step: AgentStep, tokens: int | None, began: float) -> dict[str, Any]:
        """What a step changes; with it a limit may be reached."""
        spent, steps = self._spent(state, tokens, began), [*_steps(state), step]
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


def _steps(state: State) -> list[AgentStep]:
    return [AgentStep.model_validate(step) for step in state["steps"]]


def _record(assignment: Assignment, asker: Asker, state: State) -> AgentRun:
    return AgentRun(
        agent=assignment.agent,
        model=asker.identity,
        prompts=(PromptUsed(name=assignment.prompt.name, sha256=assignment.prompt.sha256),),
        limits=assignment.limits,
        permissions=assignment.permissions,
        ended=cast("Ending", state["ended"]),
        reason=state["reason"],
        steps=tuple(_steps(state)),
        tokens=state["tokens"],
        calls=state["calls"],
    )
