"""A recorded episode, played again: the calls that an agent made, and the answer that it gave."""

from __future__ import annotations

from envforge.core.records.trajectory import Trajectory
from envforge.rollout.agents.agent import Action, Answer, Call, Seen


class RecordedAgent:
    """Makes the calls of a trajectory in their order, whatever is answered."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.name = trajectory.agent
        self._trajectory = trajectory
        self._made = 0

    def act(self, seen: Seen | None) -> Action:
        """The next call, then the answer."""
        del seen
        turns = self._trajectory.turns
        if self._made == len(turns):
            return Answer(self._trajectory.answer)
        turn = turns[self._made]
        self._made += 1
        return Call(turn.tool, turn.arguments, message=turn.message)

    def close(self) -> None:
        """Nothing to free."""
