"""From settings to a model: the provider, and around it cache, limits, budget, retries and transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envforge.core.contracts import Model
from envforge.core.errors import ConfigError
from envforge.llm.accounts import Accounts
from envforge.llm.breaker import Breaker
from envforge.llm.budget import Budget
from envforge.llm.cache import CachedModel
from envforge.llm.guarded import GuardedModel
from envforge.llm.limits import Limits
from envforge.llm.permission import Secret, key_from_environment, wants_key
from envforge.llm.prices import Prices
from envforge.llm.providers.hub import model_file
from envforge.llm.providers.local import LocalModel
from envforge.llm.providers.openai import DEFAULT_BASE_URL, OpenAIModel
from envforge.llm.providers.scripted import from_transcript
from envforge.llm.retry import DEFAULT, RetryPolicy
from envforge.llm.transcripts import RecordedModel, Transcript

KEY_VARIABLE = "OPENAI_API_KEY"
ACCOUNTS = "spending.jsonl"
TRANSCRIPT = "transcript.jsonl"


def _no_extra() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class ModelSettings:
    """Which model, where, and what it may use.

    `model` is a path for the providers `local` (a GGUF file; also an id on the Hub) and `scripted` (a transcript).
    """

    model: str
    provider: str = "openai"
    base_url: str = DEFAULT_BASE_URL
    key_variable: str = KEY_VARIABLE
    timeout_seconds: float = 300.0
    extra: Mapping[str, Any] = field(default_factory=_no_extra)
    native_schema: bool = True
    at_once: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    budget_tokens: int | None = None
    budget_usd: float | None = None
    retry: RetryPolicy = DEFAULT
    cache_sampled: bool = False
    chat_template: Path | None = None


def _openai(settings: ModelSettings) -> tuple[Model, Secret]:
    key = key_from_environment(settings.key_variable, needed=wants_key(settings.base_url))
    model = OpenAIModel(
        settings.model,
        base_url=settings.base_url,
        key=key,
        timeout_seconds=settings.timeout_seconds,
        extra=settings.extra,
        native_schema=settings.native_schema,
    )
    return model, key


def _scripted(settings: ModelSettings) -> tuple[Model, Secret]:
    return from_transcript(Path(settings.model)), Secret("")


def _local(settings: ModelSettings) -> tuple[Model, Secret]:
    model = LocalModel(
        model_file(settings.model), chat_template=settings.chat_template, timeout_seconds=settings.timeout_seconds
    )
    return model, Secret("")


PROVIDERS: dict[str, Callable[[ModelSettings], tuple[Model, Secret]]] = {
    "local": _local,
    "openai": _openai,
    "scripted": _scripted,
}
"""A new provider is one new file, and its line here."""


def open_provider(settings: ModelSettings) -> tuple[Model, Secret]:
    """The bare model, and the key it is called with. Raises ConfigError."""
    if settings.provider not in PROVIDERS:
        there = ", ".join(sorted(PROVIDERS))
        raise ConfigError(f"no provider {settings.provider!r}", where="--provider", remedy=f"there are: {there}")
    return PROVIDERS[settings.provider](settings)


class Endpoints:
    """Limits and breakers by address: all models of an endpoint share them."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Limits, Breaker]] = {}

    def of(self, settings: ModelSettings) -> tuple[Limits, Breaker]:
        """Those of the settings' endpoint; the first settings say what its limits are."""
        place = settings.model if settings.provider == "local" else settings.base_url
        if place not in self._held:
            limits = Limits(
                at_once=settings.at_once,
                requests_per_minute=settings.requests_per_minute,
                tokens_per_minute=settings.tokens_per_minute,
            )
            self._held[place] = limits, Breaker()
        return self._held[place]


@dataclass(frozen=True)
class Connection:
    """A model ready for use, and the accounts of the run it is used in."""

    model: Model
    accounts: Accounts


def connect(
    settings: ModelSettings,
    *,
    run: Path | None = None,
    cache: Path | None = None,
    prices: Prices | None = None,
    endpoints: Endpoints | None = None,
    transcribed: bool = True,
    cache_unusable: bool = False,
) -> Connection:
    """Open the model. `run` keeps accounts and transcript, `cache` the answers; without them nothing is kept.

    Without `transcribed` there is no transcript: whoever keeps the conversations themselves needs none.
    `cache_unusable`: as `unusable` of `CachedModel`.

    Raises ConfigError for settings that cannot hold, StoreError for damaged files of an earlier run.
    """
    accounts = Accounts(run / ACCOUNTS if run else None)
    budget = Budget(accounts, tokens=settings.budget_tokens, usd=settings.budget_usd, prices=prices)
    if settings.provider != "scripted":
        budget.require_price(settings.model)
    bare, key = open_provider(settings)
    transcript = Transcript(run / TRANSCRIPT, key) if run and transcribed else None
    recorded: Model = RecordedModel(bare, transcript) if transcript else bare
    if settings.provider == "scripted":
        return Connection(recorded, accounts)
    limits, breaker = (endpoints or Endpoints()).of(settings)
    guarded: Model = GuardedModel(
        recorded, name=settings.model, budget=budget, limits=limits, breaker=breaker, policy=settings.retry
    )
    if cache is None:
        return Connection(guarded, accounts)
    on_hit = transcript.hit(guarded.identity) if transcript else None
    kept = CachedModel(guarded, cache, sampled=settings.cache_sampled, unusable=cache_unusable, on_hit=on_hit)
    return Connection(kept, accounts)
