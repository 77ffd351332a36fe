"""The conformance suite run against an endpoint, with its costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envforge.core.contracts import Progress
from envforge.core.errors import ConfigError
from envforge.llm.conformance import Finding, check_model, usable
from envforge.llm.connect import ModelSettings, connect, open_provider
from envforge.llm.prices import Prices
from envforge.llm.providers.openai import OpenAIModel
from envforge.llm.retry import RetryPolicy

_POLICY = RetryPolicy(tries=3)


@dataclass(frozen=True)
class EndpointReport:
    """What an endpoint can, and what it cost to find out."""

    model: str
    findings: list[Finding]
    context: int | None
    spent: dict[str, Any]
    prices_as_of: str

    @property
    def usable(self) -> bool:
        """True when all works that agents need."""
        return usable(self.findings)

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "model": self.model,
            "usable": self.usable,
            "context": self.context,
            "findings": [finding.to_json() for finding in self.findings],
            "spent": self.spent,
            "prices_as_of": self.prices_as_of,
        }


async def check_endpoint(
    settings: ModelSettings, prices: Prices, *, progress: Progress, run: Path | None = None
) -> EndpointReport:
    """Run the suite, without a cache. Raises ConfigError, BudgetError, and EndpointError when nobody answers."""
    if settings.provider == "scripted":
        raise ConfigError("a script is no model to be checked", where="--provider", remedy="give --base-url")
    connection = connect(replace(settings, retry=_POLICY), prices=prices, run=run)
    try:
        findings = await check_model(connection.model, progress=progress)
        context = await _context(settings)
    finally:
        await connection.model.close()
    spent = connection.accounts.total.to_json()
    return EndpointReport(connection.model.identity, findings, context, spent, prices.as_of)


async def _context(settings: ModelSettings) -> int | None:
    bare, _ = open_provider(settings)
    try:
        return await bare.context() if isinstance(bare, OpenAIModel) else None
    finally:
        await bare.close()
