"""A model's conversation about one task: what was said, what it cost, and what of it still fits the context."""

from __future__ import annotations

from collections.abc import Sequence

from envforge.core.model_errors import AnswerError
from envforge.core.records.completion import Completion, CompletionRequest, Message, Usage
from envforge.core.records.trajectory import EpisodeSettings, Malformed, ModelTurn
from envforge.llm.tokens import estimate_answer, estimate_request
from envforge.rollout.protocols.protocol import Problem

LEFT_OUT = "[left out: this result is too long ago to be shown; make the call again if it is needed]"
_AROUND = 16
"""Tokens that stand around a message."""


class Conversation:
    """Grows message by message; the record is always whole, whatever the model is shown of it."""

    def __init__(self, opening: Sequence[Message], settings: EpisodeSettings) -> None:
        self.messages = list(opening)
        self.turns: list[ModelTurn] = []
        self.malformed: list[Malformed] = []
        self._settings = settings
        self._results: list[int] = []
        """Places of messages that hold results of tools, which may be left out."""
        self._left_out: set[int] = set()
        self._counted = (0, 0)
        """Messages and tokens when a server last counted."""

    @property
    def answer_tokens(self) -> int:
        """Of all answers so far."""
        return sum(turn.completion_tokens for turn in self.turns)

    def add(self, *messages: Message, results: bool = False) -> None:
        """What the model is told."""
        if results:
            self._results += range(len(self.messages), len(self.messages) + len(messages))
        self.messages += messages

    def shown(self) -> tuple[Message, ...]:
        """What the model is asked with."""
        if not self._left_out:
            return tuple(self.messages)
        return tuple(
            message.model_copy(update={"content": LEFT_OUT}) if place in self._left_out else message
            for place, message in enumerate(self.messages)
        )

    def fit(self, request: CompletionRequest) -> CompletionRequest | None:
        """The request with what fits the context; None where the settings' policy leaves nothing that fits."""
        limit = self._settings.context_tokens
        if limit is None:
            return request
        while self._tokens(request) + request.max_tokens > limit:
            kept = [place for place in self._results[:-1] if place not in self._left_out]
            if self._settings.on_overflow == "stop" or not kept:
                return None
            self._left_out.add(kept[0])
            self._counted = (0, 0)
            request = request.model_copy(update={"messages": self.shown()})
        return request

    def _tokens(self, request: CompletionRequest) -> int:
        """As the server counted, and an estimate of what came since; all estimated where it never did."""
        messages, tokens = self._counted
        if not tokens:
            return estimate_request(request)
        since = self.messages[messages:]
        return tokens + sum(estimate_answer(message.content) + _AROUND for message in since)

    def answered(self, message: Message, completion: Completion) -> None:
        """An answer came."""
        usage = completion.usage
        self._turn(
            message,
            usage,
            ModelTurn(
                reasoning=completion.reasoning,
                prompt_token_ids=completion.prompt_token_ids,
                token_ids=completion.token_ids,
                logprobs=completion.logprobs,
            ),
        )
        if not usage.estimated:
            self._counted = (len(self.messages), usage.total)

    def failed(self, error: AnswerError) -> None:
        """An answer came that may not be used; it has its place all the same."""
        self._turn(Message(role="assistant", content=error.text or "(nothing)"), error.usage or Usage(), ModelTurn())

    def _turn(self, message: Message, usage: Usage, turn: ModelTurn) -> None:
        known = {
            "message": len(self.messages),
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "estimated": usage.estimated,
            "left_out": tuple(sorted(self._left_out)),
        }
        self.turns.append(turn.model_copy(update=known))
        self.messages.append(message)

    def note(self, problem: Problem) -> None:
        """The last answer cannot be acted on."""
        place = len(self.messages) - 1
        self.malformed.append(Malformed(message=place, kind=problem.kind, detail=problem.detail, text=problem.text))
