"""One episode: an agent works on a task in a live instance until it answers, gives up or runs out of turns."""

from __future__ import annotations

from envforge.core.errors import SandboxError
from envforge.core.records.task import Task
from envforge.core.records.trajectory import Trajectory
from envforge.rollout.agents.agent import Agent, Say, Seen
from envforge.rollout.episode import Episode
from envforge.world.observation import SHOWN_BYTES
from envforge.world.session import Session

MOST_TURNS = 200


def run_episode(
    session: Session, task: Task, agent: Agent, *, max_turns: int = MOST_TURNS, seed: int = 0, shown: int = SHOWN_BYTES
) -> Trajectory:
    """What `agent` did with `task`: at most `max_turns` calls, each answered in at most `shown` bytes.

    The session starts over with the episode seed; the agent is closed at the end. Never raises for what the agent, a
    tool or the worker did: the ending says it. No clock but the World's is in the record.
    """
    episode = Episode(task, max_turns=max_turns, shown=shown)
    try:
        session.reset(seed)
        _play(episode, session, agent)
        episode.changeset = session.changeset()
    except SandboxError as error:
        episode.broke(error)
    finally:
        agent.close()
    return episode.trajectory(session.environment, agent.name, seed)


def _play(episode: Episode, session: Session, agent: Agent) -> None:
    """Until the episode has an ending. Raises SandboxError."""
    seen: Seen | None = None
    while True:
        try:
            action = agent.act(seen)
        except SandboxError:
            raise
        except Exception as error:
            episode.failed(error)
            return
        wanted = episode.take(action)
        if wanted is None:
            return
        if isinstance(wanted, Say):
            seen = episode.heard(None)
        else:
            seen = episode.saw(wanted, session.call(wanted.tool, wanted.arguments))
