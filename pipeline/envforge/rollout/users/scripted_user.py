"""A user without a model: it tells what it is asked for by name."""

from __future__ import annotations

import re

from envforge.core.records.task import Task
from envforge.rollout.users.user import Held, SimulatedUser, held_back, plain_name

_NOTHING = "I have told you all that I know about this. Please go on."
_WHAT = "I am not sure what you mean. What exactly do you need to know?"
_WORD = re.compile(r"\w+")


class ScriptedUsers:
    """Makes scripted users."""

    name = "scripted-1"

    def user(self, task: Task, seed: int) -> SimulatedUser:
        """What it holds back depends on task and seed."""
        return ScriptedUser(held_back(task, seed))


class ScriptedUser:
    """Answers with what it holds back: the values whose name is asked for, or all to the second question."""

    def __init__(self, held: Held) -> None:
        self.opening = held.opening
        self._left = dict(held.secrets)
        self._vague = 0

    async def reply(self, said: str) -> str:
        """Whatever is asked for by name; after a question that names nothing, a second one gets all."""
        if not self._left:
            return _NOTHING
        words = {word.lower() for word in _WORD.findall(said)}
        asked = [name for name in self._left if words & {part.lower() for part in _WORD.findall(plain_name(name))}]
        if not asked:
            self._vague += 1
            if self._vague < 2:
                return _WHAT
            asked = list(self._left)
        return " ".join(f"The {plain_name(name)} is: {self._left.pop(name)}." for name in asked)
