"""A language model as a player: many episodes with one model, protocol and prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from envforge.core.contracts import Model
from envforge.core.records.trajectory import EpisodeSettings
from envforge.rollout.agents.agent import AsyncAgent
from envforge.rollout.agents.model import Mind, ModelAgent, told_of
from envforge.rollout.playing import play_episode
from envforge.rollout.prompts import read_prompt
from envforge.rollout.protocols import protocol
from envforge.rollout.request import Clocked, Played, RolloutRequest
from envforge.rollout.users.user import UserMaker
from envforge.world.observation import SHOWN_BYTES
from envforge.world.pool.pool import WorldPool

MODEL_TURNS = 60


@dataclass(frozen=True)
class ModelPlay:
    """How a model is played.

    Args:
        protocol: how calls are written: native, react, hermes.
        prompt: a file instead of the system prompt that ships.
        on_malformed: an answer that cannot be read is told to the model, or ends the episode.
        max_turns: calls of tools, and answers of the model but the last.
        parallel: several calls in one answer are made, in order; otherwise the first.
        context_tokens: what the model's context holds, prompt and answer together; None: what the endpoint takes.
        on_overflow: what does not fit ends the episode as truncated, or the oldest results are left out.
        turn_tokens, episode_tokens: of one answer, of all answers.
        top_logprobs: log-probabilities are kept, with so many alternatives.
    """

    protocol: str = "native"
    prompt: Path | None = None
    on_malformed: Literal["observe", "end"] = "observe"
    max_turns: int = MODEL_TURNS
    shown_bytes: int = SHOWN_BYTES
    parallel: bool = True
    context_tokens: int | None = None
    on_overflow: Literal["stop", "drop_oldest"] = "stop"
    turn_tokens: int | None = None
    episode_tokens: int | None = None
    temperature: float | None = 0.0
    top_logprobs: int | None = None


class ModelPlayer:
    """Plays with a model. The model is the caller's, who closes it."""

    def __init__(self, model: Model, play: ModelPlay, *, name: str = "model", user: UserMaker | None = None) -> None:
        """Raises ConfigError for an unknown protocol and for a prompt without a place for it, StoreError."""
        self.name = name
        self.model = model.identity
        form = protocol(play.protocol)
        prompt = read_prompt(form.words, play.prompt)
        self.settings = EpisodeSettings(
            protocol=form.name,
            prompt=prompt.name,
            prompt_sha256=prompt.sha256,
            on_malformed=play.on_malformed,
            max_turns=play.max_turns,
            shown_bytes=play.shown_bytes,
            parallel=play.parallel,
            context_tokens=play.context_tokens,
            on_overflow=play.on_overflow,
            turn_tokens=play.turn_tokens,
            episode_tokens=play.episode_tokens,
            temperature=play.temperature,
            user=user.name if user is not None else "",
        )
        self._mind = Mind(model, form, prompt, self.settings, play.top_logprobs)
        self._user = user

    async def play(self, request: RolloutRequest, pool: WorldPool, clocked: Clocked) -> Played:
        """An episode."""
        user = self._user.user(request.assignment.task, request.seed) if self._user is not None else None
        opening = user.opening if user is not None else None
        told_first = told_of(self._mind, request.assignment, opening)
        agent = ModelAgent(self.name, self._mind, told_first, request.seed, clocked)

        def told() -> dict[str, Any]:
            said = agent.conversation
            return {
                "messages": tuple(said.messages),
                "model_turns": tuple(said.turns),
                "malformed": tuple(said.malformed),
            }

        make: Callable[[], AsyncAgent] = lambda: agent  # noqa: E731
        return await play_episode(request, pool, make, clocked, told=told, user=user)
