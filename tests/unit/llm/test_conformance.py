"""The suite finds what a server can, and what it can not."""

from __future__ import annotations

import asyncio

import pytest

from envforge.core import model_errors as errors
from envforge.llm.check_endpoint import EndpointReport, check_endpoint
from envforge.llm.connect import ModelSettings
from envforge.llm.loopback.faults import FAULTS
from envforge.llm.loopback.server import Behaviour, LoopbackServer
from envforge.llm.loopback.simulated import ABILITIES, Ability, simulated
from envforge.llm.prices import Price, Prices

PRICES = Prices(as_of="2026-01-01", source="test", models={"simulated": Price(input=1.0, output=2.0)})


def report(behaviour: Behaviour, budget_tokens: int | None = None) -> EndpointReport:
    with LoopbackServer(behaviour) as server:
        chosen = ModelSettings("simulated", base_url=server.base_url, timeout_seconds=60, budget_tokens=budget_tokens)
        return asyncio.run(check_endpoint(chosen, PRICES, progress=lambda label, done, total: None))


def missing(found: EndpointReport) -> set[str]:
    return {finding.check for finding in found.findings if finding.verdict != "yes"}


def test_all_is_found_where_all_is_there() -> None:
    found = report(simulated())
    assert missing(found) == set() and found.usable and found.context == 2048
    assert found.spent["calls"] >= len(found.findings) and found.spent["usd"] > 0


@pytest.mark.parametrize(
    ("ability", "lacking", "usable"),
    [
        ("tools", {"tools", "tool results", "parallel tools", "streaming tools"}, False),
        ("parallel", {"parallel tools"}, True),
        ("seed", {"seeds"}, True),
        ("logprobs", {"log-probabilities"}, True),
        ("stream", {"streaming", "streaming tools"}, True),
        ("schema", {"schema, native", "schema, by repair"}, False),
        ("tool_choice", {"tool choice none", "tool choice required", "tool choice named"}, True),
    ],
)
def test_what_is_not_there_is_found_missing(ability: Ability, lacking: set[str], usable: bool) -> None:
    found = report(simulated(ABILITIES - {ability}))
    choices = {"tool choice required", "tool choice named"} if ability == "tools" else set[str]()
    assert missing(found) == lacking | choices and found.usable is usable


def test_a_context_that_is_not_told_is_unknown_and_tokens_may_be_estimates() -> None:
    found = report(simulated(ABILITIES - {"context", "usage"}))
    assert found.context is None and found.spent["estimated_calls"] > 0 and "estimated" in found.findings[0].detail


def test_no_endpoint_is_an_error_and_no_report() -> None:
    with pytest.raises(errors.AccessDeniedError):
        report(FAULTS["status-401"])


def test_an_endpoint_that_only_answers_nothing_is_not_usable() -> None:
    found = report(FAULTS["empty"])
    assert not found.usable and len(missing(found)) == len(found.findings)


def test_the_budget_stops_it() -> None:
    with pytest.raises(errors.BudgetError):
        report(simulated(), budget_tokens=60)
