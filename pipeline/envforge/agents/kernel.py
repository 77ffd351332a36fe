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
from typing import Any, cast

from envforge.agents.asking import Asker
from envforge.agents.assignment import Assignment
from envforge.agents.turns import State, Turns, steps_of
from envforge.core.errors import ConfigError, StoreError
from envforge.core.ids import content_id
from envforge.core.model_errors import BudgetError
from envforge.core.prompt import Prompt
from envforge.core.records.agent import AgentLimits, AgentRun, Ending, Permissions, PromptUsed
from envforge.llm.clock import Clock
from envforge.store.files import write_json

CHECKPOINTS = "checkpoints.sqlite"
RUN = "agent.json"
_ROUNDS = 100_000
"""More than any limit of steps: LangGraph wants a number of its own."""


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
    turns = Turns(assignment, asker, clock or Clock(), approve is not None, types_module.interrupt)
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


def _graph(graph_module: Any, turns: Turns) -> Any:
    graph = graph_module.StateGraph(State)
    graph.add_node("think", turns.think)
    graph.add_node("write", turns.write)
    graph.add_node("act", turns.act)
    graph.add_edge(graph_module.START, "think")
    graph.add_conditional_edges("think", turns.after_thinking, ["write", "act", "think", graph_module.END])
    graph.add_conditional_edges("write", turns.after_writing, ["act", "think", graph_module.END])
    graph.add_conditional_edges("act", turns.after_acting, ["think", graph_module.END])
    return graph


def _record(assignment: Assignment, asker: Asker, state: State) -> AgentRun:
    return AgentRun(
        agent=assignment.agent,
        model=asker.identity,
        prompts=(PromptUsed(name=assignment.prompt.name, sha256=assignment.prompt.sha256),),
        limits=assignment.limits,
        permissions=assignment.permissions,
        ended=cast("Ending", state["ended"]),
        reason=state["reason"],
        steps=tuple(steps_of(state)),
        tokens=state["tokens"],
        calls=state["calls"],
    )
