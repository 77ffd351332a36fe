"""A user played by a model: it knows the whole task, and is told to say of it what it is asked for."""

from __future__ import annotations

from envforge.core.contracts import Model
from envforge.core.records.completion import CompletionRequest, Message
from envforge.core.records.task import Task
from envforge.core.seeds import derive_seed
from envforge.rollout.users.user import Held, SimulatedUser, held_back, plain_name

_ROLE = (
    "You play a person who has asked an assistant for something. This is the whole of what you want:\n{task}\n\n"
    "You began with these words:\n{opening}\n\n"
    "What you have not said yet: {secrets}.\n"
    "Answer the assistant's questions shortly and truthfully with that, and only with what it asks for. You cannot"
    " look anything up, you do not know ids, and you do not do the work. Where you know nothing, say so."
)
_MOST_TOKENS = 200
_SEED_BITS = 31


class ModelUsers:
    """Makes users of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = f"model-1 {model.identity}"

    def user(self, task: Task, seed: int) -> SimulatedUser:
        """What it holds back depends on task and seed."""
        return ModelUser(self._model, task, held_back(task, seed), seed)


class ModelUser:
    """One conversation, seen from the user's side: the agent's words are the other's."""

    def __init__(self, model: Model, task: Task, held: Held, seed: int) -> None:
        self.opening = held.opening
        self._model = model
        self._seed = seed
        secrets = "; ".join(f"{plain_name(name)}: {words}" for name, words in held.secrets.items())
        role = _ROLE.format(task=task.instruction, opening=held.opening, secrets=secrets or "nothing")
        self._messages = [Message(role="system", content=role)]

    async def reply(self, said: str) -> str:
        """The model's answer. Raises ModelError."""
        self._messages.append(Message(role="user", content=said))
        request = CompletionRequest(
            messages=tuple(self._messages),
            seed=derive_seed(self._seed, "user", len(self._messages)) >> (64 - _SEED_BITS),
            max_tokens=_MOST_TOKENS,
            stage="user",
        )
        completion = await self._model.complete(request)
        self._messages.append(Message(role="assistant", content=completion.text))
        return completion.text
