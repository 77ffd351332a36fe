"""Both worker modes side by side: episodes that take turns in one warm process, and each in a process of its own.

The warm process is as shared mode has it - several instances, reused for one episode after the other - without the
lint that shared mode asks for first: what is compared here is what the code does, not how it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from envforge.core.records.episode import Episode
from envforge.world.environment import Environment
from envforge.world.replay import Disagreement, Player, Replay, compare, refuse_strangers, replay_forked
from envforge.world.sandbox.limits import Limits
from envforge.world.session import Session
from envforge.world.workers import OwnWorker

INSTANCES = 4


@dataclass(frozen=True)
class WarmRuns:
    """Runs of each episode in one warm process, in two rounds, and names in it that are not as they were before."""

    rounds: tuple[tuple[Replay, ...], ...]
    left_behind: tuple[str, ...]


def in_one_process(
    environment: Environment,
    episodes: Sequence[Episode],
    *,
    instances: int = INSTANCES,
    limits: Limits | None = None,
    backend: str | None = None,
) -> WarmRuns:
    """Play all episodes in one process, call by call in turns; then once more in the opposite order.

    The second round finds the process warm and the instances used. Raises ConfigError for an episode of another
    environment, SandboxError, ToolFault.
    """
    refuse_strangers(environment, episodes)
    with _instances(environment, instances, limits, backend) as sessions:
        before = sessions[0].module_state()
        first = _in_turns(sessions, episodes)
        second = _in_turns(sessions, episodes[::-1])[::-1]
        after = sessions[0].module_state()
    changed = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return WarmRuns((tuple(first), tuple(second)), tuple(changed))


@contextmanager
def _instances(
    environment: Environment, count: int, limits: Limits | None, backend: str | None
) -> Generator[list[Session]]:
    """Instances in one process."""
    worker = OwnWorker(environment, limits or Limits(), backend)
    sessions: list[Session] = []
    try:
        for _ in range(count):
            sessions.append(Session.open(environment, worker, seed=0))
        yield sessions
    finally:
        for session in sessions:
            session.close()
        worker.process.close()


def _in_turns(sessions: Sequence[Session], episodes: Sequence[Episode]) -> list[Replay]:
    """Every session plays its next call, then it is the next session's turn; a session that is done takes the next."""
    waiting = list(enumerate(episodes))[::-1]
    playing: dict[int, tuple[int, Player]] = {}
    done: dict[int, Replay] = {}
    while waiting or playing:
        for place, session in enumerate(sessions):
            if place not in playing and waiting:
                number, episode = waiting.pop()
                playing[place] = (number, Player(session, episode))
            if place in playing and not playing[place][1].step():
                number, player = playing.pop(place)
                done[number] = player.finish()
    return [done[number] for number in range(len(episodes))]


def each_alone(
    environment: Environment,
    episodes: Sequence[Episode],
    *,
    limits: Limits | None = None,
    backend: str | None = None,
    after_each: Callable[[int], None] | None = None,
) -> list[Replay]:
    """Play each episode in a fresh process. Raises ConfigError, SandboxError, ToolFault."""
    runs: list[Replay] = []
    for number, episode in enumerate(episodes):
        runs.append(replay_forked(environment, episode, limits=limits, backend=backend))
        if after_each is not None:
            after_each(number)
    return runs


def disagreements(
    environment: Environment, episodes: Sequence[Episode], warm: WarmRuns, alone: Sequence[Replay]
) -> list[Disagreement]:
    """Where a run in the warm process parts from the one alone; an episode is named once."""
    found: list[Disagreement] = []
    for number, episode in enumerate(episodes):
        runs = (one_round[number] for one_round in warm.rounds)
        parted = (compare(environment, episode, run, alone[number], number=number) for run in runs)
        found += [one for one in [next((one for one in parted if one is not None), None)] if one is not None]
    return found
