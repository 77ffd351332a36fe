"""A model with everything around it that an endpoint needs: limits, a breaker, a budget, retries."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from envforge.core.contracts import Model
from envforge.core.errors import ModelError
from envforge.core.model_errors import DeadlineError, ModelTimeoutError
from envforge.core.records.completion import Completion, CompletionRequest
from envforge.llm.breaker import Breaker
from envforge.llm.budget import Budget, usage_of_failure
from envforge.llm.clock import Clock
from envforge.llm.limits import Limits
from envforge.llm.retry import RetryPolicy
from envforge.llm.tokens import estimate_request


class GuardedModel:
    """Tries as often as the policy says; each try keeps to the limits and is paid from the budget.

    `limits` and `breaker` belong to an endpoint: its models share them. `name` is what prices call the model.
    """

    def __init__(
        self,
        model: Model,
        *,
        name: str,
        budget: Budget,
        limits: Limits | None = None,
        breaker: Breaker | None = None,
        policy: RetryPolicy | None = None,
        clock: Clock | None = None,
    ) -> None:
        budget.require_price(name)
        self._model = model
        self._name = name
        self._budget = budget
        self._limits = limits or Limits()
        self._breaker = breaker or Breaker()
        self._policy = policy or RetryPolicy()
        self._clock = clock or Clock()

    @property
    def identity(self) -> str:
        """Whom it asks."""
        return self._model.identity

    async def complete(self, request: CompletionRequest) -> Completion:
        """The answer of the first try that gave one, or the error of the last. Raises ModelError."""
        calls = _Calls(request, request.key(self.identity), self._policy.deadline_seconds)
        while True:
            calls.number += 1
            try:
                return await self._try(calls)
            except ModelError as error:
                wait = self._policy.wait(error, calls.number, calls.key)
                if wait is None:
                    raise
                if wait >= calls.left:
                    raise _late(error, calls) from error
            await self._clock.sleep(wait)
            calls.left -= wait

    async def _try(self, calls: _Calls) -> Completion:
        request = calls.request
        estimate = estimate_request(request) + request.max_tokens
        async with self._limits.slot(estimate) as admitted, self._budget.call(self._name, request) as paid:
            self._breaker.enter(self.identity)
            # Waiting for the limits is nobody's failure: only the time of calls counts.
            began = self._clock.now()
            try:
                completion = await self._within(calls)
            except ModelError as error:
                self._breaker.failed(error)
                paid.usage = usage_of_failure(error, request)
                admitted.tokens = paid.usage.total if paid.usage else 0
                raise
            except BaseException:
                self._breaker.left()
                paid.usage = usage_of_failure(_given_up(), request)
                raise
            finally:
                calls.left -= self._clock.now() - began
            self._breaker.succeeded()
            paid.usage = completion.usage
            admitted.tokens = completion.usage.total
            return completion

    async def _within(self, calls: _Calls) -> Completion:
        try:
            async with asyncio.timeout(calls.left):
                return await self._model.complete(calls.request)
        except TimeoutError:
            raise _late(None, calls) from None

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


@dataclass
class _Calls:
    """The tries of one request, and the seconds left for them."""

    request: CompletionRequest
    key: str
    left: float
    number: int = 0


def _late(last: ModelError | None, calls: _Calls) -> DeadlineError:
    told = f"; last: {last.message}" if last else ""
    remedy = "give more time, or see why the endpoint fails"
    return DeadlineError(f"no answer in {calls.number} tries and the time given for all{told}", remedy=remedy)


def _given_up() -> ModelError:
    return ModelTimeoutError("the call was cancelled")
