"""One episode in a pool: the loop of `run_episode`, waiting where it waits for others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol, TypeVar

from envforge.core.errors import ConfigError, ModelError, SandboxError, StoreError, ToolFault
from envforge.core.model_errors import BudgetError, CallRefusedError
from envforge.rollout.agents.agent import Agent, AsyncAgent, Call, Say, Seen
from envforge.rollout.episode import Episode
from envforge.rollout.request import Clocked, Played, RolloutRequest
from envforge.rollout.score import refuse_stranger
from envforge.world.pool.pool import WorldPool
from envforge.world.pool.session import PooledSession

T = TypeVar("T")
OF_THE_RUN = (BudgetError, CallRefusedError)
"""Errors that every further episode would meet, too: they end the run, and no episode is written for them."""


class User(Protocol):
    """Whom an agent can ask in an episode. It never decides what the episode is worth."""

    async def reply(self, said: str) -> str:
        """What the user says to that. Raises ModelError."""
        ...


class InThread:
    """An agent that does not wait itself, as one that does: its steps are made in a thread."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    @property
    def name(self) -> str:
        """The agent's."""
        return self._agent.name

    async def act(self, seen: Seen | None) -> Any:
        """The agent's step. Raises what it raises."""
        return await asyncio.to_thread(self._agent.act, seen)

    async def close(self) -> None:
        """Close the agent."""
        await asyncio.to_thread(self._agent.close)


async def play_episode(
    request: RolloutRequest,
    pool: WorldPool,
    make: Callable[[], AsyncAgent],
    clocked: Clocked,
    *,
    told: Callable[[], dict[str, Any]] = dict,
    user: User | None = None,
) -> Played:
    """What an agent did with a task; `told` gives what else of it goes into the trajectory.

    Raises what is about the run: BudgetError, CallRefusedError.
    """
    settings, task = request.player.settings, request.assignment.task
    episode = Episode(task, max_turns=settings.max_turns, shown=settings.shown_bytes)
    name = request.player.name
    try:
        async with _session(request, pool, clocked) as session:
            agent = make()
            name = agent.name
            try:
                await _play(_Table(episode, session, clocked, user), agent)
            finally:
                await agent.close()
            episode.changeset = await _waited(clocked, session.changeset())
    except (SandboxError, ToolFault, StoreError, ConfigError) as error:
        episode.broke(error)
    environment = pool.environments.get(task.environment_id)
    return Played(episode.trajectory(environment, name, request.seed, **told()), tuple(episode.after))


@dataclass(frozen=True)
class _Table:
    """What an episode is played with."""

    episode: Episode
    session: PooledSession
    clocked: Clocked
    user: User | None


@asynccontextmanager
async def _session(request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> AsyncGenerator[PooledSession]:
    """A fresh instance of the task's environment. Raises ConfigError, StoreError for one that is not there."""
    task = request.assignment.task
    if task.environment_id in pool.environments:
        refuse_stranger(pool.environments[task.environment_id], task)
    session = await _waited(clocked, pool.start(task.environment_id, request.seed))
    try:
        yield session
    finally:
        await session.close()


async def _play(table: _Table, agent: AsyncAgent) -> None:
    """Until the episode has an ending. Raises SandboxError, and what is about the run."""
    episode, seen = table.episode, None
    while True:
        try:
            action = await agent.act(seen)
        except (SandboxError, *OF_THE_RUN):
            raise
        except Exception as error:
            episode.failed(error)
            return
        wanted = episode.take(action)
        if wanted is None:
            return
        seen = await (_heard(table, wanted) if isinstance(wanted, Say) else _made(table, wanted))
        if episode.ending is not None:
            return


async def _made(table: _Table, call: Call) -> Seen:
    observation = await _waited(table.clocked, table.session.call(call.tool, call.arguments))
    changeset = None
    if observation.ok and not (observation.spec and observation.spec.annotations.read_only):
        changeset = await _waited(table.clocked, table.session.changeset())
    return table.episode.saw(call, observation, changeset)


async def _heard(table: _Table, said: Say) -> Seen:
    if table.user is None:
        return table.episode.heard(None)
    try:
        return table.episode.heard(await table.user.reply(said.text))
    except OF_THE_RUN:
        raise
    except ModelError as error:
        # Whatever the user's model did, the agent has no part in it.
        table.episode.broke(error)
        return {}


async def _waited(clocked: Clocked, waiting: Awaitable[T]) -> T:
    began = perf_counter()
    try:
        return await waiting
    finally:
        clocked.world += perf_counter() - began
