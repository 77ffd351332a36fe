"""Hard limits of tokens and money: no call begins that could go over by more than itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from envforge.core.errors import ConfigError, ModelError
from envforge.core.model_errors import (
    AnswerError,
    BudgetError,
    ConnectionLostError,
    DeadlineError,
    ModelTimeoutError,
)
from envforge.core.records.completion import CompletionRequest, Usage
from envforge.llm.accounts import Accounts
from envforge.llm.prices import Prices
from envforge.llm.tokens import estimate_answer, estimate_request, most_tokens


@dataclass
class Reservation:
    """A call under way: what it may cost at most, and, once it is known, what it did cost."""

    tokens: int
    usd: float
    usage: Usage | None = None


class Budget:
    """`tokens` and `usd` are limits of a whole run, None is none. Raises ConfigError for money without a price."""

    def __init__(
        self,
        accounts: Accounts,
        *,
        tokens: int | None = None,
        usd: float | None = None,
        prices: Prices | None = None,
    ) -> None:
        self.accounts = accounts
        self.tokens = tokens
        self.usd = usd
        self._prices = prices
        self._open: list[Reservation] = []
        self._settled = asyncio.Event()

    def require_price(self, model: str) -> None:
        """Raises ConfigError when money is limited and nobody knows what the model costs."""
        if self.usd is not None and (self._prices is None or self._prices.of(model) is None):
            remedy = "limit --budget-tokens instead, or add the price: validators/prices/models.json in the workspace"
            raise ConfigError(f"no price is known of the model {model!r}", where="--budget-usd", remedy=remedy)

    @asynccontextmanager
    async def call(self, model: str, request: CompletionRequest) -> AsyncGenerator[Reservation]:
        """Around one call: set `usage` when it is known. Raises BudgetError when there is nothing left for it."""
        most = Usage(prompt_tokens=most_tokens(request) - request.max_tokens, completion_tokens=request.max_tokens)
        reserved = Reservation(most.total, self._cost(model, most) or 0.0)
        while self._open and not self._may_begin():
            # What is under way may turn out cheaper than it could be.
            self._settled.clear()
            await self._settled.wait()
        self._require()
        self._open.append(reserved)
        try:
            yield reserved
        finally:
            self._open.remove(reserved)
            self._settled.set()
            if reserved.usage is not None:
                self.accounts.note(request.stage, model, reserved.usage, self._cost(model, reserved.usage))

    def _may_begin(self) -> bool:
        """True if the limit is not reached even should all calls under way cost what they may."""
        spent = self.accounts.total
        tokens = spent.tokens + sum(call.tokens for call in self._open)
        usd = spent.usd + sum(call.usd for call in self._open)
        return (self.tokens is None or tokens < self.tokens) and (self.usd is None or usd < self.usd)

    def _require(self) -> None:
        if self._may_begin():
            return
        spent = self.accounts.total
        reached = self.tokens is not None and spent.tokens >= self.tokens
        told = (
            f"{spent.tokens:,} of {self.tokens:,} tokens" if reached else f"{spent.usd:.4f} of {self.usd:.4f} dollars"
        )
        remedy = "run again with a larger --budget-tokens or --budget-usd: what is paid for is not asked again"
        raise BudgetError(f"the budget is used up: {told} in {spent.calls} calls", remedy=remedy)

    def _cost(self, model: str, usage: Usage) -> float | None:
        price = self._prices.of(model) if self._prices else None
        return None if price is None else price.cost(usage)


def usage_of_failure(error: ModelError, request: CompletionRequest) -> Usage | None:
    """What a failed call cost: as the server said, or an estimate where it may have worked; None: nothing."""
    if isinstance(error, AnswerError):
        return error.usage or _guess(request, error.text)
    if isinstance(error, ModelTimeoutError | ConnectionLostError | DeadlineError) and not error.status:
        return _guess(request, "")
    return None


def _guess(request: CompletionRequest, text: str) -> Usage:
    return Usage(prompt_tokens=estimate_request(request), completion_tokens=estimate_answer(text), estimated=True)
