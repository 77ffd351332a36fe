from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from envforge.core.records.completion import CompletionRequest, FunctionTool, Message
from envforge.llm.clock import Clock

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, Any]], Any]
Ask = Callable[..., CompletionRequest]


@dataclass
class FakeTime:
    """Time that passes by sleeping only. `slept` holds how long."""

    at: float = 0.0
    slept: list[float] = field(default_factory=list[float])

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        self.slept.append(seconds)
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.at, self.sleep)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


def _ask(text: str = "Good morning.", **wish: Any) -> CompletionRequest:
    request = CompletionRequest(messages=(Message(role="user", content=text),))
    return CompletionRequest.model_validate({**request.model_dump(), **wish})


@pytest.fixture
def ask() -> Ask:
    """ask(text, **fields) → a request."""
    return _ask


@pytest.fixture
def weather() -> FunctionTool:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return FunctionTool(name="weather", description="The weather of a city.", parameters=schema)
